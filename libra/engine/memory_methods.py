"""The engine's methods about memories; the work is in one module a verb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine import archiving, browse, changes, keeping, overview
from libra.engine import calibrate as calibrating
from libra.engine import explain as explaining
from libra.engine import forget as forgetting
from libra.engine import recap as recapping
from libra.engine import remember as remembering
from libra.engine.browse import ListRequest
from libra.engine.deps import Deps
from libra.engine.ids import whole, wholes
from libra.engine.paging import After, Sort
from libra.engine.which import Which
from libra.ground.errors import InvalidParams
from libra.ground.records import Origin, Who

Json = dict[str, Any]


class MemoryMethods:
    """The part of :class:`libra.engine.core.Engine` that is about memories: it needs the shared parts alone.

    Args:
        deps: Shared parts.
    """

    def __init__(self, deps: Deps) -> None:
        self.deps = deps

    def confirm(self, *, id: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``confirm``."""
        return changes.confirm(self.deps, who, whole(self.deps, who, id), origin)

    def correct(self, *, id: str, text: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``correct``."""
        return changes.correct(self.deps, who, whole(self.deps, who, id), text, origin)

    def explain(self, *, id: str, who: Who | None = None) -> Json:
        """Answer the method ``explain``."""
        return explaining.explain(self.deps, who, whole(self.deps, who, id))

    def undo(
        self, *, who: Who | None = None, journal_id: int | None = None, last: bool | None = None
    ) -> Json:
        """Answer the method ``undo``; a number wins over ``last``."""
        if journal_id is None and not last:
            raise InvalidParams("last: expected true, or a journal_id", where="last")
        return changes.undo(self.deps, who, journal_id)

    def journal(self, *, who: Who | None = None, limit: int = 20, since: int | None = None) -> Json:
        """Answer the method ``journal``."""
        return changes.entries(self.deps, who, limit, since)

    def calibrate(self) -> Json:
        """Answer the method ``calibrate``."""
        return calibrating.calibrate(self.deps)

    def forget(
        self,
        *,
        who: Who | None = None,
        id: str | None = None,
        ids: Sequence[str] | None = None,
        dry_run: bool = False,
        confirm: int | None = None,
        **which: Any,
    ) -> Json:
        """Answer the method ``forget``; ``which`` are fields of :class:`Which`."""
        wanted = wholes(self.deps, who, [*(ids or ()), *([id] if id is not None else [])])
        return forgetting.forget(self.deps, who, wanted, Which(**which), confirm, dry_run=dry_run)

    def remember(self, *, text: str, who: Who | None = None, **wish: Any) -> Json:
        """Answer the method ``remember``; ``wish`` are the fields of :class:`Wish`."""
        return remembering.remember(self.deps, who, text, remembering.Wish(**wish))

    def update(self, *, id: str, text: str | None = None, who: Who | None = None, **wish: Any) -> Json:
        """Answer the method ``update``; ``wish`` are the fields of :class:`Wish`."""
        return remembering.update(self.deps, who, whole(self.deps, who, id), text, remembering.Wish(**wish))

    def set_priority(
        self, *, id: str, who: Who | None = None, priority: int | None = None, origin: Origin | None = None
    ) -> Json:
        """Answer the method ``set_priority``."""
        return keeping.set_priority(self.deps, who, whole(self.deps, who, id), priority, origin)

    def pin(self, *, id: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``pin``."""
        return keeping.pin(self.deps, who, whole(self.deps, who, id), origin)

    def unpin(self, *, id: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``unpin``."""
        return keeping.unpin(self.deps, who, whole(self.deps, who, id), origin)

    def extend(
        self, *, id: str, who: Who | None = None, days: int | None = None, origin: Origin | None = None
    ) -> Json:
        """Answer the method ``extend``."""
        return keeping.extend(self.deps, who, whole(self.deps, who, id), days, origin)

    def archive(
        self,
        *,
        who: Who | None = None,
        ids: Sequence[str] | None = None,
        dry_run: bool = False,
        origin: Origin | None = None,
        **which: Any,
    ) -> Json:
        """Answer the method ``archive``; ``which`` are fields of :class:`Which`."""
        wanted = wholes(self.deps, who, ids or ())
        return archiving.archive(self.deps, who, wanted, Which(**which), origin, dry_run=dry_run)

    def unarchive(self, *, ids: Sequence[str], who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``unarchive``."""
        return archiving.unarchive(self.deps, who, wholes(self.deps, who, ids), origin)

    def list(
        self,
        *,
        who: Who | None = None,
        archive: bool = False,
        sort: Sort = Sort.NEWEST,
        k: int = 20,
        after: After | None = None,
        **which: Any,
    ) -> Json:
        """Answer the method ``list``; ``which`` are fields of :class:`Which`."""
        return browse.list_(self.deps, who, ListRequest(Which(**which), archive, sort, k, after))

    def recent(self, *, who: Who | None = None, k: int = 20) -> Json:
        """Answer the method ``recent``."""
        return browse.recent(self.deps, who, k)

    def stats(self, *, who: Who | None = None) -> Json:
        """Answer the method ``stats``."""
        return overview.stats(self.deps, who)

    def recap(
        self, *, who: Who | None = None, session: str | None = None, budget_tokens: int = 1_000
    ) -> Json:
        """Answer the method ``recap``."""
        return recapping.recap(self.deps, who, session, budget_tokens)

    def episodes(
        self, *, who: Who | None = None, session: str | None = None, since: int | None = None, k: int = 20
    ) -> Json:
        """Answer the method ``episodes``."""
        return recapping.episodes(self.deps, who, session, since, k)
