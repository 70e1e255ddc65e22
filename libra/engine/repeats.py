"""What the conversation was shown a moment ago is not shown again, unless it is asked for (lessons C31)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from libra.assembly.temporal import asks_again
from libra.engine.question import Question
from libra.engine.recall import Ranked
from libra.engine.tail import TailTurn
from libra.ground.records import Role, digest
from libra.store import receipts
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.text.scripts import fold

_DAY_MS = 86_400_000
_STEM_CHARS = 5
_ASKED_SHARE = 0.5
"""An item that holds this share of the question's content words is what the question is about."""


def shown_lately(
    snapshot: Snapshot, session: str, query: str, tail: Sequence[TailTurn], turns: int, now_ms: int
) -> frozenset[str]:
    """Return the items that the last few questions of this conversation brought into its prompt.

    The same question put again is answered the same: a host may try once more. A session in which nobody has said
    anything is no conversation, and nothing is held back in it.

    Args:
        snapshot: The state.
        session: Key of the session, as its receipts have it.
        query: The present question as the caller put it.
        tail: The conversation's recent turns.
        turns: How many questions back to look.
        now_ms: The present; what was shown more than a day ago does not count.
    """
    if turns <= 0 or not any(turn.role == Role.USER.value for turn in tail):
        return frozenset()
    return receipts.recalled_lately(snapshot, session, digest(query), turns, now_ms - _DAY_MS)


def held_back(
    found: Ranked, question: Question, shown: Collection[str], told: Collection[int]
) -> frozenset[int]:
    """Return which found items to hold back: shown a moment ago, and not what is asked for now.

    Asked for is what holds an identifier or half of the question's words; everything, when the person says
    "remember" or "again".

    Args:
        found: What was recalled.
        question: What was asked.
        shown: Uids of what was shown lately.
        told: Ids that are left out anyway.
    """
    if not shown or asks_again(question.text):
        return frozenset()
    stems = [fold(word)[:_STEM_CHARS] for word in question.terms.words]
    return frozenset(
        row.id
        for row in found.items
        if row.uid in shown and row.id not in told and row.id not in found.named and not _covers(row, stems)
    )


def _covers(row: ItemRow, stems: Sequence[str]) -> bool:
    low = fold(row.text)
    return bool(stems) and sum(stem in low for stem in stems) >= _ASKED_SHARE * len(stems)
