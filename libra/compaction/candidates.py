"""Which pieces of a cluster a summary may be chosen from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from libra.compaction.fidelity import exact_terms
from libra.compaction.lexical import content_words
from libra.compaction.pieces import Grain, Piece, cut
from libra.compaction.sanitize import telling
from libra.compaction.turns import ClusterTurn
from libra.ground.records import Role
from libra.text.tokens import estimate


@dataclass(frozen=True, slots=True)
class CandidateParams:
    """How finely a cluster is cut.

    Attributes:
        most_pieces: With more pieces than this it is cut less finely.
        most_tokens: With more tokens in all pieces than this only each turn's richest sentences are looked at:
            each piece is embedded, and time is bounded.
        phrase_tokens, clause_tokens: Clusters up to so many tokens are cut into phrases, into clauses; larger
            ones have sentences enough to choose from.
        least_rich: Sentences with fewer content words and exact terms say nothing.
    """

    most_pieces: int = 64
    most_tokens: int = 640
    phrase_tokens: int = 300
    clause_tokens: int = 1200
    least_rich: int = 2


_MOST_RICH = 6


def candidates(turns: Sequence[ClusterTurn], texts: Sequence[str], params: CandidateParams) -> list[Piece]:
    """Return the pieces of a cluster, in order, at least one if any text has words in it.

    Args:
        turns: The turns, for who speaks.
        texts: Their sanitised texts.
        params: Limits.
    """
    names = speaker_words(turns)
    tokens = sum(map(estimate, texts))
    whole = tokens <= params.most_tokens
    finest = Grain.PHRASE if tokens <= params.phrase_tokens else Grain.CLAUSE
    for grain in (finest, Grain.CLAUSE) if tokens <= params.clause_tokens else ():
        pieces = _worth_choosing(cut(texts, grain), turns, names, params)
        if whole and len(pieces) <= params.most_pieces:
            return pieces
    return _richest(_worth_choosing(cut(texts, Grain.SENTENCE), turns, names, params), turns, names, params)


def speaker_words(turns: Sequence[ClusterTurn]) -> frozenset[str]:
    """Return the words of the speakers' names: they say nothing about the matter."""
    return frozenset(word for turn in turns for word in turn.label.split())


def _worth_choosing(
    pieces: list[Piece], turns: Sequence[ClusterTurn], names: frozenset[str], params: CandidateParams
) -> list[Piece]:
    """Leave out sentences that say nothing, with all their pieces; keep everything if nothing else is left."""
    groups: list[list[int]] = []
    for k, piece in enumerate(pieces):
        if piece.needs is None:
            groups.append([])
        groups[-1].append(k)
    rich = [g for g in groups if _richness([pieces[k] for k in g], turns, names) >= params.least_rich]
    place = {old: new for new, old in enumerate(k for g in rich for k in g)}
    chosen = [
        replace(p, needs=place[p.needs]) if p.needs is not None else p for p in (pieces[k] for k in place)
    ]
    return chosen or pieces


def _richness(pieces: Sequence[Piece], turns: Sequence[ClusterTurn], names: frozenset[str]) -> int:
    """Return how much a sentence says: content words and exact terms, at most ``_MOST_RICH``.

    Of a tool's output only lines that tell of an outcome say anything.
    """
    text = " ".join(p.text for p in pieces)
    if turns[pieces[0].turn].role is Role.TOOL and not telling(text):
        return 0
    return min(len(set(content_words(text, names))) + len(exact_terms(text)), _MOST_RICH)


def _richest(
    pieces: list[Piece], turns: Sequence[ClusterTurn], names: frozenset[str], params: CandidateParams
) -> list[Piece]:
    """Return the pieces within the limits: each turn's richest sentence, then each turn's second, and so on.

    The first sentence of a turn counts as its richest. A slice of an endless sentence goes if the slice before it does.
    """
    by_turn: dict[int, list[int]] = {}
    for place, piece in enumerate(pieces):
        by_turn.setdefault(piece.turn, []).append(place)
    ranked: list[tuple[int, int, int]] = []
    for turn, group in by_turn.items():
        order = sorted(group, key=lambda k: (k != group[0], -_richness([pieces[k]], turns, names), k))
        ranked += [(rank, turn, place) for rank, place in enumerate(order)]
    kept: set[int] = set()
    room = params.most_tokens
    for _, _, place in sorted(ranked):
        room -= estimate(pieces[place].text)
        if kept and (room < 0 or len(kept) == params.most_pieces):
            break
        kept.add(place)
    return _standing(pieces, kept)


def _standing(pieces: Sequence[Piece], kept: Iterable[int]) -> list[Piece]:
    """Return the kept pieces in order, without those whose need is not kept; needs are places among what is returned."""
    place: dict[int, int] = {}
    out: list[Piece] = []
    for k in sorted(kept):
        needs = pieces[k].needs
        if needs is None or needs in place:
            place[k] = len(out)
            out.append(pieces[k] if needs is None else replace(pieces[k], needs=place[needs]))
    return out
