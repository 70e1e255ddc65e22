"""The mirror's files: what is written is read back, whatever the words are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from libra.exchange.mirror import Mirrored, is_ours, parse, plain, render, words_hash
from tests.conftest import examples

_TEXT = st.text(min_size=1, max_size=120).filter(lambda text: bool(plain(text)))


@given(texts=st.lists(st.tuples(_TEXT, st.sampled_from(["", "harbor", "/srv/x"])), max_size=6))
@settings(examples(80))
def test_what_is_written_is_read_back(texts: list[tuple[str, str]]) -> None:
    """An untouched file is no edit, or every pass would make new memories of old ones."""
    memories = [Mirrored(f"m{n:08x}", text, "2026-04-01", heading) for n, (text, heading) in enumerate(texts)]
    file = render("Fact", memories)
    assert is_ours(file)
    found = {entry.uid: words_hash(entry.text) for entry in parse(file)}
    assert found == {memory.uid: words_hash(memory.text) for memory in memories}


def test_hard_words() -> None:
    """Lists, code, our own comment, a checkbox and empty lines within a memory stay its words."""
    texts = (
        "- a\n- b",
        "[x] done",
        "# Title\n\n    code\n\tmore",
        "said <!-- m12345678 -->",
        "a\n\n\nb",
        "* <!-- libra mirror -->",
    )
    memories = [Mirrored(f"m{n:08x}", text) for n, text in enumerate(texts)]
    assert [words_hash(e.text) for e in parse(render("Fact", memories))] == [
        words_hash(text) for text in texts
    ]


def test_what_a_person_does() -> None:
    """An added item is new, prose and headings are left alone, an item without words is an item still."""
    entries = parse(
        "# Mine\n\nSome prose.\n- new one\n  goes on\n\nprose again\n- <!-- m12345678 2026-04-01 -->\n"
    )
    assert [(e.uid, e.text) for e in entries] == [(None, "new one\ngoes on"), ("m12345678", "")]
    assert not is_ours("- a\n")
