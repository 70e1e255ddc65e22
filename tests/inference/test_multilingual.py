"""The multilingual profile, where it has been built; its weights are not part of the repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from libra.ground.errors import ModelMissing
from libra.inference.embedder import Embedder
from libra.inference.profiles import find, load_manifest, verify

pytestmark = pytest.mark.model

ENGLISH = (
    "The gateway listens on port 8443 in staging.",
    "Never push straight to the main branch.",
    "Her favourite drink is green tea.",
    "The invoice worker runs every night at three.",
)
CHINESE = (
    "网关在测试环境监听哪个端口？",
    "可以直接推送到主分支吗？",
    "她最喜欢喝什么？",
    "发票任务什么时候运行？",
)
VIETNAMESE = (
    "Cổng dịch vụ dùng cổng nào trong môi trường thử nghiệm?",
    "Có được đẩy thẳng lên nhánh chính không?",
    "Cô ấy thích uống gì nhất?",
    "Tiến trình hóa đơn chạy lúc mấy giờ?",
)


@pytest.fixture(scope="module")
def multilingual(root: Path) -> Iterator[Embedder]:
    """Yield multilingual-e5-small, or skip where it has not been built."""
    folder = root / "models" / "multilingual-e5-small"
    if not (folder / "model.onnx").exists():
        pytest.skip("multilingual-e5-small is not built here (python models/build.py multilingual-e5-small)")
    opened = Embedder.open(folder)
    yield opened
    opened.close()


@pytest.mark.parametrize("questions", [CHINESE, VIETNAMESE], ids=["zh", "vi"])
def test_questions_find_facts_in_another_language(multilingual: Embedder, questions: tuple[str, ...]) -> None:
    """Chinese and Vietnamese questions find English facts."""
    asked = np.stack([multilingual.embed_query(question) for question in questions])
    assert (asked @ multilingual.embed_texts(ENGLISH).T).argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_prefixes_and_floors(multilingual: Embedder) -> None:
    """Questions and passages have their own prefixes, and unrelated texts stay below the profile's floors."""
    [[window]] = multilingual.embed_passages([ENGLISH[0]])
    assert 0.8 < float(window.vector @ multilingual.embed_query(ENGLISH[0])) < 0.9999
    rows = multilingual.embed_texts(ENGLISH)
    others = (rows @ rows.T)[~np.eye(len(ENGLISH), dtype=bool)]
    assert others.max() < multilingual.manifest.floors.same_turn


def test_profile_without_weights_says_how_to_build_it(root: Path, tmp_path: Path) -> None:
    """The profile is known by name from its manifest; without weights the error names the recipe."""
    folder = find("multilingual-e5-small")
    assert folder == root / "models" / "multilingual-e5-small"
    manifest = load_manifest(folder)
    assert manifest.floors.recall > 0.75
    with pytest.raises(ModelMissing) as caught:
        verify(tmp_path, manifest)
    assert caught.value.hint == "build it: python models/build.py multilingual-e5-small"
