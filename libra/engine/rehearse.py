"""Rehearse: the last real sessions once more, on a copy, as they were and with changed settings: what would be different?

Both runs begin with the same copy and differ by the settings alone. Each prompt is assembled as it would have been at its time
(``as_of`` just before it was said). Where the change is about what is learnt, what those sessions taught is taken back in both
runs and their turns go before the gate again. Nothing of the real database is touched.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libra.engine import promote
from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.deps import Deps, EngineParams
from libra.engine.outgoing import only_the_person
from libra.engine.reach import Reach, reach
from libra.engine.rerank import Reranker
from libra.engine.scopes import complete
from libra.ground.errors import InvalidParams
from libra.ground.records import Who
from libra.store import trial as trials
from libra.store.store import Store
from libra.store.trial import Prompt, trial

Json = dict[str, Any]

_LEARNING = frozenset({"gate", "calibration", "memory"})
_CHOSEN = frozenset({"guidance", "recall"})
"""Tiers whose items are chosen by the settings; rules and the tail are there anyway."""
_SHOWN = 20
_SHOWN_CHARS = 200
_DEADLINE_MS = 60_000
_RECEIPT_S = 60.0
_GATE_TURNS = 64


@dataclass(slots=True)
class _Run:
    """What came of one run: for each prompt the chosen items' printed sources, and the costs."""

    items: list[frozenset[str]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    learnt: set[str] = field(default_factory=set)
    texts: dict[str, Json] = field(default_factory=dict)


def rehearse(deps: Deps, who: Who | None, changes: Mapping[str, Any], sessions: int, most: int) -> Json:
    """Answer the method ``rehearse``.

    Raises:
        Forbidden: An agent asks.
        InvalidParams: Nothing is changed, there is no such setting, or a value does not fit it.
        StoreError: There is no room for a copy.
    """
    caller = complete(deps, who)
    only_the_person(caller)
    if not changes:
        raise InvalidParams("set: expected at least one key", where="set")
    changed = deps.params_with(changes)
    with deps.store.snapshot() as snapshot:
        asked = trials.prompts(snapshot, caller.user, sessions, most)
    learning = any(key.partition(".")[0] in _LEARNING for key in changes)
    before = _run(deps, deps.params, caller.user, asked, learning=learning)
    after = _run(deps, changed, caller.user, asked, learning=learning)
    pairs = list(zip(before.items, after.items, strict=True))
    return {
        "prompts": len(asked),
        "sessions": len({prompt.session for prompt in asked}),
        "changed_prompts": sum(a != b for a, b in pairs),
        "appear": _most([b - a for a, b in pairs], after.texts),
        "vanish": _most([a - b for a, b in pairs], before.texts),
        "learnt": _shown(after.learnt - before.learnt),
        "not_learnt": _shown(before.learnt - after.learnt),
        "tokens": {"before": _mean(before.tokens), "after": _mean(after.tokens)},
        "ms": {"before": _mean(before.ms), "after": _mean(after.ms)},
        "reach": {key: reach(key).value for key in changes},
        "nothing_to_see": sorted(key for key in changes if reach(key) is Reach.PROGRAM),
    }


def _run(deps: Deps, params: EngineParams, user: str, asked: Sequence[Prompt], *, learning: bool) -> _Run:
    """Assemble every prompt once more, in the order of their times, on a copy of its own."""
    now = [deps.clock()]
    out = _Run()
    with trial(deps.store, lambda: now[0]) as copy:
        copied = _over(deps, copy, params, now)
        copy.write(trials.forget_prompts).result()
        if learning:
            keys = sorted({prompt.session for prompt in asked})
            copy.write(lambda tx: trials.unlearn(tx, keys, user)).result()
            while promote.promote_batch(copied, _GATE_TURNS):
                pass
            with copy.snapshot() as snapshot:
                out.learnt = trials.learnt(snapshot, user)
        for prompt in asked:
            now[0] = prompt.ts_ms
            began = time.monotonic()
            answer = assemble(copied, _who(user, prompt), _request(prompt))
            out.ms.append((time.monotonic() - began) * 1000)
            # The next prompt repeats nothing that this one was told: its receipt has to be there.
            copy.settle(_RECEIPT_S)
            out.tokens.append(answer["tokens"])
            chosen = [item for item in answer["items"] if item["tier"] in _CHOSEN]
            out.items.append(frozenset(item["id"] for item in chosen))
            _note(copy, chosen, out.texts)
    return out


def _over(deps: Deps, store: Store, params: EngineParams, now: list[int]) -> Deps:
    """Return parts over another store with other settings, whose time is what ``now`` holds."""
    reranker = deps.reranker if params.rerank == deps.params.rerank else Reranker(params.rerank)
    return Deps(
        store=store, model=deps.model, params=params, clock=lambda: now[0], zone=deps.zone, reranker=reranker,
        project_of=deps.project_of,
    )  # fmt: skip


def _who(user: str, prompt: Prompt) -> Who:
    return Who(
        user=user, agent=prompt.agent, project=prompt.project, session=prompt.session, host=prompt.host
    )


def _request(prompt: Prompt) -> AssembleRequest:
    # Just before it was said: else the answer to the question would be the question.
    return AssembleRequest(
        prompt.text, budget_tokens=prompt.budget, deadline_ms=_DEADLINE_MS, as_of=prompt.ts_ms - 1
    )


def _note(store: Store, chosen: Sequence[Json], texts: dict[str, Json]) -> None:
    fresh = [item for item in chosen if item["id"] not in texts]
    if not fresh:
        return
    with store.snapshot() as snapshot:
        words = trials.words(snapshot, [item["id"] for item in fresh])
    for item in fresh:
        text = words.get(item["id"], "")
        texts[item["id"]] = {"id": item["id"], "kind": item["kind"], "text": text[:_SHOWN_CHARS]}


def _most(sets: Sequence[frozenset[str]], texts: Mapping[str, Json]) -> list[Json]:
    """Return what is in most of these sets, with in how many."""
    counted = Counter(uid for found in sets for uid in found)
    return [
        {**texts[uid], "prompts": n}
        for uid, n in sorted(counted.items(), key=lambda c: (-c[1], c[0]))[:_SHOWN]
    ]


def _shown(texts: set[str]) -> list[str]:
    return [text[:_SHOWN_CHARS] for text in sorted(texts)[:_SHOWN]]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 1) if values else 0.0
