"""What compaction costs recall: evidence inside a 2,000-token context, before and after, and how far it shortens.

    python bench/recall_after_compaction.py FILE [--conversations 1] [--only 0,1,3] [--questions 80] [--budget 2000] [--stores DIR]

FILE is LoCoMo's (``[{conversation: {session_N: [{dia_id, speaker, text}]}, qa: [{question, category, evidence}]}]``); it is
not part of Libra. Each conversation is one session of one person, asked about from another session. A question counts
where all of its evidence stands in the assembled text word for word; ``expanded`` counts evidence below the summaries in
it as well, which an agent gets by ``expand``.

A filled store is kept in DIR, if it is given, and taken from there in the next run. Of N questions more than are asked,
every so-many-th is taken, so that all of a conversation is asked about.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from running import folder

from libra.app import now_ms
from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.background import embed_batch
from libra.engine.compact import compact
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.expand import expand
from libra.engine.ingest import ingest
from libra.ground.paths import shipped
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.embedder import Embedder
from libra.store import vectors
from libra.store.store import Store, StoreParams

_CORE = frozenset({1, 2, 3, 4})
"""Categories with an answer; 5 is adversarial."""
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_TALK = Who(user="bench", session="talk")
_ASKS = Who(user="bench", session="asks")


@contextmanager
def opened(embedder: Embedder, filled: Path | None = None) -> Iterator[Deps]:
    """Yield an engine's parts over a store of their own, empty or a copy of a filled one."""
    with folder() as data:
        data.mkdir(exist_ok=True)
        if filled is not None:
            shutil.copy(filled, data / "libra.db")
        with engine(embedder, data / "libra.db") as deps:
            yield deps


@contextmanager
def engine(embedder: Embedder, file: Path) -> Iterator[Deps]:
    """Yield an engine's parts over the store in a file."""
    store = Store.open(file, StoreParams(), now_ms)
    store.write(lambda tx: vectors.begin_model(tx, embedder.fingerprint, embedder.dims)).result()
    deps = Deps(store, ModelSlot(), EngineParams(default_user="bench"), now_ms, UTC)
    deps.model.ready(embedder)
    try:
        yield deps
    finally:
        store.close()


def turns_of(sample: dict[str, Any]) -> dict[str, tuple[str, str, datetime]]:
    """Return speaker, words and a time for each turn's id, in order."""
    found = {}
    number = 1
    while f"session_{number}" in sample["conversation"]:
        for place, turn in enumerate(sample["conversation"][f"session_{number}"]):
            when = _START + timedelta(days=7 * number, minutes=place)
            found[turn["dia_id"]] = (turn["speaker"], turn["text"].strip(), when)
        number += 1
    return found


def settle(deps: Deps) -> None:
    """Embed all that waits."""
    while embed_batch(deps, 256):
        pass


def covered(deps: Deps, question: str, wanted: list[str], budget: int) -> tuple[bool, bool]:
    """Return whether all evidence stands in the context, and whether it does with its summaries expanded."""
    answer = assemble(deps, _ASKS, AssembleRequest(question, budget))
    text = " ".join(answer["text"].split())
    inside = all(" ".join(words.split()) in text for words in wanted)
    if inside:
        return True, True
    below = [
        item["text"]
        for shown in answer["items"]
        if shown["kind"] == "summary"
        for item in expand(deps, _ASKS, shown["id"], 8)["items"]
    ]
    whole = " ".join(f"{text} {' '.join(below)}".split())
    return False, all(" ".join(words.split()) in whole for words in wanted)


def fill(embedder: Embedder, file: Path, said: dict[str, tuple[str, str, datetime]]) -> None:
    """Store a conversation with its vectors, unless that was done before."""
    done = file.with_suffix(".done")
    if done.exists():
        return
    file.unlink(missing_ok=True)
    new = [
        NewTurn(Role.USER, words, int(when.timestamp() * 1000), uid, Origin.OWNER, speaker)
        for uid, (speaker, words, when) in said.items()
    ]
    with engine(embedder, file) as deps:
        ingest(deps, _TALK, new, None)
        settle(deps)
    done.touch()


def questions(
    sample: dict[str, Any], said: dict[str, tuple[str, str, datetime]], most: int
) -> list[tuple[str, list[str]]]:
    """Return at most ``most`` questions with the words of their evidence, spread over all of them."""
    found = [
        (q["question"], [said[e][1] for e in q["evidence"]])
        for q in sample["qa"]
        if q["category"] in _CORE and q.get("evidence") and all(e in said for e in q["evidence"])
    ]
    return found[:: max(len(found) // most, 1)][:most]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--conversations", type=int, default=1)
    parser.add_argument("--only", default="", help="numbers of conversations instead, from 0")
    parser.add_argument("--questions", type=int, default=80)
    parser.add_argument("--budget", type=int, default=2_000)
    parser.add_argument("--stores", type=Path)
    args = parser.parse_args()
    embedder = Embedder.open(shipped("models") / "minilm-l6-v2")
    every = json.loads(args.file.read_text(encoding="utf-8"))
    numbers = [int(n) for n in args.only.split(",") if n] or range(min(args.conversations, len(every)))
    found: dict[str, list[tuple[bool, bool]]] = {"before": [], "after": []}
    tokens = [0, 0]
    with folder() as own:
        for number in numbers:
            sample = every[number]
            said = turns_of(sample)
            asked = questions(sample, said, args.questions)
            kept = args.stores or own
            kept.mkdir(parents=True, exist_ok=True)
            filled = kept / f"talk-{number}.db"
            fill(embedder, filled, said)
            # Two copies: what was asked before would be a hot spot afterwards, and stay raw.
            for name in found:
                with opened(embedder, filled) as deps:
                    if name == "after":
                        answer = compact(deps, _TALK, force=True)
                        tokens[0] += answer["tokens_before"]
                        tokens[1] += answer["tokens_after"]
                        settle(deps)
                    new = [covered(deps, q, wanted, args.budget) for q, wanted in asked]
                found[name] += new
                inside, expanded = (sum(column) for column in zip(*new, strict=True))
                print(
                    f"conversation {number} {name}: {len(new)}, {inside} inside, {expanded} expanded",
                    flush=True,
                )
    print(f"compacted to {tokens[1] / tokens[0]:.3f} of {tokens[0]:,} tokens")
    for name, rows in found.items():
        inside, expanded = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        print(f"{name}: {len(rows)} questions, inside {inside:.3f}, expanded {expanded:.3f}")


if __name__ == "__main__":
    main()
