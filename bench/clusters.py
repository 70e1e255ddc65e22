"""The clusters that compaction is measured on: small ones of the published kinds, and talks of twenty turns.

All of it is written for Libra. ``{one|other}`` in a talk gives two talks that differ in names and numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from libra.ground.records import Role

_HERE = Path(__file__).parent
_DATA = _HERE / "data"
_DEMO = _HERE.parent / "assets" / "talks"
_ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL, "tool": Role.TOOL}
_EITHER = re.compile(r"\{([^{}|]*)\|([^{}|]*)\}")
_LINE = re.compile(r"(U|A|T|tool): (.*)")
TURNS = 20


@dataclass(frozen=True)
class Cluster:
    """Turns that are summarised together.

    Attributes:
        name: What it is.
        kind: ``normal`` or ``adversarial`` for small ones, ``talk`` for those of twenty turns, ``fresh`` for those of
            them that nothing was ever tuned on.
        turns: Who spoke (None where it does not matter), and the words.
    """

    name: str
    kind: str
    turns: tuple[tuple[Role | None, str], ...]


def small() -> list[Cluster]:
    """Return the small clusters."""
    out = []
    for block in (_DATA / "small_clusters.txt").read_text(encoding="utf-8").split("# ")[1:]:
        head, *lines = block.strip().splitlines()
        kind, name = head.split()
        out.append(Cluster(name, kind, tuple((None, line) for line in lines)))
    return out


def talks() -> list[Cluster]:
    """Return the talks of twenty turns: each of ours in two forms, and windows of the demo's."""
    out = []
    for path in sorted((_DATA / "talks").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        for form in (1, 2):
            turns = _turns(_EITHER.sub(lambda m, form=form: m.group(form), text))
            out.append(Cluster(f"{path.stem}-{form}", "talk", turns))
    for path in sorted(_DEMO.glob("*.txt")):
        turns = _turns(path.read_text(encoding="utf-8"))
        starts = range(0, len(turns) - TURNS + 1, TURNS)
        out += [Cluster(f"demo-{path.stem}-{s}", "talk", turns[s : s + TURNS]) for s in starts]
    return out


def fresh() -> list[Cluster]:
    """Return talks of twenty turns that were written before anybody saw a result on them; never tune on them."""
    files = sorted((_DATA / "fresh").glob("*.txt"))
    return [Cluster(path.stem, "fresh", _turns(path.read_text(encoding="utf-8"))) for path in files]


def _turns(text: str) -> tuple[tuple[Role | None, str], ...]:
    found = (_LINE.match(line) for line in text.splitlines())
    return tuple((_ROLES[m[1]], m[2].replace("\\n", "\n")) for m in found if m)
