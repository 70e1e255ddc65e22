"""The tables and plots of ``bench/scale.py show``: SVG drawn here, both axes logarithmic."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WIDE, _HIGH = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 34, 40
_COLOURS = ("#3b6ea5", "#c0562f", "#4d8a57", "#8257a0")
_GREY, _INK = "#9a9a9a", "#777"
"""Read on light and on dark pages alike."""

Found = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Line:
    """One line of a plot: its name, what measurement, and which figure of it."""

    name: str
    what: str
    path: tuple[str, ...]

    def of(self, found: Found) -> list[tuple[int, float]]:
        """Return the points."""
        out = []
        for size, figures in found.items():
            value: Any = figures.get(self.what)
            for part in self.path:
                value = value.get(part) if isinstance(value, dict) else None
            if value:
                out.append((int(size), float(value)))
        return sorted(out)


PLOTS: dict[str, tuple[str, tuple[Line, ...]]] = {
    "scale-answers": (
        "ms of processor an answer, without the embedding",
        (Line("assemble", "ask", ("assemble", "cpu")), Line("search", "ask", ("search", "cpu"))),
    ),
    "scale-recall": (
        "share of the exact ten nearest that is missed, %",
        (Line("missed", "recall", ("missed_percent",)),),
    ),
    "scale-size": (
        "MB",
        (
            Line("database", "fill", ("mb",)),
            Line("vectors in memory", "ask", ("mirror_mb",)),
            Line("process", "ask", ("rss_mb",)),
        ),
    ),
    "scale-start": (
        "seconds from the start of the process",
        (Line("first health", "start", ("health_s",)), Line("all vectors", "start", ("ready_s",))),
    ),
    "scale-writing": (
        "a second",
        (Line("turns read in", "write", ("turns_s",)), Line("vectors stored", "write", ("vectors_s",))),
    ),
    "scale-changing": (
        "ms of processor a call",
        (Line("forget", "forget", ("cpu",)), Line("compact 200 turns", "compact", ("cpu",))),
    ),
}


def show(folder: Path, pictures: Path) -> None:
    """Print the table and draw the plots."""
    found: Found = json.loads((folder / "results.json").read_text())
    for figures in found.values():
        if "fill" in figures:
            figures["fill"]["mb"] = figures["fill"]["bytes"] / 1e6
        if "recall" in figures:
            figures["recall"]["missed_percent"] = max(100 * (1 - figures["recall"]["recall"]), 0.01)
    print(table(found))
    pictures.mkdir(parents=True, exist_ok=True)
    for name, (unit, lines) in PLOTS.items():
        drawn = [(line.name, line.of(found)) for line in lines]
        if any(points for _, points in drawn):
            (pictures / f"{name}.svg").write_text(plot(unit, drawn), encoding="utf-8")


_ROWS: tuple[tuple[str, tuple[Line, ...], str], ...] = (
    ("`assemble` without the embedding: p50 / p95 / processor, ms",
     tuple(Line("", "ask", ("assemble", part)) for part in ("p50", "p95", "cpu")), "{:.0f}"),
    ("`assemble` with it: p50 / p95, ms",
     tuple(Line("", "embedded", ("assemble", part)) for part in ("p50", "p95")), "{:.0f}"),
    ("`search` without the embedding: p50 / p95 / processor, ms",
     tuple(Line("", "ask", ("search", part)) for part in ("p50", "p95", "cpu")), "{:.0f}"),
    ("recall of the exact ten nearest", (Line("", "recall", ("recall",)),), "{:.4f}"),
    ("database, MB", (Line("", "fill", ("mb",)),), "{:,.0f}"),
    ("vectors in memory / process, MB",
     (Line("", "ask", ("mirror_mb",)), Line("", "ask", ("rss_mb",))), "{:,.0f}"),
    ("start: first `health` / all vectors, s",
     (Line("", "start", ("health_s",)), Line("", "start", ("ready_s",))), "{:.1f}"),
    ("turns read in / vectors stored, a second",
     (Line("", "write", ("turns_s",)), Line("", "write", ("vectors_s",))), "{:,.0f}"),
    ("`forget` one memory with its turn: p50 / p95 / processor, ms",
     tuple(Line("", "forget", (part,)) for part in ("p50", "p95", "cpu")), "{:.0f}"),
    ("`compact` a session of 200 turns: p50 / processor, ms",
     (Line("", "compact", ("p50",)), Line("", "compact", ("cpu",))), "{:.0f}"),
)  # fmt: skip


def table(found: Found) -> str:
    """Return the figures as Markdown, a column a size."""
    sizes = sorted(found, key=int)
    out = ["| | " + " | ".join(f"{int(size):,}" for size in sizes) + " |", "| --- |" + " --- |" * len(sizes)]
    for name, lines, form in _ROWS:
        cells = []
        for size in sizes:
            values = [line.of({size: found[size]}) for line in lines]
            cells.append(" / ".join(form.format(v[0][1]) if v else "–" for v in values))
        if any(set(cell) - set("– /") for cell in cells):
            out.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def plot(unit: str, lines: Sequence[tuple[str, Sequence[tuple[int, float]]]]) -> str:
    """Return a picture of some lines over the number of memories."""
    values = [value for _, points in lines for _, value in points]
    sizes = [size for _, points in lines for size, _ in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values) * 1.001))
    first, last = math.log10(min(sizes)), max(math.log10(max(sizes)), math.log10(min(sizes)) + 1)

    def x(size: float) -> float:
        return _LEFT + (math.log10(size) - first) / (last - first) * (_WIDE - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _HIGH - _BOTTOM - (math.log10(value) - low) / max(high - low, 1) * (_HIGH - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" font-family="sans-serif" font-size="12">',
        f'<text x="{_LEFT}" y="18" fill="{_INK}">{unit}</text>',
    ]
    for power in range(low, high + 1):
        at, label = y(10.0**power), f"{10.0**power:,.10g}"
        parts.append(f'<path d="M{_LEFT} {at:.1f}H{_WIDE - _RIGHT}" stroke="{_GREY}" stroke-opacity=".35"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end" fill="{_INK}">{label}</text>')
    for size in sorted(set(sizes)):
        parts.append(
            f'<path d="M{x(size):.1f} {_TOP}V{_HIGH - _BOTTOM}" stroke="{_GREY}" stroke-opacity=".2"/>'
        )
        short = f"{size // 1_000_000} M" if size >= 1_000_000 else f"{size // 1000} k"
        parts.append(
            f'<text x="{x(size):.1f}" y="{_HIGH - 20}" text-anchor="middle" fill="{_INK}">{short}</text>'
        )
    parts.append(f'<text x="{_LEFT}" y="{_HIGH - 4}" fill="{_INK}">memories</text>')
    parts += _drawn(lines, x, y)
    return "\n".join([*parts, "</svg>", ""])


def _drawn(lines: Sequence[tuple[str, Sequence[tuple[int, float]]]], x: Any, y: Any) -> list[str]:
    """Return the lines with their names at their ends, these apart from each other."""
    parts: list[str] = []
    taken: list[float] = []
    for (name, points), colour in zip(lines, _COLOURS, strict=False):
        if not points:
            continue
        path = "L".join(f"{x(size):.1f} {y(value):.1f}" for size, value in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(s):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>' for s, v in points]
        at = y(points[-1][1]) + 4
        while any(abs(at - other) < 14 for other in taken):
            at += 4
        taken.append(at)
        parts.append(f'<text x="{x(points[-1][0]) + 10:.1f}" y="{at:.1f}" fill="{colour}">{name}</text>')
    return parts
