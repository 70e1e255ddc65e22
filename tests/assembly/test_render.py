"""What a printed item costs: an estimate that leans up, but not by whole items."""

from __future__ import annotations

from libra.assembly import render

_TOKENS = 50
_AROUND = 8
"""A list mark, a name and a line end."""


def test_a_text_in_letters_of_its_own_is_not_full_of_signs() -> None:
    """Of Korean only blanks and full stops are ASCII: taken for code, it left a fifth of each prompt empty."""
    said = "오늘은 친구와 함께 바다에 갔습니다. 날씨가 좋아서 사진을 많이 찍었고, 내일은 출근해야 합니다."
    code = "x[i] = {k: (v, *w) for k, v in y.items()}; f(x)[0]; assert a['b'] != c.d[e:]"
    assert render.spoken(said, _TOKENS, "user").cost <= _TOKENS + _AROUND
    assert render.spoken(code, _TOKENS, "user").cost > _TOKENS + _AROUND


def test_what_underscores_join_is_in_no_vocabulary() -> None:
    """A list of files cost half as much again as was thought: the prompts of a coding session went over their budget."""
    listed = "found in ./ab_cd_ef/numpy_handler.py and in ./ab_cd_ef/pixel_data_handlers/util_main.py"
    spaced = listed.replace("_", "-")
    assert render.spoken(listed, _TOKENS, "tool").cost > render.spoken(spaced, _TOKENS, "tool").cost + _AROUND
