"""The model that writes summaries: which one, when it is loaded, what happens when it fails."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from libra.compaction.abstractive import Prompt
from libra.engine.summariser import Summariser, SummarizerParams
from libra.ground.errors import ConfigError, ModelError
from libra.inference.breaker import BreakerParams
from tests.inference import tiny_t5
from tests.inference.endpoint import GUARD_S, FakeEndpoint, as_json, endpoint, http


class Clock:
    """Seconds that a test moves."""

    now_s = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now_s


def compose(window_tokens: int) -> Prompt:
    """Ask for something, whatever the model reads."""
    assert window_tokens > 0
    return Prompt("Shorten.", "the harbour service reads config twice")


def said(text: str) -> bytes:
    """Return an answer of a server that speaks OpenAI's protocol."""
    return as_json({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})


def openai(server: FakeEndpoint, clock: Clock | None = None, **settings: object) -> Summariser:
    """Return a summariser that asks the fake server."""
    params = SummarizerParams(openai=f"{server.url}/v1", name="small", **settings)  # type: ignore[arg-type]
    return Summariser(params, {"KEY": "sk-1"}, clock or Clock())


def failure(summariser: Summariser, timeout_s: float = 5.0) -> str:
    """Ask; return why there was no text."""
    with pytest.raises(ModelError) as caught:
        summariser.write(compose, 20, timeout_s)
    return caught.value.reason


def test_none_is_the_default() -> None:
    """Nothing is loaded, nobody is asked, and status says so."""
    none = Summariser()
    assert (none.wanted, none.ready) == (False, False)
    assert none.state() == {"kind": "extractive", "state": "off", "reason": ""}
    none.rest()
    none.close()


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "x", "ollama": "http://127.0.0.1:1", "name": "m"},
        {"ollama": "http://127.0.0.1:1"},
        {"ollama": "http://example.org:1", "name": "m"},
        {"openai": "https://127.0.0.1:1", "name": "m"},
        {"openai": "", "name": "m"},
    ],
)
def test_settings_that_cannot_be_meant(settings: dict[str, str]) -> None:
    """Two models, a server without a model's name, another machine without leave: said at the start."""
    with pytest.raises(ConfigError):
        Summariser(SummarizerParams(**settings))  # type: ignore[arg-type]


def test_a_server_is_asked_with_its_key(tmp_path: Path) -> None:
    """The key comes from the environment, by a name that the settings hold."""
    with endpoint(lambda _: said("It works.")) as server:
        asking = openai(server, key_env="KEY")
        assert asking.state() == {"kind": "openai", "state": "idle", "reason": ""}
        assert asking.ready
        assert asking.write(compose, 20, 5.0).text == "It works."
        assert asking.state()["state"] == "ready"
        assert server.asked[0].headers["authorization"] == "Bearer sk-1"
        assert server.asked[0].path == "/v1/chat/completions"
        nameless = openai(server, key_env="OTHER")
        assert failure(nameless) == "config"
        assert "OTHER" in nameless.state()["reason"]


def test_failures_are_told_and_then_spared() -> None:
    """A dead server costs a few time-outs; status says that it rests, and it is tried again after the pause."""
    clock = Clock()
    with endpoint(lambda _: http(b"", "503 Service Unavailable")) as server:
        asking = openai(server, clock, breaker=BreakerParams(failures=2, pause_s=60.0))
        assert failure(asking) == "http_status"
        assert asking.state()["state"] == "failing"
        assert "503" in asking.state()["reason"]
        assert failure(asking) == "http_status"
        assert (asking.state()["state"], asking.ready) == ("resting", False)
        assert failure(asking) == "circuit_open"
        assert len(server.asked) == 2
        server.behave = lambda _: said("Back.")
        clock.now_s += 60.0
        assert asking.ready
        assert asking.write(compose, 20, 5.0).text == "Back."
        assert asking.state() == {"kind": "openai", "state": "ready", "reason": ""}


def test_one_text_at_a_time_and_an_end() -> None:
    """A second caller does not wait for ever; closing ends what is under way."""
    with endpoint() as server:
        asking = openai(server)
        reasons: list[str] = []
        thread = threading.Thread(target=lambda: reasons.append(failure(asking, GUARD_S)))
        thread.start()
        assert server.heard.wait(GUARD_S)
        assert failure(asking, 0.01) == "busy"
        asking.rest()  # does not wait for the one at work either
        asking.close()
        thread.join(GUARD_S)
    assert reasons == ["closed"]
    assert failure(asking) == "model_closed"
    assert not asking.ready


def test_a_folder_is_loaded_when_needed_and_let_go_at_rest(tmp_path: Path) -> None:
    """A model of some hundred megabytes is in memory only while sessions are being compacted."""
    tiny_t5.write_t5(tmp_path, "optimum")
    clock = Clock()
    own = Summariser(SummarizerParams(model=str(tmp_path), rest_s=600.0), clock=clock)
    assert own.state() == {"kind": "t5", "state": "idle", "reason": ""}
    assert own._writer is None
    first = own.write(compose, 8, GUARD_S)
    assert first.tokens
    clock.now_s += 599.0
    own.rest()
    assert own._writer is not None
    clock.now_s += 1.0
    own.rest()
    assert own._writer is None
    assert own.write(compose, 8, GUARD_S) == first


def test_a_folder_that_is_missing_or_damaged(tmp_path: Path) -> None:
    """The reason stands in status; nothing that is not what its manifest says is run."""
    gone = Summariser(SummarizerParams(model=str(tmp_path / "gone")), clock=Clock())
    assert (gone.state()["state"], gone.ready) == ("missing", False)
    assert failure(gone) == "model_missing"
    tiny_t5.write_t5(tmp_path, "optimum")
    with (tmp_path / "encoder_model.onnx").open("ab") as file:
        file.write(b"x")
    damaged = Summariser(SummarizerParams(model=str(tmp_path)), clock=Clock())
    assert failure(damaged) == "model_damaged"
    assert "encoder_model.onnx" in damaged.state()["reason"]


def test_a_fault_of_ours_is_a_failure_like_any_other() -> None:
    """A bug in composing must not end the background worker."""

    def broken(_: int) -> Prompt:
        raise ZeroDivisionError

    with endpoint(lambda _: said("x")) as server, pytest.raises(ModelError) as caught:
        openai(server).write(broken, 5, 5.0)
    assert caught.value.reason == "model_run"
