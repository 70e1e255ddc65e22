"""Figures of what a caller may see: how much there is of what, what became of it, and how often it helped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from libra.ground.records import Kind, ScopeKind
from libra.store.sql import Reader
from libra.store.use import Used
from libra.store.visibility import Visible, select


@dataclass(slots=True)
class Counted:
    """How many records there are.

    Attributes:
        kinds, tokens: Records and tokens by kind.
        types: Memories by type.
        scopes: Records by scope; all sessions are one.
        projects, agents: Records by project and agent, of those that have one.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    scopes: Counter[str] = field(default_factory=Counter)
    projects: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)


def counted(s: Reader, visible: Visible) -> Counted:
    """Return how many records are in view."""
    sql, values = select(
        f"item.kind, item.type, iif(scope.kind = {int(ScopeKind.SESSION)}, 'session', scope.name), item.project, item.agent,"
        " count(*), sum(item.tokens)", visible, tail="GROUP BY 1, 2, 3, 4, 5",
    )  # fmt: skip
    out = Counted()
    for kind, type_, scope, project, agent, number, tokens in s.rows(sql, values):
        wire = Kind(kind).wire
        out.kinds[wire] += number
        out.tokens[wire] += tokens
        out.scopes[scope] += number
        for name, by in ((project, out.projects), (agent, out.agents)):
            if name:
                by[name] += number
        if kind == Kind.MEMORY and type_:
            out.types[type_] += number
    return out


_STATES = {
    "active": "item.active = 1",
    "archived": "item.active = 0 AND memory.superseded_by IS NULL",
    "superseded": "memory.superseded_by IS NOT NULL",
    "expiring": "item.active = 1 AND memory.expires_ms IS NOT NULL",
    "weighed_by_hand": "item.active = 1 AND memory.priority_manual = 1",
}
_FIGURES = {
    "confirmations": "coalesce(sum(memory.confirmations - 1), 0)",
    "corrections": "count(*) FILTER (WHERE EXISTS (SELECT 1 FROM journal_item JOIN journal ON journal.id = journal_item.journal_id"
    " WHERE journal_item.item_id = item.id AND journal.verb = 'correct' AND journal.undone_ms IS NULL"
    " AND memory.superseded_by IS NOT NULL))",
    "recalled_ever": "count(*) FILTER (WHERE memory.recalls > 0)",
}
_JOIN = "JOIN memory ON memory.item_id = item.id"


def memories(s: Reader, visible: Visible) -> tuple[dict[str, int], dict[str, int]]:
    """Return the memories in view by state, and what people said of them.

    ``confirmations`` are tellings after the first; ``corrections`` memories that a person put another in the place of,
    within the journal's time.
    """
    columns = [f"count(*) FILTER (WHERE {state})" for state in _STATES.values()]
    sql, values = select(", ".join([*columns, *_FIGURES.values()]), visible, joins=_JOIN)
    (row,) = s.rows(sql, values)
    cut = len(_STATES)
    return dict(zip(_STATES, row[:cut], strict=True)), dict(zip(_FIGURES, row[cut:], strict=True))


_OUTCOMES = {Used.YES: "used", Used.NO: "unused", Used.WRONG: "objections"}


def outcomes(s: Reader, visible: Visible) -> dict[str, int]:
    """Return how often a memory in view stood in a prompt and was used, was not, or was called wrong at once."""
    sql, values = select(
        "use.used, count(*)", visible, joins="JOIN use ON use.item_id = item.id", tail="GROUP BY use.used"
    )
    found: dict[int, int] = dict(s.rows(sql, values))
    return {name: int(found.get(int(used), 0)) for used, name in _OUTCOMES.items()}
