"""Everything that reads what strangers write, in one table: the tests, the fuzzer and the hostile megabytes go over it.

An edge is a function of bytes that returns, whatever the bytes are; errors of ours by which a reader refuses what it is given
are answers, anything else is a fault. ``tests/test_edges.py`` looks whether a reader in the package is missing here.
"""

from __future__ import annotations

import contextlib
import functools
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from tests.readers import READERS
from tests.sources.writers import HOSTS, ONE, Say

Read = Callable[[bytes], object]


@functools.cache
def _room() -> Path:
    """Return a folder of this process, for readers that want a file."""
    return Path(_ROOMS.enter_context(tempfile.TemporaryDirectory(prefix="libra-edges-")))


_ROOMS: Final = contextlib.ExitStack()


def _file(name: str, data: bytes) -> Path:
    path = _room() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# ------------------------------------------------------------------ the socket, settings, hooks


def _rpc(data: bytes) -> None:
    from libra.rpc.answer import answer
    from libra.rpc.answer import read as message_of
    from libra.rpc.protocol import TOO_LONG, Lines

    def dispatch(method: str, params: dict[str, Any]) -> Any:
        return {"method": method, "params": params}

    for line in (*Lines(1 << 21).feed(data + b"\n"), TOO_LONG):
        message = message_of(line)
        written = answer(message, dispatch) if message is not None else None
        assert written is None or json.loads(written) is not None


def _mcp(data: bytes) -> None:
    from libra.mcp.protocol import decode

    decode(data)


def _hook(data: bytes) -> None:
    from libra.hosts.hook import EVENTS, answer, loads

    try:
        said = loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(said, dict):
        for host, events in EVENTS.items():
            for event in events:
                answer(host, event, said, lambda _method, params: {"volatile": params.get("query", "x")})


def _config(data: bytes) -> None:
    from libra.config import load
    from libra.ground.errors import ConfigError

    with contextlib.suppress(ConfigError):
        load(_file("config.toml", data))


def _setting(data: bytes) -> None:
    """A setting is changed in a file that a person has written."""
    import tomllib

    from libra.config.edit import put
    from libra.ground.errors import Conflict

    text = data.decode("utf-8", "replace")
    with contextlib.suppress(Conflict, tomllib.TOMLDecodeError, RecursionError):
        put(text, "gate.threshold", 0.4)


def _host_settings(data: bytes) -> None:
    """Each host's settings file is read, edited and put back."""
    from libra.hosts import jsonc, toml_text, yaml_text
    from libra.hosts.edits import Unreadable, apply, newline_of, undo

    text = data.decode("utf-8", "replace")
    newline_of(text)
    for edits in (
        lambda: jsonc.put(text, ("a", "b"), {"c": 1}), lambda: jsonc.append(text, ("hooks", "x"), "y"),
        lambda: jsonc.cut(text, ("a", "b")), lambda: jsonc.drop(text, ("a",), "y"),
        lambda: toml_text.put(text, ("a", "b"), {"c": "d"}), lambda: toml_text.cut(text, ("a", "b")),
        lambda: toml_text.put_key(text, ("a", "c"), value=True), lambda: toml_text.cut_key(text, ("a", "c"), value=True),
        lambda: yaml_text.put(text, ("a", "b"), "c"), lambda: yaml_text.cut(text, ("a", "b"), "c"),
    ):  # fmt: skip
        with contextlib.suppress(Unreadable):
            made = list(edits())
            after = text
            for edit in made:
                after = apply(after, edit)
            assert undo(after, made) == text


def _catalog(data: bytes) -> None:
    """The settings of every host say where it keeps things."""
    from libra.sources.catalog import Surroundings, survey

    home = _room() / "home"
    for name in (
        ".openclaw/openclaw.json",
        ".claude/settings.json",
        ".gemini/settings.json",
        ".hermes/config.yaml",
    ):
        _file(f"home/{name}", data)
    survey(Surroundings(home, {}, "linux", home / "managed"))


def _projects(data: bytes) -> None:
    from libra.sources.projects import Projects

    folder = _room() / "checkout"
    _file("checkout/.git/config", data)
    Projects().of(str(folder))


# ------------------------------------------------------------------ hosts


def _check(turns: Any) -> None:
    for turn in turns:
        assert turn.content.strip()
        assert turn.ts_ms is None or 0 <= turn.ts_ms < 2**53


def _pass(host: str, path: Path, top: Path) -> None:
    """Read one transcript to its end, by whichever way its host has."""
    from libra.ground.errors import SourceError
    from libra.sources.events import ParseParams, Verdict
    from libra.sources.formats import formats
    from libra.sources.host_sqlite import DatabaseParams
    from libra.sources.slices import TalkFile
    from libra.sources.transcripts import SliceParams

    form = formats(ParseParams("u", tool_output=True))[host]
    parts = path.relative_to(top).parts
    verdict = form.verdict(parts)
    assert verdict is not Verdict.IGNORE, parts
    kind = {Verdict.DATABASE: "sqlite", Verdict.WHOLE: "json"}.get(verdict, "jsonl")
    job = form.job(TalkFile(host, str(path), parts, kind), SliceParams(), DatabaseParams())
    cursor = None
    with contextlib.suppress(SourceError):
        while True:
            piece = job.step(cursor)
            cursor = piece.cursor
            _check(turn for batch in piece.batches for turn in batch.turns)
            if piece.done:
                return


_TOPS: Final = {
    "claude-code": ".claude/projects", "codex": ".codex/sessions", "cursor": ".cursor/projects", "gemini": ".gemini/tmp",
    "openclaw": ".openclaw/agents", "openclaw (database)": ".openclaw/agents", "hermes": ".hermes",
    "opencode": ".local/share/opencode", "opencode (files)": ".local/share/opencode/storage/session",
}  # fmt: skip
"""Below which folder of the home a host's transcripts are."""


def _host(name: str) -> str:
    return name.partition(" ")[0]


def _raw(name: str, data: bytes) -> None:
    """The bytes are the whole file."""
    home = _room() / "raw"
    path = HOSTS[name].path(home, ONE)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    _pass(_host(name), path, home / _TOPS[name])


def _packed(data: bytes) -> None:
    """The bytes are a packed file; and its first half, and what they pack to is the file."""
    import zstandard

    from libra.sources.packed import unpack

    packed = zstandard.ZstdCompressor().compress(data)
    for blob in (b"\x28\xb5\x2f\xfd" + data, packed, packed[: len(packed) // 2]):
        _raw("codex", blob)
        unpack(blob, 1 << 20)


def _documents(name: str, data: bytes) -> None:
    """A host that writes a JSON document (or a list of some) instead of lines."""
    home = _room() / "whole"
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    _pass("gemini", path, home)


def _opencode_files(data: bytes) -> None:
    """Each of the three kinds of files holds the bytes."""
    home = _room() / "parts"
    path = HOSTS["opencode (files)"].put(home, ONE, [Say(0, "user", "a"), Say(1, "assistant", "b")])
    storage = path.parents[2]
    for kind in ("part", "message", "session"):
        for file in (storage / kind).rglob("*.json"):
            file.write_bytes(data)
        _pass("opencode", path, storage / "session")


def _rows(name: str, data: bytes) -> None:
    """Every text of a host's database is these bytes, one column after the other."""
    import sqlite3

    home = _room() / "rows"
    path = HOSTS[name].path(home, ONE)
    for stale in path.parent.glob(f"{path.name}*"):
        stale.unlink()
    HOSTS[name].put(home, ONE, [Say(0, "user", "a"), Say(1, "assistant", "b")])
    with contextlib.closing(sqlite3.connect(path)) as db:
        tables = [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        columns = [
            (table, row[1])
            for table in tables
            for row in db.execute(f"PRAGMA table_info({table})")
            if row[2] in {"TEXT", "BLOB", "REAL"}
        ]
        for table, column in columns:
            for value in (data, data.decode("utf-8", "replace")):
                with db:
                    db.execute("SAVEPOINT before")
                    with contextlib.suppress(sqlite3.IntegrityError):
                        db.execute(f"UPDATE {table} SET {column} = ?", (value,))  # noqa: S608 - names of the table above
                _pass(_host(name), path, home / _TOPS[name])
            with db:
                db.execute(f"UPDATE {table} SET {column} = NULL")  # noqa: S608


def _said(data: bytes) -> None:
    """The bytes as text are what was said, in every host's own form."""
    text = data.decode("utf-8", "replace")
    home = _room() / "said"
    for name, host in HOSTS.items():
        path = host.path(home, ONE)
        for stale in path.parent.glob(f"{path.name}*"):
            stale.unlink()
        path = host.put(home, ONE, [Say(0, "user", text), Say(1, "assistant", text)])
        _pass(_host(name), path, home / _TOPS[name])


def _folder_notes(data: bytes) -> None:
    """The notes from which Cursor's, Gemini CLI's and OpenClaw's projects and sessions are told."""
    home = _room() / "notes"
    for name in ("cursor", "gemini", "openclaw"):
        HOSTS[name].put(home, ONE, [Say(0, "user", "a"), Say(1, "assistant", "b")])
    for note in (
        ".cursor/projects/home-dev-app/.workspace-trusted", ".gemini/tmp/app/.project_root", ".gemini/projects.json",
        ".openclaw/agents/main/sessions/sessions.json", f".openclaw/agents/main/sessions/{ONE}.jsonl.reset.2026",
    ):  # fmt: skip
        _file(f"notes/{note}", data)
    for name in ("cursor", "gemini", "openclaw"):
        _pass(name, HOSTS[name].path(home, ONE), home / _TOPS[name])


def _claude_mem(data: bytes) -> None:
    from libra.ground.errors import SourceError
    from libra.sources import claude_mem

    with contextlib.suppress(SourceError):
        list(claude_mem.rows(str(_file("claude-mem.db", data))))


# ------------------------------------------------------------------ what is read once


def _shelf(data: bytes) -> None:
    """An instruction file, a rule of Cursor's, a rule for some paths, a tagged note; each may import others."""
    from libra.ground.records import Scope, ScopeKind
    from libra.sources.document_places import DocumentPlace
    from libra.sources.documents import Shelf
    from tests.sources.conftest import FakeSink

    home = _room() / "vault"
    places = [
        DocumentPlace(
            _file(f"vault/{name}", data), "any", Scope(ScopeKind.GLOBAL), instructions=True, order=order, anchor=home,
            import_roots=(home,), tags=tags,
        )
        for order, (name, tags) in enumerate((("AGENTS.md", ()), ("a.mdc", ()), ("rules/b.md", ()), ("note.md", ("work",))))
    ]  # fmt: skip
    sink = FakeSink()
    Shelf(sink, home, sink.clock).update(places)


def _moved_in(data: bytes) -> None:
    """A file that is imported, under each ending that means something."""
    from libra.cli.opening import Bounds, records
    from libra.exchange.recognise import SYSTEMS
    from libra.exchange.shapes import check
    from libra.ground.errors import InvalidParams, OverLimit, SourceError

    for ending in ("json", "jsonl", "md", "zip"):
        path = _file(f"moved.{ending}", data)
        for system in (None, *SYSTEMS):
            with contextlib.suppress(InvalidParams, OverLimit, SourceError):
                for record in records(path, system, Bounds(), lambda _bytes: None)[1]:
                    check(record)


def _rows_of_others(data: bytes) -> None:
    """A row as other memories export it, whose values are of any kind."""
    from libra.exchange.rows import READERS as ROWS
    from libra.exchange.shapes import check
    from libra.exchange.webchats import chatgpt, claude

    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(row, dict):
        check(row)
        for read in ROWS.values():
            check(read(row))
        for read_talk in (chatgpt, claude):
            for record in read_talk(row):
                check(record)


def _query(data: bytes) -> None:
    """A question is made into queries, and full text is asked."""
    import apsw

    from libra.text import terms

    query = terms.parse_query(data.decode("utf-8", "replace"))
    con = apsw.Connection(":memory:")
    con.execute("CREATE VIRTUAL TABLE f USING fts5(text)")
    for match in (terms.word_match(query), terms.side_match(query), terms.phrase_match(query)):
        if match is not None:
            con.execute("SELECT rowid FROM f WHERE f MATCH ?", (match,)).fetchall()
    con.close()


def _as_text(read: Callable[[str], object]) -> Read:
    return lambda data: read(data.decode("utf-8", "replace"))


_LINE: Final = (
    b'{"type":"user","uuid":"u","timestamp":"2026-03-07T11:00:00Z","message":{"role":"user","content":"a"}}\n'
)

FILES: Final[Mapping[str, Read]] = {
    "rpc": _rpc, "mcp": _mcp, "hook": _hook, "config": _config, "setting": _setting, "host settings": _host_settings,
    "catalog": _catalog, "projects": _projects,
    **{f"file of {name}": functools.partial(_raw, name) for name in HOSTS},
    **{f"rows of {name}": functools.partial(_rows, name) for name in ("openclaw (database)", "hermes", "opencode")},
    "packed file": _packed, "gemini document": functools.partial(_documents, "app/chats/session-x.json"),
    "opencode files": _opencode_files, "said": _said, "folder notes": _folder_notes, "claude-mem": _claude_mem,
    "documents": _shelf, "import": _moved_in, "records": _rows_of_others, "query": _query,
}  # fmt: skip
"""Edges that read bytes."""

EDGES: Final[Mapping[str, Read]] = {**FILES, **{name: _as_text(read) for name, read in READERS.items()}}
"""All edges."""


@functools.cache
def seeds(name: str) -> tuple[bytes, ...]:
    """Return small inputs that an edge understands, from which a fuzzer may begin."""
    if name in READERS:
        return (*_TEXTS, *_SEEDS.get(name, ()))
    own = _SEEDS.get(name, ())
    host = name.removeprefix("file of ").removeprefix("rows of ")
    if host in HOSTS and HOSTS[host].lines is not None:
        own = (HOSTS[host].bytes(ONE, [Say(0, "user", "Use pnpm."), Say(1, "assistant", "Yes.")]), *own)
    return own or (_LINE,)


_TEXTS: Final = (
    b"You must not push. If it fails, always ask. My name is Ann and I prefer tea; I work in Bonn since 2024.",
    "必须先测试，然后提交。密码是 Abc12345".encode(), "không được làm vậy, phải hỏi tôi trước".encode(),
    b"---\na: b\n---\n# T\n\n- never push\n  - x\n\n> q\n\n```\nc\n```\n|a|b|\n|-|-|\n@docs/a.md\n",
    b"my password is hunter2, API_KEY=sk-abcdefghijklmnopqrstuv card 4111 1111 1111 1111",
    '"a phrase" src/app.py:12 不 停泊 E_ACCES OR NEAR( * what did we say yesterday?'.encode(),
    b"<libra-context>\nx\n</libra-context>\n<system-reminder>y</system-reminder> see 550e8400-e29b-41d4-a716-446655440000",
    b"password=" * 400 + b"a1b2c3", b"I no longer live in Bonn, I moved to Kiel. I don't like tea. You shan't push; nothing may be merged without a test.",
    b"- [2026-04-01] We moved the server from port 5671 to 5672 <!-- m1 -->\n  - in the file: x\n",
    "前に必ずテストすること。Ne jamais pousser. Immer testen, nie pushen. Nunca hagas eso.".encode(),
)  # fmt: skip
_SEEDS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "rpc": (b'{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"a"}}', b"[{}]", b'{"a":"\\ud800"}'),
    "mcp": (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}', b"[1]"),
    "hook": (b'{"session_id":"s","cwd":"/a","prompt":"b","transcript_path":"/t","workspace_roots":["/a"]}',),
    "config": (b'[gate]\nthreshold = 0.4\n[sources]\nhosts = ["codex"]\n[[roots]]\npath = "~/a"\n',),
    "setting": (b"[gate]\nthreshold = 0.3 # a\n[gate.x]\ny = 1\n",),
    "host settings": (b'{"a":{"b":[1]},/* c */"hooks":{"x":["y"],},}', b"[a]\nc = true\n[a.b]\nc = 'd'\n", b"a:\n  b: c\n"),
    "catalog": (b"{agents:{list:[{id:'a',workspace:'~/w',default:true}]},session:{maintenance:{pruneAfter:'3d'}}}",
                b"sessions:\n  auto_prune: true\n  retention_days: 3\n", b'{"cleanupPeriodDays":3}'),
    "projects": (b'[remote "origin"]\n\turl = git@example.org:a/b.git\n',),
    "file of opencode (files)": (b'{"id":"ses_1","directory":"/a","revert":{"messageID":"m"}}',),
    "gemini document": (b'{"sessionId":"s","messages":[{"id":"u","type":"user","content":"a"}]}',),
    "opencode files": (b'{"role":"user","type":"text","text":"a","time":{"created":1775932200000}}',),
    "folder notes": (b'{"workspacePath":"/home/dev/app"}', b'{"projects":{"/a":"app"}}', b'{"agent:main:main":{"sessionId":"s"}}'),
    "documents": (b"---\nalwaysApply: true\ntags: [work]\n---\n@./a.md\n- never push\n", b"---\npaths: a\n---\n#work x\n"),
    "import": (b"# Tools\n- use pnpm\n", b'[{"memory":"a","id":"1","created_at":"2026-01-01"}]',
               b'{"uuid":"u","chat_messages":[{"uuid":"a","sender":"human","text":"b"}]}'),
    "records": (b'{"kind":"memory","uid":"x","text":"y","created":1}', b'{"memory":"a","id":"1","priority":0.4}',
                b'{"id":"c","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["b"]}}}}}'),
    "query": (_TEXTS[5],),
    "said": _TEXTS,
    "redact": (b"pwd=a1b2c3 " * 8_001,),
}  # fmt: skip
