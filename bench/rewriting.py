"""Summaries in a model's own words, measured beside the extractive ones: who is asked, what stands, and why the rest does not.

Used by ``bench/compaction.py``. Where no model is to be had, stand-ins show the routing and the judging, not a
model's quality: a tiny encoder–decoder with random weights (of the tests), and a server on loopback that behaves as told.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from clusters import Cluster

from libra.compaction.abstractive import AbstractiveParams, Refusal, Written, judged, prompt
from libra.compaction.extract import ExtractParams, Summary, extracted, prepared, usual_tokens
from libra.compaction.turns import ClusterTurn, Embed
from libra.engine.summariser import Summariser, SummarizerParams
from libra.gate.admission import GateInput, GateParams, score
from libra.ground.errors import ModelError
from libra.text.sentences import sentences

PRESERVE = (0.65, 0.75, 0.85)
"""Values of ``min_align`` that the acceptance is swept over."""
_OPEN = AbstractiveParams(min_align=-1.0)
_LIMIT_S = 30.0


@dataclass(frozen=True)
class Row:
    """What became of one cluster: the gate's mean, the summary that a model wrote or why there is none, and the other."""

    gate: float
    made: Summary | str
    extractive: Summary


def rewritten(cluster: Cluster, embed: Embed, summariser: Summariser) -> Row | None:
    """Have one cluster written by a model as compaction does, whatever the gate says."""
    params = ExtractParams()
    source = prepared([ClusterTurn(text, role) for role, text in cluster.turns], embed, params)
    other = None if source is None else extracted(source, embed, None, params)
    if source is None or other is None:
        return None
    gate = float(np.mean([score(GateInput(text), GateParams()).g for _, text in cluster.turns]))
    most = max(min(usual_tokens(source, params), source.tokens_in - 1), 1)
    try:
        answer = summariser.write(lambda window: prompt(source, None, most, window, _OPEN), most, _LIMIT_S)
    except ModelError as error:
        return Row(gate, error.reason or "model", other)
    written = Written(answer.text, answer.confidence, answer.finished)
    found = judged(written, source, other, None, most, embed, _OPEN)
    return Row(gate, found.value if isinstance(found, Refusal) else found, other)


def report(title: str, clusters: Sequence[Cluster], embed: Embed, summariser: Summariser) -> None:
    """Print one line: how many the gate would send, what the judges say at each threshold, and of what stands its figures."""
    rows = [row for c in clusters if (row := rewritten(c, embed, summariser)) is not None]
    least = AbstractiveParams().min_gate
    passed = sum(row.gate >= least for row in rows)
    fine = [(row.made, row.extractive) for row in rows if isinstance(row.made, Summary)]
    stand = [(made, other) for made, other in fine if made.align >= AbstractiveParams().min_align]
    refused = Counter(row.made for row in rows if isinstance(row.made, str))
    refused["align"] += len(fine) - len(stand)
    reasons = ", ".join(f"{name} {n}" for name, n in sorted(refused.items()) if n) or "–"
    sweep = " | ".join(str(sum(made.align >= t for made, _ in fine)) for t in PRESERVE)
    pairs = [
        (
            f"{np.mean([a(m) for m, _ in stand]):.3f} ({np.mean([a(o) for _, o in stand]):.3f})"
            if stand
            else "–"
        )
        for a in (lambda s: s.align, lambda s: s.identifiers_kept, lambda s: s.tokens_out / s.tokens_in)
    ]
    print(
        f"| {title} | {len(rows)} | {passed} | {sweep} | {reasons} | " + " | ".join(pairs) + " |", flush=True
    )


def heading() -> None:
    """Print the head of the table."""
    swept = " | ".join(f"stand at {t}" for t in PRESERVE)
    print(
        f"\n| writer | clusters | gate ≥ 0.60 | {swept} | refused at 0.65 | align (extractive) | ident | ratio |"
    )
    print("| --- " * (8 + len(PRESERVE) - 1) + "|")


# ------------------------------------------------------------------ stand-ins


def _heads(text: str) -> str:
    """Return the first sentence of every third turn: what an honest but lazy writer would give."""
    lines = [line.partition(": ")[2] or line for line in text.rpartition("Now:\n")[2].split("\n")]
    return " ".join(sentences(line)[0].text for line in lines[::3] if sentences(line))


def _leaves_out(text: str) -> str:
    """Return only the beginning: what a writer gives that did not read to the end."""
    return text[: len(text) // 12]


def _makes_up(text: str) -> str:
    """Return true words with a path and a number that nobody named."""
    return f"{_heads(text)} It was written to /srv/other/place.cfg at 7,777 a second."


def _commands(text: str) -> str:
    """Return true words with a rule that nobody gave."""
    return f"{_heads(text)} Never delete the archive without asking the owner first."


ANSWERS: dict[str, Callable[[str], str] | None] = {
    "server: first sentences of every third turn": _heads,
    "server: only the beginning": _leaves_out,
    "server: names a path that nobody named": _makes_up,
    "server: gives a rule that nobody gave": _commands,
    "server: does not answer": None,
}


@contextmanager
def stand_in_server(answer: Callable[[str], str] | None) -> Iterator[Summariser]:
    """Yield a summariser that asks a server on loopback in Ollama's protocol; without an answer it hangs."""
    from tests.inference.endpoint import Asked, as_json, endpoint

    def behave(asked: Asked) -> bytes:
        text = asked.body["messages"][1]["content"]
        message = {"content": "" if answer is None else answer(text)}
        return as_json({"message": message, "done_reason": "stop", "logprobs": [{"logprob": -0.1}]})

    with endpoint(None if answer is None else behave) as server:
        params = SummarizerParams(ollama=server.url, name="stand-in", timeout_s=0.3)
        yield from _open(params if answer is None else replace(params, timeout_s=_LIMIT_S))


@contextmanager
def stand_in_model() -> Iterator[Summariser]:
    """Yield a summariser with the tests' tiny encoder–decoder, whose weights are random."""
    from tests.inference.tiny_t5 import write_t5

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "tiny"
        write_t5(folder, "optimum")
        yield from _open(SummarizerParams(model=str(folder)))


@contextmanager
def real(params: SummarizerParams) -> Iterator[Summariser]:
    """Yield a summariser with the model that the caller named."""
    yield from _open(params)


def _open(params: SummarizerParams) -> Iterator[Summariser]:
    summariser = Summariser(params)
    try:
        yield summariser
    finally:
        summariser.close()
