"""How well rules are recognised: one table, and exit code 1 when a figure is below its floor.

    python bench/deontic.py [--shared ../shared/data] [-v]

Measured on the sentences in ``tests/data/deontic`` (ours, seven languages) and, where the shared data is, on the
labelled sentences of real instruction files and on LibraVDB's own corpora. ``-v`` prints each sentence that was
judged otherwise than its label. Nothing is loaded but the text package.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from libra.text.partition import classify

_ROOT = Path(__file__).resolve().parents[1]
_OURS = _ROOT / "tests" / "data" / "deontic"


@dataclass(frozen=True, slots=True)
class Floors:
    """What a set must reach."""

    precision: float
    f1: float
    hard: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled sentence: ``hard``, ``soft`` or ``lore``; ``rule`` where a corpus does not tell hard from soft."""

    label: str
    text: str


_LANGUAGE = Floors(0.95, 0.90, 0.95)
_ALL = Floors(0.95, 0.95, 0.95)
_REFERENCE = Floors(0.95, 0.95)
_DOCUMENTS = Floors(0.95, 0.90, 0.90)


def ours() -> dict[str, list[Row]]:
    """Return our own sentences by language."""
    out: dict[str, list[Row]] = {}
    for file in sorted(_OURS.glob("*.json")):
        rows = out.setdefault(file.stem.split("-")[0], [])
        for label, kinds in json.loads(file.read_text(encoding="utf-8")).items():
            rows += [Row(label, text) for texts in kinds.values() for text in texts]
    return out


def documents() -> list[Row]:
    """Return the labelled lines of our own whole documents: a letter, a bar, the line (``tests/data/deontic/documents*``)."""
    letters = {"H": "hard", "S": "soft", "L": "lore"}
    lines = [
        line.partition("|")
        for file in sorted(_OURS.glob("documents*/*"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return [Row(letters[letter], text) for letter, _, text in lines if letter in letters]


def shared(data: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield the shared sets that are there; sentences of doubtful label are left out."""
    labels = data / "authored" / "deontic_labels.json"
    if labels.is_file():
        rows = json.loads(labels.read_text(encoding="utf-8"))
        for split in dict.fromkeys(row["split"] for row in rows):
            own = [row for row in rows if row["split"] == split and row["label"] != "ambiguous"]
            yield f"real files, {split}", [Row(row["label"], row["text"]) for row in own]
    for file in sorted((data / "libravdb").glob("deontic_*_corpus.json")):
        rows = json.loads(file.read_text(encoding="utf-8"))
        name = file.stem.removeprefix("deontic_").removesuffix("_corpus").replace("_", " ")
        yield (
            f"libravdb, {name}",
            [Row("rule" if row["BehavioralRule"] else "lore", row["Text"]) for row in rows],
        )


def line(name: str, rows: list[Row], floors: Floors, *, verbose: bool) -> bool:
    """Print the figures of one set; return True if all reach their floors."""
    said = [(row, classify(row.text).promoted) for row in rows]
    heard = sum(promoted and row.label != "lore" for row, promoted in said)
    invented = sum(promoted and row.label == "lore" for row, promoted in said)
    missed = sum(not promoted and row.label != "lore" for row, promoted in said)
    hard = [promoted for row, promoted in said if row.label == "hard"]
    precision = heard / max(heard + invented, 1)
    recall = heard / max(heard + missed, 1)
    f1 = 2 * heard / max(2 * heard + invented + missed, 1)
    hard_recall = sum(hard) / len(hard) if hard else 1.0
    good = precision >= floors.precision and f1 >= floors.f1 and hard_recall >= floors.hard
    shown = f"{hard_recall:9.3f}" if hard else "        -"
    mark = "" if good else f"  BELOW P {floors.precision} F1 {floors.f1} hard {floors.hard}"
    print(f"{name:30}{len(rows):6}{precision:9.3f}{recall:9.3f}{f1:9.3f}{shown}{invented:10}{missed:8}{mark}")
    if verbose:
        for row, promoted in said:
            if promoted is (row.label == "lore"):
                print(f"    {'invented' if promoted else 'missed'}: {row.text}")
    return good


def main() -> int:
    """Print the table; return 1 if a set is below its floors."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--shared", type=Path, default=_ROOT.parent / "shared" / "data")
    asked.add_argument("-v", "--verbose", action="store_true")
    args = asked.parse_args()
    print(f"{'set':30}{'n':>6}{'precis.':>9}{'recall':>9}{'F1':>9}{'hard':>9}{'invented':>10}{'missed':>8}")
    mine = ours()
    good = [line(name, rows, _LANGUAGE, verbose=args.verbose) for name, rows in mine.items()]
    every = [row for rows in mine.values() for row in rows]
    good.append(line("all languages", every, _ALL, verbose=False))
    good.append(line("lines of whole documents", documents(), _DOCUMENTS, verbose=args.verbose))
    good += [line(name, rows, _REFERENCE, verbose=args.verbose) for name, rows in shared(args.shared)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
