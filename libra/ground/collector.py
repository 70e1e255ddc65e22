"""Python's collector of cycles, in a process that lives for weeks and answers in milliseconds."""

from __future__ import annotations

import gc

_EVERY = 20_000
"""Objects made and not yet gone before it looks."""


def settle() -> None:
    """Take what lives as long as the process out of the collector's sight, and let it look more seldom.

    An answer makes thousands of rows that are gone without it; its default, a look every 700 objects, costs each answer
    a millisecond, and a look through everything that the model brought along many.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_EVERY, 20, 20)
