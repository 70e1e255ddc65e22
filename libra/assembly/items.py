"""The view of a stored item that assembly decides on; the store's rows have this shape."""

from __future__ import annotations

from typing import Protocol

from libra.ground.records import Kind


class Item(Protocol):
    """A stored item. ``seq`` orders a session's turns; ``tokens`` is the estimate for ``text``."""

    @property
    def id(self) -> int:
        """Row id."""
        ...

    @property
    def uid(self) -> str:
        """Public id."""
        ...

    @property
    def kind(self) -> Kind:
        """What it is."""
        ...

    @property
    def type(self) -> str | None:
        """Memory type, for memories."""
        ...

    @property
    def text(self) -> str:
        """What it says."""
        ...

    @property
    def tokens(self) -> int:
        """Estimate for ``text``."""
        ...

    @property
    def ts_ms(self) -> int:
        """When it was said, epoch ms."""
        ...

    @property
    def scope(self) -> str:
        """Scope in its text form."""
        ...

    @property
    def session_id(self) -> int | None:
        """Row id of its session."""
        ...

    @property
    def session_key(self) -> str | None:
        """Key of its session."""
        ...

    @property
    def seq(self) -> int | None:
        """Place within the session."""
        ...

    @property
    def project(self) -> str | None:
        """Project key."""
        ...

    @property
    def agent(self) -> str | None:
        """Agent it was said to or learnt by."""
        ...

    @property
    def role(self) -> str | None:
        """Who spoke."""
        ...

    @property
    def speaker(self) -> str | None:
        """Display name."""
        ...

    @property
    def confidence(self) -> float | None:
        """0…1 for memories and summaries."""
        ...

    @property
    def priority(self) -> int | None:
        """0…100 for memories."""
        ...

    @property
    def superseded(self) -> bool:
        """A newer memory stands in its place."""
        ...
