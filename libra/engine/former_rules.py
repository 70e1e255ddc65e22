"""Former lines of instruction files when something is to be forgotten: their words are kept in the history of rules alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libra.engine.archiving import PREVIEW_CHARS, SHOWN
from libra.engine.deps import Deps
from libra.engine.scopes import visible
from libra.engine.which import Which
from libra.ground.records import Kind, Who
from libra.store import rule_history, search
from libra.store.rule_history import Asked, RuleChange
from libra.store.store import Snapshot
from libra.text import terms

_ALL = 10**9
_IN_FILES = frozenset({Kind.DIRECTIVE, Kind.LORE})


@dataclass(frozen=True, slots=True)
class Former:
    """What is to be forgotten of instruction files.

    Attributes:
        uids: Records that stand in no file any more.
        changes: What the history holds of them.
        standing: Record and words of lines that were asked for and stand in a file: they stay as long as they do.
    """

    uids: frozenset[str]
    changes: tuple[RuleChange, ...]
    standing: tuple[tuple[str, str], ...]

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Record and words of each line."""
        gone = [(c.uid, words) for c in self.changes for words in (c.text, c.before) if words]
        return list(dict.fromkeys([*gone, *self.standing]))

    @property
    def scopes(self) -> list[str]:
        """For whom they held."""
        return sorted({change.scope for change in self.changes})

    def told(self, *, words: bool) -> dict[str, Any]:
        """Return what is said of them: nothing if there are none."""
        if not self.changes:
            return {}
        shown = [
            {"id": c.uid, "path": c.path, **({"text": c.text[:PREVIEW_CHARS]} if words else {})}
            for c in self.changes[:SHOWN]
        ]
        return {"former_rules": shown}


def of(deps: Deps, snapshot: Snapshot, caller: Who, uids: Sequence[str], which: Which) -> Former:
    """Return what a wish to forget is about: by ids, or by words where nothing but words (and a project) is said."""
    sees = visible(deps, caller)
    named = rule_history.changes(snapshot, sees, Asked(uids=uids), _ALL) if uids else []
    known = search.by_uid(snapshot, uids, visible=sees) if uids else {}
    standing = tuple((row.uid, row.text) for row in known.values() if row.kind in _IN_FILES)
    gone = frozenset(change.uid for change in named if change.uid not in known)
    if which.query is not None and which == Which(query=which.query, project=which.project):
        parsed = terms.parse_query(which.query)
        held = rule_history.holding(snapshot, sees, [word.casefold() for word in parsed.words])
        named += [c for c in held if which.project is None or c.scope == f"project:{which.project}"]
    return Former(gone, tuple(dict.fromkeys(c for c in named if c.text or c.before)), standing)
