"""The fake embedder that other packages' tests stand on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from libra.ground.errors import ModelError
from libra.inference.fake import FakeEmbedder
from libra.inference.protocol import EmbedderLike


def test_related_texts_are_close() -> None:
    """Texts that share words are close, others are not; the same in every process."""
    fake: EmbedderLike = FakeEmbedder()
    question = fake.embed_query("Which port does the gateway use?")
    [[near]], [[far]] = (
        fake.embed_passages(["The gateway uses port 8443."]),
        fake.embed_passages(["We like cats."]),
    )
    assert near.vector @ question > 0.6
    assert abs(far.vector @ question) < 0.35
    assert (FakeEmbedder().embed_query("blue") == fake.embed_query("Blue")).all()


def test_chinese_goes_by_character() -> None:
    """Chinese texts that share characters are close."""
    fake = FakeEmbedder()
    assert fake.embed_query("网关端口") @ fake.embed_texts(["网关的端口是多少"])[0] > 0.5


def test_windows_cover_the_text() -> None:
    """A long text has several overlapping windows from its first character to its last."""
    text = "word " * 500
    [windows] = FakeEmbedder(window_words=100, overlap_words=20).embed_passages([text])
    assert (windows[0].start, windows[-1].end) == (0, len(text))
    assert all(b.start <= a.end for a, b in pairwise(windows))
    assert FakeEmbedder().embed_passages(["", "  \n"]) == [[], []]
    [[only]] = FakeEmbedder().embed_passages(["!!!"])
    assert np.isfinite(only.vector).all()


def test_another_name_is_another_space() -> None:
    """Two fakes of different name or size have different fingerprints and unrelated vectors."""
    one, other = FakeEmbedder(), FakeEmbedder(name="other")
    assert len({one.fingerprint, other.fingerprint, FakeEmbedder(64).fingerprint}) == 3
    assert abs(one.embed_query("gateway") @ other.embed_query("gateway")) < 0.4


def test_can_be_broken() -> None:
    """A broken fake raises as a real model does."""
    fake = FakeEmbedder()
    fake.broken = True
    with pytest.raises(ModelError):
        fake.embed_query("x")
    with pytest.raises(ModelError):
        fake.embed_passages(["x"])
    fake.broken = False
    fake.embed_texts(["x"])
    assert (fake.queries, fake.passages) == (0, 1)
