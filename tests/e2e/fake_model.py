"""A model on the loopback that says one sentence to everything and remembers every prompt: for real hosts in tests."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

SAYS = "Understood, noted."
Json = dict[str, Any]


def _anthropic(model: str) -> list[tuple[str, Json]]:
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }  # fmt: skip
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[Json] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAYS}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    return [(e["type"], e) for e in events]


def _responses(model: str) -> list[tuple[str, Json]]:
    item = {
        "type": "message", "id": "m1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": SAYS, "annotations": []}],
    }  # fmt: skip
    usage = {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}
    done = {
        "id": "r1",
        "object": "response",
        "model": model,
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    events: list[Json] = [
        {"type": "response.created", "response": {**done, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {
            "type": "response.output_text.delta",
            "output_index": 0,
            "content_index": 0,
            "item_id": "m1",
            "delta": SAYS,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
    return [(e["type"], e) for e in events]


def _chat(model: str) -> list[tuple[str, Json]]:
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model}
    first = {"index": 0, "delta": {"role": "assistant", "content": SAYS}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    return [("", {**base, "choices": [first]}), ("", {**base, "choices": [last], "usage": usage})]


def _gemini(_model: str) -> list[tuple[str, Json]]:
    content = {"role": "model", "parts": [{"text": SAYS}]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 3, "totalTokenCount": 13}
    return [
        (
            "",
            {
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "usageMetadata": usage,
            },
        )
    ]


class FakeModel:
    """Speaks Anthropic's messages, OpenAI's responses and chat completions, and Gemini's, streamed."""

    def __init__(self) -> None:
        self.prompts: list[Json] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                self._send(b'{"data": [], "models": []}', "application/json")

            def do_HEAD(self) -> None:
                self._send(b"", "application/json")

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                asked = json.loads(raw or b"{}")
                if "count_tokens" in self.path:
                    self._send(b'{"input_tokens": 10}', "application/json")
                    return
                if self.path.split("?")[0].endswith(":generateContent"):
                    self._send(json.dumps(_gemini("")[0][1]).encode(), "application/json")
                    return
                kinds = {
                    "/messages": _anthropic,
                    "/responses": _responses,
                    "/chat/completions": _chat,
                    ":streamGenerateContent": _gemini,
                }
                make = next((m for end, m in kinds.items() if self.path.split("?")[0].endswith(end)), None)
                if make is None:
                    self._send(b"{}", "application/json")
                    return
                model.prompts.append(asked)
                lines = [
                    (f"event: {name}\n" if name else "") + f"data: {json.dumps(event)}\n\n"
                    for name, event in make(str(asked.get("model")))
                ]
                end = "data: [DONE]\n\n" if make is _chat else ""
                self._send(("".join(lines) + end).encode(), "text/event-stream")

            def _send(self, body: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def texts(self) -> list[str]:
        """Return each prompt as one text."""
        return [json.dumps(p, ensure_ascii=False) for p in self.prompts]

    def __enter__(self) -> Self:
        """Begin to listen."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
