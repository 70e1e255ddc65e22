"""Coverage-guided fuzzing of everything that reads what strangers write: no exception may leave an edge.

pip install atheris          # Linux and macOS; only this script needs it
nice python bench/fuzz.py TARGET [SECONDS]
nice python bench/fuzz.py all 60

Prints one line a target with the inputs tried, and exits with 1 if one raised; the input is then kept as ``fuzz-TARGET-…``
in the folder for temporary files, to become a test. Inputs that were once too much stand in the tests of their package.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_SEEDS: dict[str, tuple[bytes, ...]] = {
    "rpc": (b'{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"a"}}', b"[{}]"),
    "config": (b'[gate]\nthreshold = 0.4\n[sources]\nhosts = ["codex"]\n',),
    "redact": (b"my password is hunter2, API_KEY=sk-abcdefghijklmnopqrstuv", "密码是 Abc12345".encode()),
    "partition": (b"---\na: b\n---\n# T\n\n- never push\n  - x\n\n> q\n\n```\nc\n```\n|a|b|\n|-|-|\n",),
    "scan": (b"You must not push. If it fails, always ask.", "必须先测试".encode(), "không được ".encode()),
    "query": ('"a phrase" src/app.py:12 không 停泊 E_ACCES OR NEAR( *'.encode(),),
    "marks": (b"<libra-context>\nx\n</libra-context>\n<system-reminder>y</system-reminder>",),
    "pattern": (b"(a|b)*[^c-d]+x?$",),
    "records": (b'{"kind":"memory","uid":"x","text":"y","created":1}',),
}
_HOSTS = ("claude-code", "codex", "gemini", "openclaw")
_FEWEST = 200


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _rpc(data: bytes) -> None:
    from libra.rpc.protocol import Lines, decode

    for line in Lines(1 << 16).feed(data + b"\n"):
        if isinstance(line, bytes):
            decode(line)


def _config(data: bytes) -> None:
    from libra.config import load
    from libra.ground.errors import ConfigError

    file = Path(tempfile.gettempdir()) / "libra-fuzz.toml"
    file.write_bytes(data)
    with contextlib.suppress(ConfigError):
        load(file)


def _redact(data: bytes) -> None:
    from libra.text.redact import redact

    redact(_text(data))


def _partition(data: bytes) -> None:
    from libra.text.imports import imports
    from libra.text.partition import degrade, partition

    text = _text(data)
    for node in degrade(partition(text, instructions=True), 50)[0]:
        assert 0 <= node.start <= node.end
    imports(text)


def _scan(data: bytes) -> None:
    from libra.gate.signals import natural
    from libra.lifecycle.claims import claim
    from libra.lifecycle.statement import memorable
    from libra.text.deontic import scan
    from libra.text.tokens import estimate

    text = _text(data)
    for read in (scan, natural, claim, memorable, estimate):
        read(text)


def _query(data: bytes) -> None:
    import apsw

    from libra.text import terms

    query = terms.parse_query(_text(data))
    con = apsw.Connection(":memory:")
    con.execute("CREATE VIRTUAL TABLE f USING fts5(text)")
    for match in (terms.word_match(query), terms.side_match(query), terms.phrase_match(query)):
        if match is not None:
            con.execute("SELECT rowid FROM f WHERE f MATCH ?", (match,)).fetchall()


def _marks(data: bytes) -> None:
    from libra.text.marks import escape, strip
    from libra.text.noise import unwrap

    text = _text(data)
    once = strip(text, lambda _line: False).text
    assert len(once) <= len(text)
    unwrap(text)
    escape(text)


def _pattern(data: bytes) -> None:
    from libra.text.pattern import Pattern, PatternError

    text = _text(data)
    with contextlib.suppress(PatternError):
        Pattern(text[:200], regex=True).find(text * 3)


def _records(data: bytes) -> None:
    from libra.exchange.rows import READERS
    from libra.exchange.shapes import check

    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(row, dict):
        check(row)
        for read in READERS.values():
            read(row)


def _host(host: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        from libra.sources.events import ParseParams
        from libra.sources.formats import formats
        from libra.sources.slices import TalkFile
        from libra.sources.transcripts import Transcript

        file = Path(tempfile.gettempdir()) / f"libra-fuzz-{host}.jsonl"
        file.write_bytes(data)
        parts = (
            ("main", "sessions", "s1.jsonl") if host == "openclaw" else ("app", "chats", "session-x.jsonl")
        )
        Transcript(TalkFile(host, str(file), parts), formats(ParseParams("u"))[host]).step(None)

    return run


TARGETS: dict[str, Callable[[bytes], None]] = {
    "rpc": _rpc, "config": _config, "redact": _redact, "partition": _partition, "scan": _scan, "query": _query,
    "marks": _marks, "pattern": _pattern, "records": _records, **{host: _host(host) for host in _HOSTS},
}  # fmt: skip


def fuzz(name: str, seconds: int) -> None:
    """Run one target in this process; it ends by itself."""
    import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]

    with atheris.instrument_imports(include=["libra"]):
        TARGETS[name](b"")
    corpus = Path(tempfile.mkdtemp(prefix=f"libra-fuzz-{name}-"))
    for number, seed in enumerate(
        _SEEDS.get(name, (b'{"type":"user","message":{"role":"user","content":"a"}}\n',))
    ):
        (corpus / str(number)).write_bytes(seed)
    prefix = Path(tempfile.gettempdir()) / f"fuzz-{name}-"
    flags = [
        f"-max_total_time={seconds}",
        "-max_len=2000",
        f"-artifact_prefix={prefix}",
        "-print_final_stats=1",
        "-timeout=20",
    ]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], TARGETS[name])
    atheris.Fuzz()


def main(args: list[str]) -> int:
    """Run one target or each of them in a process of its own."""
    name, seconds = args[0] if args else "all", int(args[1]) if len(args) > 1 else 60
    if name != "all":
        fuzz(name, seconds)
        return 0
    failed = 0
    for target in TARGETS:
        began = time.monotonic()
        done: Any = subprocess.run(
            [sys.executable, __file__, target, str(seconds)], capture_output=True, text=True, check=False
        )
        tried = next(
            (
                int(line.split()[-1])
                for line in done.stderr.splitlines()
                if "number_of_executed_units" in line
            ),
            0,
        )
        bad = done.returncode != 0 or tried < _FEWEST
        failed += bad
        print(
            f"{target:12} {tried:>9,} inputs in {time.monotonic() - began:5.0f} s  {'FAILED' if bad else 'ok'}",
            flush=True,
        )
        if bad:
            print("\n".join(done.stderr.splitlines()[-25:]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
