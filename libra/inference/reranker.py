"""Cross-encoders: how well each text answers a question, read together; from a folder, or asked of a server.

A folder holds an ONNX file, its tokenizer and a manifest of the family ``cross-encoder``. A server speaks one of two
dialects: Jina's (``/rerank``) or the one of OpenAI-like servers (``/score``). Scores come out in [0, 1] either way.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from libra.ground.errors import EndpointError, ModelDamaged, ModelError
from libra.inference.loopback import JsonClient
from libra.inference.manifest import TOKENIZER_FILE, Fields, FileMark, file_marks, read_fields
from libra.inference.profiles import verify
from libra.inference.session import RunsModel, not_loaded, open_session, runtime_needed

FAMILY = "cross-encoder"
STYLES = ("jina", "openai")
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_BATCH = 8
_MOST_TOKENS = 8192
_FEWEST_TOKENS = 16
_CLASSES = 2

Floats = npt.NDArray[np.float64]


class Judges(Protocol):
    """Says how well texts answer a question."""

    def judge(self, query: str, texts: Sequence[str], timeout_s: float) -> list[float]:
        """Return one score in [0, 1] a text.

        Raises:
            ModelError, EndpointError: There are none, or not in time.
        """
        ...

    def close(self) -> None:
        """Let it go."""
        ...


@dataclass(frozen=True, slots=True)
class CrossManifest:
    """All about a cross-encoder that is not in its weights: its name, its longest input, its files and whence it came."""

    name: str
    max_tokens: int
    files: Mapping[str, FileMark]
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model_file(self) -> str:
        """The name of the ONNX file within the folder."""
        return next(name for name in self.files if name.endswith(".onnx"))


def cross_manifest(folder: Path) -> CrossManifest:
    """Return the manifest of a folder whose files are those that it names.

    Raises:
        ModelMissing: The manifest or a file is not there.
        ModelDamaged: A file is not the one that is named, or cannot be read.
        ConfigError: A field is wrong.
    """
    top: Fields = read_fields(folder)
    top.choice("family", (FAMILY,))
    files = file_marks(top)
    if not any(name.endswith(".onnx") for name in files):
        raise top.fault("files", "an .onnx file")
    limit = top.whole("max_tokens", _FEWEST_TOKENS, _MOST_TOKENS)
    manifest = CrossManifest(top.text("name"), limit, MappingProxyType(files))
    verify(folder, manifest)
    return manifest


class CrossEncoder:
    """A cross-encoder on this machine's processor. One call at a time.

    Args:
        session: The model.
        tokenizer: A ``tokenizers.Tokenizer`` that cuts and pads by itself.
        file: The ONNX file, for errors.
    """

    def __init__(self, session: RunsModel, tokenizer: Any, file: Path) -> None:
        names = {i.name for i in session.get_inputs()}
        if "input_ids" not in names or names - _INPUTS:
            raise ModelDamaged(f"{file}: unexpected model inputs", where=str(file))
        self._session: RunsModel | None = session
        self._inputs, self._tokenizer, self._file = names, tokenizer, file

    @classmethod
    def open(cls, folder: Path, threads: int = 1) -> Self:
        """Load the model of a folder.

        Raises:
            ModelError: It cannot be loaded; see :func:`cross_manifest` for the kinds.
        """
        manifest = cross_manifest(folder)
        file = folder / manifest.model_file
        with runtime_needed():
            from tokenizers import Tokenizer

            try:
                tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
                session = open_session(file, "CPUExecutionProvider", threads)
            except ImportError:
                raise
            except Exception as error:
                raise not_loaded(file, error) from error
        tokenizer.enable_truncation(manifest.max_tokens, strategy="only_second")
        tokenizer.enable_padding()
        return cls(session, tokenizer, file)

    def judge(self, query: str, texts: Sequence[str], timeout_s: float) -> list[float]:
        """See :class:`Judges`; the time is looked at between batches."""
        end = time.monotonic() + timeout_s
        out: list[float] = []
        for start in range(0, len(texts), _BATCH):
            if time.monotonic() >= end:
                raise ModelError("the reranker was too slow", reason="timeout")
            out += self._batch(query, texts[start : start + _BATCH])
        return out

    def close(self) -> None:
        """Let the model go."""
        self._session = None

    def _batch(self, query: str, texts: Sequence[str]) -> list[float]:
        session = self._session
        if session is None:
            raise ModelError("the reranker was closed", reason="model_closed")
        try:
            found = self._tokenizer.encode_batch([(query, text) for text in texts])
            rows = {
                "input_ids": [e.ids for e in found],
                "attention_mask": [e.attention_mask for e in found],
                "token_type_ids": [e.type_ids for e in found],
            }
            feed = {name: np.array(rows[name], dtype=np.int64) for name in self._inputs}
            logits = np.asarray(session.run(None, feed)[0], dtype=np.float64)
        except Exception as error:
            raise ModelError(f"the reranker failed: {type(error).__name__}", reason="model_run") from error
        return _of_logits(logits, len(texts), self._file)


def _of_logits(logits: Floats, count: int, file: Path) -> list[float]:
    """Return scores of logits, shape ``(n, 1)`` (relevance) or ``(n, 2)`` (no, yes)."""
    wide = logits.reshape(count, -1) if logits.size in (count, count * _CLASSES) else logits[:0]
    if not wide.size or not np.isfinite(wide).all():
        raise ModelDamaged(f"{file}: no output with one or two numbers a text", where=str(file))
    raw = wide[:, 0] if wide.shape[1] == 1 else wide[:, 1] - wide[:, 0]
    return _squashed(raw)


def _squashed(raw: Floats) -> list[float]:
    return [float(x) for x in 1.0 / (1.0 + np.exp(-np.clip(raw, -60.0, 60.0)))]


class RerankServer:
    """A model server that judges.

    Args:
        client: Where it is.
        style: ``jina`` or ``openai``.
        name: The model's name on the server; may be empty.
    """

    def __init__(self, client: JsonClient, style: str, name: str = "") -> None:
        self._client, self._style, self._name = client, style, name

    def judge(self, query: str, texts: Sequence[str], timeout_s: float) -> list[float]:
        """See :class:`Judges`."""
        model = {"model": self._name} if self._name else {}
        if self._style == "jina":
            asked = {"query": query, "documents": list(texts), "top_n": len(texts), "return_documents": False}
            answer = self._client.post("/rerank", {**model, **asked}, total_s=timeout_s)
        else:
            answer = self._client.post(
                "/score", {**model, "text_1": query, "text_2": list(texts)}, total_s=timeout_s
            )
        return _of_answer(answer, len(texts))

    def close(self) -> None:
        """End a call that is under way."""
        self._client.close()


def _of_answer(answer: Mapping[str, Any], count: int) -> list[float]:
    """Return the scores of an answer in the order of the texts.

    Raises:
        EndpointError: It does not name every text once, with a number.
    """
    listed = answer.get("results", answer.get("data"))
    rows = listed if isinstance(listed, list) else []
    found: dict[int, float] = {}
    for row in rows:
        index: Any = row.get("index") if isinstance(row, dict) else None
        score: Any = row.get("relevance_score", row.get("score")) if isinstance(row, dict) else None
        if type(index) is int and 0 <= index < count and type(score) in (int, float) and np.isfinite(score):
            found[index] = score
    if len(found) != count or len(rows) != count:
        raise EndpointError("the rerank server's answer does not fit the question", reason="no_scores")
    raw = np.array([found[i] for i in range(count)])
    # Some servers hand out logits, as the model made them.
    return [float(x) for x in raw] if raw.min() >= 0 and raw.max() <= 1 else _squashed(raw)
