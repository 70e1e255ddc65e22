"""How faithful summaries are, and how many of them pass a preservation threshold.

    python bench/compaction.py [--clusters FILE.json] [--every N] [--hurried]
    python bench/compaction.py --model FOLDER | --ollama URL --name NAME | --openai URL --name NAME | --stand-ins

On 17 small clusters (5 normal, 12 adversarial), 30 talks of twenty turns and 8 that nothing was tuned on, all written for
Libra; with ``--clusters`` on those of a file (``[{name, turns: [{text, role?}]}]``) instead. With a model, a second table
says how many of its summaries stand (``bench/rewriting.py``). Judged with the default model and its own token counts:

    align   cos(summary, mean of the turns)       cover   mean of max(0, cos(summary, turn))
    worst   the least similar turn                ident   exact terms that are still there, by a pattern of this file
    ratio   tokens out / tokens in                whole   align of all turns as one text

Exit code 1 where the means of the small clusters or of the talks lie below their floors; no text is embedded twice.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import rewriting
from clusters import Cluster, fresh, small, talks

from libra.compaction.extract import ClusterTurn, summarise, verbatim
from libra.compaction.fidelity import centre, judge
from libra.compaction.params import CompactionParams
from libra.compaction.turns import Embed
from libra.engine.summariser import Summariser, SummarizerParams
from libra.ground.paths import shipped
from libra.ground.records import Role
from libra.ground.vectors import Vector
from libra.inference.embedder import Embedder

THRESHOLDS = (0.65, 0.75, 0.85)
_AT_LEAST = {
    "small": {"align": 0.83, "worst": 0.37, "ident": 1.0},
    "talk": {"align": 0.85, "ident": 0.95},
    "fresh": {"align": 0.85, "ident": 0.95},
}
_AT_MOST = {"small": 0.52, "talk": 0.30, "fresh": 0.30}
"""Floors of the means, and the largest ratio, by the kind of cluster."""
_MODEL = shipped("models") / "minilm-l6-v2"
_NAMES = re.compile(
    r"[\w.-]*/[\w./-]+|\b[\w-]+\.\w{2,5}\b|\b\w*_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b[A-Z]{2,}-?\d+\b|\b[0-9a-f]{7,40}\b"
    r"|\b\d+(?:[.,:]\d+)*\b"
)
"""Names and numbers, found by another pattern than the product's."""


def names(text: str) -> set[str]:
    """Return the distinct exact terms of a text."""
    return {m.group().strip(".-,:") for m in _NAMES.finditer(text)} - {""}


def kept(embed: Embed) -> Embed:
    """Return the same, but each text is embedded once, however many tables ask for it."""
    known: dict[str, Vector] = {}

    def vectors(texts: Sequence[str]) -> Vector:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, embed(new), strict=True))
        return np.stack([known[text] for text in texts])

    return vectors


def below(kind: str, rows: Sequence[dict[str, float]]) -> list[str]:
    """Return what lies below the floors of a kind of cluster, as lines to print."""
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    out = [
        f"{kind}: {n} {means[n]:.3f} < {least}" for n, least in _AT_LEAST[kind].items() if means[n] < least
    ]
    most = _AT_MOST[kind]
    return [*out, f"{kind}: ratio {means['ratio']:.3f} > {most}"] if means["ratio"] > most else out


def measure(cluster: Cluster, embed: Embed, count: object, params: CompactionParams) -> dict[str, float]:
    """Return the figures of one cluster."""
    texts = [text for _, text in cluster.turns]
    turns = [ClusterTurn(text, role) for role, text in cluster.turns]
    made = summarise(turns, embed, None, params.extract) or verbatim(turns)
    whole = " ".join(texts)
    vectors = embed(texts)
    both = embed([made.text, whole])
    found = judge(both[0], vectors)
    exact = names(whole)
    return {
        "align": found.align,
        "cover": found.cover,
        "worst": found.worst,
        "ident": sum(name in made.text for name in exact) / len(exact) if exact else 1.0,
        "ratio": count(made.text) / count(whole),
        "whole": float(centre(vectors) @ both[1]),
    }


def given(path: Path) -> list[Cluster]:
    """Return the clusters of a file."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return [
        Cluster(
            c["name"],
            "given",
            tuple((Role(t["role"]) if t.get("role") else None, t["text"]) for t in c["turns"]),
        )
        for c in found
    ]


def show(title: str, rows: Sequence[dict[str, float]]) -> None:
    """Print one line of the table: means, and the share of clusters that pass each threshold."""
    cells = [f"{np.mean([r[name] for r in rows]):.3f}" for name in rows[0]]
    cells += [f"{np.mean([r['align'] >= t for r in rows]):.2f}" for t in THRESHOLDS]
    print(f"| {title} | {len(rows)} | " + " | ".join(cells) + " |", flush=True)


def main() -> int:
    """Measure and print a table."""
    from tokenizers import Tokenizer

    parser = argparse.ArgumentParser()
    parser.add_argument("--clusters", type=Path)
    parser.add_argument("--hurried", action="store_true", help="as on command, where somebody waits")
    parser.add_argument("--every", type=int, default=1, help="only each n-th cluster")
    for name in ("model", "ollama", "openai", "name"):
        parser.add_argument(f"--{name}", default="" if name == "name" else None)
    parser.add_argument("--stand-ins", action="store_true", help="show the judging without any model")
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(_MODEL / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    embed = kept(Embedder.open(_MODEL).embed_texts)
    every = given(args.clusters) if args.clusters else [*small(), *talks(), *fresh()]
    usual = CompactionParams()
    kinds: dict[str, list[dict[str, float]]] = {}
    for cluster in every[:: args.every]:
        row = measure(
            cluster,
            embed,
            lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids),
            usual if args.hurried else usual.unhurried(len(cluster.turns)),
        )
        kinds.setdefault(cluster.kind, []).append(row)
    passed = " | ".join(f"≥ {t}" for t in THRESHOLDS)
    print(f"| clusters | n | align | cover | worst | ident | ratio | whole | {passed} |")
    print("| --- " * (8 + len(THRESHOLDS)) + "|")
    for kind, rows in kinds.items():
        show(kind, rows)
    both = kinds.get("normal", []) + kinds.get("adversarial", [])
    if both:
        show("small, both", both)
    write_with_models(args, every[:: args.every], embed)
    judged = {"small": both, **{kind: kinds[kind] for kind in ("talk", "fresh") if kind in kinds}}
    failed = [line for kind, rows in judged.items() if rows for line in below(kind, rows)]
    print("".join(f"below its floor: {line}\n" for line in failed), end="")
    return 1 if failed else 0


def write_with_models(args: argparse.Namespace, clusters: Sequence[Cluster], embed: Embed) -> None:
    """Print the second table, if a model or stand-ins are asked for."""
    writers: list[tuple[str, AbstractContextManager[Summariser]]] = []
    if args.stand_ins:
        writers.append(("tiny model, random weights", rewriting.stand_in_model()))
        writers += [(name, rewriting.stand_in_server(answer)) for name, answer in rewriting.ANSWERS.items()]
    if args.model or args.ollama or args.openai:
        params = SummarizerParams(model=args.model, ollama=args.ollama, openai=args.openai, name=args.name)
        writers.append((args.model or args.name, rewriting.real(params)))
    if writers:
        rewriting.heading()
    for title, opened in writers:
        with opened as summariser:
            rewriting.report(title, clusters, embed, summariser)


if __name__ == "__main__":
    sys.exit(main())
