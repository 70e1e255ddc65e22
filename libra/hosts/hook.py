"""What hosts run at their hooks: ask the running Libra, print what the host takes, be gone.

It starts for every prompt, so it stands on ``os``, ``sys`` and what Python's ``socket`` and ``json`` are made of: those two would bring
``re``, ``enum`` and ``selectors`` along, and double the time. Where a Python lacks them it takes the two. Nothing of ours is imported,
so that it also runs as a file by itself (``python -I -S hook.py …``). Whatever goes wrong it prints nothing and ends with 0: a host never
waits for Libra, and never shows a person an error of it. Source: hosts.md §2.4; lessons.md C41, C109.
"""

from __future__ import annotations

import os
import sys

try:
    import _socket as socket
    from _json import encode_basestring_ascii as _text_of
    from _json import make_scanner as _scanner
except ImportError:  # pragma: no cover - another Python than CPython
    import socket  # type: ignore[no-redef]

    _scanner = None  # type: ignore[assignment, misc]

TYPE_CHECKING = False  # typing itself would cost a tenth of the time
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Json = dict[str, Any]

ASK_S = 1.5
"""The longest that a host waits for Libra."""
DEADLINE_MS = 1000
"""Told to Libra, so that it answers with what is ready before the time is over."""
START_TOKENS = 2400
"""Claude Code keeps 10,000 characters of what a hook says; at 4 characters a token this stays below."""
PROMPT_TOKENS = 1500
_MAX_INPUT = 16 * 1024 * 1024
_RECV = 256 * 1024
_MAX_PATH_BYTES = 100
"""A socket's address holds 104 to 108 bytes, its final NUL included."""

START, PROMPT, FLUSH = "start", "prompt", "flush"

EVENTS = {
    "claude-code": {
        "SessionStart": START,
        "UserPromptSubmit": PROMPT,
        "Stop": FLUSH,
        "PreCompact": FLUSH,
        "SessionEnd": FLUSH,
    },
    "codex": {"SessionStart": START, "UserPromptSubmit": PROMPT, "Stop": FLUSH, "PreCompact": FLUSH},
    "gemini": {
        "SessionStart": START,
        "BeforeAgent": PROMPT,
        "AfterAgent": FLUSH,
        "PreCompress": FLUSH,
        "SessionEnd": FLUSH,
    },
    "cursor": {"sessionStart": START, "stop": FLUSH, "preCompact": FLUSH, "sessionEnd": FLUSH},
}
"""What each host's events are for: the standing rules, what a prompt recalls, a transcript to be read."""


def main(argv: Sequence[str]) -> int:
    """Answer one hook; return 0, always.

    Args:
        argv: ``<host> [<event>] [--socket PATH] [--data-dir FOLDER]``; without an event the input names it.
    """
    try:
        words, flags = _arguments(argv)
        said = _input()
        host = words[0]
        event = words[1] if len(words) > 1 else said.get("hook_event_name", "")
        out = answer(host, event, said, lambda method, params: ask(place(flags, os.environ), method, params))
        if out:
            sys.stdout.write(out)
            sys.stdout.flush()
    except Exception:  # noqa: BLE001, S110 - see above: nothing is said, whatever it is
        pass
    return 0


def answer(host: str, event: str, said: Json, call: Callable[[str, Json], Any]) -> str:
    """Return what to print for an event, an empty text for nothing.

    Args:
        host: One of :data:`EVENTS`.
        event: The host's own name of it.
        said: What the host tells, as it came.
        call: Carries out a method of the running Libra.
    """
    use = EVENTS[host].get(event)
    if use == FLUSH:
        path = said.get("transcript_path")
        if path:
            call("flush", {"path": path})
        return ""
    if use is None:
        return ""
    who = {"host": host, "session": _text(said, "session_id", "conversation_id"), "cwd": _folder(said)}
    params: Json = {"who": {k: v for k, v in who.items() if v}, "deadline_ms": DEADLINE_MS}
    if use == START:
        # What changes only with its files: the host keeps it for the whole session, and its prompt cache with it.
        params.update(query="", budget_tokens=START_TOKENS, have=["own_files", "guidance", "tail", "recall"])
        text = call("assemble", params).get("stable")
    else:
        prompt = _text(said, "prompt")
        if not prompt.strip():
            return ""
        params.update(query=prompt, budget_tokens=PROMPT_TOKENS, have=["hard", "soft", "tail"])
        text = call("assemble", params).get("volatile")
    return _printed(host, event, text) if text and text.strip() else ""


def _printed(host: str, event: str, text: str) -> str:
    if host == "cursor":
        return dumps({"additional_context": text})
    return dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def _text(said: Json, *names: str) -> str:
    return next((said[name] for name in names if isinstance(said.get(name), str)), "")


def _folder(said: Json) -> str:
    """Return the folder that the agent works in; Cursor names a list of them."""
    roots = said.get("workspace_roots")
    return _text(said, "cwd") or (roots[0] if isinstance(roots, list) and roots else "") or os.getcwd()


def _input() -> Json:
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    raw = sys.stdin.buffer.read(_MAX_INPUT)
    said = loads(raw) if raw.strip() else {}
    return said if isinstance(said, dict) else {}


def _arguments(argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    words: list[str] = []
    flags: dict[str, str] = {}
    waiting = None
    for word in argv:
        if waiting:
            flags[waiting], waiting = word, None
        elif word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if equals:
                flags[name] = value
            else:
                waiting = name
        else:
            words.append(word)
    return words, flags


# ------------------------------------------------------------------ the socket


def place(flags: Mapping[str, str], env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return the socket's path, as :func:`libra.ground.paths.places` finds it (on Windows: of the endpoint file)."""
    sock = flags.get("socket") or env.get("LIBRA_SOCKET")
    if sock:
        return os.path.abspath(os.path.expanduser(sock))
    runtime = env.get("XDG_RUNTIME_DIR")
    if runtime and platform != "win32" and os.path.isdir(runtime):
        return os.path.join(runtime, "libra", "libra.sock")
    data = flags.get("data-dir") or env.get("LIBRA_DATA_DIR") or _data(env, platform)
    return os.path.join(os.path.abspath(os.path.expanduser(data)), "run", "libra.sock")


def _data(env: Mapping[str, str], platform: str) -> str:
    if platform == "win32":
        return os.path.join(env.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local"), "libra")
    if platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/libra")
    base = (env.get("XDG_DATA_HOME") or "").strip()
    return os.path.join(base or os.path.expanduser("~/.local/share"), "libra")


def ask(path: str, method: str, params: Json) -> Any:
    """Return the result of one call.

    Raises:
        OSError: Nobody listens, or not in time.
        ValueError: What came is no result.
    """
    try:
        return _ask(path, method, params)
    except (ConnectionError, ValueError):
        # Another one is taking its place: what it could not answer, that one does.
        return _ask(path, method, params)


def _ask(path: str, method: str, params: Json) -> Any:
    message: Json = {}
    sock, lines = _connect(path)
    try:
        lines.append({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        sock.sendall(b"".join(dumps(line).encode() + b"\n" for line in lines))
        found = b""
        for number in range(2 - len(lines), 2):
            while b"\n" not in found:
                more = sock.recv(_RECV)
                if not more:
                    raise ConnectionResetError("libra ended the connection")
                found += more
            line, _, found = found.partition(b"\n")
            message = loads(line)
            if message.get("id") != number or "result" not in message:
                raise ValueError("libra refused")
    finally:
        sock.close()
    return message["result"]


def _connect(path: str) -> tuple[socket.socket, list[Json]]:
    """Return a connected socket, and what must be said on it first."""
    if hasattr(socket, "AF_UNIX") and sys.platform != "win32":
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(ASK_S)
        here = os.getcwd() if len(os.fsencode(path)) > _MAX_PATH_BYTES else None
        try:
            if here is not None:  # too long for an address: it is reached from its folder
                os.chdir(os.path.dirname(path))
                path = os.path.basename(path)
            sock.connect(path)
        except OSError:
            sock.close()
            raise
        finally:
            if here is not None:
                os.chdir(here)
        return sock, []
    with open(os.path.join(os.path.dirname(path), "endpoint.json"), "rb") as file:
        found = loads(file.read())
    sock = socket.socket(socket.AF_INET)
    sock.settimeout(ASK_S)
    try:
        sock.connect(("127.0.0.1", int(found["port"])))
    except OSError:
        sock.close()
        raise
    return sock, [{"jsonrpc": "2.0", "id": 0, "method": "authenticate", "params": {"token": found["token"]}}]


# ------------------------------------------------------------------ JSON


class _Reading:
    """How values are read: as :mod:`json` does without arguments."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int, parse_constant = float, int, float
    memo: dict[str, str] = {}  # noqa: RUF012 - read only


def loads(raw: bytes) -> Any:
    """Return the value of a text in UTF-8, with or without a mark at its start.

    Raises:
        ValueError: It is no JSON.
    """
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip()
    if _scanner is None:
        import json  # pragma: no cover - see above

        return json.loads(text)
    try:
        value, end = _scanner(_Reading)(text, 0)  # type: ignore[arg-type]
    except StopIteration:
        raise ValueError("this is no JSON") from None
    if end != len(text):
        raise ValueError("something follows the value")
    return value


def dumps(value: Any) -> str:
    """Return a value of texts, numbers, lists and dictionaries as JSON in ASCII."""
    if _scanner is None:
        import json  # pragma: no cover - see above

        return json.dumps(value)
    if isinstance(value, str):
        return _text_of(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text_of(name)}: {dumps(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return repr(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
