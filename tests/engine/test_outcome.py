"""What is said of things that were near but are not in the prompt: all of it to who asks, little for the receipt."""

from __future__ import annotations

from libra.assembly.packer import Tier
from libra.assembly.ranker import ScoreParts
from libra.assembly.render import Printed
from libra.engine.entries import Entry
from libra.engine.outcome import LEFT_OUT_KEPT, MOST_LEFT_OUT, left_out


class Counted(ScoreParts):
    """Parts of a score that count how often they were written out."""

    def as_dict(self) -> dict[str, float]:
        """Note that somebody asked."""
        written.append("parts")
        return super().as_dict()


written: list[str] = []


def near(number: int) -> list[Entry]:
    """Return so many things that were recalled."""
    parts = Counted(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
    return [
        Entry(
            f"m{n}",
            Tier.RECALL,
            "memory",
            Printed("- x", 2.0),
            {"path": "a"},
            {"reason": "near"},
            0.5,
            parts=parts,
        )
        for n in range(number)
    ]


def test_a_prompt_does_not_pay_for_what_nobody_looks_at() -> None:
    """Each prompt would wait for score parts that its receipt does not keep."""
    written.clear()
    found = left_out(near(1), [near(100)], [{"id": "m3"}], explain=False)
    assert not written
    assert len(found) == LEFT_OUT_KEPT
    assert found[0] == {
        "id": "m0",
        "tier": "recall",
        "tokens": 2,
        "score": 0.5,
        "left_out": "shown a few turns ago",
    }
    assert [entry["id"] for entry in found[1:5]] == ["m0", "m1", "m2", "m4"]


def test_who_asks_why_is_told_everything() -> None:
    """The question why something was not in the prompt is answered by its source and the parts of its score."""
    found = left_out([], [near(100)], [], explain=True)
    assert len(found) == MOST_LEFT_OUT
    assert (found[0]["source"], found[0]["why"]["recency"]) == ({"path": "a"}, 0.5)
