"""The latest prompts' lines: kept in memory, bounded, and asked for halves of lines."""

from __future__ import annotations

from libra.engine.shown import Shown
from libra.text.halves import Half, Side

_PROMPT = '<libra-context tier="recall" id="ab12cd34ef56">\n  - the Relay   port is 7443\n</libra-context>\n'


def _half(part: str, neighbour: str, side: Side = Side.HEAD) -> Half:
    return Half(side, part, part, neighbour)


def test_a_part_of_a_line_is_known_beside_its_neighbour_only() -> None:
    """A line that only begins as one of ours somewhere is a person's."""
    shown = Shown()
    shown.add(_PROMPT)
    mark = '<libra-context tier="recall" id="ab12cd34ef56">'
    assert shown.half(_half("- the relay po", mark))
    assert shown.half(_half("port is 7443", "</libra-context>", Side.TAIL))
    assert not shown.half(_half("- the relay po", "</libra-context>"))
    assert not shown.half(_half("- the relay pod", mark))
    assert not shown.half(_half("port is 7443", "</libra-context>"))


def test_old_prompts_go_and_repeated_ones_cost_once() -> None:
    """A long day must not fill the memory of the machine; the newest prompt is always known."""
    shown = Shown()
    for _ in range(3):
        shown.add(_PROMPT)
    for number in range(40):
        shown.add(f"first {number}\n" + f"{number} long words " * 8_000)
    assert not shown.half(_half("- the relay po", '<libra-context tier="recall" id="ab12cd34ef56">'))
    assert shown.half(_half("39 long w", "first 39"))
    assert not shown.half(_half("1 long w", "first 1"))
