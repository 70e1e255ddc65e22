"""The verb compact over a real store: what is summarised, what stays, and that it is done once."""

from __future__ import annotations

from collections import Counter

import pytest

from libra.compaction.params import CompactionParams
from libra.engine import condense
from libra.engine.automatic import Lookout, one_automatic
from libra.engine.compact import compact, compact_session
from libra.engine.deps import Deps
from libra.ground.errors import Conflict, ModelError, StoreFull
from libra.ground.records import Kind, NewTurn, Origin, Role, Who
from libra.ground.vectors import Vector
from libra.inference.fake import FakeEmbedder
from libra.store import search, summaries
from libra.store.summaries import SummaryRow
from libra.store.writer import WriteTx
from tests.conftest import START_MS, FixedClock
from tests.engine.talks import SESSION, made, raw, store, talk, who, with_model


def test_field_case_b30(deps: Deps) -> None:
    """300 turns: tokens fall once, then nothing is left to do, at no cost; the last four turns stay raw."""
    model = with_model(deps)
    store(deps, talk(300, START_MS, rules_every=5))
    before = raw(deps)
    first = compact(deps, who())
    assert first["ok"]
    assert first["did_compact"]
    assert first["tokens_before"] == sum(row.tokens for row in before)
    assert first["tokens_after"] < first["tokens_before"] / 2
    assert first["clusters"] == 15
    assert (first["declined"], len(first["summaries"])) == (0, 15)
    assert 0.0 < first["mean_confidence"] <= 1.0
    for _ in range(2):
        asked = model.passages
        again = compact(deps, who())
        assert model.passages == asked
        assert again["ok"]
        assert not again["did_compact"]
        assert again["reason"] == "nothing_eligible"
        assert again["tokens_after"] == first["tokens_after"]
    after = raw(deps)
    assert [row.text for row in after] == [row.text for row in before]
    assert [row.covered for row in after] == [True] * 296 + [False] * 4
    assert [row.active for row in after] == [False] * 296 + [True] * 4


@pytest.mark.parametrize("force", [False, True])
def test_a_small_session_stays_as_it_is(deps: Deps, force: bool) -> None:  # noqa: FBT001 - both ways
    """Three turns: ok, nothing changed."""
    with_model(deps)
    store(deps, talk(3, START_MS))
    answer = compact(deps, who(), force=force)
    assert answer["ok"]
    assert not answer["did_compact"]
    assert answer["reason"] == "nothing_eligible"
    assert answer["tokens_before"] == answer["tokens_after"] > 0
    assert made(deps) == []


def test_unknown_sessions_and_no_session(deps: Deps) -> None:
    """No failure either."""
    assert compact(deps, who("nobody"))["reason"] == "no_turns"
    assert compact(deps, Who(user="me"))["reason"] == "no_session"


def test_the_threshold(deps: Deps) -> None:
    """Below 2,000 tokens nothing happens unless forced, or the caller's budget is small."""
    with_model(deps)
    store(deps, talk(20, START_MS))
    assert compact(deps, who())["reason"] == "below_threshold"
    assert compact(deps, who(), budget_tokens=100_000)["reason"] == "below_threshold"
    assert compact(deps, who(), budget_tokens=500)["did_compact"]


def test_rules_are_kept_verbatim(deps: Deps) -> None:
    """Each rule of the person becomes guidance, word for word, and is covered like its neighbours."""
    with_model(deps)
    store(deps, talk(40, START_MS, rules_every=4))
    answer = compact(deps, who(), force=True)
    with deps.store.snapshot() as s:
        kept = summaries.guidance_of(s, SESSION)
    expected = [row.text for row in raw(deps)[:36] if row.text.startswith("Never")]
    assert [row.text for row in kept] == expected
    assert answer["guidance"] == len(expected) == 5
    assert answer["guidance_tokens"] == sum(row.tokens for row in kept)
    assert all(row.active for row in kept)


def test_a_session_of_rules_only_is_compacted_too(deps: Deps) -> None:
    """Where everything is protected, the summary is made of everything."""
    with_model(deps)
    new = [
        NewTurn(
            Role.USER, f"Never touch file_{i}.py, and always ask the owner of part {i} first.", START_MS + i
        )
        for i in range(30)
    ]
    store(deps, new)
    answer = compact(deps, who(), force=True)
    assert answer["did_compact"]
    assert answer["guidance"] == 26
    assert answer["tokens_after"] < answer["tokens_before"]


def test_summaries_are_found_and_turns_are_not(deps: Deps) -> None:
    """The summary stands in the active index, the turns that it covers do not, the rest of the session does."""
    with_model(deps)
    store(deps, talk(24, START_MS))
    uid = compact(deps, who(), force=True)["summaries"][0]
    with deps.store.snapshot() as s:
        row = search.by_uid(s, [uid], visible=None)[uid]
        below = summaries.children(s, uid)
        figures = summaries.details(s, [row.id])[row.id]
    assert (row.kind, row.active, row.level, row.covered) == (Kind.SUMMARY, True, 1, False)
    assert [b.uid for b in below] == [t.uid for t in raw(deps)[:20]]
    assert figures.tokens < figures.tokens_in == sum(b.tokens for b in below)
    assert figures.method == "extractive"


def test_later_turns_are_compacted_later(deps: Deps) -> None:
    """What is covered is never summarised again on its level (C100)."""
    with_model(deps)
    store(deps, talk(30, START_MS))
    first = compact(deps, who(), force=True)["summaries"]
    store(deps, talk(60, START_MS)[30:])
    second = compact(deps, who(), force=True)["summaries"]
    assert set(first).isdisjoint(second)
    with deps.store.snapshot() as s:
        covered = [c.uid for uid in (*first, *second) for c in summaries.children(s, uid)]
    assert Counter(covered) == Counter(row.uid for row in raw(deps)[:56])


def test_ids_are_content_addressed(deps: Deps, clock: FixedClock) -> None:
    """The same cluster has the same id whenever it is made."""
    with_model(deps)
    store(deps, talk(24, START_MS))
    rows = raw(deps)[:20]
    expected = condense.summary_uid(rows)
    assert condense.summary_uid(rows[::-1]) == expected
    clock.advance(12345)
    assert compact(deps, who(), force=True)["summaries"] == [expected]


def test_full_levels_are_compacted_the_same_way(deps: Deps) -> None:
    """More than twenty summaries of a level become a level above; each turn is still below the top."""
    with_model(deps)
    store(deps, talk(464, START_MS))
    answer = compact(deps, who())
    tops = made(deps, uncovered=True)
    assert {row.level for row in tops} == {2}
    assert len(tops) == 2
    assert answer["clusters"] == 25
    assert len([row for row in made(deps) if row.level == 1]) == 23
    assert answer["tokens_after"] == sum(row.tokens for row in (*raw(deps)[460:], *tops))
    assert not compact(deps, who(), force=True)["did_compact"]


def test_without_a_model_words_are_counted(deps: Deps) -> None:
    """The answer says so."""
    deps.model.missing("no model here")
    store(deps, talk(40, START_MS, rules_every=4))
    answer = compact(deps, who(), force=True)
    assert answer["did_compact"]
    assert answer["degraded"] == ["embedding"]
    assert answer["guidance"] == 5


def test_a_model_that_fails_is_replaced_by_words(deps: Deps) -> None:
    """A broken model costs quality, not the compaction."""
    model = with_model(deps)
    store(deps, talk(24, START_MS))
    model.broken = True
    with pytest.raises(ModelError):
        model.embed_query("x")
    answer = compact(deps, who(), force=True)
    assert answer["did_compact"]
    assert answer["degraded"] == ["embedding"]


def test_a_declined_cluster_changes_nothing_and_is_not_tried_again(deps: Deps) -> None:
    """Turns that count no tokens have no shorter text; the model is not asked twice."""
    model = with_model(deps)
    store(deps, [NewTurn(Role.USER, f"ok {i}", START_MS + i, f"e{i}", tokens=0) for i in range(24)])
    first = compact(deps, who(), force=True)
    assert (first["ok"], first["did_compact"], first["declined"]) == (True, False, 1)
    assert first["reason"] == "nothing_shorter"
    assert all(row.active and not row.covered for row in raw(deps))
    asked = model.passages
    assert compact(deps, who(), force=True)["declined"] == 1
    assert model.passages == asked


def test_only_the_callers_own_session(deps: Deps) -> None:
    """Other sessions and other users' sessions of the same name are not touched."""
    with_model(deps)
    store(deps, talk(24, START_MS))
    store(deps, talk(24, START_MS + 1), "s2")
    compact(deps, Who(user="other", session="me/s1"), force=True)
    assert made(deps) == []
    compact(deps, who(), force=True)
    assert len(made(deps)) == 1
    assert made(deps, "me/s2") == []


def test_a_crash_between_clusters_leaves_a_valid_state(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was stored stays, the rest is done by the next run."""
    with_model(deps)
    store(deps, talk(84, START_MS, rules_every=4))
    real = summaries.commit
    calls = []

    def failing(
        tx: WriteTx, row: SummaryRow, covered: list[int], kept: list[int], now_ms: int
    ) -> summaries.Committed:
        calls.append(row.uid)
        done = real(tx, row, covered, kept, now_ms)
        if len(calls) == 3:
            raise StoreFull("no space")
        return done

    monkeypatch.setattr(summaries, "commit", failing)
    with pytest.raises(StoreFull):
        compact(deps, who(), force=True)
    assert len(made(deps)) == 2
    rows = raw(deps)
    assert [row.covered for row in rows] == [True] * 40 + [False] * 44
    with deps.store.snapshot() as s:
        assert len(summaries.guidance_of(s, SESSION)) == 5
    monkeypatch.setattr(summaries, "commit", real)
    again = compact(deps, who(), force=True)
    assert again["did_compact"]
    assert [row.covered for row in raw(deps)] == [True] * 80 + [False] * 4


def test_a_session_that_changes_meanwhile_stops_the_run(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another compaction was faster: what was done stays, the answer names the reason."""
    with_model(deps)
    store(deps, talk(84, START_MS))
    real = condense.cluster
    calls = []

    def raced(*args: object) -> condense.Condensed | None:
        calls.append(1)
        if len(calls) == 2:
            raise Conflict("changed", reason="covered")
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(condense, "cluster", raced)
    answer = compact(deps, who(), force=True)
    assert (answer["did_compact"], answer["reason"], answer["clusters"]) == (True, "covered", 2)


def test_automatic_compaction_waits_for_a_pause(deps: Deps, clock: FixedClock) -> None:
    """Long sessions are compacted one after the other once nothing new came for half an hour."""
    with_model(deps)
    store(deps, talk(100, START_MS))
    store(deps, talk(100, START_MS + 1), "s2")
    store(deps, talk(10, START_MS + 2), "s3")
    seen = Lookout()
    assert not one_automatic(deps, seen)
    clock.advance(CompactionParams().quiet_ms)
    assert one_automatic(deps, seen)
    assert one_automatic(deps, seen)
    assert not one_automatic(deps, seen)
    assert made(deps)
    assert made(deps, "me/s2")
    assert made(deps, "me/s3") == []


def test_vectors_of_the_store_are_used(deps: Deps) -> None:
    """Turns that have a vector are not embedded again."""

    class Counting(FakeEmbedder):
        """Remembers what it was asked."""

        def embed_texts(self, texts: list[str]) -> Vector:  # type: ignore[override]
            asked.extend(texts)
            return super().embed_texts(texts)

    asked: list[str] = []
    with_model(deps, Counting(dims=128))
    from libra.engine.background import embed_batch

    store(deps, talk(24, START_MS))
    embed_batch(deps, 100)
    compact(deps, who(), force=True)
    whole = {row.text for row in raw(deps)}
    assert not whole & set(asked)


def test_origin_decides_who_may_set_rules(deps: Deps) -> None:
    """A rule out of a tool's output or an assistant's mouth is no guidance."""
    with_model(deps)
    rule = "Never restart the harbour service without a backup."
    new = [
        NewTurn(Role.ASSISTANT, rule, START_MS, "a", Origin.AGENT),
        NewTurn(Role.TOOL, rule, START_MS + 1, "b", Origin.TOOL),
    ]
    store(deps, [*new, *talk(30, START_MS + 2)])
    assert compact(deps, who(), force=True)["guidance"] == 0


def test_a_read_only_plan_does_not_write(deps: Deps) -> None:
    """Looking at a session below the threshold stores nothing."""
    with_model(deps)
    store(deps, talk(10, START_MS))
    before = deps.store.sizes()["db_bytes"]
    compact_session(deps, SESSION, "me", 10**9, CompactionParams())
    assert deps.store.sizes()["db_bytes"] == before
