"""A note that quotes what was said is linked to the turn, so that the two are known to be one thing (lessons.md C22).

A sweep of the background worker over new leaves of notes, some at a time, while nothing else waits: nothing of it is done
for a prompt.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from libra.engine.deps import Deps
from libra.ground.records import normal_text
from libra.store import meta, quotes
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)
_SWEPT: Final = "notes.quotes_swept"
"""In ``meta``: the newest leaf that was looked at."""
_SOME: Final = 8
"""Leaves a round: some 10 ms each among 100,000 turns, so that a question never waits."""
_REST_MS: Final = 3_600_000
"""A leaf is looked at an hour after it was stored: on a first start notes are read before the talk that they quote."""
_WORD: Final = re.compile(r"[^\W_]+")
_WINDOW: Final = 6
"""Words in a row that a turn must share before the whole of it is compared."""
_LEAST: Final = 6
"""A turn of fewer words ("yes, do that") is said by everybody."""
_CANDIDATES: Final = 20
_LINKS: Final = 3


def link_some(deps: Deps) -> bool:
    """Look at some new leaves of notes for words of turns; return False if there are none."""
    now_ms = deps.clock()
    if deps.store.read_only:
        return False
    with deps.store.snapshot() as snapshot:
        swept = int(meta.get(snapshot, _SWEPT) or 0)
        leaves = quotes.fresh(snapshot, swept, now_ms - _REST_MS, _SOME)
        found: list[tuple[int, int]] = []
        for leaf, text in leaves:
            words = words_of(text)
            if (match := expression(words)) is not None:
                told = quotes.saying(snapshot, match, _CANDIDATES)
                found += [(leaf, turn) for turn, said in told if holds(words, words_of(said))][:_LINKS]
    if not leaves:
        return False

    def job(tx: WriteTx) -> int:
        meta.put(tx, _SWEPT, leaves[-1][0])
        return quotes.link(tx, found, now_ms)

    linked = deps.store.write(job).result()
    if linked:
        _LOG.info("linked %d leaves of notes to the turns that they quote", linked)
    return True


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case: quote signs, emphasis and line ends make no difference."""
    return _WORD.findall(normal_text(text).casefold())


def expression(words: list[str]) -> str | None:
    """Return an FTS5 expression for texts that share some words in a row: of the end, the middle and the beginning.

    A name before the words ("Me: …") leaves the other two. None for too few words.
    """
    if len(words) < _LEAST:
        return None
    last = len(words) - _WINDOW
    runs = {" ".join(words[at : at + _WINDOW]): None for at in (last, last // 2, 0)}
    return " OR ".join(f'"{run}"' for run in runs)


def holds(leaf: list[str], turn: list[str]) -> bool:
    """Whether a leaf holds a turn's words whole, or is itself a part of what was said."""
    shorter, longer = sorted((leaf, turn), key=len)
    return len(shorter) >= _LEAST and f" {' '.join(shorter)} " in f" {' '.join(longer)} "
