"""The engine's methods for a person's own page; the work is in one module a verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libra.engine import never as nevers
from libra.engine import receipt as receipting
from libra.engine import review as reviewing
from libra.engine import rulebook as rulebooks
from libra.engine import rules_history as rule_histories
from libra.engine import talks
from libra.engine import timeline as timelines
from libra.engine.deps import Deps
from libra.engine.page_places import ReceiptPlace, TalkPlace
from libra.ground.errors import NotReady
from libra.ground.records import Who

Json = dict[str, Any]


def _no_page() -> Json:
    raise NotReady("this libra has no page", reason="no_page")


def _no_settings(*_: Any) -> Json:
    raise NotReady("this libra has no file of settings", reason="no_settings")


class PageMethods:
    """The part of :class:`libra.engine.core.Engine` that is about the page."""

    deps: Deps
    _open_page: Callable[[], Json] = staticmethod(_no_page)

    _settings: Callable[[], Json] = staticmethod(_no_settings)
    _set_setting: Callable[[str, Any], Json] = staticmethod(_no_settings)

    def settle_with(self, listed: Callable[[], Json], change: Callable[[str, Any], Json]) -> None:
        """Know who keeps the settings: functions that answer ``settings`` and ``set_setting``."""
        self._settings, self._set_setting = listed, change

    def show_page_with(self, open_page: Callable[[], Json]) -> None:
        """Know who opens the page: a function that returns what ``open_page`` answers."""
        self._open_page = open_page

    def open_page(self) -> Json:
        """Answer the method ``open_page``."""
        return self._open_page()

    def settings(self) -> Json:
        """Answer the method ``settings``."""
        return self._settings()

    def set_setting(self, *, key: str, value: Any = None) -> Json:
        """Answer the method ``set_setting``."""
        return self._set_setting(key, value)

    def rulebook(self, *, who: Who | None = None, everywhere: bool = False, show: str | None = None) -> Json:
        """Answer the method ``rulebook``."""
        return rulebooks.rulebook(self.deps, who, everywhere=everywhere, show=show)

    def rules_history(
        self,
        *,
        who: Who | None = None,
        path: str | None = None,
        everywhere: bool = False,
        k: int = 100,
        after: int | None = None,
    ) -> Json:
        """Answer the method ``rules_history``."""
        return rule_histories.rules_history(self.deps, who, path, k, after, everywhere=everywhere)

    def sessions(self, *, who: Who | None = None, k: int = 50, after: TalkPlace | None = None) -> Json:
        """Answer the method ``sessions``."""
        return talks.listed(self.deps, who, k, after)

    def session(
        self, *, session: str, who: Who | None = None, first: int = 0, k: int = 200, turn: str | None = None
    ) -> Json:
        """Answer the method ``session``."""
        return talks.one(self.deps, who, session, first, k, turn)

    def timeline(self, *, who: Who | None = None, k: int = 60) -> Json:
        """Answer the method ``timeline``."""
        return timelines.timeline(self.deps, who, k)

    def receipts(
        self,
        *,
        who: Who | None = None,
        session: str | None = None,
        k: int = 50,
        after: ReceiptPlace | None = None,
    ) -> Json:
        """Answer the method ``receipts``."""
        return receipting.listed(self.deps, who, k, after, session)

    def receipt(self, *, id: str, who: Who | None = None) -> Json:
        """Answer the method ``receipt``."""
        return receipting.one(self.deps, who, id)

    def review(self, *, who: Who | None = None, k: int = 5) -> Json:
        """Answer the method ``review``."""
        return reviewing.review(self.deps, who, k)

    def never(self, *, id: str, place: str, who: Who | None = None) -> Json:
        """Answer the method ``never``."""
        return nevers.put(self.deps, who, id, place)

    def allow(self, *, id: str, place: str, who: Who | None = None) -> Json:
        """Answer the method ``allow``."""
        return nevers.take_back(self.deps, who, id, place)
