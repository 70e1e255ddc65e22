"""Edits of a text that can be taken back to the byte: where, what was there, what is there now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class Unreadable(ValueError):
    """The text is not what its format wants, or is shaped in a way that is left to its owner."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement.

    Attributes:
        at: Where in the text as it was before this edit, in characters.
        old: What was there.
        new: What stands there now.
    """

    at: int
    old: str
    new: str


def apply(text: str, edit: Edit) -> str:
    """Return the text after one edit.

    Raises:
        Unreadable: The text is not the one that the edit was made for.
    """
    end = edit.at + len(edit.old)
    if text[edit.at : end] != edit.old:
        raise Unreadable("the text has changed meanwhile")
    return text[: edit.at] + edit.new + text[end:]


_TELLING_CHARS = 12
"""An insertion this long is ours wherever it stands, if it stands there once."""


def undo(text: str, edits: Sequence[Edit], *, exact: bool = True) -> str | None:
    """Return the text as it was before these edits, in the order of their making; None if that cannot be told.

    Args:
        text: What holds them.
        edits: What was done.
        exact: True if the text is what they left. Else somebody has written into it since, so that places do not
            count: what we inserted is looked for, and has to be there once.
    """
    for edit in reversed(edits):
        at = edit.at
        if not exact:
            if len(edit.new.strip()) < _TELLING_CHARS or text.count(edit.new) != 1:
                return None
            at = text.index(edit.new)
        elif text[at : at + len(edit.new)] != edit.new:
            return None
        text = text[:at] + edit.old + text[at + len(edit.new) :]
    return text


def newline_of(text: str) -> str:
    """Return the text's own kind of line end: its first, else a line feed."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
