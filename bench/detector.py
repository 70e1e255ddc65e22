"""How well the gate's signal T tells technical turns from conversation: one table, and an exit code.

Run from the checkout: ``python bench/detector.py [--wrong] [--shared FOLDER]``. The labelled set is our own
(tests/data/detector, blocks of text between lines of ``%%%``). The later part was written after all tuning and never
tuned on, the third and fourth are one-line talk without any path, command or error (docs/quality.md tells what they gave
when they were unseen); the fifth and the sixth are unseen still. Each part is judged by its words alone, and by words and meaning. Exit code 1 if precision or recall of the first two parts is under the floor.

A turn is taken as technical if T > 0: T is the sum of the weights of the technical patterns that were found, so the
detector asks whether any was found, and each false alarm is a pattern that fired on prose.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from libra.gate.signals import technical
from libra.gate.talk import log_odds, may_judge
from libra.inference.embedder import Embedder

ROOT = Path(__file__).resolve().parents[1]
SET = ROOT / "tests" / "data" / "detector"
FLOOR = 0.95


@dataclass(frozen=True, slots=True)
class Labelled:
    """One text and whether it is technical."""

    text: str
    technical: bool


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of one half of the set, and what follows from them, each in [0, 1]."""

    items: int
    precision: float
    recall: float
    wrong: tuple[Labelled, ...]


def labelled(part: str = "", folder: Path = SET) -> list[Labelled]:
    """Return the labelled texts, technical ones first: the part tuned on, or with ``_later`` the other."""
    out: list[Labelled] = []
    for name in ("technical", "prose"):
        blocks = (folder / f"{name}{part}.txt").read_text(encoding="utf-8").split("\n%%%\n")
        out += [Labelled(block.rstrip("\n"), name == "technical") for block in blocks]
    return out


class Meanings:
    """Texts' vectors by the default model, as the gate has them beside the words."""

    def __init__(self) -> None:
        self._model = Embedder.open(ROOT / "models" / "minilm-l6-v2")

    def technical(self, text: str) -> bool:
        """Return True if T > 0 by words and meaning."""
        if not may_judge(text):
            return by_words(text)
        vector = self._model.embed_texts([text])[0]
        return technical(text, log_odds(text, vector, self._model.fingerprint)) > 0


def by_words(text: str) -> bool:
    """Return True if T > 0 by words alone."""
    return technical(text) > 0


def judge(items: Sequence[Labelled], called_by: Callable[[str], bool] = by_words) -> Figures:
    """Return precision and recall of T > 0 on ``items``."""
    called = [called_by(item.text) for item in items]
    right = sum(hit and item.technical for hit, item in zip(called, items, strict=True))
    wrong = tuple(item for hit, item in zip(called, items, strict=True) if hit is not item.technical)
    return Figures(
        len(items), right / max(sum(called), 1), right / max(sum(i.technical for i in items), 1), wrong
    )


def _shared(folder: Path) -> Iterator[Labelled]:
    """Yield the public turns beside the checkout: agent sessions as technical, two people's talk as prose."""
    for session in json.loads((folder / "techsessions" / "sessions.json").read_text(encoding="utf-8")):
        yield from (Labelled(turn["text"], technical=True) for turn in session["turns"])
    for sample in json.loads((folder / "locomo" / "locomo-dev.json").read_text(encoding="utf-8")):
        for key, turns in sample["conversation"].items():
            if key.startswith("session_") and isinstance(turns, list):
                yield from (Labelled(turn["text"], technical=False) for turn in turns)


def _table(rows: Iterable[tuple[str, Figures]]) -> str:
    head = "| set | items | precision | recall |\n|---|---|---|---|"
    return "\n".join([head, *(f"| {n} | {f.items} | {f.precision:.3f} | {f.recall:.3f} |" for n, f in rows)])


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if the reported half is under its floor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wrong", action="store_true", help="print what is wrong in the part tuned on")
    parser.add_argument("--shared", type=Path, help="folder of the public data, for a third row")
    parser.add_argument("--every", type=int, default=1, help="take only every nth public turn")
    args = parser.parse_args(argv)
    meant = Meanings()
    rows: list[tuple[str, Figures]] = []
    parts = {
        "tuned on": "",
        "written later": "_later",
        "third": "_third",
        "fourth": "_fourth",
        "fifth": "_fifth",
        "sixth": "_sixth",
    }
    for name, part in parts.items():
        rows += [
            (f"{name}, by words", judge(labelled(part))),
            (f"{name}, and by meaning", judge(labelled(part), meant.technical)),
        ]
    every = judge(labelled() + labelled("_later"))
    if args.shared is not None:
        public = list(_shared(args.shared))[:: args.every]
        rows += [
            ("public turns, by words", judge(public)),
            ("public turns, and by meaning", judge(public, meant.technical)),
        ]
    print(_table(rows))
    if args.wrong:
        print("\n".join(f"{'miss ' if w.technical else 'alarm'} {w.text[:100]!r}" for w in rows[0][1].wrong))
    return 0 if min(every.precision, every.recall) >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
