"""The pipes: one object a line in, one a line out, without an app and without more than they use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from libra.cli.pipes import refuse_garbled
from libra.engine.instructions import classify_verb
from libra.ground.errors import InvalidParams


def rows(out: str) -> list[Any]:
    """Return the objects of a pipe's output."""
    return [json.loads(line) for line in out.splitlines()]


def jsonl(*values: Any) -> bytes:
    """Return values as lines."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


TEXTS = [
    "Never commit to main.",
    "The harbor was built in 1901.",
    "- Use tabs.",
    "提交前必须运行测试。",
    "Đừng xoá tệp này.",
]


def test_classify_answers_every_line_with_its_id(libra: Any) -> None:
    """In order, whatever the id is; a byte order mark and blank lines are no lines."""
    values = [{"id": i or "zero", "text": text} for i, text in enumerate(TEXTS)]
    done = libra(
        "classify", "--jsonl", stdin=b"\xef\xbb\xbf" + jsonl(*values[:2]) + b"\n\r\n" + jsonl(*values[2:])
    )
    assert (done.code, done.err) == (0, "")
    found = rows(done.out)
    assert [row["id"] for row in found] == ["zero", 1, 2, 3, 4]
    assert [row["promoted"] for row in found] == [True, False, True, True, True]


def test_classify_says_what_the_method_says(libra: Any) -> None:
    """The pipe and the socket give the same verdicts."""
    done = libra("classify", "--jsonl", stdin=jsonl(*({"text": text} for text in TEXTS)))
    assert rows(done.out) == json.loads(json.dumps(classify_verb(TEXTS)))
    assert libra("classify", *TEXTS, "--json").json == rows(done.out)


def test_classify_is_readable(libra: Any) -> None:
    """Without --jsonl the texts are arguments and the answer a table."""
    out = libra("classify", "Never commit to main.").out
    assert "prohibition" in out
    assert libra("classify").code == 2


def test_a_wrong_line_spoils_no_other(libra: Any) -> None:
    """It is answered with an error under its id, named on standard error, and the exit code is 1."""
    bad = b'{"id": 1}\n[1]\n{"id": 2, "text": 5}\n{\n\xff\xfe\n{"id": 3, "text": "' + b"?" * 40 + b'"}\n'
    done = libra("classify", "--jsonl", stdin=bad + jsonl({"id": 4, "text": "Never do that."}))
    found = rows(done.out)
    assert done.code == 1
    assert [row.get("id") for row in found] == [1, None, 2, None, None, 3, 4]
    assert [("error" in row) for row in found] == [True] * 6 + [False]
    assert done.err.count("libra: line") == 6


@pytest.mark.parametrize("text", ["???", "What? Why?", "", "a" * 100 + "?" * 20, "测试 một ?"])
def test_ordinary_question_marks_pass(text: str) -> None:
    """Only a text that has lost its letters is refused."""
    refuse_garbled(text)


@pytest.mark.parametrize("text", ["????? ??? ??????? ?? ????", "\ufffd\ufffd ab"])
def test_a_garbled_text_is_refused(text: str) -> None:
    """More than a fifth of ? or U+FFFD (lessons C51)."""
    with pytest.raises(InvalidParams) as caught:
        refuse_garbled(text)
    assert caught.value.reason == "garbled"


@pytest.mark.parametrize(
    ("words", "text"), [("classify", "Never."), ("gate", "Never. " * 100)], ids=["classify", "gate"]
)
def test_text_pipes_load_text_only(libra: Any, words: str, text: str) -> None:
    """Neither arithmetic nor model nor database is imported; the gate asks the model of short texts only, where it can tell more."""
    heavy = ("numpy", "onnxruntime", "tokenizers", "apsw", "sqlite_vec", "watchdog", "socket")
    code = (
        "import sys\nfrom libra.cli import main\n"
        f"code = main([{words!r}, '--jsonl'])\n"
        f"print(code, [m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=jsonl({"text": text}),
        capture_output=True,
        env=libra.env,
        timeout=60,
        check=False,
    )
    assert done.stderr.decode().strip() == "0 []"


@pytest.mark.model
def test_the_gates_pipe_hears_what_the_running_app_hears(libra: Any, tmp_path: Path) -> None:
    """Talk of the trade without a path, command or error in it: else the pipe would judge otherwise than the app does."""
    talk = "Normalise the phone numbers before you store them."
    done = libra("gate", "--jsonl", stdin=jsonl({"id": 1, "text": talk}))
    settings = tmp_path / "config.toml"
    settings.write_text('[model]\nfolder = "nowhere"\n', "utf-8")
    alone = libra("gate", "--jsonl", "--config", str(settings), stdin=jsonl({"id": 1, "text": talk}))
    assert (done.code, alone.code) == (0, 0)
    assert rows(done.out)[0]["t"] > 0
    assert rows(alone.out)[0]["t"] == 0


def test_gate_gives_every_signal(libra: Any) -> None:
    """Verdict, noise and all parts of the score; an unknown role is an error."""
    values = [
        {"id": 1, "text": "I prefer dark mode and I live in Hanoi."},
        {"id": 2, "text": "HEARTBEAT_OK"},
        {"id": 3, "text": "hello", "role": "robot"},
        {"id": 4, "text": "We fixed it in src/app.py:12.", "role": "tool"},
    ]
    done = libra("gate", "--jsonl", stdin=jsonl(*values))
    first, second, third, fourth = rows(done.out)
    assert done.code == 1
    assert first["admitted"] is True
    assert {"h", "r", "d", "p", "a", "dtech", "t", "gconv", "gtech", "g"} <= set(first)
    assert (second["admitted"], second["noise"]) == (False, "heartbeat")
    assert third["error"]["data"]["where"] == "role"
    assert fourth["admitted"] is False


@pytest.mark.model
def test_summarize_needs_no_app(libra: Any) -> None:
    """The real model summarises; turns may call their words text or content; wrong lines are answered."""
    talk = [
        "We removed the old auth middleware because it duplicated token refresh logic and caused stale sessions.",
        "We switched to signed short-lived access tokens so that revoked sessions can be invalidated centrally.",
        "The migration also added audit logging in src/auth/audit.py and a dashboard for the support team.",
    ]
    values = [
        {"id": "a", "turns": [{"id": str(i), "text": text} for i, text in enumerate(talk)]},
        {"id": "b", "turns": [{"role": "user", "content": text} for text in talk], "budget_tokens": 30},
        {"id": "c", "turns": []},
        {"id": "d", "turns": [{"role": "user"}]},
        {"id": "e"},
    ]
    done = libra("summarize", "--jsonl", stdin=jsonl(*values))
    found = rows(done.out)
    assert done.code == 1
    assert [row["id"] for row in found] == ["a", "b", "c", "d", "e"]
    assert found[0]["tokens_out"] < found[0]["tokens_in"]
    assert 0 <= found[0]["confidence"] <= 1
    assert found[1]["tokens_out"] <= 30
    assert [row["error"]["data"]["where"] for row in found[2:]] == ["turns", "turns[0].content", "turns"]
