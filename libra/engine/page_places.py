"""Places in lists and places of prompts, as texts: what the declarations of the verbs need, and nothing heavy."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RECEIPT = re.compile(r"([0-9]{1,18})\.([0-9a-zA-Z-]{1,64})")
_TALK = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")
_PROMPTS = re.compile(r"(?:project|agent|host|session):.+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReceiptPlace:
    """Where a page of receipts begins: after the one of this time and id."""

    at_ms: int
    receipt_id: str

    @property
    def text(self) -> str:
        """What the caller hands back for the next page."""
        return f"{self.at_ms}.{self.receipt_id}"

    @classmethod
    def parse(cls, text: str) -> ReceiptPlace:
        """Return what :attr:`text` says.

        Raises:
            ValueError: It is nothing that a list has answered.
        """
        found = _RECEIPT.fullmatch(text)
        if found is None:
            raise ValueError
        return cls(int(found[1]), found[2])


@dataclass(frozen=True, slots=True)
class TalkPlace:
    """Where a page of sessions begins: after this one."""

    last_ms: int
    session_id: int

    @property
    def text(self) -> str:
        """What the caller hands back for the next page."""
        return f"{self.last_ms}.{self.session_id}"

    @classmethod
    def parse(cls, text: str) -> TalkPlace:
        """Return what :attr:`text` says.

        Raises:
            ValueError: It is nothing that a list has answered.
        """
        found = _TALK.fullmatch(text)
        if found is None:
            raise ValueError
        return cls(int(found[1]), int(found[2]))


def parse_place(text: str) -> str:
    """Return the place that a text names.

    Raises:
        ValueError: It names none.
    """
    if not _PROMPTS.fullmatch(text):
        raise ValueError(text[:20])
    return text
