"""The engine's methods for a person's own page; the work is in one module a verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libra.engine.deps import Deps
from libra.ground.errors import NotReady

Json = dict[str, Any]


def _no_page() -> Json:
    raise NotReady("this libra has no page", reason="no_page")


class PageMethods:
    """The part of :class:`libra.engine.core.Engine` that is about the page."""

    deps: Deps
    _open_page: Callable[[], Json] = staticmethod(_no_page)

    def show_page_with(self, open_page: Callable[[], Json]) -> None:
        """Know who opens the page: a function that returns what ``open_page`` answers."""
        self._open_page = open_page

    def open_page(self) -> Json:
        """Answer the method ``open_page``."""
        return self._open_page()
