"""What is taken out before a summary is made."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.compaction.sanitize import SanitizeParams, sanitise
from libra.ground.records import Role

P = SanitizeParams()


def test_prose_is_untouched() -> None:
    """What people say stays as it is."""
    text = "We keep src/a_rather_long/path/of_a_module/that_goes/on_and_on/for/more_than/ninety_six_characters/in_all.py\n\n- one\n- two"
    assert sanitise(text, Role.USER, P) == text


def test_blobs_are_named() -> None:
    """Data URLs, base64 and hex are replaced by what they were."""
    blob = "QUJD" * 40 + "1="
    assert sanitise(f"look {blob} here", Role.USER, P) == f"look [base64, {len(blob)} characters] here"
    assert sanitise("ab12" * 40, Role.USER, P) == "[hex, 160 characters]"
    assert sanitise("![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA)", Role.USER, P).startswith(
        "![x]([data URL, "
    )


def test_floods_are_counted() -> None:
    """Lines of one shape show their first and last."""
    text = "start\n" + "\n".join(f"GET /item/{i} 200 in {i} ms" for i in range(50)) + "\nend"
    expected = "start\nGET /item/0 200 in 0 ms\n[48 more lines like it]\nGET /item/49 200 in 49 ms\nend"
    assert sanitise(text, Role.TOOL, P) == expected


def test_wrapped_blobs_are_named() -> None:
    """A key or an attachment in lines of 64 characters is binary text, too; a poem is none."""
    lines = [("QUJDREVGR0hJ" * 6)[i : i + 64] for i in range(8)]
    out = sanitise("the file:\n" + "\n".join([*lines, "MTIz="]) + "\nend", Role.USER, P)
    assert out == f"the file:\n[base64, {8 * 64 + 5} characters]\nend"
    dump = "\n".join(f"{i:08x}: 7f45 4c46 0201 0100 0000 0000 0000 {i:04x}  .ELF....." for i in range(40))
    assert sanitise(dump, Role.TOOL, P).count("\n") == 2
    poem = "\n".join(
        ["thewholeharbourislyingquietinthemorningsunshine", "andnobodyisworkingthereanymoretodayorever"] * 3
    )
    assert sanitise(poem, Role.USER, P) == poem


def test_floods_of_several_shapes_are_counted() -> None:
    """Two loggers that write in turn; an error between them stands."""
    lines = [
        f"12:00:{i % 60} GET /item/{i}" if i % 2 else f"12:00:{i % 60} cache hit {i} ms" for i in range(60)
    ]
    lines[30] = "fatal error: the disk is full"
    out = sanitise("\n".join(lines), Role.TOOL, P).split("\n")
    assert lines[30] in out
    assert "[28 more lines like it]" in out
    assert out[0] == lines[0]
    assert out[-1] == lines[-1]
    assert len(out) < 10


def test_json_in_a_fence_is_sampled_by_key() -> None:
    """Whoever pastes it: keys and first elements tell what it is; the fence and its language stay."""
    value = [{"id": i, "name": f"item {i}"} for i in range(200)]
    out = sanitise(f"I got\n```json\n{json.dumps(value, indent=1)}\n```\nback", Role.USER, P)
    assert out.startswith('I got\n```json\n[{"id": 0')
    assert '"[197 more]"]\n[802 lines]\n```\nback' in out


def test_long_code_shows_its_beginning_and_its_definitions() -> None:
    """A fenced block keeps its marks, so that it stays one piece."""
    body = "\n".join(
        ["import os", *(f"x{chr(97 + i % 26)} = call()" for i in range(30)), "def late():", "    return 1"]
    )
    out = sanitise(f"see\n```py\n{body}\n```\nok", Role.USER, P)
    assert out.startswith("see\n```py\nimport os\n")
    assert "def late():\n[33 lines]\n```" in out
    assert out.endswith("ok")


def test_tool_outputs_keep_their_ends_and_their_errors() -> None:
    """The line that tells what went wrong survives in the middle of a long output."""
    lines = [f"{chr(97 + i % 26) * 30} step {'x' * (i % 7)}" for i in range(200)]
    lines[100] = "fatal error: cannot open shared object file"
    out = sanitise("\n".join(lines), Role.TOOL, P)
    assert lines[100] in out
    assert out.startswith(lines[0])
    assert out.endswith(lines[-1])
    assert len(out) < len("\n".join(lines)) / 3


def test_json_is_sampled_by_key() -> None:
    """Lists show their first elements and how many more there are, objects their keys."""
    value = {"rows": [{"id": i, "name": "n" * 200} for i in range(100)], "total": 100}
    out = sanitise(json.dumps(value), Role.TOOL, P)
    sampled = json.loads(out)
    assert sampled["total"] == 100
    assert [r["id"] for r in sampled["rows"][:3]] == [0, 1, 2]
    assert sampled["rows"][3] == "[97 more]"
    assert len(out) < 1000


def test_json_of_the_person_and_broken_json_stay_text() -> None:
    """Only a tool's valid JSON is sampled."""
    text = json.dumps([{"key": "value words here"} for _ in range(100)])
    assert sanitise(text, Role.USER, P) == text
    assert sanitise(text[:-1], Role.TOOL, P).startswith('[{"key"')


@pytest.mark.parametrize(
    "text", ["a" * 2_000_000, "```\n" * 100_000, "[" * 100_000, "data:" * 100_000, "x 1\n" * 200_000]
)
def test_no_input_takes_long(text: str) -> None:
    """Large and odd inputs stay within a second or so (C67)."""
    start = time.process_time()
    sanitise(text, Role.TOOL, P)
    assert time.process_time() - start < 3.0


@given(st.text(max_size=400), st.sampled_from([*Role, None]))
def test_total_and_never_much_longer(text: str, role: Role | None) -> None:
    """Every text has an answer, at most a few words longer than it was."""
    assert len(sanitise(text, role, P)) <= len(text) + 40
