"""The runner: what goes into a session and what is taken out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from libra.ground.errors import ModelDamaged, ModelError
from libra.inference.session import Runner

FILE = Path("somewhere") / "model.onnx"


@dataclass(frozen=True)
class Port:
    """Name and shape of an input or output."""

    name: str
    shape: tuple[object, ...] = ("batch", "tokens", 4)


class FakeSession:
    """Remembers what it was fed."""

    def __init__(
        self, inputs: Sequence[str], outputs: Sequence[Port], fails: Exception | None = None
    ) -> None:
        self.inputs = [Port(name) for name in inputs]
        self.outputs = outputs
        self.fails = fails
        self.fed: dict[str, Any] = {}
        self.asked: Sequence[str] | None = None

    def get_inputs(self) -> Sequence[Port]:
        """Describe the inputs."""
        return self.inputs

    def get_outputs(self) -> Sequence[Port]:
        """Describe the outputs."""
        return self.outputs

    def run(self, output_names: Sequence[str] | None, feed: Mapping[str, Any]) -> list[Any]:
        """Give ones."""
        if self.fails:
            raise self.fails
        self.asked, self.fed = output_names, dict(feed)
        return [np.ones((*feed["input_ids"].shape, 4), dtype=np.float64)]


def test_pads_and_masks() -> None:
    """Rows are padded with zeros, and the mask says which tokens are real."""
    session = FakeSession(["input_ids", "attention_mask", "token_type_ids"], [Port("last_hidden_state")])
    hidden, lengths = Runner(session, FILE).run([[2, 9, 3], [2, 3]])
    assert session.fed["input_ids"].tolist() == [[2, 9, 3], [2, 3, 0]]
    assert session.fed["attention_mask"].tolist() == [[1, 1, 1], [1, 1, 0]]
    assert session.fed["token_type_ids"].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert {array.dtype for array in session.fed.values()} == {np.dtype(np.int64)}
    assert lengths.tolist() == [3, 2]
    assert hidden.dtype == np.float32


def test_feeds_only_what_the_model_asks_for() -> None:
    """A model without token types or mask is fed without them."""
    session = FakeSession(["input_ids"], [Port("x")])
    Runner(session, FILE).run([[2, 3]])
    assert list(session.fed) == ["input_ids"]


def test_picks_the_output_with_a_row_a_token() -> None:
    """The output is found by name, else by its three axes; a pooled one is passed over."""
    pooled, plain = Port("sentence_embedding", ("batch", 4)), Port("output_7")
    for outputs, expected in (
        ([pooled, Port("token_embeddings"), plain], "token_embeddings"),
        ([pooled, plain], "output_7"),
        ([plain, Port("last_hidden_state")], "last_hidden_state"),
    ):
        session = FakeSession(["input_ids"], outputs)
        Runner(session, FILE).run([[2, 3]])
        assert session.asked == [expected]


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        (["input_ids", "pixel_values"], [Port("last_hidden_state")]),
        (["tokens"], [Port("last_hidden_state")]),
        (["input_ids"], [Port("sentence_embedding", ("batch", 4))]),
    ],
)
def test_other_models_are_refused(inputs: list[str], outputs: list[Port]) -> None:
    """A model that is no text encoder is damage that names the file."""
    with pytest.raises(ModelDamaged) as caught:
        Runner(FakeSession(inputs, outputs), FILE)
    assert caught.value.where == str(FILE)


def test_foreign_errors_are_translated_without_their_text() -> None:
    """What ONNX Runtime raises becomes a model error; its message, which may hold input, does not travel."""
    runner = Runner(FakeSession(["input_ids"], [Port("x")], RuntimeError("ids: 1 2 3")), FILE)
    with pytest.raises(ModelError) as caught:
        runner.run([[2, 3]])
    assert caught.value.reason == "model_run"
    assert "1 2 3" not in caught.value.message
