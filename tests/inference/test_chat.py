"""Two protocols of model servers, over a real socket."""

from __future__ import annotations

from typing import Any

import pytest

from libra.ground.errors import EndpointError
from libra.inference.chat import ChatParams, ChatWriter, OllamaWriter, OpenAIWriter
from libra.inference.loopback import HttpParams, JsonClient, Url
from tests.inference.endpoint import Asked, FakeEndpoint, as_json, endpoint, http

KINDS = pytest.mark.parametrize("kind", [OllamaWriter, OpenAIWriter])


def reply(kind: type[ChatWriter], text: object, logprobs: Any = None, *, cut: bool = False) -> dict[str, Any]:
    """Return what such a server answers."""
    message, reason = {"role": "assistant", "content": text}, "length" if cut else "stop"
    if kind is OllamaWriter:
        return {"message": message, "done_reason": reason, "logprobs": logprobs}
    told = None if logprobs is None else {"content": logprobs}
    return {"choices": [{"message": message, "finish_reason": reason, "logprobs": told}]}


def writer(kind: type[ChatWriter], server: FakeEndpoint, **params: int) -> ChatWriter:
    """Return a writer that asks the fake server."""
    return kind(JsonClient(Url.parse(server.url), HttpParams()), "small", ChatParams(**params))


@KINDS
def test_text_and_confidence(kind: type[ChatWriter]) -> None:
    """The text is trimmed; the confidence is the mean of what the server tells of its tokens."""
    told = [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]
    with endpoint(lambda _: as_json(reply(kind, " It works. \n", told))) as server:
        found = writer(kind, server).write("Shorten.", "A long talk.", 50, 5.0)
        (asked,) = server.asked
    assert (found.text, found.finished, found.logprobs) == ("It works.", True, (-0.5, -1.5))
    assert found.confidence == pytest.approx(0.36788, abs=1e-5)
    roles = [(m["role"], m["content"]) for m in asked.body["messages"]]
    assert roles == [("system", "Shorten."), ("user", "A long talk.")]
    assert asked.body["model"] == "small"
    assert asked.body["stream"] is False
    assert asked.path == ("/api/chat" if kind is OllamaWriter else "/chat/completions")


@KINDS
@pytest.mark.parametrize(
    "told", [None, [], "x", [{"logprob": "x"}], [{}], [None], [{"logprob": True}], {"content": [1]}]
)
def test_odd_probabilities_are_none(kind: type[ChatWriter], told: Any) -> None:
    """A confidence is only told where every token's is."""
    with endpoint(lambda _: as_json(reply(kind, "It works.", told))) as server:
        found = writer(kind, server).write("", "x", 5, 5.0)
    assert (found.text, found.confidence) == ("It works.", 0.0)


@KINDS
def test_cut_and_endless_answers(kind: type[ChatWriter]) -> None:
    """The server tells when the limit ended the text; what is beyond all measure is cut here."""
    with endpoint(lambda _: as_json(reply(kind, "ab " * 10_000, cut=True))) as server:
        found = writer(kind, server, answer_chars=100).write("", "x", 5, 5.0)
    assert not found.finished
    assert len(found.text) <= 100


@KINDS
@pytest.mark.parametrize("text", [None, 5, ["a"], {"b": 1}])
def test_no_text_is_an_error(kind: type[ChatWriter], text: object) -> None:
    """An answer of another shape is named, not guessed at."""
    with endpoint(lambda _: as_json(reply(kind, text))) as server:
        with pytest.raises(EndpointError) as caught:
            writer(kind, server).write("", "x", 5, 5.0)
        server.behave = lambda _: as_json({"error": "x"})
        with pytest.raises(EndpointError):
            writer(kind, server).write("", "x", 5, 5.0)
        server.behave = lambda _: as_json({"choices": [], "message": []})
        with pytest.raises(EndpointError):
            writer(kind, server).write("", "x", 5, 5.0)
    assert caught.value.reason == "no_text"


@KINDS
def test_older_servers_are_asked_plainly(kind: type[ChatWriter]) -> None:
    """A server that knows no log-probabilities still writes summaries; it is not asked for them twice."""

    def old(asked: Asked) -> bytes:
        if "logprobs" in asked.body:
            return http(b"{}", "400 Bad Request")
        return as_json(reply(kind, "It works."))

    with endpoint(old) as server:
        asking = writer(kind, server)
        assert [asking.write("", "x", 5, 5.0).text for _ in range(2)] == ["It works."] * 2
        assert len(server.asked) == 3
        server.behave = lambda _: http(b"{}", "400 Bad Request")
        with pytest.raises(EndpointError) as caught:
            asking.write("", "x", 5, 5.0)
    assert caught.value.status == 400
