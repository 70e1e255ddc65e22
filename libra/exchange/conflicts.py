"""The file beside the Markdown mirror that names what both sides had changed: written for a person, read to take words out.

An item names a memory, two lines below it what each side said. No later pass writes these lines anew, so that what is
forgotten has to be taken out of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

_HERE: Final = "  - in the file: "
_THERE: Final = "  - in Libra: "
_INDENT: Final = "    "
_DELETED: Final = "(deleted)"
_NOT_ACTIVE: Final = "(no longer active)"
_FORGOTTEN: Final = "(forgotten)"
_NONE: Final = frozenset({_DELETED, _NOT_ACTIVE, _FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Conflict:
    """What both sides said.

    Attributes:
        uid: The memory; None for a line that a person had added and that was refused.
        here: What the file said; None where it had been deleted.
        there: What Libra said; None where it was no longer active.
    """

    uid: str | None
    here: str | None
    there: str | None


def render(conflicts: Iterable[Conflict]) -> str:
    """Return the lines of some conflicts."""
    return "".join(
        f"- {c.uid}\n{_HERE}{_lines(c.here, _DELETED)}\n{_THERE}{_lines(c.there, _NOT_ACTIVE)}\n"
        for c in conflicts
    )


def _lines(text: str | None, absent: str) -> str:
    return absent if text is None else text.replace("\n", f"\n{_INDENT}")


def without(text: str, forgotten: Callable[[str | None, str | None], bool]) -> str:
    """Return the file's text without what was forgotten; lines of a person's own before the first item stay.

    Args:
        text: The file's text.
        forgotten: Of an id and of words, either of which may be None, whether they were forgotten.
    """
    head, found = _parsed(text)
    left = []
    for conflict in found:
        if forgotten(conflict.uid, None):
            continue
        here, there = (
            _FORGOTTEN if side not in _NONE and side is not None and forgotten(None, side) else side
            for side in (conflict.here, conflict.there)
        )
        if (here, there) == (conflict.here, conflict.there) or {here, there} - _NONE - {None}:
            left.append(replace(conflict, here=here, there=there))
    return text if left == found else head + render(left)


def _parsed(text: str) -> tuple[str, list[Conflict]]:
    head: list[str] = []
    items: list[tuple[str, dict[str, list[str]]]] = []
    side: list[str] = head
    for line in text.removesuffix("\n").split("\n") if text else ():
        mark = next((m for m in (_HERE, _THERE) if line.startswith(m)), None)
        if mark is not None and items and mark not in items[-1][1]:
            side = items[-1][1].setdefault(mark, [])
            side.append(line.removeprefix(mark))
        elif line.startswith("- "):
            items.append((line.removeprefix("- ").strip(), {}))
            side = []
        else:
            side.append(line.removeprefix(_INDENT) if items else line)
    found = [
        Conflict(
            None if name == "None" else name,
            *("\n".join(said[m]) if m in said else None for m in (_HERE, _THERE)),
        )
        for name, said in items
    ]
    return "".join(f"{line}\n" for line in head), found
