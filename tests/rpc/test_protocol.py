"""The decoder: every line has its answer, and nothing that a peer sends raises."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.ground.errors import LibraError
from libra.rpc.protocol import (
    MAX_BATCH,
    MAX_DEPTH,
    TOO_LONG,
    Call,
    Fault,
    Lines,
    Message,
    decode,
    encode,
    failure,
    result,
)


def one(line: bytes) -> Call | Fault:
    """Return the only part of a line."""
    message = decode(line)
    assert message is not None
    assert len(message.parts) == 1
    return message.parts[0]


def call(**members: Any) -> bytes:
    """Return a call's line, with members added or replaced."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "health", **members}).encode()


@pytest.mark.parametrize("call_id", ["a", "", 0, 1, -7, 1.5, None])
def test_every_kind_of_id_comes_back(call_id: Any) -> None:
    """Strings, numbers, zero and null are ids; null is not the same as absent."""
    part = one(call(id=call_id))
    assert part == Call("health", {}, call_id, notification=False)


def test_a_call_without_an_id_is_a_notification() -> None:
    """An absent id asks for no answer."""
    part = one(b'{"jsonrpc":"2.0","method":"health"}')
    assert isinstance(part, Call)
    assert part.notification


@pytest.mark.parametrize("call_id", [True, [], {}, [1]])
def test_other_ids_are_refused(call_id: Any) -> None:
    """A boolean or a structure is no id; the answer's id is null."""
    part = one(call(id=call_id))
    assert isinstance(part, Fault)
    assert (part.error.code, part.id) == (-32600, None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"nonsense", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"health"', -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"health"}', -32700),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"health"}', -32700),
        (b'{"a":"\\ud800","b":NaN}', -32700),
        (b'{"a":"\\ud800","b":1e999}', -32700),
        (b'{"a":"\\ud800"', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"h\xff"}', -32700),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"health"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"a\x00b"}', -32700),
        (b"[" * 50_000, -32004),
        (b'{"a":' * 50_000, -32004),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), -32004),
        (b"[]", -32600),
        (b"1", -32600),
        (b"null", -32600),
        (b'"health"', -32600),
        (call(jsonrpc="1.0"), -32600),
        (call(jsonrpc=2.0), -32600),
        (b'{"id":1,"method":"health"}', -32600),
        (call(method=None), -32600),
        (call(method=""), -32600),
        (call(method=7), -32600),
        (call(params="x"), -32600),
        (call(params=[1, 2]), -32602),
    ],
)
def test_what_is_no_call_has_a_clear_error(line: bytes, code: int) -> None:
    """Each kind of nonsense has its own code."""
    part = one(line)
    assert isinstance(part, Fault)
    assert part.error.code == code
    assert part.error.message


def test_brackets_inside_strings_are_no_nesting() -> None:
    """Only structure counts as depth."""
    part = one(call(params={"text": '[{\\"[' * 5_000}))
    assert isinstance(part, Call)


def test_a_half_emoji_becomes_a_replacement_character() -> None:
    """JavaScript writes a cut emoji as a lone surrogate; the message is not lost."""
    part = one(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"\\ud83d":["a\\ud83d b","\\ud83d\\ude00"]}}')
    assert isinstance(part, Call)
    assert part.params == {"\ufffd": ["a\ufffd b", "\U0001f600"]}


def test_a_number_over_64_bits_is_a_float() -> None:
    """Both parsers read it the same way, and the id can be written again."""
    plain = one(b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"m"}')
    cut = one(b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"m","params":{"a":"\\ud83d"}}')
    assert plain.id == cut.id == 1e20
    assert encode(result(cut.id, None)).startswith(b"{")


@pytest.mark.parametrize("line", [b"", b"  ", b"\r", b"\t \r"])
def test_a_blank_line_is_nothing(line: bytes) -> None:
    """Blank lines and Windows line ends are skipped."""
    assert decode(line) is None


def test_a_batch_keeps_its_order_and_its_faults() -> None:
    """A broken call in a batch spoils no other."""
    message = decode(b"[" + call(id=1) + b",7," + call(id=2) + b"]")
    assert message is not None
    assert message.batch
    kinds = [type(part) for part in message.parts]
    assert kinds == [Call, Fault, Call]


def test_a_batch_has_a_limit() -> None:
    """More calls than the limit are refused as one."""
    part = one(b"[" + b",".join([b"1"] * (MAX_BATCH + 1)) + b"]")
    assert isinstance(part, Fault)
    assert part.error.code == -32004


def test_hostile_strings_take_linear_time() -> None:
    """Unclosed strings full of escapes do not make the depth scan quadratic."""
    started = time.process_time()
    assert isinstance(one(b"[" * 101 + b'"' + b'\\"' * 1_000_000), Fault)
    assert isinstance(one(b"[" * 101 + b'"\\' * 1_000_000), Fault)
    assert time.process_time() - started < 2.0


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_without_raising(line: bytes) -> None:
    """Whatever comes, the decoder returns a message or None."""
    message = decode(line)
    assert message is None or all(isinstance(p, Call | Fault) for p in message.parts)


@given(json_values)
def test_any_json_is_decoded_without_raising(value: Any) -> None:
    """The same for well-formed JSON, with NaN, infinities and lone surrogates among it."""
    message = decode(json.dumps(value).encode())
    assert message is None or isinstance(message, Message)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(("jsonrpc", "id", "method", "params"), json_values)))
def test_any_object_gets_an_answer_that_can_be_written(value: Any) -> None:
    """Each part can be answered: its id goes out as it came in."""
    message = decode(json.dumps({"jsonrpc": "2.0", **value}).encode())
    assert message is not None
    for part in message.parts:
        error = part.error if isinstance(part, Fault) else LibraError("x")
        assert encode(failure(part.id, error)).endswith(b"\n")


@given(json_values)
def test_what_is_written_is_one_line_of_json(value: Any) -> None:
    """U+2028, newlines and lone surrogates in a value never break the line."""
    try:
        line = encode(result(1, value))
    except TypeError:  # an integer over 64 bits
        return
    assert line.count(b"\n") == 1
    json.loads(line)


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=8), st.data())
def test_lines_come_out_however_the_bytes_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    """The pieces in which a stream arrives make no difference; lines over the limit are named once."""
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    reader = Lines(limit_bytes=20)
    out: list[Any] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        out += reader.feed(stream[start:end])
    assert out == [line if len(line) <= 20 else TOO_LONG for line in lines]
    assert reader.waiting_bytes == 0


def test_a_long_line_is_not_kept_in_memory() -> None:
    """What is over the limit is dropped as it comes in."""
    reader = Lines(limit_bytes=1_000)
    assert reader.feed(b"x" * 5_000) == [TOO_LONG]
    assert reader.feed(b"x" * 5_000) == []
    assert reader.waiting_bytes == 0
    assert reader.feed(b"x\nnext\n") == [b"next"]
