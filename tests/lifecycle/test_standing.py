"""Standing instructions: what holds from now on, and what is asked for this moment only."""

from __future__ import annotations

import pytest

from libra.lifecycle.standing import rules_kept, standing_rules


@pytest.mark.parametrize(
    "said",
    [
        "Always name the file when I ask about a function.",
        "Please never push to main.",
        "From now on, answer in metric units.",
        "From now on please use tabs in the Makefile.",
        "Use British spelling from now on.",
        "Whenever I ask for a plan, list the risks first.",
        "When I paste a log, summarise it before you explain it.",
        "Every time you change a schema, write a migration.",
        "Make sure you always cite the source.",
        "Give short answers when I ask about the weather.",
        "Don't commit unless I say so.",
        "Stop apologising in every answer.",
        "I'd prefer short answers.",
        "You should always run the linter before you commit.",
        "Never again delete a branch without asking.",
        "以后回答请用中文。",
        "每次提交之前都要跑测试。",
        "Từ nay hãy trả lời bằng tiếng Việt.",
        "Luôn luôn chạy kiểm thử trước khi đẩy.",
    ],
)
def test_a_standing_instruction_is_heard(said: str) -> None:
    """Told once, it would be forgotten as soon as another question shares no word with it."""
    assert standing_rules(f"The build is green. {said}")[-1:] == (said,)


@pytest.mark.parametrize(
    "said",
    [
        "Make sure the test passes.",
        "Use the second approach.",
        "Don't touch the parser.",
        "Can you always see my files?",
        "Should you never use tabs?",
        "I always forget the flag.",
        "We never deploy on Fridays.",
        "I'll always make sure to back up.",
        "Never mind.",
        "Never saw this coming.",
        "Always happy to help!",
        "Always staying positive.",
        "You can always ask me.",
        "Got it, always a pleasure.",
        "Don't ever quit on what you love.",
        "Any time you need help, don't hesitate to reach out.",
        "When I ask my boss about it, he laughs.",
        "Please run the tests and tell me what fails.",
        "In future versions the API will change.",
        '"Always be closing", said the man.',
        "我总是忘记这件事吗？",
        "现在帮我跑一下测试。",
        "Hãy chạy kiểm thử bây giờ.",
    ],
)
def test_a_request_for_this_moment_is_none(said: str) -> None:
    """Shown with every later question it would be an order that nobody gave."""
    assert standing_rules(said) == ()


def test_of_a_long_turn_only_the_instructions_are_kept() -> None:
    """A page of talk does not travel with the one rule in it; a short turn stays as it was said."""
    rule = "Always name the file when I ask about a function."
    story = "The harbour was grey and the boats lay still. " * 12
    found = standing_rules(f"{story}{rule}")
    assert found == (rule,)
    assert rules_kept(f"{story}{rule}", found) == rule
    assert rules_kept(f"Thanks. {rule}", found) == f"Thanks. {rule}"


def test_a_megabyte_is_read_in_time() -> None:
    """A pasted log costs no more than its first sentences."""
    assert standing_rules("from now on " * 90_000) == ()
    assert standing_rules("when I ask about it, " * 50_000) == ()


def test_quoted_pasted_and_shown_rules_are_nobodys_wish() -> None:
    """A rule in code, in a block quote or in somebody else's mouth is not the person's (C37); their own beside it is."""
    rule = "Never restart the harbour service without a backup."
    assert standing_rules(f"This is in the config:\n```\n# {rule}\n```\nWhat does it do?") == ()
    assert standing_rules(f"The page says:\n> {rule}\n") == ()
    assert standing_rules(f"My boss said: {rule}") == ()
    assert standing_rules(f"```\n# {rule}\n```\nAlways answer in metric units.") == (
        "Always answer in metric units.",
    )
