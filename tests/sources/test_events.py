"""One line of bytes to one event: what is sound, what is mended, what is given up."""

from __future__ import annotations

import pytest

from libra.sources.events import decode, parts_of, texts_of


def test_sound_line() -> None:
    """An object is an event."""
    assert decode('{"type":"user","text":"a\u2028b"}'.encode()) == (
        {"type": "user", "text": "a\u2028b"},
        True,
    )


@pytest.mark.parametrize(
    "line", [b"\x00" * 16, b"[1,2", b"[1,2]", b'"text"', b"not json", b"\xff\xfe broken", b"{", b"null"]
)
def test_malformed_line_is_no_event(line: bytes) -> None:
    """Everything but an object is malformed."""
    assert decode(line) == (None, False)


def test_deep_nesting_is_malformed() -> None:
    """A line that nests without end does no harm."""
    assert decode(b'{"a":' + b"[" * 200_000) == (None, False)


def test_broken_utf8_inside_a_line_is_replaced() -> None:
    """One broken byte costs one character, not the line."""
    event, sound = decode(b'{"type":"user","text":"caf\xff"}')
    assert sound
    assert event == {"type": "user", "text": "caf\ufffd"}


def test_half_a_surrogate_pair_is_replaced() -> None:
    """A cut emoji, as JavaScript writes it, must not become text that cannot be stored."""
    event, sound = decode(rb'{"text":"a\ud83d","whole":"\ud83d\ude00"}')
    assert sound
    assert event == {"text": "a\ufffd", "whole": "\U0001f600"}


def test_whole_record_after_a_torso_is_taken() -> None:
    """Half a record, then the whole one in the same line: the whole one counts, the line is malformed."""
    torso = b'{"type":"user","uuid":"u1","message":{"role":"us'
    whole = b'{"type":"user","uuid":"u1","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}'
    event, sound = decode(torso + whole)
    assert not sound
    assert event is not None
    assert event["message"]["content"] == [{"type": "text", "text": "hi"}]


def test_record_behind_nul_bytes_is_taken() -> None:
    """A hole that a crash left in front of a record does not cost the record."""
    event, sound = decode(b"\x00" * 40 + b'{"type":"user","uuid":"u1"}')
    assert (event, sound) == ({"type": "user", "uuid": "u1"}, False)


def test_part_of_a_torn_record_is_no_record() -> None:
    """The end of a record whose start is lost holds objects, but none of them is the record."""
    assert decode(b'er","content":[{"type":"text","text":"hi"}]}}') == (None, False)


@pytest.mark.parametrize("content", [None, 5, {"type": "text"}, [None, 5, {"type": 7}, {"text": "x"}]])
def test_odd_content_has_no_text(content: object) -> None:
    """Content of unexpected types is left out, without an error."""
    assert texts_of(parts_of(content)) == []


def test_text_parts() -> None:
    """Strings and text parts are texts; blank ones and other parts are not."""
    parts = parts_of(["a", {"type": "text", "text": "b"}, {"type": "text", "text": " "}, {"type": "image"}])
    assert texts_of(parts) == ["a", "b"]
    assert texts_of(parts_of("c")) == ["c"]
