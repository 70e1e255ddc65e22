"""The committed model itself: what the memory stands on."""

from __future__ import annotations

import shutil
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from libra.ground.errors import ModelDamaged, ModelMissing
from libra.inference.embedder import Embedder
from libra.inference.profiles import DEFAULT_PROFILE, find, load_manifest, verify

pytestmark = pytest.mark.model

FILLER = (
    "The team met again to talk about the plan for the coming month. Most of the time went to the new office, "
    "the coffee machine and who would water the plants. Nothing was decided, and the notes were sent around. "
)
TEXTS = (
    "ok",
    "The gateway listens on port 8443 in staging.",
    "def retry(call, times=3):\n    for attempt in range(times):\n        return call()",
    "src/server/routes/health.ts:41:17 - error TS2322",
    "网关在测试环境监听 8443 端口。",
    "Cổng dịch vụ trong môi trường thử nghiệm là 8443.",
    "🙂 thanks!",
    FILLER * 2,
    FILLER * 9,
)


def test_default_profile_is_whole(model_folder: Path) -> None:
    """The default profile is found by its name, its files verify, and the licence stands beside it."""
    assert find(DEFAULT_PROFILE) == model_folder
    manifest = load_manifest(model_folder)
    verify(model_folder, manifest)
    assert (manifest.name, manifest.family, manifest.dims) == (DEFAULT_PROFILE, "bert", 384)
    assert (manifest.floors.same_turn, manifest.floors.saturation, manifest.floors.guidance) == (
        0.80,
        0.85,
        0.35,
    )
    assert "Apache License" in (model_folder / "LICENSE").read_text(encoding="utf-8")
    assert "int" in manifest.origin["change"]


def test_same_vector_alone_and_in_any_batch(embedder: Embedder) -> None:
    """A text's vector does not depend on what it is batched with, nor on the order."""
    alone = [embedder.embed_passages([text])[0] for text in TEXTS]
    together = embedder.embed_passages(TEXTS)
    turned = embedder.embed_passages(TEXTS[::-1])[::-1]
    for one, two, three in zip(alone, together, turned, strict=True):
        assert [(w.start, w.end) for w in one] == [(w.start, w.end) for w in two]
        for a, b, c in zip(one, two, three, strict=True):
            assert min(float(a.vector @ b.vector), float(a.vector @ c.vector)) >= 0.99999


def test_question_and_passage_are_one_space(embedder: Embedder) -> None:
    """A short text has the same vector as a question and as a passage: this model has no prefixes."""
    for text in TEXTS[:7]:
        [[window]] = embedder.embed_passages([text])
        assert float(window.vector @ embedder.embed_query(text)) >= 0.99999


def test_vectors_are_unit_and_finite(embedder: Embedder) -> None:
    """Whatever the text, a vector is finite and of unit length."""
    odd = [
        "\0\0\0",
        "\ud83d",
        "a" * 5000,
        "\u200b" * 300 + "x",
        "[SEP] [CLS] [PAD]",
        "𝕳𝖊𝖑𝖑𝖔 ﬁ ½",
        "<script>" * 400,
    ]
    for text in (*TEXTS, *odd, ""):
        vector = embedder.embed_query(text)
        assert vector.shape == (384,)
        assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)
    for windows in embedder.embed_passages(odd):
        assert all(np.isfinite(w.vector).all() for w in windows)


def test_needle_at_the_end_of_a_long_text(embedder: Embedder) -> None:
    """A fact behind six hundred words is found, nearly as well as if it stood alone."""
    needle = "The password vault is backed up to the server called heron every Sunday."
    question = embedder.embed_query("Where does the backup of the password vault go?")
    text = FILLER * 12 + needle
    [windows] = embedder.embed_passages([text])
    scores = [float(w.vector @ question) for w in windows]
    assert windows[-1].end == len(text)
    assert len(windows) > 2
    assert int(np.argmax(scores)) == len(windows) - 1
    assert scores[-1] > 0.35
    assert max(scores[:-1]) < 0.25


@pytest.mark.parametrize("place", [0, 9, 15])
def test_needle_anywhere(embedder: Embedder, place: int) -> None:
    """The best window of a long text is one that holds the fact, wherever it stands."""
    needle = "Invoices are sent from the account called brook on the third of each month. "
    parts = [FILLER] * 16
    parts[place] = needle + FILLER
    text = "".join(parts)
    at = text.index(needle)
    vector = embedder.embed_query("On which day are invoices sent, and from which account?")
    [windows] = embedder.embed_passages([text])
    found = max(windows, key=lambda w: float(w.vector @ vector))
    assert found.start <= at + len(needle)
    assert found.end >= at


def test_question_at_the_end_of_a_paste(embedder: Embedder) -> None:
    """A question after a long paste still asks what it asks."""
    fact = "The gateway listens on port 8443 in staging."
    [[window]] = embedder.embed_passages([fact])
    pasted = embedder.embed_query(FILLER * 20 + "Which port does the gateway listen on in staging?")
    other = embedder.embed_query(FILLER * 20)
    assert float(pasted @ window.vector) > float(other @ window.vector) + 0.1


def test_windows_cover_every_character(embedder: Embedder) -> None:
    """Windows of prose, code, one long word and Chinese leave no character out."""
    code = "for i in range(10):\n\tprint(f'{i:>4}  value')\n\n" * 60
    texts = [
        FILLER * 12,
        code,
        "x" * 9000,
        "网关在测试环境监听端口。" * 200,
        "  \n" * 50 + FILLER * 8 + "\n" * 90,
    ]
    for text in texts:
        windows = embedder._cutter.windows(text)
        assert (windows[0].start, windows[-1].end) == (0, len(text))
        for before, after in pairwise(windows):
            assert before.start <= after.start <= before.end


def test_english_meaning(embedder: Embedder) -> None:
    """Facts are found by questions that share few words with them."""
    facts = [
        "We decided to keep customer records in Postgres.",
        "Her favourite drink is green tea without sugar.",
        "Deploys are frozen from Friday noon until Monday.",
        "The mobile app crashed because the certificate had expired.",
    ]
    questions = [
        "Which database holds the clients' data?",
        "What does she like to drink?",
        "When must I not release?",
        "Why did the phone application fail?",
    ]
    scores = np.stack([embedder.embed_query(q) for q in questions]) @ embedder.embed_texts(facts).T
    assert scores.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_chinese_is_embedded_even_where_the_model_is_weak(embedder: Embedder) -> None:
    """Two thirds of Chinese characters are unknown to this vocabulary: same texts agree, and counts stay sane."""
    text = "网关在测试环境监听 8443 端口。"
    assert float(embedder.embed_query(text) @ embedder.embed_texts([text])[0]) >= 0.99999
    assert 10 <= embedder.count(text) <= 20
    mixed = embedder.embed_query("8443 端口 gateway staging")
    near, far = embedder.embed_texts(["The gateway uses port 8443 in staging.", "Tea is served at four."])
    assert float(mixed @ near) > float(mixed @ far) + 0.2


def test_question_comes_through_while_a_backlog_is_embedded(embedder: Embedder) -> None:
    """A question asked amid a backlog is answered long before the backlog is done."""
    backlog_done, backlog_begun = threading.Event(), threading.Event()

    def learn() -> None:
        backlog_begun.set()
        embedder.embed_passages([FILLER * 4] * 16)
        backlog_done.set()

    thread = threading.Thread(target=learn, daemon=True)
    thread.start()
    assert backlog_begun.wait(5)
    for _ in range(3):
        embedder.embed_query("Which port does the gateway listen on?")
    assert not backlog_done.is_set()
    thread.join(60)
    assert backlog_done.is_set()


def test_damaged_copy_is_refused(model_folder: Path, tmp_path: Path) -> None:
    """A copy with one flipped bit, or without its tokenizer, is not used, and the error names the file."""
    folder = tmp_path / "copy"
    shutil.copytree(model_folder, folder)
    raw = bytearray((folder / "model.onnx").read_bytes())
    raw[len(raw) // 3] ^= 4
    (folder / "model.onnx").write_bytes(raw)
    with pytest.raises(ModelDamaged) as damaged:
        Embedder.open(folder)
    assert damaged.value.where == str(folder / "model.onnx")
    shutil.copyfile(model_folder / "model.onnx", folder / "model.onnx")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelMissing) as missing:
        Embedder.open(folder)
    assert missing.value.where == str(folder / "tokenizer.json")
