"""What belongs together in a summary: a question and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from libra.compaction.fidelity import exact_terms
from libra.compaction.lexical import content_words
from libra.compaction.pieces import Piece
from libra.compaction.turns import ClusterTurn
from libra.ground.records import Role

_ASKS = ("?", "？", "؟")
_CLOSING = " \t\n\"'”’)*_"


@dataclass(frozen=True, slots=True)
class UnitParams:
    """When an answer leans on its question.

    Attributes:
        own_words: An answer with fewer content words and exact terms says nothing without its question.
    """

    own_words: int = 4


def closure(
    pieces: Sequence[Piece], turns: Sequence[ClusterTurn], params: UnitParams
) -> npt.NDArray[np.bool_]:
    """Return the closure, ``(p, p)``: row j marks what must stand when piece j stands, itself included.

    A piece needs the one that it names. A question that ends a turn needs the beginning of the answer, if the
    next turn is somebody else's: alone it tells nothing. A terse answer needs its question.

    Args:
        pieces: Of all turns, in order.
        turns: For who speaks.
        params: Limits.
    """
    needs = np.eye(len(pieces), dtype=np.bool_)
    for j, piece in enumerate(pieces):
        if piece.needs is not None:
            needs[j, piece.needs] = True
    heads: dict[int, list[int]] = {}
    for j, piece in enumerate(pieces):
        if piece.needs is None:
            heads.setdefault(piece.turn, []).append(j)
    for turn, own in heads.items():
        question, answer = own[-1], heads.get(turn + 1)
        if answer is None or not _asked(turns[turn], turns[turn + 1]):
            continue
        # A question may be cut into clauses; each of them needs its head, and the head needs the answer.
        needs[question, answer[0]] = True
        if _says(pieces, answer[0]) < params.own_words:
            needs[answer[0], question] = True
    return _closed(needs)


def _asked(turn: ClusterTurn, following: ClusterTurn) -> bool:
    """Return True if a turn ends with a question to somebody else."""
    if Role.TOOL in {turn.role, following.role} or (turn.label and turn.label == following.label):
        return False
    return turn.text.rstrip(_CLOSING).endswith(_ASKS)


def _says(pieces: Sequence[Piece], head: int) -> int:
    """Return how many content words and exact terms a sentence has."""
    text = pieces[head].text
    for piece in pieces[head + 1 :]:
        if piece.needs is None or piece.turn != pieces[head].turn:
            break
        text += f" {piece.text}"
    return len(set(content_words(text))) + len(exact_terms(text))


def _closed(needs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the transitive closure, by squaring."""
    while True:
        wider = (needs.astype(np.float32) @ needs.astype(np.float32)) > 0
        if np.array_equal(wider, needs):
            return needs
        needs = wider
