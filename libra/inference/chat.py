"""Model servers that follow instructions: Ollama's own protocol, and OpenAI's, which most others speak.

Both are asked once, without streaming, as cold as they can be, and for the log-probabilities of what they write.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from libra.ground.errors import EndpointError
from libra.inference.loopback import JsonClient
from libra.inference.protocol import Generated

_REFUSED = frozenset({400, 422})


@dataclass(frozen=True, slots=True)
class ChatParams:
    """How a server is asked.

    Attributes:
        window_tokens: What its model reads at most; the larger, the more memory the server takes.
        answer_chars: A longer text is cut.
    """

    window_tokens: int = 4096
    answer_chars: int = 20_000


class ChatWriter(ABC):
    """A model on a server; see :class:`libra.inference.protocol.WriterLike`.

    Args:
        client: How the server is reached.
        name: The model's name there.
        params: How it is asked.
    """

    def __init__(self, client: JsonClient, name: str, params: ChatParams | None = None) -> None:
        self._client, self._name, self._params = client, name, params or ChatParams()
        self._plain = False

    @property
    def window_tokens(self) -> int:
        """Tokens that it reads, the answer left out."""
        return self._params.window_tokens

    def write(self, instruction: str, text: str, max_tokens: int, timeout_s: float) -> Generated:
        """See :class:`libra.inference.protocol.WriterLike`.

        A server that refuses what goes beyond the oldest form of its protocol is asked without it from then on.

        Raises:
            EndpointError: No answer, or none that can be used.
        """
        asked = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        while True:
            try:
                answer = self._client.post(self._path(), self._payload(asked, max_tokens), total_s=timeout_s)
            except EndpointError as error:
                if self._plain or error.status not in _REFUSED:
                    raise
                self._plain = True
            else:
                return self._read(answer)

    def close(self) -> None:
        """Let the server go; what is under way ends."""
        self._client.close()

    @abstractmethod
    def _path(self) -> str:
        """Return where the question goes."""

    @abstractmethod
    def _payload(self, messages: Sequence[Mapping[str, str]], max_tokens: int) -> dict[str, Any]:
        """Return the question."""

    @abstractmethod
    def _taken(self, answer: Mapping[str, Any]) -> tuple[Any, Any, bool]:
        """Return text, log-probabilities and whether the model ended by itself, unchecked.

        Raises:
            KeyError, IndexError, TypeError, AttributeError: It is no such answer.
        """

    def _read(self, answer: Mapping[str, Any]) -> Generated:
        try:
            text, probabilities, finished = self._taken(answer)
        except (KeyError, IndexError, TypeError, AttributeError):
            text, probabilities, finished = None, None, True
        if not isinstance(text, str):
            raise EndpointError("the model server's answer holds no text", reason="no_text")
        return Generated(
            text[: self._params.answer_chars].strip(), (), _logprobs(probabilities), finished=finished
        )


class OllamaWriter(ChatWriter):
    """Ollama's ``/api/chat``."""

    def _path(self) -> str:
        return "/api/chat"

    def _payload(self, messages: Sequence[Mapping[str, str]], max_tokens: int) -> dict[str, Any]:
        options = {
            "temperature": 0,
            "seed": 0,
            "num_predict": max_tokens,
            "num_ctx": self._params.window_tokens + max_tokens,
        }
        out = {"model": self._name, "messages": messages, "stream": False, "options": options}
        return out if self._plain else {**out, "think": False, "logprobs": True}

    def _taken(self, answer: Mapping[str, Any]) -> tuple[Any, Any, bool]:
        return answer["message"]["content"], answer.get("logprobs"), answer.get("done_reason") != "length"


class OpenAIWriter(ChatWriter):
    """``/chat/completions`` behind a base URL that ends with ``/v1``, usually."""

    def _path(self) -> str:
        return "/chat/completions"

    def _payload(self, messages: Sequence[Mapping[str, str]], max_tokens: int) -> dict[str, Any]:
        out = {
            "model": self._name,
            "messages": messages,
            "stream": False,
            "temperature": 0,
            "max_tokens": max_tokens,
        }
        return out if self._plain else {**out, "logprobs": True}

    def _taken(self, answer: Mapping[str, Any]) -> tuple[Any, Any, bool]:
        choice = answer["choices"][0]
        probabilities = (choice.get("logprobs") or {}).get("content")
        return choice["message"]["content"], probabilities, choice.get("finish_reason") != "length"


def _logprobs(told: Any) -> tuple[float, ...]:
    """Return the log-probabilities of an answer; empty if there are none or one is no log-probability."""
    if not isinstance(told, list):
        return ()
    out: list[float] = []
    for entry in told:
        p = entry.get("logprob") if isinstance(entry, dict) else None
        if isinstance(p, bool) or not isinstance(p, int | float) or not math.isfinite(p):
            return ()
        out.append(min(float(p), 0.0))
    return tuple(out)
