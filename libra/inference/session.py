"""One ONNX Runtime session, set up to be small and quiet."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from libra.ground import machine
from libra.ground.errors import ModelDamaged, ModelError
from libra.ground.vectors import Vector

Ids = npt.NDArray[np.int64]
_LOG_ERRORS_ONLY = 3
_OUTPUTS = ("last_hidden_state", "token_embeddings")
_TOKEN_RANK = 3


class RunsModel(Protocol):
    """What is used of ``onnxruntime.InferenceSession``; tests hand in their own."""

    def run(self, output_names: Sequence[str] | None, feed: Mapping[str, Any]) -> Sequence[Any]:
        """Run the model once."""
        ...

    def get_inputs(self) -> Sequence[Any]:
        """Describe the inputs."""
        ...

    def get_outputs(self) -> Sequence[Any]:
        """Describe the outputs."""
        ...


def open_session(model: Path, ort_provider: str, threads: int) -> RunsModel:
    """Open a session on one execution provider.

    The threads do not spin (spinning made two of them slower than one on a busy machine), and memory patterns
    are off: they cost 20 MB after batches of 8 × 128 tokens, gain nothing, and DirectML forbids them.

    Args:
        model: The ONNX file.
        ort_provider: Name as ONNX Runtime spells it; operators that it lacks run on CPU.
        threads: Threads of one run.

    Raises:
        Exception: Whatever ONNX Runtime raises; callers translate it.

    Source: feasibility.md §2; docs/inference.md.
    """
    onnxruntime = _runtime()
    with contextlib.suppress(AttributeError):  # there are builds without telemetry
        onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.log_severity_level = _LOG_ERRORS_ONLY
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    providers = list(dict.fromkeys([ort_provider, "CPUExecutionProvider"]))
    session: RunsModel = onnxruntime.InferenceSession(str(model), options, providers=providers)
    machine.trim()  # 60 MB
    return session


@contextlib.contextmanager
def runtime_needed() -> Iterator[None]:
    """Hold this around what loads a model: a runtime that cannot be imported is named.

    Raises:
        ModelError: ONNX Runtime or tokenizers is not installed, or not for this machine.
    """
    # The tokenizers library would else start threads of its own, and warn after a fork.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        yield
    except ImportError as error:
        raise ModelError(
            f"the model runtime cannot be loaded: {error.name or type(error).__name__}",
            reason="model_runtime",
            hint="install onnxruntime and tokenizers anew; on Windows also the Visual C++ runtime",
        ) from error


def not_loaded(model: Path, error: Exception) -> ModelDamaged:
    """Return the error for a file that ONNX Runtime refused."""
    return ModelDamaged(
        f"{model} cannot be loaded: {type(error).__name__}",
        where=str(model),
        hint="the installed ONNX Runtime may be too old for this model",
    )


def available_providers() -> list[str]:
    """Return the execution providers that the installed ONNX Runtime has, as it spells them."""
    return list(_runtime().get_available_providers())


def _runtime() -> Any:
    """Return the ONNX Runtime module, kept quiet: no network at run time, ever.

    The variable is read at the import; without it the library writes a device id below the home folder.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


class Runner:
    """Feeds token ids to a session and takes the row of each token out.

    Args:
        session: The session.
        model: The file that it was opened from, for errors.

    Raises:
        ModelDamaged: The model has no usable output or an input that nothing is known of.
    """

    def __init__(self, session: RunsModel, model: Path) -> None:
        self._session = session
        names = [i.name for i in session.get_inputs()]
        unknown = sorted(set(names) - {"input_ids", "attention_mask", "token_type_ids"})
        if unknown or "input_ids" not in names:
            raise ModelDamaged(f"{model}: unexpected model inputs {', '.join(unknown)}", where=str(model))
        self._wants_mask = "attention_mask" in names
        self._wants_kinds = "token_type_ids" in names
        outputs = {o.name: o for o in session.get_outputs()}
        known = [name for name in _OUTPUTS if name in outputs]
        ranked = [name for name, o in outputs.items() if len(o.shape) == _TOKEN_RANK]
        if not (known or ranked):
            raise ModelDamaged(f"{model}: no output with one row a token", where=str(model))
        self._output = [(known or ranked)[0]]

    def run(self, rows: Sequence[Sequence[int]]) -> tuple[Vector, Ids]:
        """Run one batch.

        Args:
            rows: Token ids of each text, special tokens included; none empty.

        Returns:
            The output, shape ``(batch, tokens, width)``, and the tokens of each text, shape ``(batch,)``.

        Raises:
            ModelError: ONNX Runtime failed.
        """
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        if len(rows) == 1:
            ids = np.array(rows, dtype=np.int64)
            mask = np.ones_like(ids)
        else:
            ids = np.zeros((len(rows), int(lengths.max())), dtype=np.int64)
            for number, row in enumerate(rows):
                ids[number, : len(row)] = row
            mask = (np.arange(ids.shape[1]) < lengths[:, None]).astype(np.int64)
        feed = {"input_ids": ids}
        if self._wants_mask:
            feed["attention_mask"] = mask
        if self._wants_kinds:
            feed["token_type_ids"] = np.zeros_like(ids)
        try:
            hidden = self._session.run(self._output, feed)[0]
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise ModelError(
                f"the embedding model failed: {type(error).__name__}", reason="model_run"
            ) from error
        return np.asarray(hidden, dtype=np.float32), lengths
