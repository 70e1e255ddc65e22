"""A step that only reads, or that changes nothing when it is repeated, is tried once more where its snapshot was ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from libra.ground.errors import StoreBusy
from libra.store.connection import READ_TOO_LONG

T = TypeVar("T")


def once_more(step: Callable[[], T]) -> T:
    """Return what the step returns.

    A snapshot is ended after some seconds, so that the log can be cut (lessons C62). Where the machine starves us that is no sign of
    a fault, and the next try mostly comes through.

    Raises:
        LibraError: Whatever the step raises; of two ended snapshots the second.
    """
    try:
        return step()
    except StoreBusy as error:
        if error.reason != READ_TOO_LONG:
            raise
        return step()
