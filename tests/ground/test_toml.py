"""Settings files: what people write is read, what only an attacker writes is refused at once."""

from __future__ import annotations

import tomllib

import pytest

from libra.ground import toml


def test_what_people_write_is_read() -> None:
    """Dotted names, addresses with many dots and long texts are settings like any other."""
    text = (
        'a.b.c = 1\n[x."y.z"]\nlink = "http://' + "a." * 20 + 'example/x"\nlist = [' + "1.5, " * 100 + "]\n"
    )
    assert toml.loads(text)["a"] == {"b": {"c": 1}}
    assert len(toml.loads(text)["x"]["y.z"]["list"]) == 100


@pytest.mark.parametrize("text", ["a." * 40 + "a = 1", "[" + "a . " * 40 + "a]", '"a"."b".' * 20 + "a = 1"])
def test_a_name_of_very_many_parts_is_refused(text: str) -> None:
    """A megabyte of one name held the start, or `libra connect`, for a quarter of an hour."""
    with pytest.raises(tomllib.TOMLDecodeError, match="parts"):
        toml.loads(text)
