"""The summary model from a folder: a real encoder–decoder on ONNX Runtime against a second opinion in numpy."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest

from libra.ground.errors import ConfigError, ModelDamaged, ModelError, ModelMissing
from libra.inference.seq2seq import Seq2SeqModel, Seq2SeqParams
from libra.inference.seq2seq_profile import role_of, verified_seq2seq
from tests.inference import tiny_t5

TEXTS = (
    "the harbour service reads config twice on a cold start",
    "never restart the queue worker 3x",
    "a",
    "",
    "port 8.1 is slow . we moved billing now and it works",
)
LIMIT = 16


@pytest.fixture(scope="module", params=tiny_t5.LAYOUTS)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Seq2SeqModel, tiny_t5.Weights]:
    """Return a model in one of the layouts that Optimum exports, and its weights."""
    folder = tmp_path_factory.mktemp("t5") / request.param
    made = tiny_t5.write_t5(folder, request.param)
    return Seq2SeqModel.open(folder), made


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Seq2SeqModel:
    """Return the same model without a cache."""
    folder = tmp_path_factory.mktemp("t5") / "plain"
    tiny_t5.write_t5(folder, "plain")
    return Seq2SeqModel.open(folder)


@pytest.mark.parametrize("text", TEXTS)
def test_greedy_is_what_the_mathematics_say(opened: tuple[Seq2SeqModel, tiny_t5.Weights], text: str) -> None:
    """Tokens and log-probabilities are those of an independent implementation, whatever the layout."""
    model, weights = opened
    found = model.generate(text, LIMIT)
    tokens, logprobs = tiny_t5.greedy(weights, list(model._ids(text)), LIMIT)
    assert list(found.tokens) == tokens
    assert found.logprobs == pytest.approx(logprobs, abs=1e-4)
    assert found.finished == (tokens[-1] == tiny_t5.END)
    assert found.confidence == pytest.approx(np.exp(np.mean(logprobs)), abs=1e-4)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("beams", [2, 4])
def test_beams_with_a_cache_are_beams_without(
    opened: tuple[Seq2SeqModel, tiny_t5.Weights], plain: Seq2SeqModel, text: str, beams: int
) -> None:
    """The cache follows the paths when they change places; and beams end at least as well as greedy."""
    model, _ = opened
    found, whole, one = (
        model.generate(text, LIMIT, beams),
        plain.generate(text, LIMIT, beams),
        model.generate(text, LIMIT),
    )
    assert found.tokens == whole.tokens
    assert found.logprobs == pytest.approx(whole.logprobs, abs=1e-4)
    assert np.mean(found.logprobs) >= np.mean(one.logprobs) - 1e-9


def test_texts_end_and_are_cut(plain: Seq2SeqModel) -> None:
    """The end mark is no part of the text, and a limit is a limit."""
    ends = [plain.generate(text, 40, beams) for text in TEXTS for beams in (1, 4)]
    assert any(found.finished for found in ends)
    assert all("</s>" not in found.text and "<pad>" not in found.text for found in ends)
    assert len(plain.generate(TEXTS[0], 1).tokens) == 1


def test_input_has_the_prefix_the_end_mark_and_a_limit(plain: Seq2SeqModel) -> None:
    """A text larger than the model's window is cut at its end; the tokenizer's own limit (8) is not in force."""
    short, long = plain._ids(TEXTS[0]), plain._ids("harbour config " * 100_000)
    head = [tiny_t5.PIECES.index(p) for p in ("▁summarize", ":")]
    assert list(short[:2]) == list(long[:2]) == head
    assert short[-1] == long[-1] == tiny_t5.END
    assert len(short) > 8
    assert len(long) == 48 == plain.window_tokens + 3


def test_odd_input_is_no_error(plain: Seq2SeqModel) -> None:
    """Half an emoji, unknown letters, NUL."""
    for text in ("\ud83d half", "中文 текст", "\x00", " " * 10_000):
        assert plain.generate(text, 4).tokens


def test_it_stops_in_time_and_when_closed(tmp_path: Path) -> None:
    """A slow machine waits for one step at most, and quitting the app ends what is under way."""
    tiny_t5.write_t5(tmp_path, "optimum")
    model = Seq2SeqModel.open(tmp_path, Seq2SeqParams(threads=1))
    with pytest.raises(ModelError) as caught:
        model.generate(TEXTS[0], LIMIT, timeout_s=0.0)
    assert caught.value.reason == "timeout"
    assert model.write("ignored", TEXTS[0], LIMIT, 60.0).tokens
    model.close()
    model.close()
    with pytest.raises(ModelError) as caught:
        model.generate(TEXTS[0], LIMIT)
    assert caught.value.reason == "model_closed"


def test_several_threads_at_a_time(plain: Seq2SeqModel) -> None:
    """One lane: callers wait for each other and do not mix."""
    alone = {text: plain.generate(text, LIMIT).tokens for text in TEXTS}
    got: dict[str, tuple[int, ...]] = {}
    threads = [
        threading.Thread(target=lambda t=text: got.__setitem__(t, plain.generate(t, LIMIT).tokens))
        for text in TEXTS
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert got == alone


# ------------------------------------------------------------------ folders


def test_a_changed_file_is_never_loaded(tmp_path: Path) -> None:
    """A download that broke off or was tampered with is told before it is run."""
    tiny_t5.write_t5(tmp_path, "optimum")
    with (tmp_path / "decoder_model.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelDamaged):
        Seq2SeqModel.open(tmp_path)
    (tmp_path / "decoder_model.onnx").unlink()
    with pytest.raises(ModelMissing):
        Seq2SeqModel.open(tmp_path)


@pytest.mark.parametrize("layout", tiny_t5.LAYOUTS)
@pytest.mark.parametrize("place", ["", "onnx/"])
def test_an_export_without_a_manifest_is_recognised(tmp_path: Path, layout: str, place: str) -> None:
    """Who has exported a T5 with Optimum names the folder and is done."""
    tiny_t5.write_t5(tmp_path, layout, manifest=False)
    if place:
        (tmp_path / "onnx").mkdir()
        for name in tiny_t5.FILES[layout]:
            (tmp_path / name).rename(tmp_path / "onnx" / name)
    found = verified_seq2seq(tmp_path)
    assert (found.prefix, found.end_id, found.start_id, found.max_tokens) == ("summarize: ", 1, 0, 48)
    assert set(found.files) == {f"{place}{name}" for name in tiny_t5.FILES[layout]} | {"tokenizer.json"}
    assert Seq2SeqModel.open(tmp_path).generate("a", 4).tokens


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"model_type": "bart"}, ModelMissing),
        ({"model_type": ["t5"]}, ModelMissing),
        ({"is_encoder_decoder": False}, ModelMissing),
        ({"eos_token_id": None}, ConfigError),
        ({"eos_token_id": [1, 2]}, ConfigError),
        ({"decoder_start_token_id": True}, ConfigError),
    ],
)
def test_what_is_not_clear_is_not_guessed(
    tmp_path: Path, changes: dict[str, object], error: type[Exception]
) -> None:
    """Another kind of model, or one whose marks are not told, would write nonsense."""
    tiny_t5.write_t5(tmp_path, "optimum", manifest=False)
    (tmp_path / "config.json").write_text(json.dumps(tiny_t5.config(**changes)), encoding="utf-8")
    with pytest.raises(error):
        verified_seq2seq(tmp_path)


def test_the_marks_may_stand_in_the_other_file(tmp_path: Path) -> None:
    """Newer exports keep them in generation_config.json; types without a task prefix get none."""
    tiny_t5.write_t5(tmp_path, "optimum", manifest=False)
    config = tiny_t5.config(model_type="mt5", task_specific_params=None)
    (tmp_path / "generation_config.json").write_text(
        json.dumps({"eos_token_id": [config.pop("eos_token_id")]}), "utf-8"
    )
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    found = verified_seq2seq(tmp_path)
    assert (found.end_id, found.prefix) == (1, "")


def test_empty_and_broken_folders(tmp_path: Path) -> None:
    """Each says what is missing."""
    with pytest.raises(ModelMissing):
        verified_seq2seq(tmp_path)
    (tmp_path / "config.json").write_text("{", "utf-8")
    with pytest.raises(ModelDamaged):
        verified_seq2seq(tmp_path)


@pytest.mark.parametrize("missing", ["encoder_model.onnx", "decoder_model.onnx", "tokenizer.json"])
def test_a_manifest_names_an_encoder_a_decoder_and_a_tokenizer(tmp_path: Path, missing: str) -> None:
    """Half a model is told by its manifest, before anything is loaded."""
    tiny_t5.write_t5(tmp_path, "plain")
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    del manifest["files"][missing]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(ConfigError):
        Seq2SeqModel.open(tmp_path)


def test_a_file_that_is_no_decoder(tmp_path: Path) -> None:
    """Swapped files are told, not run."""
    tiny_t5.write_t5(tmp_path, "plain")
    (tmp_path / "decoder_model.onnx").write_bytes((tmp_path / "encoder_model.onnx").read_bytes())
    tiny_t5.write_manifest(tmp_path, "plain")
    with pytest.raises(ModelDamaged):
        Seq2SeqModel.open(tmp_path)
    (tmp_path / "decoder_model.onnx").write_bytes(b"no model")
    tiny_t5.write_manifest(tmp_path, "plain")
    with pytest.raises(ModelDamaged):
        Seq2SeqModel.open(tmp_path)


def test_roles_of_files() -> None:
    """Optimum's names and the short ones; what lies beside them is no part of the model."""
    roles = {
        "encoder.onnx": "encoder",
        "onnx/encoder_model_quantized.onnx": "encoder",
        "decoder.onnx": "decoder",
        "decoder_with_past.onnx": "decoder_with_past",
        "decoder_with_past_model.onnx": "decoder_with_past",
        "decoder_model_merged_int8.onnx": "decoder_model_merged",
        "decoder_model.onnx_data": None,
        "model.onnx": None,
    }
    assert {name: role_of(name) for name in roles} == roles
