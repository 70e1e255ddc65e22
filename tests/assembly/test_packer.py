"""The packer: five tiers in one budget, and what gives way first."""

from __future__ import annotations

from libra.assembly.packer import PackParams, Piece, Tier, Tiers, mandatory_tail, pack

PARAMS = PackParams()


def pieces(*tokens: int) -> list[Piece]:
    """Return pieces with these costs."""
    return [Piece(i, t) for i, t in enumerate(tokens)]


def test_everything_fits() -> None:
    """With room for all, all tiers are whole."""
    tiers = Tiers(pieces(10, 10), pieces(5), pieces(5), pieces(20, 20), pieces(30, 30))
    plan = pack(tiers, 1000, PARAMS)
    assert (plan.hard, plan.soft, plan.guidance, plan.tail, plan.recall) == (
        (0, 1),
        (0,),
        (0,),
        (0, 1),
        (0, 1),
    )
    assert plan.tokens == 130
    assert plan.reasons == ()


def test_recall_goes_first_then_guidance_then_tail_then_soft() -> None:
    """As the budget shrinks, tiers empty in the order that the law gives."""
    tiers = Tiers(pieces(50), pieces(10), pieces(10), pieces(20, 20, 20, 20, 20, 20), pieces(20))
    wide = pack(tiers, 400, PARAMS)
    assert wide.recall
    assert wide.guidance
    assert wide.soft
    assert len(wide.tail) == 6
    tight = pack(tiers, 145, PARAMS)
    assert not tight.recall
    assert not tight.guidance
    assert len(tight.tail) == 4
    assert tight.hard == (0,)


def test_hard_stays_whole_and_the_tail_is_cut() -> None:
    """I1 + Tbase > tau: hard is complete, the tail keeps its newest, and the plan says so."""
    tiers = Tiers(hard=pieces(60, 20), tail=pieces(30, 30, 30, 30))
    plan = pack(tiers, 150, PARAMS)
    assert plan.hard == (0, 1)
    assert plan.tail == (2, 3)[2 - len(plan.tail) :]
    assert plan.tail
    assert any(r.startswith("over_budget") for r in plan.reasons)


def test_hard_alone_too_large_is_said() -> None:
    """Even then the budget holds: a prefix is shown and the number that is missing is named."""
    plan = pack(Tiers(hard=pieces(40, 40, 40)), 100, PARAMS)
    assert plan.hard == (0, 1)
    assert plan.tokens <= 95
    assert "1 of 3 hard rules" in plan.reasons[0]


def test_the_mandatory_tail_splits_no_bundle() -> None:
    """The shortest suffix of four turns grows to the request that its first answer belongs to."""
    tail = [Piece(i, 5, begins=i in {0, 2, 6}) for i in range(8)]
    assert mandatory_tail(tail, 4) == 6


def test_an_over_long_last_turn_is_shortened() -> None:
    """When not even the last turn fits whole its short form is shown."""
    tail = [Piece(0, 10), Piece(1, 5000, short_tokens=60)]
    plan = pack(Tiers(tail=tail), 200, PARAMS)
    assert (Tier.TAIL, 1) in plan.shortened
    assert plan.tokens <= plan.usable


def test_an_item_that_does_not_fit_is_passed_over() -> None:
    """One long turn does not end the recall; its short form is used where there is one."""
    recall = [Piece(0, 20), Piece(1, 500), Piece(2, 20), Piece(3, 500, short_tokens=15)]
    plan = pack(Tiers(recall=recall), 100, PARAMS)
    assert plan.recall == (0, 2, 3)
    assert plan.shortened == frozenset({(Tier.RECALL, 3)})


def test_what_stands_above_is_paid_once() -> None:
    """A day and a name cost the first memory below them, not each; what would not fit with its day stays out."""
    day, name = ("d", 7.0), ("d/n", 3.0)
    recall = [Piece(0, 20, above=(day, name)), Piece(1, 20, above=(day, name)), Piece(2, 20, above=(day,))]
    assert pack(Tiers(recall=recall), 100, PARAMS).tokens == 70
    assert pack(Tiers(recall=[Piece(0, 90, above=(day,))]), 100, PARAMS).recall == ()


def test_zero_budget() -> None:
    """Nothing fits into nothing, and nothing breaks."""
    plan = pack(Tiers(pieces(5), pieces(5), pieces(5), pieces(5), pieces(5)), 0, PARAMS)
    assert plan.tokens == 0
    assert plan.reasons
