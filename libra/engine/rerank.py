"""A second opinion on the best candidates: a cross-encoder reads question and text together, if one is set.

It is never needed: when it is missing, fails, is slow or answers nonsense, the order of the fusion stands and the answer
says why.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from libra.engine.deadline import Deadline
from libra.ground.errors import ConfigError, DeadlinePassed, EndpointError, LibraError
from libra.inference.breaker import Breaker, BreakerParams
from libra.inference.loopback import HttpParams, JsonClient, Url
from libra.inference.reranker import STYLES, CrossEncoder, Judges, RerankServer


@dataclass(frozen=True, slots=True)
class RerankParams:
    """Which model judges the best candidates. At most one of ``model`` and ``endpoint``; none by default.

    Attributes:
        model: A folder with a cross-encoder: an ONNX file, its tokenizer and a ``manifest.json``.
        endpoint: A server's base URL, such as http://127.0.0.1:8080/v1.
        style: What the server speaks: ``jina`` (``/rerank``) or ``openai`` (``/score``).
        name: The model's name on the server.
        key_env: Name of the environment variable that holds the server's key; the key itself stands in no file.
        allow_remote: Whether the server may be on another machine. What was said is then sent there.
        pool: So many of the best are judged.
        share: Weight of the judgement; the rest is the fusion's own score.
        text_chars: Longer texts are judged by their beginning.
        timeout_s: Longest wait; the caller's deadline may be sooner.
        threads: Threads of one run of a model in a folder.
    """

    model: str | None = None
    endpoint: str | None = None
    style: str = "jina"
    name: str = ""
    key_env: str | None = None
    allow_remote: bool = False
    pool: int = 30
    share: float = 0.6
    text_chars: int = 2000
    timeout_s: float = 5.0
    threads: int = 1
    breaker: BreakerParams = field(default_factory=BreakerParams)


def check_rerank(params: RerankParams) -> None:
    """Check what no single setting can.

    Raises:
        ConfigError: Both a folder and a server are named, the style is unknown, or Libra may not speak to that place.
    """
    if params.model is not None and params.endpoint is not None:
        raise ConfigError("expected one of model and endpoint", where="rerank")
    if params.style not in STYLES:
        raise ConfigError(f"style: expected one of {', '.join(STYLES)}", where="rerank.style")
    if params.endpoint is not None:
        Url.parse(params.endpoint, allow_remote=params.allow_remote, where="endpoint")


class Reranker:
    """Owns the model that judges. Every method may be called from any thread; one judgement at a time.

    Args:
        params: Which one.
        environment: Where the key is looked up; the process's by default.
        clock: Seconds, for the breaker; only differences are used.

    Raises:
        ConfigError: See :func:`check_rerank`.
    """

    def __init__(
        self,
        params: RerankParams | None = None,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.params = params or RerankParams()
        check_rerank(self.params)
        self._environment = os.environ if environment is None else environment
        self._breaker = Breaker(self.params.breaker, clock)
        self._lane = threading.Lock()
        self._judge: Judges | None = None

    @property
    def wanted(self) -> bool:
        """Whether a model is set."""
        return self.params.model is not None or self.params.endpoint is not None

    def scores(
        self, query: str, texts: Sequence[str], deadline: Deadline, degraded: list[str]
    ) -> list[float] | None:
        """Return one score in [0, 1] a text, or None; why there are none is added to ``degraded``.

        Args:
            query: The question.
            texts: Candidates.
            deadline: The caller's; half of what is left of it may be used.
            degraded: Gets the reason.
        """
        if not self.wanted or not texts:
            return None
        wait_s = min(self.params.timeout_s, deadline.left_s() / 2)
        step = Deadline.after(int(wait_s * 1000)).start(self._judged, (query, list(texts), wait_s))
        try:
            return step.result()
        except DeadlinePassed:
            degraded.append("rerank: it took too long")
        except LibraError as error:
            degraded.append(f"rerank: {error.message}")
        return None

    def close(self) -> None:
        """Let the model go."""
        judge, self._judge = self._judge, None
        if judge is not None:
            judge.close()

    def _judged(self, asked: tuple[str, list[str], float]) -> list[float]:
        query, texts, wait_s = asked
        if not self._lane.acquire(timeout=wait_s):
            raise EndpointError("it is busy with another question", reason="busy")
        try:
            with self._breaker.guard():
                if self._judge is None:
                    self._judge = self._opened()
                cut = [text[: self.params.text_chars] for text in texts]
                return self._judge.judge(query, cut, wait_s)
        finally:
            self._lane.release()

    def _opened(self) -> Judges:
        params = self.params
        if params.model is not None:
            return CrossEncoder.open(Path(params.model), params.threads)
        url = Url.parse(params.endpoint or "", allow_remote=params.allow_remote, where="endpoint")
        client = JsonClient(url, HttpParams(total_s=params.timeout_s), key=self._key())
        return RerankServer(client, params.style, params.name)

    def _key(self) -> str | None:
        name = self.params.key_env
        if name is None:
            return None
        key = self._environment.get(name, "").strip()
        if not key:
            raise ConfigError(f"the environment holds no {name}", where="rerank.key_env")
        return key
