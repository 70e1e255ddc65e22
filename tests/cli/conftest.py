"""The commands in processes of their own, against a fake engine behind the real server."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from libra.cli import main
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.errors import NotFound
from libra.ground.paths import places
from libra.rpc.endpoint import endpoint
from libra.rpc.methods import Methods
from libra.rpc.server import Server
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


class Program:
    """Runs ``libra`` as a person would, in this process or in one of its own."""

    def __init__(self, data: Path, patch: pytest.MonkeyPatch) -> None:
        self.data = data
        self._patch = patch
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("LIBRA_", "XDG_"))}
        self.env |= {"LIBRA_DATA_DIR": str(data), "PYTHONPATH": str(ROOT), "COLUMNS": "100"}

    def __call__(
        self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Done:
        """Run one command to its end, in this process."""
        out, err = io.BytesIO(), io.BytesIO()
        with self._patch.context() as patch:
            for name in [k for k in os.environ if k.startswith(("LIBRA_", "XDG_"))]:
                patch.delenv(name)
            for name, value in (self.env | dict(env or {})).items():
                patch.setenv(name, value)
            patch.chdir(cwd or ROOT)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "ascii"))
            patch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii"))
            patch.setattr(sys, "stderr", io.TextIOWrapper(err, "ascii"))
            code = main(words)
            sys.stdout.flush()
            sys.stderr.flush()
            return Done(code, out.getvalue().decode(), err.getvalue().decode())

    def alone(self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Done:
        """Run one command in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "libra", *words],
            input=stdin,
            capture_output=True,
            env=self.env | dict(env or {}),
            cwd=ROOT,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


HIT = {
    "id": "a1b2c3d4e5f60718",
    "kind": "memory",
    "type": "decision",
    "text": "We deploy on Fridays.\nAlways. 测试 một",
    "score": 0.8125,
    "tokens": 7,
    "scope": "user:anna",
    "ts": 1_775_001_600_000,
    "source": {"path": "/home/dev/notes/log.jsonl", "line": 7, "session": "claude-code:s1"},
    "why": {"relevance": 0.9, "recency": 0.25},
}


class FakeEngine:
    """Answers every verb with something that looks real; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.pending = 0

    def __getattr__(self, name: str) -> Any:
        """Return a handler that remembers its keywords."""
        if name.startswith("_"):
            raise AttributeError(name)

        def handler(**keywords: Any) -> Any:
            self.asked.append((name, keywords))
            return getattr(self, f"_{name}")(**keywords)

        return handler

    def _health(self) -> Any:
        return {"ok": True, "ready": True, "version": "0.1.0", "degraded": []}

    def _status(self, **_: Any) -> Any:
        return {
            "ok": True,
            "ready": True,
            "version": "0.1.0",
            "counts": {"turn": 12_345, "memory": 1, "summary": 0},
            "queue": {"pending": 12, "total": 40},
            "sources": {
                "running": True,
                "hosts": {
                    "openclaw": {"found": 4, "read": 3, "turns": 1_200},
                    "claude-code": {"found": 1, "read": 1},
                },
                "unreadable": {"/home/dev/b.jsonl": "Permission denied"},
                "roots": [{"path": "/home/dev/.openclaw/agents", "host": "openclaw", "exists": True}],
                "last_taken_ms": 1_775_001_600_000,
            },
            "model": {"profile": "minilm-l6-v2", "provider": "cpu", "reason": "fastest"},
            "sizes": {"database": 12_300_000},
            "last_learnt": {"text": "We deploy on Fridays.", "ts": 1_775_001_600_000},
            "paused": False,
            "degraded": ["embedding"],
        }

    def _assemble(self, *, query: str, budget_tokens: int, **_: Any) -> Any:
        item = {
            "id": "x",
            "tier": "hard",
            "kind": "directive",
            "tokens": 5,
            "source": {"path": "/p/CLAUDE.md", "line": 3},
        }
        return {
            "text": "<block>\nUse tabs.\n</block>\n",
            "stable": "",
            "volatile": "",
            "tokens": 20,
            "budget_tokens": budget_tokens,
            "items": [item, {**HIT, "tier": "recall"}],
            "receipt_id": "r",
            "degraded": [],
        }

    def _search(self, *, query: str, **_: Any) -> Any:
        return {"hits": [HIT] if query != "nothing" else [], "degraded": ["embedding"]}

    def _get(self, *, id: str, **_: Any) -> Any:  # noqa: A002 - the protocol's word
        if id != HIT["id"]:
            raise NotFound("there is no such record", where="id")
        return {
            **HIT,
            "created_ms": 1_775_001_600_000,
            "history": [{"event": "learnt", "at_ms": 1_775_001_600_000}],
        }

    def _expand(self, **_: Any) -> Any:
        return {"items": [{**HIT, "level": 0}, {**HIT, "level": 1}], "truncated": True}

    def _describe(self, **_: Any) -> Any:
        return {"id": HIT["id"], "kind": "summary", "cue": "20 turns (User 10)", "turns": 20, "tokens": 150, "covered_by": [],
                "level": 1, "method": "extractive", "refused": "gate", "confidence": 0.7, "tokens_in": 500}  # fmt: skip

    def _grep(self, **_: Any) -> Any:
        return {"hits": [{**HIT, "at": 3, "excerpt": "… on Fridays."}], "truncated": True}

    def _compaction_report(self, **_: Any) -> Any:
        levels = [
            {"level": n, "nodes": 40 - n, "tokens": 900, "share": 1.0, "distortion": 0.0 if n else None, "identifier_loss": 0.0}
            for n in range(2)
        ]  # fmt: skip
        session = {"session": "me/s1", "turns": 40, "tokens": 900, "covered": 36, "purged": 2, "guidance": 1,
                   "guidance_tokens": 9, "abstractive": 1, "rejected": {"gate": 2}, "levels": levels}  # fmt: skip
        return {"sessions": [session], "more": 3}

    def _compact(self, *, force: bool, **_: Any) -> Any:
        if not force:
            return {"ok": True, "did_compact": False, "reason": "below the threshold"}
        return {
            "ok": True, "did_compact": True, "tokens_before": 5_000, "tokens_after": 1_000, "clusters": 3,
            "declined": 0, "guidance": 2, "summaries": ["a", "b", "c"], "mean_confidence": 0.71,
        }  # fmt: skip

    def _forget(self, *, dry_run: bool, **_: Any) -> Any:
        told = {
            "counts": {"turn": 2},
            "ids": ["a", "b"],
            "items": [{"id": "a", "kind": "turn"}],
            "dry_run": dry_run,
        }
        return {"forgotten": 0, "would_forget": 2, **told} if dry_run else {"forgotten": 2, **told}

    def _remember(self, *, text: str, **_: Any) -> Any:
        if text == "taken back":
            return {"id": None, "outcome": "forgotten", "redacted": []}
        return {
            "id": "m1", "outcome": "created", "type": "fact", "text": text, "confidence": 0.95, "priority": 30,
            "superseded": ["m0"], "against": [], "redacted": [],
        }  # fmt: skip

    def _update(self, *, id: str, text: Any, **_: Any) -> Any:  # noqa: A002 - the protocol's word
        return {"id": id, "type": "fact", "text": text, "confidence": 0.95, "superseded": [], "redacted": []}

    def _confirm(self, *, id: str, **_: Any) -> Any:  # noqa: A002 - the protocol's word
        return {"id": id, "confidence": 0.95, "confirmations": 2, "expires": None, "journal_id": 7}

    def _correct(self, *, id: str, text: str, **_: Any) -> Any:  # noqa: A002 - the protocol's word
        return {
            "id": "m2",
            "type": "fact",
            "text": text,
            "confidence": 0.95,
            "superseded": [id],
            "redacted": [],
        }

    def _explain(self, *, id: str, **_: Any) -> Any:  # noqa: A002 - the protocol's word
        at = 1_775_001_600_000
        term = {"branch": "conversation", "signal": "h", "value": 0.8, "weight": 0.35, "part": 0.28}
        return {
            "id": id, "kind": "memory", "type": "fact", "text": "We deploy on Fridays.", "priority": 30, "active": True,
            "valid_from": at, "valid_to": None, "confirmations": 2, "episode": {"start": at, "end": at, "turns": 3},
            "confidence": {"now": 0.57, "stored": 0.6, "touched": at, "daily_loss": 0.05, "days": 1.0, "recalls_used": 1},
            "gate": {
                "admitted_by": "gate", "origin": "owner", "g": 0.5, "gconv": 0.5, "gtech": 0.1, "t": 0.0,
                "threshold": 0.35, "terms": [term],
            },
            "tellings": [{"id": "t1", "ts": at, "role": "user", "origin": "owner", "session": "s1"}],
            "history": [{"id": id, "text": "We deploy on Fridays.", "valid_from": at, "valid_to": None}],
            "relations": [{"kind": "same_subject", "id": "m3", "of": "memory", "text": "We use Go."}],
            "uses": [{"receipt_id": "r1", "at": at, "session": "s1", "outcome": "used"}],
            "journal": [self._journal()["entries"][0]],
        }  # fmt: skip

    def _list(self, *, sort: Any, **_: Any) -> Any:
        kept = {"confidence": 0.6, "priority": 100, "confirmations": 1, "expires": None, "pinned": True}
        return {"items": [{**HIT, **kept, "superseded": False}], "next": f"{sort}.0.1.2"}

    def _recent(self, **_: Any) -> Any:
        return {"items": [HIT]}

    def _stats(self, **_: Any) -> Any:
        return {"kinds": {"turn": 3}, "states": {"active": 1}, "corrections": 1, "sizes": {"db_bytes": 4_096}}

    def _recap(self, *, session: Any, **_: Any) -> Any:
        return {"session": session, "cue": "3 turns", "items": [HIT], "truncated": True}

    def _episodes(self, **_: Any) -> Any:
        at = 1_775_001_600_000
        one = {
            "session": "s1",
            "start": at,
            "end": at,
            "turns": 3,
            "about": ["deploy"],
            "names": ["src/app.py"],
        }
        return {"episodes": [one], "more": 2}

    def _kept(self, *, id: str, **_: Any) -> Any:  # noqa: A002 - the protocol's word
        return {"id": id, "priority": 90, "priority_by": "person", "expires": 1_775_001_600_000, "ttl_by": "type",
                "pinned": False, "journal_id": 8}  # fmt: skip

    _set_priority = _pin = _unpin = _extend = _kept

    def _archive(self, *, dry_run: bool, **_: Any) -> Any:
        items = [{"id": "m1", "kind": "memory", "type": "todo", "text": "Call Ada."}]
        return {"archived": 0 if dry_run else 2, "would_archive": 2, "ids": ["m1"], "items": items, "more": 3,
                "dry_run": dry_run, "journal_id": None if dry_run else 9}  # fmt: skip

    def _unarchive(self, *, ids: Any, **_: Any) -> Any:
        return {
            "unarchived": len(ids),
            "ids": ids,
            "items": [{"id": ids[0], "kind": "memory"}],
            "journal_id": 9,
        }

    def _undo(self, *, journal_id: Any, last: Any, **_: Any) -> Any:
        return {"undone": journal_id if last is None else 9, "verb": "supersede", "ids": ["m1"]}

    def _journal(self, **_: Any) -> Any:
        items = [{"id": "m1", "changed": {"superseded_by": [None, 4], "active": [1, 0]}}]
        entry = {"id": 7, "at": 1_775_001_600_000, "verb": "supersede", "actor": "libra", "items": items}
        return {"entries": [{**entry, "made": ["m2"], "undone": None}]}

    def _calibrate(self, **_: Any) -> Any:
        blocks = [
            {"from": 0.35, "to": 0.5, "chance": 0.4, "labels": 20},
            {"from": 0.5, "to": 1.0, "chance": 0.9, "labels": 32},
        ]
        return {
            "labels": 52, "needed": 50, "causes": {"used": 40, "unused": 12}, "curve": blocks, "threshold": 0.5,
            "default_threshold": 0.35, "calibrated": True,
        }  # fmt: skip

    def _flush(self, *, path: Any, **_: Any) -> Any:
        return {"ok": True, "following": path is not None}

    def _ingest(self, *, turns: Any, **_: Any) -> Any:
        return {"accepted": len(turns), "duplicates": 0, "ids": [str(i) for i, _ in enumerate(turns)]}

    def _drain(self, **_: Any) -> Any:
        return {"pending": self.pending}

    def _partition(self, *, path: Any, name: Any, text: Any) -> Any:
        node = {"tier": "hard", "kind": "list_item", "text": "Use\ntabs.", "lines": [1, 2], "tokens": 3}
        return {"nodes": [node], "tokens": {"hard": 3, "soft": 0, "lore": 0}, "degraded": []}

    def _pause(self, *, seconds: Any, **_: Any) -> Any:
        return {"paused_until": "resumed" if seconds is None else 1_775_001_600_000}

    def _off_record(self, **_: Any) -> Any:
        return {"forgotten": 3, "counts": {"turn": 2, "memory": 1}, "ids": [], "items": [], "dry_run": False}

    def _resume(self, **_: Any) -> Any:
        return {"ok": True}

    def _shutdown(self) -> Any:
        return {"ok": True}


@pytest.fixture
def libra(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return the program on an empty data folder."""
    return Program(data_dir, monkeypatch)


@pytest.fixture
def engine(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    """Yield a fake engine that listens where the commands look."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("LIBRA_SOCKET", raising=False)
    fake = FakeEngine()
    methods = Methods("anna")
    methods.attach(fake)
    server = Server(methods, endpoint(places(str(data_dir))))
    server.start()
    yield fake
    server.stop()


@pytest.fixture
def app(data_dir: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """Yield an engine without background work that listens where the commands look."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("LIBRA_SOCKET", raising=False)
    store = Store.open(data_dir / "libra.db", StoreParams(), clock)
    deps = Deps(
        store=store, model=ModelSlot(), params=EngineParams(default_user="anna"), clock=clock, zone=UTC
    )
    engine = Engine(deps)
    methods = Methods("anna")
    methods.attach(engine)
    server = Server(methods, endpoint(places(str(data_dir))))
    server.start()
    yield engine
    server.stop()
    store.close()
