"""Words that were scrubbed are known again without being kept."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from libra.text.keptout import cut_kept_out, kept_out
from libra.text.scripts import lower
from tests.conftest import examples

_SIGNS = st.sampled_from("abAB1-éİ界")
_WORDS = st.text(_SIGNS, min_size=4, max_size=8)
_AROUND = st.text(_SIGNS, max_size=20)


@given(before=_AROUND, word=_WORDS, after=_AROUND, other=_WORDS)
@settings(examples(60))
def test_a_scrubbed_word_never_passes(before: str, word: str, after: str, other: str) -> None:
    """Wherever it stands, the word does not come in again, or a person has scrubbed it for nothing."""
    known = [kept_out(other, "b"), kept_out(word, "a")]
    clean = cut_kept_out(f"{before}{word}{after}", known)
    assert lower(word) not in lower(clean.replace("[redacted:scrubbed]", "\0"))
    assert cut_kept_out(clean, known) == clean


def test_case_does_not_matter_and_the_rest_stays() -> None:
    """The sentence stays readable around the mark; a like word is left alone."""
    known = [kept_out("Zebra-Tango-47", "s")]
    text = "İt is zebra-TANGO-47, not zebra-tango-48."
    assert cut_kept_out(text, known) == "İt is [redacted:scrubbed], not zebra-tango-48."
    assert "zebra" not in repr(known)


def test_a_long_text_costs_one_pass() -> None:
    """A megabyte with a hundred scrubbed words of a few lengths is cut at once, or every ingest would crawl."""
    known = [kept_out(f"word-number-{n}", str(n)) for n in range(100)]
    text = "the crane is red " * 60_000 + "WORD-number-77" + " and tall" * 9
    assert cut_kept_out(text, known).count("[redacted:scrubbed]") == 1
