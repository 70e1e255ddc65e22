"""Where a page of a list begins, as callers hand it back: declared apart, so that a client loads no database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Sort(StrEnum):
    """The orders that a caller may ask for."""

    NEWEST = "newest"
    OLDEST = "oldest"
    PRIORITY = "priority"
    CONFIDENCE = "confidence"


@dataclass(frozen=True, slots=True)
class After:
    """Where a page begins.

    Attributes:
        sort: The order of the list.
        at_ms: When the first page was asked for: confidence is as of then on all of them.
        key, item_id: The last place of the page before.
    """

    sort: str
    at_ms: int
    key: int
    item_id: int

    @property
    def text(self) -> str:
        """What the caller hands back for the next page."""
        return f"{self.sort}.{self.at_ms}.{self.key}.{self.item_id}"

    @classmethod
    def parse(cls, text: str) -> After:
        """Return what :attr:`text` says.

        Raises:
            ValueError: It is nothing that a list has answered.
        """
        sort, *numbers = text.split(".")
        at_ms, key, item = (_number(part) for part in numbers)
        return cls(Sort(sort).value, at_ms, key, item)


def _number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError
    return int(text)
