"""Which model writes summaries, if any: loaded when a compaction first wants it, one text at a time, let go at rest.

It is never needed: without it, or when it fails, is slow or is refused, the extractive summary stands.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libra.compaction.abstractive import Prompt
from libra.ground.errors import ConfigError, LibraError, ModelError
from libra.inference.breaker import Breaker, BreakerParams
from libra.inference.chat import ChatParams, OllamaWriter, OpenAIWriter
from libra.inference.loopback import HttpParams, JsonClient, Url
from libra.inference.protocol import Generated, WriterLike

_LOG = logging.getLogger(__name__)

NONE = "extractive"
"""The kind where no model is set."""


@dataclass(frozen=True, slots=True)
class SummarizerParams:
    """Which model writes summaries. At most one of ``model``, ``ollama`` and ``openai``; none by default.

    Attributes:
        model: A folder with an encoder and a decoder of the T5 family: one with a ``manifest.json``, or an Optimum export.
        ollama: Where Ollama listens, such as http://127.0.0.1:11434.
        openai: Base URL of a server that speaks OpenAI's protocol, such as http://127.0.0.1:8080/v1.
        name: The model's name on the server.
        key_env: Name of the environment variable that holds the server's key; the key itself stands in no file.
        allow_remote: Whether the server may be on another machine. Conversations are then sent there.
        timeout_s: Longest time of one summary; then the extractive one stands.
        run_s: Longest time that a model works within one compaction; the rest of it is extractive. Meanwhile new turns wait for
            their vectors, and are found by their words.
        rest_s: A model that was not used for so long is let go.
        threads: Threads of one run of a model in a folder.
        beams: Paths that a model in a folder follows; 1 is greedy.
    """

    model: str | None = None
    ollama: str | None = None
    openai: str | None = None
    name: str = ""
    key_env: str | None = None
    allow_remote: bool = False
    timeout_s: float = 30.0
    run_s: float = 60.0
    rest_s: float = 600.0
    threads: int = 1
    beams: int = 1
    breaker: BreakerParams = field(default_factory=BreakerParams)
    server: ChatParams = field(default_factory=ChatParams)


def kind_of(params: SummarizerParams) -> str:
    """Return ``t5``, ``ollama``, ``openai``, or ``extractive`` for none.

    Raises:
        ConfigError: There is more than one, or a server without the name of its model, or at a place where Libra may
            not speak.
    """
    given = [key for key in ("model", "ollama", "openai") if getattr(params, key) is not None]
    if len(given) > 1:
        raise ConfigError("expected one of model, ollama and openai", where="summarizer")
    if not given:
        return NONE
    if given == ["model"]:
        return "t5"
    _url(params)
    if not params.name:
        raise ConfigError("name: expected the model's name on the server", where="summarizer.name")
    return given[0]


class Summariser:
    """Owns the model that writes summaries. Every method may be called from any thread.

    Args:
        params: Which one.
        environment: Where the key is looked up; the process's by default.
        clock: Seconds; only differences are used.

    Raises:
        ConfigError: See :func:`kind_of`.
    """

    def __init__(
        self,
        params: SummarizerParams | None = None,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.params = params or SummarizerParams()
        self.kind = kind_of(self.params)
        self._environment = os.environ if environment is None else environment
        self._clock = clock
        self._breaker = Breaker(self.params.breaker, clock)
        self._lane = threading.Lock()
        self._writer: WriterLike | None = None
        self._used = 0.0
        self._works = False
        self._closed = False
        self._reason = ""

    @property
    def wanted(self) -> bool:
        """Whether a model is set."""
        return self.kind != NONE

    @property
    def ready(self) -> bool:
        """Whether a compaction would ask the model now."""
        return self.wanted and not self._closed and not self._breaker.is_open and self._folder_is_there()

    def state(self) -> dict[str, Any]:
        """Return ``{kind, state, reason}`` for ``status``.

        States: ``off`` (none is set), ``idle`` (loaded or asked when it is needed), ``ready`` (it has worked),
        ``failing`` (it did not, the last time), ``resting`` (it failed too often and is left alone for a while), ``missing``.
        """
        if not self.wanted:
            state, reason = "off", ""
        elif not self._folder_is_there():
            state, reason = "missing", f"there is no folder {self.params.model}"
        elif self._breaker.is_open:
            state, reason = "resting", self._reason
        elif self._reason:
            state, reason = "failing", self._reason
        else:
            state, reason = "ready" if self._works else "idle", ""
        return {"kind": self.kind, "state": state, "reason": reason}

    def write(self, compose: Callable[[int], Prompt], max_tokens: int, timeout_s: float) -> Generated:
        """Have a text written.

        Args:
            compose: Gives what is asked of a model that reads so many tokens.
            max_tokens: Longest text.
            timeout_s: Longest time, waiting for another text left out of account.

        Raises:
            ModelError: There is no text: the model is missing, failed, was too slow, is busy with another text, or is
                left alone for a while; ``reason`` says which.
        """
        if not self._lane.acquire(timeout=timeout_s):
            raise ModelError("the summary model is busy", reason="busy")
        try:
            with self._breaker.guard():
                return self._written(compose, max_tokens, timeout_s)
        finally:
            self._lane.release()

    def rest(self) -> None:
        """Let a model go that has not been used for a while; does nothing while one is at work."""
        if self._writer is not None and self._lane.acquire(blocking=False):
            try:
                if self._clock() - self._used >= self.params.rest_s:
                    self._let_go()
            finally:
                self._lane.release()

    def close(self) -> None:
        """Let the model go for good; a text that is under way ends."""
        self._closed = True
        self._let_go()

    def _let_go(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _written(self, compose: Callable[[int], Prompt], max_tokens: int, timeout_s: float) -> Generated:
        """Ask; whatever goes wrong is kept for ``status`` and becomes one kind of error."""
        try:
            writer = self._open()
            asked = compose(writer.window_tokens)
            made = writer.write(asked.instruction, asked.text, max_tokens, timeout_s)
        except LibraError as error:
            self._reason = error.message
            raise ModelError(error.message, reason=error.reason, where=error.where) from error
        except Exception as error:
            # Whatever a foreign runtime raises: the memory goes on without, and says so.
            self._reason = f"the summary model failed: {type(error).__name__}"
            _LOG.exception("the summary model failed")
            raise ModelError(self._reason, reason="model_run") from error
        self._works, self._reason, self._used = True, "", self._clock()
        return made

    def _folder_is_there(self) -> bool:
        return self.params.model is None or Path(self.params.model).is_dir()

    def _open(self) -> WriterLike:
        if self._closed:
            raise ModelError("the summary model was closed", reason="model_closed")
        if self._writer is None:
            self._writer = self._opened()
            self._used = self._clock()
        return self._writer

    def _opened(self) -> WriterLike:
        params = self.params
        if params.model is not None:
            from libra.inference.decoding import DecodeParams
            from libra.inference.seq2seq import Seq2SeqModel, Seq2SeqParams

            settings = Seq2SeqParams(threads=params.threads, decode=DecodeParams(beams=params.beams))
            return Seq2SeqModel.open(Path(params.model), settings)
        client = JsonClient(_url(params), HttpParams(total_s=params.timeout_s), key=self._key())
        kind = OllamaWriter if params.ollama is not None else OpenAIWriter
        return kind(client, params.name, params.server)

    def _key(self) -> str | None:
        name = self.params.key_env
        if name is None:
            return None
        key = self._environment.get(name, "").strip()
        if not key:
            raise ConfigError(f"the environment holds no {name}", where="summarizer.key_env")
        return key


def _url(params: SummarizerParams) -> Url:
    where = "ollama" if params.ollama is not None else "openai"
    url = params.ollama if params.ollama is not None else params.openai
    return Url.parse(url or "", allow_remote=params.allow_remote, where=where)
