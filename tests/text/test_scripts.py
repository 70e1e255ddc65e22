"""Writing systems: runs that cover a text, CJK pairs, folding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.text.scripts import (
    Script,
    cjk_bigrams,
    cjk_runs,
    fold,
    has_cjk,
    is_cjk,
    is_vietnamese,
    lower,
    runs,
)


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("hello", [Script.LATIN]),
        ("được", [Script.VIETNAMESE]),
        ("đu\u031bo\u031b\u0323c", [Script.VIETNAMESE]),
        ("café", [Script.LATIN]),
        ("记忆", [Script.CJK]),
        ("カナ", [Script.CJK]),
        ("한글", [Script.CJK]),
        ("привет", [Script.DENSE]),
        ("שלום", [Script.DENSE]),
        ("สวัสดี", [Script.DENSE]),
        ("12 + 3", [Script.OTHER]),
        ("用 vim", [Script.CJK, Script.OTHER, Script.LATIN]),
    ],
)
def test_each_script_is_known(text: str, scripts: list[Script]) -> None:
    """A run a script; a word with a Vietnamese letter is Vietnamese, composed or not."""
    assert [run.script for run in runs(text)] == scripts


@given(st.text(max_size=100))
def test_runs_cover_a_text_exactly(text: str) -> None:
    """Runs are in order, without a gap and without an empty one."""
    at = 0
    for run in runs(text):
        assert run.start == at < run.end
        at = run.end
    assert at == len(text)


def test_bigrams_stay_within_a_run() -> None:
    """Neighbours in one run are paired; a character on its own stands for itself."""
    assert cjk_bigrams("身份验证 a 猫") == ["身份", "份验", "验证", "猫"]
    assert cjk_runs("a身份b") == [(1, 3)]
    assert cjk_bigrams("none") == []


def test_what_is_cjk() -> None:
    """Han, Kana and Hangul are; CJK punctuation and Latin letters are not."""
    assert [is_cjk(ch) for ch in "猫カ글。a"] == [True, True, True, False, False]
    assert has_cjk("see 猫")
    assert not has_cjk("see, 。")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Đường Nguyễn", "duong nguyen"),
        ("CAFÉ", "cafe"),
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("smørrebrød", "smorrebrod"),
        ("İstanbul", "istanbul"),
        ("plain", "plain"),
        ("记忆", "记忆"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    """Accents go, and the letters that decomposition leaves whole become plain ones (lessons C47)."""
    assert fold(text) == folded


@given(st.text(max_size=60))
def test_lower_keeps_the_length(text: str) -> None:
    """Offsets into the lower-case text are offsets into the text."""
    assert len(lower(text)) == len(text)


def test_vietnamese_is_not_french() -> None:
    """Vowels that both use prove nothing."""
    assert is_vietnamese("phải")
    assert not is_vietnamese("à")
