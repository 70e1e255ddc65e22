"""Expressions that were compiled when the program was built are the very ones that Python would have compiled at its start."""

from __future__ import annotations

import marshal
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from libra.ground import patterns

EXPRESSIONS: list[tuple[str | bytes, int]] = [
    (r"(?P<name>[\w-]+)\s*=\s*(?P<value>\d{1,9})", 0),
    (r"\b(?:straße|größe|ÄRGER)\b", re.IGNORECASE),
    (rb"(\x00|\xff){2,}", 0),
    (" a # a comment\n (?<!b)c ", re.VERBOSE),
    (r"^[^\W\d_]+$", re.MULTILINE),
    (r"[一-鿿ぁ-ゖ]+", 0),
]
SAID = ["port = 7443", "GRÖSSE der Straße", "  a", "ac", "eins\nzwei", "記憶する", ""]


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Leave Python's compiler as it was."""
    compiler = sys.modules["re._compiler"]
    before = compiler.compile
    re.purge()
    yield
    compiler.compile = before
    re.purge()


def table() -> dict[patterns.Key, patterns.Made]:
    """Return how the expressions above are compiled."""
    with patterns.recorded() as found:
        for expression, flags in EXPRESSIONS:
            re.compile(expression, flags)
    re.purge()
    return found


def test_they_are_the_same_patterns(tmp_path: Path) -> None:
    """A rule or a secret is found by the built program where it is found by every other."""
    found = table()
    ordinary = [re.compile(expression, flags) for expression, flags in EXPRESSIONS]
    re.purge()
    file = tmp_path / patterns.NAME
    file.write_bytes(patterns.dumped(found))
    patterns.begin(file)
    made = [re.compile(expression, flags) for expression, flags in EXPRESSIONS]
    # Python compares expression, flags and compiled numbers.
    assert made == ordinary
    assert [one.groupindex for one in made] == [one.groupindex for one in ordinary]
    for one, other in zip(made, ordinary, strict=True):
        for said in SAID:
            text = said.encode() if isinstance(one.pattern, bytes) else said
            assert [m.span() for m in one.finditer(text)] == [m.span() for m in other.finditer(text)]  # type: ignore[type-var,arg-type]


def test_only_what_is_in_the_table_is_made_from_it() -> None:
    """An expression of the person's own, or one with other flags, is compiled as ever."""
    calls: list[object] = []
    compiler = sys.modules["re._compiler"]
    ordinary = compiler.compile
    found = table()
    compiler.compile = lambda pattern, flags=0: calls.append(pattern) or ordinary(pattern, flags)  # type: ignore[func-returns-value]
    end = patterns.use(found)
    re.compile(EXPRESSIONS[0][0])
    assert calls == []
    re.compile(EXPRESSIONS[0][0], re.IGNORECASE)
    assert re.compile("new (words)").groups == 1
    assert calls == [EXPRESSIONS[0][0], "new (words)"]
    end()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no table",
        marshal.dumps(7),
        marshal.dumps(("3.9 of another build", {("a", 0): (0, b"", 0, {}, ())})),
    ],
)
def test_a_table_of_another_python_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """Numbers of another Python's compiler would match something else, or crash."""
    file = tmp_path / patterns.NAME
    file.write_bytes(content)
    before = sys.modules["re._compiler"].compile
    patterns.begin(file)
    patterns.begin(tmp_path / "nothing")
    assert sys.modules["re._compiler"].compile is before
