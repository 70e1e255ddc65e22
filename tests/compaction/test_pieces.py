"""Pieces are exact slices; a clause hangs on the head of its sentence."""

from hypothesis import given
from hypothesis import strategies as st

from libra.compaction.candidates import CandidateParams, candidates
from libra.compaction.extract import summarise
from libra.compaction.lexical import lexical_vectors
from libra.compaction.pieces import Grain, cut, join
from libra.compaction.turns import ClusterTurn
from libra.ground.records import Role


def _texts(text: str, grain: Grain) -> list[tuple[str, int | None]]:
    return [(p.text, p.needs) for p in cut([text], grain)]


def test_grains() -> None:
    """Sentences stand alone; clauses need the head; phrases need the piece before."""
    text = "We moved the cache to Redis because the old one was slow. It works."
    assert _texts(text, Grain.SENTENCE) == [
        ("We moved the cache to Redis because the old one was slow.", None),
        ("It works.", None),
    ]
    assert _texts(text, Grain.CLAUSE) == [
        ("We moved the cache to Redis", None),
        ("because the old one was slow.", 0),
        ("It works.", None),
    ]
    assert _texts("We moved the cache from the old host to the new one.", Grain.PHRASE) == [
        ("We moved the cache", None),
        ("from the old host", 0),
        ("to the new one.", 1),
    ]


def test_quotes_code_and_brackets_stay_whole() -> None:
    """Who said it would be lost with half a quote."""
    text = 'He wrote "use it, but only if you must, because it is slow" in the `a, b, because c` review.'
    for piece, _ in _texts(text, Grain.PHRASE):
        assert piece.count('"') in (0, 2)
        assert piece.count("`") in (0, 2)


def test_number_lists_are_not_torn() -> None:
    """A list of numbers is one clause."""
    assert _texts("The weights are 0.35, 0.40, 0.25 and 0.10 now.", Grain.CLAUSE) == [
        ("The weights are 0.35, 0.40, 0.25 and 0.10 now.", None)
    ]


def test_joining() -> None:
    """Neighbours by their own white space, gaps by an ellipsis."""
    texts = ["One is here. Two is there. Three is gone."]
    pieces = cut(texts, Grain.SENTENCE)
    assert join(pieces[:2], texts) == "One is here. Two is there."
    assert join([pieces[0], pieces[2]], texts) == "One is here. … Three is gone."


@given(st.lists(st.text(alphabet='ab,. ;because"`(\n。，', max_size=120), max_size=4), st.sampled_from(Grain))
def test_slices_are_exact_and_needs_point_back(texts: list[str], grain: Grain) -> None:
    """Each piece is the slice it names; what it needs comes before it, in the same turn."""
    pieces = cut(texts, grain)
    for k, p in enumerate(pieces):
        assert texts[p.turn][p.start : p.end] == p.text
        assert p.needs is None or (p.needs < k and pieces[p.needs].turn == p.turn)
    for turn, text in enumerate(texts):
        own = [p for p in pieces if p.turn == turn]
        left = "".join(c for i, c in enumerate(text) if not any(p.start <= i < p.end for p in own))
        assert not left.strip()


def test_a_sentence_that_never_ends_is_cut_and_stands_on_its_beginning() -> None:
    """A talk with one endless line ended its compaction with an error, each time it was tried: the slices named others' places."""
    endless = " ".join(f"crane{n} lifts box{n * 7}" for n in range(400))
    turns = [
        ClusterTurn(text, Role.USER)
        for text in ("We moved the crane to berth 7.", endless, "The pump stands at 12 bar.", endless)
    ]
    pieces = candidates(
        turns, [turn.text for turn in turns], CandidateParams(most_tokens=2400, most_pieces=12)
    )
    assert {piece.turn for piece in pieces} == {0, 1, 2, 3}
    assert any(piece.needs is not None for piece in pieces)
    for place, piece in enumerate(pieces):
        if piece.needs is not None:
            before = pieces[piece.needs]
            assert piece.needs < place
            assert (before.turn, before.end) == (piece.turn, piece.start)
    assert summarise(turns, lexical_vectors) is not None
