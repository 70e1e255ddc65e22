"""The engine's methods that look after memory and learn from its history; the work is in one module each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from libra.engine import (
    code,
    corrections,
    dreaming,
    joining,
    lessons,
    missed,
    pruning,
    relations,
    resetting,
    session_memory,
    sharing,
    suggest,
)
from libra.engine import workflows as repeating
from libra.engine.deps import Deps
from libra.engine.ids import whole, wholes
from libra.ground.records import Origin, Scope, Who

Json = dict[str, Any]


class CurateMethods:
    """The part of :class:`libra.engine.core.Engine` that looks after what is kept.

    Args:
        deps: Shared parts.
    """

    def __init__(self, deps: Deps) -> None:
        self.deps = deps

    def relations(
        self, *, id: str, who: Who | None = None, kinds: Sequence[str] | None = None, k: int = 50
    ) -> Json:
        """Answer the method ``relations``."""
        return relations.relations(self.deps, who, whole(self.deps, who, id), kinds, k)

    def relate(self, *, id: str, to: str, who: Who | None = None, kind: str = "related_to") -> Json:
        """Answer the method ``relate``."""
        return relations.relate(self.deps, who, self._ends(who, id, to), kind, remove=False)

    def unrelate(self, *, id: str, to: str, who: Who | None = None, kind: str = "related_to") -> Json:
        """Answer the method ``unrelate``."""
        return relations.relate(self.deps, who, self._ends(who, id, to), kind, remove=True)

    def _ends(self, who: Who | None, one: str, other: str) -> tuple[str, str]:
        return whole(self.deps, who, one), whole(self.deps, who, other)

    def consolidate(
        self,
        *,
        who: Who | None = None,
        ids: Sequence[str] | None = None,
        min_cosine: float = 0.9,
        k: int = 50,
        dry_run: bool = False,
    ) -> Json:
        """Answer the method ``consolidate``."""
        named = None if ids is None else wholes(self.deps, who, ids)
        return joining.consolidate(self.deps, who, named, min_cosine, k, dry_run=dry_run)

    def prune(self, *, who: Who | None = None, dry_run: bool = False) -> Json:
        """Answer the method ``prune``."""
        return pruning.prune(self.deps, who, dry_run=dry_run)

    def lesson(self, *, who: Who | None = None, **learnt: Any) -> Json:
        """Answer the method ``lesson``; ``learnt`` are the fields of :class:`Lesson`."""
        return lessons.lesson(self.deps, who, lessons.Lesson(**learnt))

    def lessons(self, *, who: Who | None = None, query: str | None = None, k: int = 5) -> Json:
        """Answer the method ``lessons``."""
        return lessons.lessons(self.deps, who, query, k)

    def code_search(self, *, who: Who | None = None, **asked: Any) -> Json:
        """Answer the method ``code_search``; ``asked`` are the fields of :class:`CodeRequest`."""
        return code.code_search(self.deps, who, code.CodeRequest(**asked))

    def suggest_capture(self, *, who: Who | None = None, session: str | None = None, k: int = 10) -> Json:
        """Answer the method ``suggest_capture``."""
        return suggest.suggest_capture(self.deps, who, session, k)

    def missed(self, *, id: str, query: str, who: Who | None = None) -> Json:
        """Answer the method ``missed``."""
        return missed.missed(self.deps, who, whole(self.deps, who, id), query)

    def correction_stats(self, *, who: Who | None = None, since: int | None = None) -> Json:
        """Answer the method ``correction_stats``."""
        return corrections.correction_stats(self.deps, who, since)

    def workflows(
        self, *, who: Who | None = None, since: int | None = None, least: int = 3, k: int = 10
    ) -> Json:
        """Answer the method ``workflows``."""
        return repeating.workflows(self.deps, who, since, least, k)

    def keep_session(self, *, who: Who | None = None, session: str | None = None) -> Json:
        """Answer the method ``keep_session``."""
        return session_memory.keep_session(self.deps, who, session)

    def promote_dreams(
        self,
        *,
        who: Who | None = None,
        path: str | None = None,
        text: str | None = None,
        dry_run: bool = False,
    ) -> Json:
        """Answer the method ``promote_dreams``."""
        return dreaming.promote_dreams(self.deps, who, path, text, dry_run=dry_run)

    def share(
        self, *, ids: Sequence[str], to: Scope, who: Who | None = None, origin: Origin | None = None
    ) -> Json:
        """Answer the method ``share``."""
        return sharing.share(self.deps, who, wholes(self.deps, who, ids), to, origin)

    def unshare(
        self, *, ids: Sequence[str], of: Scope, who: Who | None = None, origin: Origin | None = None
    ) -> Json:
        """Answer the method ``unshare``."""
        return sharing.unshare(self.deps, who, wholes(self.deps, who, ids), of, origin)

    def shares(self, *, who: Who | None = None) -> Json:
        """Answer the method ``shares``."""
        return sharing.shares(self.deps, who)

    def reset(
        self,
        *,
        scope: Scope,
        who: Who | None = None,
        confirm: int | None = None,
        origin: Origin | None = None,
        dry_run: bool = False,
    ) -> Json:
        """Answer the method ``reset``."""
        return resetting.reset(self.deps, who, scope, confirm, origin, dry_run=dry_run)
