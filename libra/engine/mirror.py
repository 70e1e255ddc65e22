"""The Markdown mirror: memories in files that a person can read and change, kept in step with the database in both ways.

Three states are compared: what was written last, what the file says, what the database says. An edit of the words is an
update with its history; a deleted item is archived, not lost; a new item is remembered as the person's own word. Where both
sides have changed, both are kept and it is said. What was made forgotten does not come back by a file that holds it still.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from libra.engine import archiving, remember
from libra.engine.deps import Deps
from libra.engine.remember import Wish
from libra.engine.scopes import visible
from libra.engine.which import Which
from libra.exchange.conflicts import Conflict, without
from libra.exchange.conflicts import render as render_conflicts
from libra.exchange.mirror import Entry, Mirrored, is_ours, parse, render, words_hash
from libra.ground.errors import LibraError, NotReady, StoreReadOnly
from libra.ground.records import MemoryType, Origin, Who
from libra.store import meta, mirrored
from libra.store.mirrored import Shown, Written

_LOG = logging.getLogger(__name__)
Json = dict[str, Any]

_CONFLICTS = "conflicts.md"
_SEEN = "mirror.conflicts"
_MOST_BYTES = 16 * 1024 * 1024
_SHOWN = 50


@dataclass(slots=True)
class _Sync:
    """What one pass has done."""

    updated: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    conflicts: list[Json] = field(default_factory=list)
    refused: int = 0
    written: int = 0


def sync(deps: Deps) -> Json:
    """Answer the method ``mirror``: bring files and memories into step, once.

    Raises:
        NotReady: No folder is set.
        StoreReadOnly: The folder cannot be written.
    """
    if deps.params.mirror.folder is None:
        raise NotReady(
            "no folder is set for the mirror", hint="set mirror.folder in the settings", where="mirror.folder"
        )
    folder = Path(deps.params.mirror.folder)
    done = _Sync()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        texts = {kind: _read(folder / f"{kind.value}.md") for kind in MemoryType}
        _take(deps, texts, done)
        clean_conflicts(deps, partial(_without_forgotten, deps))
        _give(deps, folder, texts, done)
        _tell(deps, folder, done)
    except OSError as error:
        raise StoreReadOnly(f"the mirror cannot be used: {error.strerror}", where=str(folder)) from error
    return {
        "folder": str(folder), "updated": done.updated, "archived": done.archived, "added": done.added,
        "conflicts": done.conflicts[:_SHOWN], "refused": done.refused, "files": done.written,
    }  # fmt: skip


def mirror_some(deps: Deps, seen: dict[str, Any]) -> bool:
    """Keep the mirror in step when Libra rests; return True if something was to be done.

    Args:
        deps: Shared parts.
        seen: What the last pass has left: kept by the caller between calls.
    """
    if deps.params.mirror.folder is None or deps.store.read_only:
        return False
    mark = _mark(deps)
    if seen.get("mark") == mark:
        return False
    try:
        sync(deps)
    except LibraError as error:
        _LOG.warning("the mirror is not in step: %s", error.message)
    seen["mark"] = _mark(deps)
    return True


def _mark(deps: Deps) -> tuple[Any, ...]:
    """Return what is another as soon as a file or a memory has changed."""
    folder = Path(deps.params.mirror.folder or "")
    files = []
    for kind in MemoryType:
        with contextlib.suppress(OSError):
            found = (folder / f"{kind.value}.md").stat()
            files.append((kind.value, found.st_mtime_ns, found.st_size))
    with deps.store.snapshot() as snapshot:
        return (tuple(files), mirrored.change_mark(snapshot))


def _read(path: Path) -> str | None:
    """Return a file's text; None where it cannot be trusted: it is missing, too large, or does not begin as ours."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    text = raw.decode("utf-8", "replace")
    return text if len(raw) <= _MOST_BYTES and is_ours(text) else None


# ------------------------------------------------------------------ what the files say


def _me(deps: Deps) -> Who:
    return Who(user=deps.params.default_user, agent="mirror")


def _own(deps: Deps) -> Callable[[], list[Shown]]:
    def look() -> list[Shown]:
        with deps.store.snapshot() as snapshot:
            return mirrored.active(snapshot, visible(deps, _me(deps)))

    return look


def _take(deps: Deps, texts: Mapping[MemoryType, str | None], done: _Sync) -> None:
    with deps.store.snapshot() as snapshot:
        before = mirrored.written(snapshot)
    now = {memory.uid: memory for memory in _own(deps)()}
    present: set[str] = set()
    for kind, text in texts.items():
        for entry in parse(text) if text is not None else ():
            if entry.uid is None or entry.uid in present:
                # A line that was copied with its id is a new one.
                _add(deps, entry.text, kind, done)
                continue
            present.add(entry.uid)
            _changed(deps, entry, kind, before.get(entry.uid), now.get(entry.uid), done)
    for uid, was in before.items():
        stood = _kind(was.file)
        if uid not in present and stood is not None and texts[stood] is not None:
            _deleted(deps, uid, was, now.get(uid), done)


def _kind(file: str) -> MemoryType | None:
    with contextlib.suppress(ValueError):
        return MemoryType(file.removesuffix(".md"))
    return None


def _changed(
    deps: Deps, entry: Entry, kind: MemoryType, was: Written | None, now: Shown | None, done: _Sync
) -> None:
    """Take over what a person did to an item: nothing, other words, or words that the database has changed too."""
    if was is None or words_hash(entry.text) == was.hash or not entry.text:
        return
    if now is not None and words_hash(now.text) == words_hash(entry.text):
        return
    if now is not None and words_hash(now.text) == was.hash:
        if _tried(
            partial(remember.update, deps, _me(deps), entry.uid or "", entry.text, _WISH, "mirror"), done
        ):
            done.updated.append(entry.uid or "")
        else:
            done.conflicts.append({"id": entry.uid, "here": entry.text, "there": now.text})
        return
    with deps.store.snapshot() as snapshot:
        forgotten = mirrored.gone(snapshot, [entry.uid or ""])
    if forgotten:
        done.refused += 1
        return
    done.conflicts.append({"id": entry.uid, "here": entry.text, "there": None if now is None else now.text})
    _add(deps, entry.text, kind, done)


def _deleted(deps: Deps, uid: str, was: Written, now: Shown | None, done: _Sync) -> None:
    """Archive what a person has deleted, unless the database has changed it since: then it stays, and it is said."""
    if now is None:
        return
    if words_hash(now.text) != was.hash:
        done.conflicts.append({"id": uid, "here": None, "there": now.text})
    elif _tried(
        partial(archiving.archive, deps, _me(deps), [uid], Which(), Origin.OWNER, dry_run=False), done
    ):
        done.archived.append(uid)


_WISH = Wish(origin=Origin.OWNER)


def _add(deps: Deps, text: str, kind: MemoryType, done: _Sync) -> None:
    if not text:
        return
    wish = Wish(type=kind, origin=Origin.OWNER)
    if answer := _tried(partial(remember.remember, deps, _me(deps), text, wish), done):
        done.added.append(answer["id"])
    else:
        done.conflicts.append({"id": None, "here": text, "there": None})


def _tried(job: Callable[[], Json], done: _Sync) -> Json | None:
    """Return what a change answers; None for one that is refused."""
    try:
        return job()
    except LibraError as error:
        done.refused += 1
        _LOG.info("a line of the mirror was not taken: %s", error.reason)
        return None


# ------------------------------------------------------------------ what the database says


def _give(deps: Deps, folder: Path, texts: Mapping[MemoryType, str | None], done: _Sync) -> None:
    """Write the files anew where they differ; a file that was changed meanwhile waits for the next pass."""
    by_kind: dict[MemoryType, list[Shown]] = {kind: [] for kind in MemoryType}
    for memory in _own(deps)():
        by_kind[MemoryType(memory.type)].append(memory)
    for kind, held in by_kind.items():
        path = folder / f"{kind.value}.md"
        fresh = render(kind.value.capitalize(), [_shown(deps, memory) for memory in held])
        before = texts[kind]
        if before is None and not held and not path.exists():
            continue
        if _read(path) != before:
            continue
        if fresh != before:
            _put(path, fresh)
            done.written += 1
        hashes = {memory.uid: words_hash(memory.text) for memory in held}
        deps.store.write(partial(_note, path.name, hashes)).result()


def _note(file: str, hashes: Mapping[str, str], tx: Any) -> None:
    mirrored.note(tx, file, hashes)


def _shown(deps: Deps, memory: Shown) -> Mirrored:
    day = datetime.fromtimestamp(memory.ts_ms / 1000, deps.zone).date().isoformat()
    return Mirrored(memory.uid, memory.text, day, memory.project or "")


def _put(path: Path, text: str) -> None:
    """Put a file in place at one go, for its owner's eyes only; one that was not ours is kept beside it."""
    if path.exists() and _read(path) is None:
        path.replace(path.with_name(f"{path.stem}.before-mirror.md"))
    _write(path, text)


def _write(path: Path, text: str) -> None:
    partial_ = path.with_name(path.name + ".partial")
    with os.fdopen(
        os.open(partial_, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
    partial_.replace(path)


def _tell(deps: Deps, folder: Path, done: _Sync) -> None:
    """Write conflicts down beside the files, and count them for ``status``."""
    if not done.conflicts:
        return
    found = [Conflict(told["id"], told["here"], told["there"]) for told in done.conflicts]
    with (folder / _CONFLICTS).open("a", encoding="utf-8") as file:
        file.write(render_conflicts(found))
    with deps.store.snapshot() as snapshot:
        before = int(meta.get(snapshot, _SEEN) or 0)
    deps.store.write(lambda tx: meta.put(tx, _SEEN, before + len(done.conflicts))).result()
    _LOG.warning("the mirror had %d conflicts; both sides are kept", len(done.conflicts))


def _without_forgotten(deps: Deps, text: str) -> str:
    """Return the text of the conflicts without what was forgotten since they were written down."""
    with deps.store.snapshot() as snapshot:
        return without(text, partial(mirrored.forgotten, snapshot, deps.params.default_user))


def clean_conflicts(deps: Deps, change: Callable[[str], str]) -> None:
    """Change words in the conflicts that were written down: no later pass writes these lines anew.

    Raises:
        StoreReadOnly: The file cannot be written.
    """
    path = Path(deps.params.mirror.folder or "") / _CONFLICTS
    if deps.params.mirror.folder is None or not path.is_file():
        return
    try:
        before = path.read_text("utf-8", errors="replace")
        if (after := change(before)) != before:
            _write(path, after)
    except OSError as error:
        raise StoreReadOnly(f"the mirror cannot be used: {error.strerror}", where=str(path)) from error


def files_of(deps: Deps) -> Sequence[Path]:
    """Return the mirror's files, for a scrub."""
    if deps.params.mirror.folder is None:
        return []
    return sorted(Path(deps.params.mirror.folder).glob("*.md"))
