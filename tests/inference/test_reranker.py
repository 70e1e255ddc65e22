"""Cross-encoders: a folder that judges, a server that judges, and those that cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from libra.ground.errors import ConfigError, EndpointError, LibraError, ModelDamaged, ModelError, ModelMissing
from libra.inference.loopback import JsonClient, Url
from libra.inference.reranker import CrossEncoder, RerankServer
from tests.inference.endpoint import GUARD_S, Asked, as_json, endpoint, http
from tests.inference.tiny_cross import LIKED, write_cross

QUERY = f"the {LIKED} number is secret"
TEXTS = [f"port {LIKED} {LIKED}", "the gateway port", f"{LIKED} staging"] * 5


@pytest.mark.parametrize("classes", [1, 2])
def test_a_folder_judges_texts(tmp_path: Path, classes: int) -> None:
    """The text that answers gets the highest score, whether the model has one output or a no and a yes."""
    model = CrossEncoder.open(write_cross(tmp_path / "m", classes=classes))
    scores = model.judge(QUERY, TEXTS, GUARD_S)
    assert len(scores) == len(TEXTS)
    assert scores[1] < 0.5 < scores[2] < scores[0] <= 1.0
    assert scores[:3] == pytest.approx(scores[-3:])
    assert model.judge(QUERY, [], GUARD_S) == []


def test_a_long_text_is_cut_and_not_the_question(tmp_path: Path) -> None:
    """What is longer than the model reads is judged by its beginning."""
    model = CrossEncoder.open(write_cross(tmp_path / "m"))
    late, early = model.judge(QUERY, ["port " * 500 + LIKED, f"{LIKED} " + "port " * 500], GUARD_S)
    assert late < 0.5 < early


def test_time_ends_between_batches(tmp_path: Path) -> None:
    """A slow model does not hold an answer up."""
    model = CrossEncoder.open(write_cross(tmp_path / "m"))
    with pytest.raises(ModelError) as caught:
        model.judge(QUERY, TEXTS, 0.0)
    assert caught.value.reason == "timeout"
    model.close()
    with pytest.raises(ModelError):
        model.judge(QUERY, TEXTS, GUARD_S)


def test_folders_that_are_none(tmp_path: Path) -> None:
    """No folder, an embedder's manifest, a changed file, a file that is no model: each is named."""
    with pytest.raises(ModelMissing):
        CrossEncoder.open(tmp_path / "nothing")
    with pytest.raises(ConfigError):
        CrossEncoder.open(write_cross(tmp_path / "family", family="bert"))
    changed = write_cross(tmp_path / "changed")
    (changed / "model.onnx").write_bytes((changed / "model.onnx").read_bytes() + b"x")
    with pytest.raises(ModelDamaged):
        CrossEncoder.open(changed)


def server_scores(answer: bytes, style: str = "jina") -> list[float]:
    """Ask a server that answers this about two texts."""
    with endpoint(lambda _: answer) as server:
        return RerankServer(JsonClient(Url.parse(server.url)), style).judge("q", ["a", "b"], GUARD_S)


@pytest.mark.parametrize(
    ("style", "path", "answer"),
    [
        ("jina", "/v1/rerank", {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}),
        ("openai", "/v1/score", {"data": [{"index": 0, "score": 0.2}, {"index": 1, "score": 0.9}]}),
    ],
)  # fmt: skip
def test_a_server_judges(style: str, path: str, answer: dict[str, Any]) -> None:
    """Both dialects are spoken; scores come back in the order of the texts, whatever the server's."""
    heard: list[Asked] = []

    def behave(asked: Asked) -> bytes:
        heard.append(asked)
        return as_json(answer)

    with endpoint(behave) as server:
        client = JsonClient(Url.parse(f"{server.url}/v1"))
        assert RerankServer(client, style, "small").judge("q", ["a", "b"], GUARD_S) == [0.2, 0.9]
    assert heard[0].path == path
    assert heard[0].body["model"] == "small"
    assert ["a", "b"] in heard[0].body.values()


def test_logits_of_a_server_become_scores() -> None:
    """Servers that hand the model's own numbers out are understood."""
    low, high = server_scores(as_json({"results": [{"index": 0, "score": -8.0}, {"index": 1, "score": 5.0}]}))
    assert 0.0 < low < 0.01
    assert 0.99 < high < 1.0


@pytest.mark.parametrize(
    "answer",
    [
        as_json({"results": []}),
        as_json({"results": [{"index": 0, "score": 0.5}]}),
        as_json({"results": [{"index": 0, "score": 0.5}, {"index": 0, "score": 0.5}]}),
        as_json({"results": [{"index": 0, "score": 0.5}, {"index": 7, "score": 0.5}]}),
        as_json({"results": [{"index": 0, "score": "x"}, {"index": 1, "score": True}]}),
        as_json({"results": "none"}),
        as_json({}),
        http(b"", "500 Oops"),
    ],
)
def test_an_answer_that_does_not_fit_is_an_error(answer: bytes) -> None:
    """Half an answer never puts texts in an order that nobody judged."""
    with pytest.raises(LibraError) as caught:
        server_scores(answer)
    assert isinstance(caught.value, EndpointError)
