"""Technical artifacts: each kind is found, everyday prose holds none."""

from __future__ import annotations

import pytest

from libra.text.artifacts import ArtifactKind, artifacts


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("see src/relay.py:41 for it", ArtifactKind.PATH, "src/relay.py:41"),
        ("in /etc/nginx/nginx.conf", ArtifactKind.PATH, "/etc/nginx/nginx.conf"),
        (r"in C:\Users\me\notes.txt", ArtifactKind.PATH, r"C:\Users\me\notes.txt"),
        ("it said ENOENT", ArtifactKind.ERROR_CODE, "ENOENT"),
        ("raised a TypeError", ArtifactKind.ERROR_CODE, "TypeError"),
        ("with exit code 137", ArtifactKind.ERROR_CODE, "exit code 137"),
        ("HTTP 503 again", ArtifactKind.ERROR_CODE, "HTTP 503"),
        ("at 9fceb02d0ae598", ArtifactKind.HASH, "9fceb02d0ae598"),
        (
            "id 550e8400-e29b-41d4-a716-446655440000",
            ArtifactKind.HASH,
            "550e8400-e29b-41d4-a716-446655440000",
        ),
        ("took 350 ms", ArtifactKind.NUMBER_UNIT, "350 ms"),
        ("grew to 16 GB", ArtifactKind.NUMBER_UNIT, "16 GB"),
        ("on http://localhost:8080/health.", ArtifactKind.URL, "http://localhost:8080/health"),
        ("GET /v1/users fails", ArtifactKind.URL, "GET /v1/users"),
        ("def relay(frame):\n    pass", ArtifactKind.FUNCTION_DEF, "def relay(frame):"),
        ("$ git push --force", ArtifactKind.SHELL, "git push --force"),
        ("run `pytest -q tests` now", ArtifactKind.SHELL, "pytest -q tests"),
        ("rebased on origin/main", ArtifactKind.GIT_REF, "origin/main"),
        ("commit 9fceb02 broke it", ArtifactKind.GIT_REF, "commit 9fceb02"),
        ("call store.connect() first", ArtifactKind.FUNC_REF, "store.connect()"),
        ("set busy_timeout higher", ArtifactKind.NAME, "busy_timeout"),
        ("```\nx = 1\n```", ArtifactKind.CODE_FENCE, "```\nx = 1\n```"),
    ],
)
def test_a_kind_is_found(text: str, kind: ArtifactKind, shown: str) -> None:
    """The artifact is there, with its text at its place."""
    found = [a for a in artifacts(text) if a.kind is kind]
    assert shown in [a.text for a in found]
    assert all(text[a.start : a.end] == a.text for a in found)


def test_a_stack_trace_is_one_artifact() -> None:
    """From its first line to the error."""
    text = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    x()\nValueError: bad\nthen rest'
    trace = next(a for a in artifacts(text) if a.kind is ArtifactKind.STACK_TRACE)
    assert trace.text.startswith("Traceback")
    assert trace.text.endswith("ValueError: bad")


@pytest.mark.parametrize(
    "text",
    [
        "and/or in 2024",
        "I have 500 ideas about the main thing",
        "the type and the class of 2024",
        "e.g. this one, i.e. that one",
        "he/she works 24/7 with TCP/IP",
        "read/write/execute are three rights",
        "we met at 3 p.m. and talked about the branch of the tree",
        "The error was mine, what a terror.",
        "I added it to the main menu.",
        "Yesterday we talked about commitment and origin.",
    ],
)
def test_prose_holds_none(text: str) -> None:
    """Slashes, years, plain words (memory model §4)."""
    assert artifacts(text) == []
