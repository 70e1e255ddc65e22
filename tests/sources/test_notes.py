"""Which notes of a folder are wanted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.sources.notes import tagged, wanted


@pytest.mark.parametrize(
    ("path", "include", "exclude", "want"),
    [
        ("a.md", (), (), True),
        ("deep/a.md", ("*.md",), (), True),
        ("deep/a.md", ("deep/*.md",), (), True),
        ("deep/er/a.md", ("deep/*.md",), (), False),
        ("deep/er/a.md", ("deep/**/*.md",), (), True),
        ("deep/a.md", ("deep/**/*.md",), (), True),
        ("a.md", ("/deep/**",), (), False),
        ("deep/a.md", ("**",), ("deep/",), False),
        ("deep/a.md", (), ("?.md",), False),
        ("a.sync-conflict-2026.md", (), (), False),
        ("(a+b).md", ("(a+b).md",), (), True),
    ],
)
def test_patterns(path: str, include: tuple[str, ...], exclude: tuple[str, ...], *, want: bool) -> None:
    """Patterns are about names or about paths, and what is never a note is none."""
    assert wanted(path, include, exclude) is want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("---\ntags: [work, x]\n---\n", True),
        ("---\ntags:\n  - x\n  - '#work/harbour'\n---\n", True),
        ("---\ntags: work\n---\n", True),
        ("---\ntitle: work\ntags: x\nalias: work\n---\n", False),
        ("---\ntags: work\nnever closed", False),
        ("at the start #Work, yes", True),
        ("#working", False),
        ("a#work", False),
        ("", False),
    ],
)
def test_tags(text: str, *, want: bool) -> None:
    """A tag of the front matter or of the text, itself or above a longer one."""
    assert tagged(text, ("#work",)) is want
    assert tagged(text, ())


@given(st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_any_text_and_pattern(text: str, patterns: list[str]) -> None:
    """Nothing that a person writes is an error."""
    assert isinstance(wanted(text, tuple(patterns), ()), bool)
    assert isinstance(tagged(text, tuple(patterns)), bool)
