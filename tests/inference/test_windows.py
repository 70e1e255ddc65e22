"""Windows: every character is covered, no window is too long, whatever the text."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from libra.ground.errors import ModelDamaged
from libra.inference.profiles import Prefixes, load_manifest
from libra.inference.windows import TextCutter, WindowParams
from tests.inference import tiny

WINDOW_TOKENS = 12
OVERLAP_TOKENS = 3


def cutter(
    prefixes: Prefixes | None = None, piece_chars: int = 20_000, query_tokens: int = 256
) -> TextCutter:
    """Return a cutter over the tiny tokenizer, which comes with truncation and padding switched on."""
    return TextCutter(
        Tokenizer.from_str(json.dumps(tiny.tokenizer_json())),
        prefixes or Prefixes("", ""),
        max_tokens=64,
        window_tokens=WINDOW_TOKENS,
        overlap_tokens=OVERLAP_TOKENS,
        params=WindowParams(query_tokens=query_tokens, piece_chars=piece_chars),
    )


CUTTER = cutter()
SHORT_PIECES = cutter(piece_chars=40)
texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from([*tiny.WORDS, "zzz", "中文", "\n", "  "]), max_size=120).map(" ".join),
)


@pytest.mark.parametrize("own", [CUTTER, SHORT_PIECES], ids=["whole", "in pieces"])
@given(text=texts)
def test_windows_cover_every_character(own: TextCutter, text: str) -> None:
    """Windows begin at the first character, end at the last, leave no gap and stay within their length."""
    pieces = own.windows(text)
    if not text.strip():
        assert pieces == []
        return
    assert pieces[0].start == 0
    assert pieces[-1].end == len(text)
    for before, after in pairwise(pieces):
        assert before.start <= after.start <= before.end <= after.end
    for piece in pieces:
        assert 0 < len(piece.ids) <= WINDOW_TOKENS
        assert (piece.ids[0], piece.ids[-1]) == (2, 3)


@given(text=st.text(alphabet=st.characters(categories=["Cs", "Ll", "Zs", "So"]), min_size=1, max_size=60))
def test_half_surrogates_do_no_harm(text: str) -> None:
    """A text cut in the middle of an emoji is embedded like any other."""
    assert CUTTER.count(text) >= 0
    assert CUTTER.question(text)
    pieces = CUTTER.windows(text)
    assert not pieces or pieces[-1].end == len(text)


def test_one_window_for_a_short_text() -> None:
    """A text that fits is one window, truncation and padding of the package notwithstanding."""
    [piece] = CUTTER.windows("the port is 1")
    words = tiny.vocabulary()
    assert piece.ids == (2, *(words[w] for w in ("the", "port", "is", "1")), 3)
    assert (piece.start, piece.end) == (0, 13)


def test_windows_are_alike_in_length_and_overlap() -> None:
    """A text a little over one window gives two of about the same length that share words."""
    text = " ".join(["alpha"] * 11)
    first, second = CUTTER.windows(text)
    assert abs(len(first.ids) - len(second.ids)) <= 1
    assert second.start < first.end
    counted = (len(first.ids) - 2) + (len(second.ids) - 2)
    assert counted - 11 >= OVERLAP_TOKENS


def test_long_text_is_not_cut_at_the_packaged_limit() -> None:
    """A thousand words are a thousand tokens, in many windows."""
    text = " ".join(["beta"] * 1000)
    assert CUTTER.count(text) == 1000
    seen = sum(len(piece.ids) - 2 for piece in CUTTER.windows(text))
    assert seen >= 1000


@pytest.mark.parametrize(
    "text", ["the gateway listens on port 1 . " * 30, "alpha" * 50, "中文端口" * 40, "a" * 200]
)
def test_pieces_change_no_count_of_words(text: str) -> None:
    """Tokenizing a long text piece by piece gives what doing it at once gives, where there are spaces to cut at."""
    whole, parts = CUTTER.count(text), SHORT_PIECES.count(text)
    assert parts == whole if " " in text or "中" in text else parts >= whole


def test_long_question_keeps_both_ends() -> None:
    """Of a question with a long paste the first and the last words are kept."""
    words = tiny.vocabulary()
    short = cutter(query_tokens=10)
    ids = short.question("start " + "beta " * 500 + "end")
    assert len(ids) == 10
    assert ids[:2] == (2, words["start"])
    assert ids[-2:] == (words["end"], 3)
    pasted = cutter(query_tokens=10, piece_chars=100).question("start " + "beta " * 5000 + "end")
    assert (pasted[1], pasted[-2]) == (words["start"], words["end"])


def test_empty_question_is_still_a_question() -> None:
    """An empty question is embedded as the special tokens alone."""
    assert CUTTER.question("") == (2, 3)
    assert CUTTER.count("") == 0


def test_prefix_stands_inside_the_special_tokens() -> None:
    """Prefix and text give the ids that tokenizing them together gives, in each window."""
    words = tiny.vocabulary()
    own = cutter(Prefixes("search_query: ", "search_document: "))
    assert own.question("the port")[1:-1] == tuple(
        words[w] for w in ("search", "_", "query", ":", "the", "port")
    )
    for piece in own.windows("alpha beta " * 20):
        assert piece.ids[1:5] == tuple(words[w] for w in ("search", "_", "document", ":"))
        assert len(piece.ids) <= WINDOW_TOKENS


def test_broken_tokenizer_is_damage(tmp_path: Path) -> None:
    """A tokenizer that cannot be read names its file."""
    folder = tiny.write_model(tmp_path)
    (folder / "tokenizer.json").write_text('{"version": "1.0"}')
    with pytest.raises(ModelDamaged) as caught:
        TextCutter.open(folder / "tokenizer.json", load_manifest(folder), WindowParams())
    assert caught.value.where == str(folder / "tokenizer.json")
