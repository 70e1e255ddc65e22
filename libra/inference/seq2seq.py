"""Text to a shorter text with an encoder–decoder of the T5 family, from a folder that the person names."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from libra.ground import machine
from libra.ground.errors import LibraError, ModelDamaged, ModelError
from libra.inference.decoder import Decoder, Stage
from libra.inference.decoding import DecodeParams, decode
from libra.inference.protocol import Generated
from libra.inference.providers import CPU, ORT_NAMES
from libra.inference.seq2seq_profile import Seq2SeqManifest, verified_seq2seq
from libra.inference.session import RunsModel, not_loaded, open_session, runtime_needed
from libra.inference.windows import encode, frame, open_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_HIDDEN = "last_hidden_state"
_MOST_TOKENS = 1024
_TOKEN_CHARS = 32
"""No token stands for more characters, white space left out of account."""


@dataclass(frozen=True, slots=True)
class Seq2SeqParams:
    """Settings of a summary model in a folder.

    Attributes:
        threads: Threads of one run.
        most_beams: More are never followed: each holds a cache of its own.
        decode: How tokens are chosen, unless a caller says otherwise.
    """

    threads: int = 1
    most_beams: int = 8
    decode: DecodeParams = field(default_factory=DecodeParams)


class Seq2SeqModel:
    """An open model; made by :meth:`open`. One text at a time; methods may be called from any thread."""

    def __init__(
        self,
        manifest: Seq2SeqManifest,
        tokenizer: Tokenizer,
        encoder: RunsModel,
        decoder: Decoder,
        params: Seq2SeqParams,
    ) -> None:
        self._manifest, self._tokenizer, self._params = manifest, tokenizer, params
        self._frame = frame(tokenizer, manifest.prefix)
        self._room = manifest.max_tokens - len(self._frame)
        self._wants_mask = "attention_mask" in {i.name for i in encoder.get_inputs()}
        self._sessions: tuple[RunsModel, Decoder] | None = (encoder, decoder)
        self._lane = threading.Lock()

    @classmethod
    def open(cls, folder: Path, params: Seq2SeqParams | None = None) -> Self:
        """Check the folder's files and load the model, on the CPU.

        Args:
            folder: A folder with ``manifest.json``, or an Optimum export of a T5.
            params: Settings.

        Raises:
            ModelMissing: Folder, manifest or a file is not there.
            ModelDamaged: A file is not the one that the manifest names, cannot be loaded, or is no such model.
            ConfigError: The manifest is wrong.
            ModelError: ONNX Runtime or tokenizers is not installed, or not for this machine.
        """
        params = params or Seq2SeqParams()
        with runtime_needed():
            manifest = verified_seq2seq(folder)
            tokenizer = open_tokenizer(folder / "tokenizer.json")

            def session(role: str) -> tuple[RunsModel, Path] | None:
                name = manifest.file_of(role)
                return None if name is None else (_session(folder / name, params.threads), folder / name)

            encoder = session("encoder")
            # Of a folder with both, the merged decoder alone is loaded: the weights are the same.
            first = session("decoder_model_merged") or session("decoder")
            later = None if manifest.file_of("decoder_model_merged") else session("decoder_with_past")
            if encoder is None or first is None:  # the manifest's reader has seen to it
                raise ModelDamaged(f"{folder} holds no encoder and decoder", where=str(folder))
            _check_encoder(*encoder)
            decoder = Decoder.of(Stage.of(*first), Stage.of(*later) if later else None, manifest.start_id)
            made = cls(manifest, tokenizer, encoder[0], decoder, params)
        if made._room < 1:
            raise ModelDamaged(f"{folder}: the prefix is longer than the model's limit", where=str(folder))
        return made

    @property
    def manifest(self) -> Seq2SeqManifest:
        """All about it that is not in its weights."""
        return self._manifest

    @property
    def window_tokens(self) -> int:
        """Tokens of a text that it reads; what is longer is cut off."""
        return self._room

    def generate(
        self, text: str, max_tokens: int, beams: int | None = None, *, timeout_s: float | None = None
    ) -> Generated:
        """Return what the model makes of a text.

        Args:
            text: What it reads; the end of a longer one than ``window_tokens`` is cut off.
            max_tokens: Longest output, from 1 to 1,024.
            beams: Paths to follow; None for the usual.
            timeout_s: Longest time, looked at between two steps; None for no limit.

        Raises:
            ModelError: It failed (``model_run``), was too slow (``timeout``), or was closed (``model_closed``).
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s

        def go_on() -> None:
            if self._sessions is None:
                raise ModelError("the summary model was closed", reason="model_closed")
            if until is not None and time.monotonic() >= until:
                raise ModelError("the summary model took too long", reason="timeout")

        usual = self._params.decode
        paths = min(max(beams or usual.beams, 1), self._params.most_beams)
        with self._lane:
            go_on()
            sessions = self._sessions
            assert sessions is not None  # noqa: S101 - go_on has looked
            encoder, decoder = sessions
            ids = np.array([self._ids(text)], dtype=np.int64)
            mask = np.ones_like(ids)
            hidden = self._encode(encoder, ids, mask)
            found = decode(
                decoder.steps(hidden, mask),
                self._manifest.end_id,
                min(max(max_tokens, 1), _MOST_TOKENS),
                DecodeParams(paths, usual.length_power),
                go_on,
            )
        marks = (self._manifest.pad_id, self._manifest.end_id)
        out = self._tokenizer.decode([t for t in found.tokens if t not in marks], skip_special_tokens=True)
        return Generated(out.strip(), found.tokens, found.logprobs, finished=found.finished)

    def write(self, _instruction: str, text: str, max_tokens: int, timeout_s: float) -> Generated:
        """See :class:`libra.inference.protocol.WriterLike`: it knows its task, and follows no instructions."""
        return self.generate(text, max_tokens, timeout_s=timeout_s)

    def close(self) -> None:
        """Let the model go; a text that is under way ends with its next step."""
        self._sessions = None
        machine.trim()

    def _ids(self, text: str) -> tuple[int, ...]:
        """Return the ids of prefix and text; the tokenizer never sees more than can matter."""
        text = text[: self._room * _TOKEN_CHARS]
        return self._frame.around(encode(self._tokenizer, text).ids[: self._room])

    def _encode(self, encoder: RunsModel, ids: Any, mask: Any) -> Any:
        feed: Mapping[str, Any] = {"input_ids": ids} | ({"attention_mask": mask} if self._wants_mask else {})
        try:
            return encoder.run([_HIDDEN], feed)[0]
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise ModelError(
                f"the summary model failed: {type(error).__name__}", reason="model_run"
            ) from error


def _session(file: Path, threads: int) -> RunsModel:
    try:
        return open_session(file, ORT_NAMES[CPU], threads)
    except (LibraError, ImportError):
        raise
    except Exception as error:  # ONNX Runtime's errors share no base but Exception
        raise not_loaded(file, error) from error


def _check_encoder(session: RunsModel, file: Path) -> None:
    inputs = {i.name for i in session.get_inputs()}
    outputs = {o.name for o in session.get_outputs()}
    if inputs - {"input_ids", "attention_mask"} or "input_ids" not in inputs or _HIDDEN not in outputs:
        raise ModelDamaged(f"{file}: no encoder that is known", where=str(file))
