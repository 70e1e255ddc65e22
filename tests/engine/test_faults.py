"""What the engine stands on fails: the model in the middle of its work, one text that nothing can read, the clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from pathlib import Path

import pytest

from libra.engine import background, promote
from libra.engine.background import BackgroundParams
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.errors import ModelError
from libra.ground.records import Kind, Who
from libra.inference.fake import FakeEmbedder
from libra.inference.protocol import Window
from libra.store import backup, forget
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock
from tests.engine.conftest import settle, user

ME = Who(user="me", session="s1")
_YEAR_MS = 365 * 86_400_000
_POISON = "unspeakable"


class Shaky(FakeEmbedder):
    """Fails at some calls, or at some texts."""

    def __init__(self) -> None:
        super().__init__(dims=128)
        self.calls = 0
        self.fails: Callable[[int, Sequence[str]], bool] = lambda _call, _texts: False

    def embed_passages(self, texts: Sequence[str]) -> list[list[Window]]:
        """Embed, unless it is this call's turn to fail."""
        self.calls += 1
        if self.fails(self.calls, texts):
            raise ModelError("the session failed", reason="model_run")
        return super().embed_passages(texts)


@pytest.fixture
def model() -> Shaky:
    """Return a model that works to begin with."""
    return Shaky()


@pytest.fixture
def shaky(deps: Deps, model: Shaky) -> Iterator[Engine]:
    """Yield an engine on it that tries again at once."""
    made = Engine(deps, BackgroundParams(retry_s=0.01))
    made.use_model(model)
    made.start()
    yield made
    made.stop()


def _tell(engine: Engine, count: int, text: str = "the relay of pier {} listens") -> list[str]:
    answer = engine.ingest(who=ME, turns=[user(text.format(n), 1000 + n) for n in range(count)])
    ids: list[str] = answer["ids"]
    return ids


def _queue(engine: Engine) -> dict[str, int]:
    queue: dict[str, int] = engine.status()["queue"]
    return queue


def _vectors_of_turns(deps: Deps) -> dict[int, int]:
    """Return how many turns have so many ready vectors."""
    sql = "SELECT count(*) FROM chunk JOIN item ON item.id = item_id WHERE kind = 1 AND state = 1 GROUP BY item_id"
    with deps.store.snapshot() as snapshot:
        return dict(Counter(int(row[0]) for row in snapshot.rows(sql)))


def test_the_model_fails_in_the_middle_of_a_batch(shaky: Engine, deps: Deps, model: Shaky) -> None:
    """Two of three slices fail the first times: each text has its vector in the end, once, and none is given up."""
    model.fails = lambda call, texts: 2 <= call <= 40 and len(texts) > 0
    _tell(shaky, 150)
    settle(shaky)
    assert (_queue(shaky)["embed"], _queue(shaky)["failed"]) == (0, 0)
    assert _vectors_of_turns(deps) == {1: 150}


def test_a_text_that_the_model_cannot_read(shaky: Engine, deps: Deps, model: Shaky) -> None:
    """One text of all makes the session fail: it alone goes without a vector, is found by its words, and holds nothing up."""
    model.fails = lambda _call, texts: any(_POISON in text for text in texts)
    _tell(shaky, 70, "the relay of quay {} listens")
    shaky.ingest(who=ME, turns=[user(f"the {_POISON} word of the harbour", 5000)])
    _tell(shaky, 70, "the relay of pier {} listens")
    settle(shaky)
    assert (_queue(shaky)["embed"], _queue(shaky)["failed"]) == (0, 1)
    assert _vectors_of_turns(deps) == {1: 140}
    assert shaky.search(who=ME, query=_POISON, k=1)["hits"][0]["text"].startswith(f"the {_POISON}")


def test_what_failed_is_tried_again_at_the_next_start(shaky: Engine, deps: Deps, model: Shaky) -> None:
    """A text that could not be read for want of memory, say, gets its vector later."""
    model.fails = lambda _call, texts: any(_POISON in text for text in texts)
    shaky.ingest(who=ME, turns=[user(f"the {_POISON} word of the harbour", 5000)])
    settle(shaky)
    assert _queue(shaky)["failed"] == 1
    shaky.stop()
    again = Engine(deps, BackgroundParams(retry_s=0.01))
    again.use_model(FakeEmbedder(dims=128))
    again.start()
    settle(again)
    assert _queue(again)["failed"] == 0
    assert _vectors_of_turns(deps) == {1: 1}
    again.stop()


def test_a_turn_that_the_gate_fails_at(shaky: Engine, deps: Deps) -> None:
    """A row that brings out a defect of ours (of a role that nobody knows) costs that turn's memory, and no other's."""
    shaky.background.pause()
    (odd,) = shaky.ingest(who=ME, turns=[user("Remember: my lucky number is 7.", 9_000)])["ids"]
    deps.store.write(lambda tx: tx.run("UPDATE item SET role = 'alien' WHERE uid = ?", (odd,))).result()
    _tell(shaky, 5, "Remember: the spare key of pier {} hangs in shed {}.".replace("{}", "{0}"))
    shaky.background.resume()
    settle(shaky)
    assert _queue(shaky)["gate"] == 0
    assert shaky.status()["counts"]["memory"] == 5


# ---------------------------------------------------------------------- the clock


@pytest.mark.parametrize("jump_ms", [-_YEAR_MS, -3_600_000, 3_600_000, 10 * _YEAR_MS])
def test_the_clock_jumps(engine: Engine, clock: FixedClock, jump_ms: int) -> None:
    """Back or forward, an hour or years: everything said is there, is found, can be changed and forgotten, before and after."""
    before = engine.ingest(who=ME, turns=[user("The relay of pier 4 listens on port 7443.")])
    kept = engine.remember(who=ME, text="I prefer tea in the morning.")
    settle(engine)
    clock.advance(jump_ms)
    after = engine.ingest(who=ME, turns=[user("The crane of pier 5 is painted red.")])
    engine.remember(who=ME, text="My desk stands beside the window.")
    settle(engine)
    for _ in range(2):
        texts = [hit["text"] for hit in engine.search(who=ME, query="relay crane pier", k=10)["hits"]]
        assert any("7443" in text for text in texts)
        assert any("painted red" in text for text in texts)
        answer = engine.assemble(
            who=ME, query="on which port does the relay of pier 4 listen?", budget_tokens=2000
        )
        assert "7443" in answer["text"]
        assert answer["tokens"] <= 2000
        assert engine.get(who=ME, id=kept["id"])["text"] == "I prefer tea in the morning."
        clock.advance(-jump_ms)
    assert engine.ingest(who=ME, turns=[user("The relay of pier 4 listens on port 7443.")])["accepted"] == 1
    assert engine.forget(who=ME, id=after["ids"][0])["forgotten"] >= 1
    assert engine.get(who=ME, id=before["ids"][0])["text"]


def test_a_clock_that_was_wrong_archives_and_deletes_nothing(engine: Engine, clock: FixedClock) -> None:
    """Ten years ahead for a moment: what expired by that clock lies in the archive, and comes back by hand."""
    kept = engine.remember(who=ME, text="Remind me of the crane inspection.", ttl_ms=86_400_000)
    settle(engine)
    clock.advance(10 * _YEAR_MS)
    engine.ingest(who=ME, turns=[user("something new")])
    settle(engine)
    clock.advance(-10 * _YEAR_MS)
    assert engine.get(who=ME, id=kept["id"])["text"].startswith("Remind me")
    engine.unarchive(who=ME, ids=[kept["id"]])
    hits = engine.search(who=ME, query="crane inspection", k=3, kinds=[Kind.MEMORY])["hits"]
    assert [hit["id"] for hit in hits][:1] == [kept["id"]]


def test_copies_go_on_after_the_clock_was_ahead(data_dir: Path) -> None:
    """Copies of a wrong future do not stop the daily copy for years, and are the first to be let go."""
    now = 1_775_000_000_000
    store = Store.open(data_dir / "libra.db", StoreParams(), lambda: now)
    deps = Deps(
        store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=lambda: now, zone=UTC
    )
    engine = Engine(deps)
    engine.ingest(who=ME, turns=[user("The relay of pier 4 listens on port 7443.")])
    real = now
    for day in range(8):
        now = real + 10 * _YEAR_MS + day * 86_400_000
        store.back_up(backup.DAILY)
    now = real + 2 * 86_400_000
    assert store.daily_is_due()
    made = store.back_up(backup.DAILY)
    assert made.exists()
    assert not store.daily_is_due()
    assert len([copy for copy in backup.every(store.backups) if copy.label == backup.DAILY]) == 7
    store.close()


def test_a_request_is_carried_out_once_although_the_clock_went_back(
    engine: Engine, clock: FixedClock
) -> None:
    """A client that says its call again after the clock was set gets the first answer."""
    said = {"who": ME, "turns": [user("once and no more")], "request_id": "r1"}
    first = engine.ingest(**said)  # type: ignore[arg-type]
    clock.advance(-_YEAR_MS)
    assert engine.ingest(**said) == first  # type: ignore[arg-type]
    assert engine.status()["counts"]["turn"] == 1


def test_a_turn_that_is_forgotten_while_it_is_judged(deps: Deps) -> None:
    """The person takes back what was said a moment ago: its judgement ends there, and those of the others go on."""
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    said = engine.ingest(
        who=ME, turns=[user(f"Remember: the key of pier {n} hangs in shed {n}.", n) for n in (1, 2, 3)]
    )
    while background.embed_batch(deps, 64):
        pass
    real, gone = deps.clock, list(said["ids"])

    def forgetful() -> int:
        # The first judgement asks for the time in its transaction, behind which the forgetting of the others stands in line.
        deps.clock = real
        for uid in gone:
            deps.store.write(
                lambda tx, uid=uid: forget.forget(
                    tx, [row[0] for row in tx.rows("SELECT id FROM item WHERE uid = ?", (uid,))], real()
                )
            )
        return real()

    deps.clock = forgetful
    assert promote.promote_batch(deps, 32) == 3
    assert promote.promote_batch(deps, 32) == 0
    assert engine.status()["counts"]["turn"] == 0
    assert engine.status()["counts"]["memory"] == 0
