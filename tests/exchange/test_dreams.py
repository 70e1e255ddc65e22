"""Dream diaries: entries with figures under headings of dreams, and the gates."""

from __future__ import annotations

from libra.exchange.dreams import DreamParams, dreams, refused

DIARY = """# Notes
- The crane is blue. {score=0.9 recall=9 unique=9}
## Deep Sleep
- The harbour office opens at six. {score=0.82 recall=4 unique=3}\r
- The relay listens on port 7443. {score=0.5 recall=4 unique=3}
* The pilot sails on Mondays. {score=0.7, recall=1, unique=2}
- The tugboat is out of use. {score=0.7 recall=3 unique=1}
- Short one. {score=0.9 recall=3 unique=3}
- No figures here.
## Plans
- The pier is closed in May. {score=0.9 recall=9 unique=9}
"""


def test_entries_pass_every_gate_or_say_which_not() -> None:
    """A passing thought, or what stands under another heading, would become a memory."""
    found = [(d.line, refused(d, DreamParams())) for d in dreams(DIARY)]
    assert found == [(4, None), (5, "score"), (6, "recalls"), (7, "questions"), (8, "too short")]
    assert dreams("") == dreams("- a {b}") == []


def test_a_huge_diary_is_read_in_linear_time() -> None:
    """A line of braces would hold everything up."""
    assert dreams("## dream\n" + "- " + "{a" * 500_000) == []
    assert len(dreams("## dream\n" + "- The pier is closed. {score=1 recall=2 unique=2}\n" * 1_000)) == 1_000
