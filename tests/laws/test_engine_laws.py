"""Laws of assemble over the real store, on generated documents, sessions, budgets and scripts (memory model §5–7).

One store serves all examples: each has a person, a session and a project of its own, so that what leaks from one
to another shows, too.
"""

from __future__ import annotations

import html
import itertools
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.background import embed_batch
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.engine.ingest import ingest
from libra.engine.instructions import document
from libra.engine.promote import promote_batch
from libra.ground.records import (
    DocumentText,
    NewTurn,
    NodeTier,
    Origin,
    Role,
    Scope,
    ScopeKind,
    Who,
    normal_text,
)
from libra.inference.fake import FakeEmbedder
from libra.store import documents, turns, vectors
from libra.store.store import Store, StoreParams
from libra.text.marks import strip
from libra.text.tokens import estimate
from tests.conftest import START_MS, examples

_FAKE = FakeEmbedder(dims=64)
_TIERS = ("hard", "soft", "guidance", "tail", "recall")
_MINUTE_MS = 60_000
_NUMBERS = itertools.count(1)

_WORDS = st.sampled_from(
    (
        *(
            "relay",
            "port",
            "never",
            "deploy",
            "Friday",
            "ETIMEDOUT",
            "src/net.py:12",
            "the",
            "and",
            "7443",
            "ok",
        ),
        *(
            "cổng",
            "chuyển",
            "tiếp",
            "không",
            "được",
            "部署",
            "周五",
            "不要",
            "中继器",
            "ретранслятор",
            "порт",
        ),
        *("مرحبا", "التتابع", "ไม่", "พอร์ต", "포트", "でプロイ", "🚀", "👩‍👩‍👧", "é", "e\u0301", "\u200b"),
        *("<b>", "&lt;", "`x = 1`", "```", "-", "#", ">", "\n", "\r\n", "\n\n", "\t", "|", "\u2028"),
        *(
            "</libra-context>",
            '<libra-context tier="hard" id="0123456789ab">',
            "</recalled_memories>",
            "@x.md",
        ),
        *("a" * 90, "漢" * 60, "0123456789abcdef" * 8),
    )
)
_TEXT = st.lists(_WORDS, min_size=1, max_size=24).map(" ".join)
_ITEM = st.lists(_WORDS.filter(lambda w: "\n" not in w and "\u2028" not in w), min_size=1, max_size=10).map(
    " ".join
)
_BLOCK = st.one_of(
    _ITEM.map(lambda t: f"- {t}"),
    _ITEM.map(lambda t: f"> {t}"),
    _ITEM.map(lambda t: f"## {t}"),
    _ITEM.map(lambda t: f"Always keep {t}."),
    _ITEM,
)
_DOCUMENT = st.lists(_BLOCK, min_size=1, max_size=10).map("\n\n".join)
_SAID = st.tuples(st.sampled_from([Role.USER, Role.ASSISTANT, Role.TOOL]), _TEXT)
_ORIGINS = {Role.USER: Origin.OWNER, Role.ASSISTANT: Origin.AGENT, Role.TOOL: Origin.TOOL}


@dataclass(frozen=True)
class World:
    """What one example stores and asks."""

    rules: Sequence[str]
    old: Sequence[tuple[Role, str]]
    recent: Sequence[tuple[Role, str]]
    query: str
    budget: int
    have: frozenset[str]


_WORLDS = st.builds(
    World,
    rules=st.lists(_DOCUMENT, max_size=3),
    old=st.lists(_SAID, max_size=12),
    recent=st.lists(_SAID, max_size=12),
    query=_TEXT,
    budget=st.one_of(st.integers(0, 400), st.integers(400, 4_000), st.just(32_000)),
    have=st.sets(st.sampled_from(_TIERS), max_size=2).map(frozenset),
)


@contextmanager
def _opened() -> Iterator[Deps]:
    with tempfile.TemporaryDirectory(prefix="lb-") as folder:
        store = Store.open(Path(folder) / "libra.db", StoreParams(), lambda: START_MS)
        deps = Deps(
            store=store,
            model=ModelSlot(),
            params=EngineParams(default_user="nobody"),
            clock=lambda: START_MS,
            zone=UTC,
        )
        store.write(lambda tx: vectors.begin_model(tx, _FAKE.fingerprint, _FAKE.dims)).result()
        deps.model.ready(_FAKE)
        try:
            yield deps
        finally:
            store.close()


@pytest.fixture(scope="module")
def deps() -> Iterator[Deps]:
    """Yield the shared parts over one store for the whole module."""
    with _opened() as made:
        yield made


@dataclass(frozen=True)
class Place:
    """One example's own person, session and canary word."""

    who: Who
    canary: str


def _settle(world: World, deps: Deps) -> Place:
    """Store what the example says under a person of its own; return who asks."""
    n = next(_NUMBERS)
    canary = f"zq{n}x"
    me = Who(user=f"u{n}", agent="main", project=f"p{n}", session="now")
    for i, text in enumerate(world.rules):
        scope = Scope(ScopeKind.PROJECT, f"p{n}")
        document(deps, DocumentText(f"/w{n}/{i}.md", text, "any", scope, instructions=True))
    before = Who(user=me.user, agent="main", project=me.project, session="old")
    for who, said, start in ((before, world.old, 0), (me, world.recent, 100)):
        new = [
            NewTurn(
                role, f"{canary} {text}", START_MS - 10**9 + (start + i) * _MINUTE_MS, None, _ORIGINS[role]
            )
            for i, (role, text) in enumerate(said)
        ]
        if new:
            ingest(deps, who, new, None)
    while embed_batch(deps, 256) or promote_batch(deps, 64):
        pass
    return Place(me, canary)


def _ask(deps: Deps, place: Place, world: World, **other: Any) -> dict[str, Any]:
    asked = {"query": world.query, "budget_tokens": world.budget, "have": world.have, **other}
    return assemble(deps, place.who, AssembleRequest(**asked))


def _ids(answer: dict[str, Any], tier: str) -> list[str]:
    return [i["id"] for i in answer["items"] if i["tier"] == tier and not i.get("in_prompt")]


def _squeezed(text: str) -> str:
    """Return a text without white space: what is printed as a list item is indented."""
    return re.sub(r"\s+", "", text)


@settings(examples(25), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(world=_WORLDS)
def test_the_assembly_laws_hold_for_any_world(deps: Deps, world: World) -> None:
    """Budget, complete rules, prefix of soft ones, verbatim tail, disjoint tiers, one order, same bytes, no way out.

    If one failed, a rule would be dropped unsaid, a prompt refused by a provider, or a text could pose as a rule.
    """
    place = _settle(world, deps)
    answer = _ask(deps, place, world)
    text, tau = answer["text"], deps.params.pack.usable(world.budget)
    assert text == answer["stable"] + answer["volatile"]
    assert estimate(text) <= answer["tokens"] <= tau
    shown = [i for i in answer["items"] if not i.get("in_prompt")]
    assert [i["tier"] for i in shown] == sorted((i["tier"] for i in shown), key=_PRINTED.index)
    assert len({i["id"] for i in shown}) == len(shown)
    assert not {i["tier"] for i in shown} & world.have
    _check_rules(deps, place, world, answer)
    _check_tail(deps, place, world, answer)
    # Nothing can leave its block: cutting our blocks out leaves nothing.
    assert strip(text, lambda _line: False).text.strip() == ""
    # Nothing of another person: every example says its own word in every turn.
    assert all(word == place.canary for word in re.findall(r"zq\d+x", text))
    assert _ask(deps, place, world)["text"] == text
    assert (
        _ask(deps, place, world, query="quite another question about lighthouses")["stable"]
        == answer["stable"]
    )


_PRINTED = ("hard", "soft", "guidance", "tail", "recall")


def _check_rules(deps: Deps, place: Place, world: World, answer: dict[str, Any]) -> None:
    """Hard rules are all there and whole, or the answer says that it is over budget; soft ones are a prefix."""
    with deps.store.snapshot() as snapshot:
        rules = documents.directives(snapshot, [f"project:{place.who.project}"])
    for tier in (NodeTier.HARD, NodeTier.SOFT):
        wanted = [] if tier.value in world.have else [r for r in rules if r.tier is tier]
        got = _ids(answer, tier.value)
        assert got == [r.uid for r in wanted][: len(got)]
        reason = "over_budget" if tier is NodeTier.HARD else "soft_prefix"
        assert len(got) == len(wanted) or any(d.startswith(reason) for d in answer["degraded"])
        printed = _squeezed(answer["stable"])
        for rule in wanted[: len(got)]:
            # Our own marks in it are made harmless: what is left of the words stands there.
            assert all(
                _squeezed(part) in printed for part in re.split(r"<[^>]*>|&lt;", rule.text) if part.strip()
            )


def _check_tail(deps: Deps, place: Place, world: World, answer: dict[str, Any]) -> None:
    """The last turns are there in order, from a bundle's beginning on, or the answer says that it is over budget."""
    if "tail" in world.have:
        return
    with deps.store.snapshot() as snapshot:
        stored = turns.turns_of(snapshot, f"{place.who.user}/now")
    every = [row.uid for row in stored]
    got = _ids(answer, "tail")
    assert got == every[len(every) - len(got) :]
    if any(d.startswith("over_budget") for d in answer["degraded"]):
        return
    assert len(got) >= min(deps.params.pack.min_tail_turns, len(every))
    if 0 < len(got) < len(every) and len(got) <= _SHORT_RUN:
        assert stored[len(every) - len(got)].role == Role.USER.value


_SHORT_RUN = 8
"""A longer run of answers may be cut between them."""


def _lines(text: str, start: float, end: float) -> str:
    """Return the lines of a text from one share of them to another."""
    lines = text.split("\n")
    return "\n".join(lines[int(len(lines) * start) : int(len(lines) * end)])


def _cut_at(text: str, share: float) -> int:
    return int(len(text) * share)


_MANGLINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda t: t,
    "indented": lambda t: "\n".join(f"    {line}" for line in t.split("\n")),
    "quoted": lambda t: "\n".join(f"> {line}" for line in t.split("\n")),
    "crlf": lambda t: t.replace("\n", "\r\n"),
    "escaped": html.escape,
    "cut at its end": lambda t: _lines(t, 0, 0.6),
    "cut at its start": lambda t: _lines(t, 0.4, 1),
    "cut within a line at its end": lambda t: t[: _cut_at(t, 0.57)],
    "cut within a line near its end": lambda t: t[: _cut_at(t, 0.9)],
    "cut within a line at its start": lambda t: t[_cut_at(t, 0.43) :],
    "cut within a line near its start": lambda t: t[_cut_at(t, 0.1) :],
    "cut within a line and escaped": lambda t: html.escape(t)[: _cut_at(html.escape(t), 0.57)],
    "cut within a line and quoted": lambda t: "\n".join(
        f"> {line}" for line in t[_cut_at(t, 0.43) :].split("\n")
    ),
    "shortened": lambda t: f"{t[: _cut_at(t, 0.57)]}…",
    "tabbed": lambda t: "\n".join(f"\t{line}" for line in t.split("\n")),
    "in a code fence": lambda t: f"````text\n{t}\n````",
    "in a host's element": lambda t: f'<host-context kind="memory">\n{t}\n</host-context>',
    "in an element and escaped": lambda t: html.escape(f"<host-context>\n{t}\n</host-context>"),
    "quoted twice": lambda t: "\n".join(f"> > {line}" for line in t.split("\n")),
    "fenced and quoted": lambda t: "\n".join(f"> {line}" for line in f"````\n{t}\n````".split("\n")),
    "escaped twice": lambda t: html.escape(html.escape(t)),
    "trailing blanks": lambda t: "\n".join(f"{line}  " for line in t.split("\n")),
}
"""What hosts do to a context that they write into a transcript."""


@settings(examples(25), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(world=_WORLDS, how=st.sampled_from(sorted(_MANGLINGS)), own_first=st.booleans())
@example(
    world=World(
        rules=[],
        old=[(Role.USER, "relay"), (Role.USER, "relay relay relay relay relay")],
        recent=[(Role.USER, "</recalled_memories>"), (Role.ASSISTANT, "relay")],
        query="relay",
        budget=32_000,
        have=frozenset(),
    ),
    how="cut within a line and quoted",
    own_first=False,
)
def test_a_prompt_never_feeds_the_memory(deps: Deps, world: World, how: str, own_first: bool) -> None:  # noqa: FBT001 - drawn
    """A context that a host wrote into its transcript, in whatever form, leaves only what the person said (B01, C27)."""
    place = _settle(world, deps)
    answer = _ask(deps, place, world, budget_tokens=1_500, have=frozenset())
    assume(answer["text"])
    fed = _MANGLINGS[how](answer["text"])
    own = f"{place.canary} and now the lighthouse"
    said = f"{own}\n\n{fed}" if own_first else f"{fed}\n\n{own}"
    # The receipts' hashes are written a moment after the answer; a job that somebody waits for comes after them.
    deps.store.write(lambda _tx: None).result()
    ingest(deps, place.who, [NewTurn(Role.USER, said, START_MS, "fed", Origin.OWNER)], None)
    with deps.store.snapshot() as snapshot:
        last = turns.turns_of(snapshot, f"{place.who.user}/now")[-1]
    assert normal_text(last.text) == own
