"""A second opinion on the best candidates: taken when it comes, done without when it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from libra.engine.core import Engine
from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.rerank import Reranker, RerankParams
from libra.ground.errors import ConfigError
from libra.ground.records import Who
from libra.inference.breaker import BreakerParams
from tests.engine.conftest import ME, settle, user
from tests.inference.endpoint import GUARD_S, Asked, as_json, endpoint, http
from tests.inference.tiny_cross import LIKED, write_cross

OLD = Who("me", session="old")
QUESTION = "What is kept near the harbour gate?"


def likes(word: str) -> object:
    """Return a server that likes texts with a word."""

    def behave(asked: Asked) -> bytes:
        texts = asked.body["documents"]
        return as_json({"results": [{"index": i, "score": float(word in t)} for i, t in enumerate(texts)]})

    return behave


def use(engine: Engine, params: RerankParams) -> Reranker:
    """Have the engine ask a reranker."""
    engine.deps.reranker = Reranker(params, {})
    return engine.deps.reranker


def fill(engine: Engine) -> None:
    """Store what may be found."""
    engine.ingest(
        who=OLD,
        turns=[
            user("A red barrel is kept near the harbour gate."),
            user(f"The {LIKED} is kept near the old mill."),
            user("Ticket AB-1234 is about the gate."),
        ],
    )
    settle(engine)


def first(engine: Engine, query: str = QUESTION) -> str:
    """Return the best find."""
    return str(engine.search(who=ME, query=query, k=3)["hits"][0]["text"])


def test_a_judgement_leads(engine: Engine) -> None:
    """What the cross-encoder finds better stands first, in search and in a prompt."""
    fill(engine)
    assert "barrel" in first(engine)
    with endpoint(likes(LIKED)) as server:  # type: ignore[arg-type]
        use(engine, RerankParams(endpoint=server.url))
        assert LIKED in first(engine)
        answer = engine.assemble(who=ME, query=QUESTION, budget_tokens=2000)
        assert answer["degraded"] == []
        recalled = [line for line in answer["volatile"].splitlines() if line.startswith("- ")]
        assert LIKED in recalled[0]


def test_a_folder_judges_too(engine: Engine, tmp_path: Path) -> None:
    """The same with a model on this machine."""
    fill(engine)
    use(engine, RerankParams(model=str(write_cross(tmp_path / "m"))))
    assert LIKED in first(engine)
    engine.deps.reranker.close()


def test_an_identifier_is_not_judged_away(engine: Engine) -> None:
    """The turn that holds the asked ticket stays first, whatever the model thinks of it."""
    fill(engine)
    with endpoint(likes(LIKED)) as server:  # type: ignore[arg-type]
        use(engine, RerankParams(endpoint=server.url))
        assert "AB-1234" in first(engine, "What is AB-1234 about?")


@pytest.mark.parametrize("answer", [http(b"", "503 Busy"), as_json({"results": []}), http(b"no json")])
def test_without_a_judgement_the_order_stands(engine: Engine, answer: bytes) -> None:
    """A server that fails or lies costs nothing but a word in the answer."""
    fill(engine)
    with endpoint(lambda _: answer) as server:
        use(engine, RerankParams(endpoint=server.url))
        found = engine.search(who=ME, query=QUESTION)
    assert "barrel" in found["hits"][0]["text"]
    assert [reason.partition(":")[0] for reason in found["degraded"]] == ["rerank"]


def test_a_slow_server_does_not_hold_the_answer_up(engine: Engine) -> None:
    """The caller's own deadline ends the wait; recall is there all the same."""
    fill(engine)
    with endpoint() as server:
        use(engine, RerankParams(endpoint=server.url, timeout_s=0.05))
        answer = engine.assemble(who=ME, query=QUESTION, budget_tokens=2000)
    assert "barrel" in answer["text"]
    assert any(reason.startswith("rerank: ") for reason in answer["degraded"])


def test_what_keeps_failing_is_left_alone() -> None:
    """A dead server is not asked at every question."""
    with endpoint(lambda _: http(b"", "503 Busy")) as server:
        asking = Reranker(RerankParams(endpoint=server.url, breaker=BreakerParams(failures=2)), {})
        for _ in range(5):
            degraded: list[str] = []
            assert asking.scores("q", ["a"], Deadline.after(20_000), degraded) is None
            assert len(degraded) == 1
        assert len(server.asked) == 2


def test_the_key_comes_from_the_environment() -> None:
    """A server that wants a key gets it; without one in the environment nobody is asked."""
    with endpoint(likes("a")) as server:  # type: ignore[arg-type]
        params = RerankParams(endpoint=server.url, key_env="KEY")
        assert _ask(Reranker(params, {"KEY": "sk-1"})) == [1.0]
        assert server.asked[0].headers["authorization"] == "Bearer sk-1"
        assert _ask(Reranker(params, {})) is None
        assert len(server.asked) == 1


def _ask(reranker: Reranker) -> list[float] | None:
    return reranker.scores("q", ["a"], Deadline.after(int(GUARD_S * 1000)), [])


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "x", "endpoint": "http://127.0.0.1:1"},
        {"endpoint": "http://example.org:1"},
        {"endpoint": "https://127.0.0.1:1"},
        {"style": "cohere"},
    ],
)
def test_settings_that_cannot_be_meant(settings: dict[str, str]) -> None:
    """Two judges, another machine without leave, an unknown dialect: said at the start."""
    with pytest.raises(ConfigError):
        Reranker(RerankParams(**settings))  # type: ignore[arg-type]


def test_none_is_the_default(deps: Deps) -> None:
    """Nobody is asked, nothing is loaded."""
    none = Reranker()
    degraded: list[str] = []
    assert not none.wanted
    assert none.scores("q", ["a"], Deadline.after(1000), degraded) is None
    assert degraded == []
    assert replace(deps.params.rerank) == RerankParams()


def test_another_machine_only_with_leave() -> None:
    """What was said leaves the machine only where the person has said so."""
    assert Reranker(RerankParams(endpoint="https://example.org", allow_remote=True)).wanted
