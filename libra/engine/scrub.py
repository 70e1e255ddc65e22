"""Scrub: words leave everything that Libra has written, and a look at every byte of its files says whether they have.

Unlike forgetting, which takes away whole records, this takes words out of them: a secret that was pasted, a name that may
not be kept. What held them stays, with a mark in their place. Of the words themselves only a salted hash is kept, so that
they do not come in again.
"""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from libra.engine import mirror
from libra.engine.cleaning import RULES
from libra.engine.deps import Deps
from libra.engine.outgoing import only_the_person
from libra.engine.scopes import complete
from libra.ground.errors import Conflict, InvalidParams, LibraError, StoreError
from libra.ground.records import Kind, Who
from libra.store import bytesearch, exportfiles, keptout, wipe
from libra.store.bytesearch import Searched
from libra.store.scrub import clean_one
from libra.store.wipe import Place, Sweep
from libra.text.keptout import kept_out, marked
from libra.text.pattern import Pattern, PatternError
from libra.text.scripts import lower
from libra.text.secretformats import mark

_LOG = logging.getLogger(__name__)
Json = dict[str, Any]

UNASKED = 100
"""More values than these are changed only for a caller that says how many: it has seen the preview."""
LEAST_CHARS = 4
"""A shorter word would take marks into every other sentence."""
_MOST_WORDS = 200
"""Different words that one expression may take out."""
_SHOWN = 100
_OURS = mark("scrubbed")


def scrub(
    deps: Deps, who: Who | None, text: str | None, pattern: str | None, confirm: int | None, *, dry_run: bool
) -> Json:
    """Answer the method ``scrub``.

    Raises:
        Forbidden: An agent asks.
        InvalidParams: The word is too short, or the expression cannot be read.
        Conflict: More than :data:`UNASKED` values would change and ``confirm`` is not their number, or an expression
            means too many different words.
        StoreError: The database cannot be written.
    """
    only_the_person(complete(deps, who))
    words = _words(deps, text, pattern)
    sweep = _sweep(words)
    places = wipe.everywhere(deps.store, sweep) if words else []
    needles = bytesearch.forms([form for word in words for form in (word, *bytesearch.written(word))])
    answer = {"words": len(words), **_told(deps, places), "dry_run": dry_run}
    if dry_run or not words:
        files = _files(deps, needles) if words else []
        return {
            **answer,
            "changed": {},
            "files": _shown(files),
            "left": [],
            "ok": not places,
            "searched": len(files),
        }
    if len(places) > UNASKED and confirm != len(places):
        raise Conflict(
            f"{len(places):,} values would be changed for good",
            reason="confirm",
            hint=f"look at them with dry_run, then say confirm: {len(places)}",
            where="confirm",
        )
    changed = _done(deps, words, sweep, needles)
    deps.kept.forget()
    files = _files(deps, needles)
    left = [f for f in files if f.hits != 0]
    _LOG.info(
        "scrubbed %d words out of %d values; %d files still hold one", len(words), len(places), len(left)
    )
    return {
        **answer, "changed": changed, "files": _shown(files), "left": _shown(left), "ok": not left, "searched": len(files)
    }  # fmt: skip


def _words(deps: Deps, text: str | None, pattern: str | None) -> list[str]:
    """Return the different words that are meant, in lower case."""
    if text is not None:
        return [_long_enough(text.strip())]
    try:
        meant = Pattern(pattern or "", regex=True)
    except PatternError as error:
        raise InvalidParams(f"pattern: {error}", where="pattern") from None
    found: dict[str, None] = {}

    def look(_table: str, _column: str, value: str) -> str:
        for start, end in meant.spans(value):
            word = lower(value[start:end]).strip()
            if len(word) >= LEAST_CHARS and word not in _OURS:
                found[word] = None
        if len(found) > _MOST_WORDS:
            raise Conflict(
                f"this means more than {_MOST_WORDS} different words",
                hint="say it more narrowly",
                where="pattern",
            )
        return value

    wipe.everywhere(deps.store, Sweep(look, lambda _table, words: meant.find(words) is not None))
    return list(found)


def _long_enough(word: str) -> str:
    low = lower(word)
    if len(low) < LEAST_CHARS or low in _OURS:
        raise InvalidParams(
            f"text: expected at least {LEAST_CHARS} characters, and none of our own mark", where="text"
        )
    return low


def _sweep(words: Sequence[str]) -> Sweep:
    """Return what takes words out of values, also where they stand within JSON."""
    meant = sorted(
        {lower(form) for word in words for form in (word, *bytesearch.written(word))}, key=len, reverse=True
    )

    def change(_table: str, _column: str, value: str) -> str:
        low = lower(value)
        return marked(value, [span for word in meant if word in low for span in _spans(low, word)])

    def may(_table: str, held: str) -> bool:
        low = lower(held)
        return any(word in low for word in meant)

    return Sweep(change, may)


def _spans(low: str, word: str) -> list[tuple[int, int]]:
    spans, at = [], low.find(word)
    while at >= 0:
        spans.append((at, at + len(word)))
        at = low.find(word, at + 1)
    return spans


def _told(deps: Deps, places: Sequence[Place]) -> Json:
    """Return what was found: how much where, which records, and which files of others their words came from."""
    where = Counter(f"{p.table.name}.{p.column}" for p in places)
    ids = [int(p.key[0]) for p in places if (p.table.name, p.column) == ("item", "text")]
    with deps.store.snapshot() as snapshot:
        kinds = Counter(Kind(kind).wire for kind in wipe.kinds(snapshot, ids))
        uids = wipe.uids(snapshot, ids[:_SHOWN])
        origins = wipe.origins(snapshot, ids)
    return {
        "values": len(places), "found": dict(sorted(where.items())), "kinds": dict(sorted(kinds.items())), "ids": uids,
        "origins": origins[:_SHOWN],
    }  # fmt: skip


def _done(deps: Deps, words: Sequence[str], sweep: Sweep, needles: Sequence[bytes]) -> dict[str, int]:
    """Take the words out of everything; return how many values were changed where."""
    now_ms = deps.clock()
    known = [
        kept_out(form, secrets.token_hex(8)) for word in words for form in (word, *bytesearch.written(word))
    ]
    # First of all nothing new may come in; then what is there is looked for again.
    deps.store.write(lambda tx: keptout.keep(tx, known, now_ms), full_sync=True).result()
    deps.cleaner.refresh()
    if RULES.identity is None:
        raise StoreError("nothing is known of identities")
    changed = wipe.wipe(deps.store, wipe.everywhere(deps.store, sweep), sweep.change, RULES.identity)
    deps.store.vacuum().result()
    # Nor may a prompt that is kept in memory, or a row that was read, hold them any longer.
    deps.exact.clear()
    deps.kept.forget()
    deps.wake()
    given_up: set[str] = set()
    while clean_one(deps.store, deps.clock, RULES, given_up):
        changed["backups"] += 1
    changed["backups"] -= len(given_up)
    for path in _exports(deps):
        try:
            changed["exports"] += exportfiles.rewrite(path, lambda value: sweep.change("", "", value)) > 0
        except LibraError as error:
            _LOG.warning("an export could not be changed: %s", error.message)
    if deps.params.mirror.folder is not None:
        mirror.clean_conflicts(deps, lambda text: sweep.change("", "", text))
        mirror.sync(deps)
    for path in sorted((deps.store.path.parent / "logs").glob("*")):
        if path.is_file() and bytesearch.file(path, needles).hits:
            changed["logs"] += exportfiles.blank(path, needles)
    return {name: n for name, n in sorted(changed.items()) if n}


def _exports(deps: Deps) -> list[Path]:
    with deps.store.snapshot() as snapshot:
        paths = [Path(path) for path in keptout.exports(snapshot)]
    return [path for path in paths if exportfiles.is_export(path)]


def _files(deps: Deps, needles: Sequence[bytes]) -> list[Searched]:
    """Look through every file of the data folder, and through the exports that Libra knows of."""
    return [
        *bytesearch.folder(deps.store.path.parent, deps.store.path, needles),
        *(bytesearch.file(path, needles) for path in (*_exports(deps), *mirror.files_of(deps))),
    ]


def _shown(files: Sequence[Searched]) -> list[Json]:
    return [asdict(f) for f in files if f.hits != 0][:_SHOWN]
