"""``libra doctor``: is everything there that Libra needs? Works without a running app and changes nothing."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import stat
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from libra import __version__
from libra.cli import EXIT_FAILED, EXIT_OK, output
from libra.cli.doctor_desktop import DESKTOP_LOOKS
from libra.cli.finding import FAILURE, OK, WARNING, Finding, Look
from libra.cli.reaching import places_of
from libra.ground import program
from libra.ground.errors import LibraError, NotRunning
from libra.ground.paths import Places
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint
from libra.rpc.lock import is_held

_OLDEST_PYTHON = (3, 11)
_POINTER_BYTES = 8
_FREE_BYTES = 500 * 1000 * 1000
_WATCHES = 8_192
_INSTANCES = 128
_INOTIFY = Path("/proc/sys/fs/inotify")
_ENTRIES_COUNTED = 20_000
_DEEP_S = 120.0

_STYLE = {OK: (output.GREEN, "✓"), WARNING: (output.YELLOW, "!"), FAILURE: (output.RED, "✗")}


def doctor(args: argparse.Namespace) -> int:
    """Run all looks; exit code 1 if one of them is a failure."""
    where = places_of(args)
    findings: list[Finding] = []
    for name, look in LOOKS:
        findings += _guarded(name, look, where)
    if args.deep:
        findings += _guarded("self-check", lambda _where: _deep(args), where)
    failed = any(f.state == FAILURE for f in findings)
    if args.json:
        output.show_json({"ok": not failed, "version": __version__, "checks": [asdict(f) for f in findings]})
    else:
        print("\n".join(_lines(findings)))
    return EXIT_FAILED if failed else EXIT_OK


def _deep(args: argparse.Namespace) -> Iterator[Finding]:
    """Have the running app look over what it has derived, and send its canary."""
    with Client(endpoint(places_of(args)), timeout_s=_DEEP_S) as client:
        done = client.call("self_check", {})
    found = {name: number for name, number in done["faults"].items() if number}
    told = ", ".join(f"{name.replace('_', ' ')}: {number:,}" for name, number in found.items())
    mended = "mended" if done["mended"] else "`libra reindex` and `libra reembed` make it anew"
    yield Finding("derived data", WARNING if found else OK, told or "whole", mended if found else None)
    canary = done["canary"]
    if canary["ok"]:
        yield Finding("canary", OK, "a test turn went from a file to a prompt, and was taken out again")
    elif canary["ok"] is None:
        hint = "what is said of the database above has to be mended first"
        yield Finding("canary", WARNING, "not sent: the database is read-only", hint)
    else:
        yield Finding(
            "canary",
            FAILURE,
            f"a test turn did not get through: {canary['step']} ({canary['reason']})",
            "`libra status` names what is wrong; start Libra anew and try `libra doctor --deep` again",
        )


def _guarded(name: str, look: Look, where: Places) -> list[Finding]:
    """Return a look's findings; whatever it raises is a finding, too. None that is not sound is without what to do."""
    try:
        found = list(look(where))
    except LibraError as error:
        found = [Finding(name, FAILURE, error.message, error.hint)]
    except (OSError, ImportError, ValueError) as error:
        found = [Finding(name, FAILURE, f"{type(error).__name__}: {error}")]
    more = f"what Libra itself wrote of it may stand in {where.logs}"
    return [f if f.state == OK or f.hint else replace(f, hint=more) for f in found]


def _lines(findings: list[Finding]) -> Iterator[str]:
    wide = max(len(f.name) for f in findings)
    for f in findings:
        colour, sign = _STYLE[f.state]
        yield f"{output.paint(sign, colour)} {f.name.ljust(wide)}  {f.detail}"
        if f.hint:
            yield f"  {' ' * wide}  {output.paint(f.hint, output.DIM)}"


def _python(_where: Places) -> Iterator[Finding]:
    ok = sys.version_info >= _OLDEST_PYTHON and struct.calcsize("P") == _POINTER_BYTES
    kind = "one-file build" if program.frozen() else sys.executable
    yield Finding(
        "python",
        OK if ok else FAILURE,
        f"{platform.python_version()} on {platform.system()} {platform.machine()} ({kind})",
        None if ok else "Libra needs a 64-bit Python 3.11 or newer",
    )


def _database_engine(_where: Places) -> Iterator[Finding]:
    """Make a database in a throw-away folder: schema, full-text indexes and vector extension are then proven."""
    from libra.store.store import Store

    with tempfile.TemporaryDirectory(prefix="libra-doctor-") as scratch:
        store = Store.open(Path(scratch) / "libra.db")
        try:
            vectors, reason = store.vec_available, store.vec_reason
        finally:
            store.close()
    yield Finding("sqlite", OK, f"{_release('apsw')} with FTS5 (a database was made and closed)")
    if vectors:
        yield Finding("vec0", OK, f"sqlite-vec {_release('sqlite-vec')} loads")
    else:
        yield Finding(
            "vec0", WARNING, f"sqlite-vec does not load: {reason}", "search goes on without it, slower"
        )


def _release(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "(version unknown)"


def _settings(where: Places) -> Iterator[Finding]:
    from libra.config import load

    load(where.config)
    there = where.config.is_file()
    yield Finding("settings", OK, str(where.config) if there else f"defaults ({where.config} is not there)")


def _model(where: Places) -> Iterator[Finding]:
    """Check the model's hashes, load it and embed a sentence."""
    from libra.config import load
    from libra.inference.embedder import Embedder
    from libra.inference.profiles import find

    wanted = load(where.config).model
    folder = find(wanted.folder or wanted.profile)
    started = time.perf_counter()
    embedder = Embedder.open(folder, dims=wanted.dims, providers=wanted.providers, threads=wanted.threads)
    loaded_s = time.perf_counter() - started
    try:
        embedder.embed_query("Is the model there?")
        started = time.perf_counter()
        embedder.embed_query("Does the model answer?")
        took_ms = (time.perf_counter() - started) * 1000
        name = embedder.manifest.name
        yield Finding(
            "model",
            OK,
            f"{name}, hashes right, loaded in {loaded_s:.1f} s; a question takes {took_ms:.0f} ms on {embedder.provider}",
        )
    finally:
        embedder.close()


def _summarizer(where: Places) -> Iterator[Finding]:
    """Have the model that writes summaries write one, if one is set; without it they are extractive."""
    from libra.compaction.abstractive import Prompt
    from libra.config import load
    from libra.engine.summariser import Summariser

    params = load(where.config).engine.summarizer
    summariser = Summariser(params)
    if not summariser.wanted:
        return
    started = time.perf_counter()
    try:
        summariser.write(lambda _: Prompt("Say it in one word.", "The model is there."), 8, params.timeout_s)
    except LibraError as error:
        yield Finding("summarizer", WARNING, f"{error.message}; summaries are extractive", error.hint)
    else:
        took_s = time.perf_counter() - started
        yield Finding("summarizer", OK, f"{summariser.kind}, wrote a few words in {took_s:.1f} s")
    finally:
        summariser.close()


def _data_folder(where: Places) -> Iterator[Finding]:
    folder = where.data
    existing = next(p for p in (folder, *folder.parents) if p.exists())
    try:
        # The rights alone do not tell: a file system may be read-only, full or over its quota.
        with tempfile.TemporaryFile(dir=existing) as scratch:
            scratch.write(b"x")
    except OSError as error:
        hint = "mend it, or name another folder with --data-dir"
        yield Finding("data folder", FAILURE, f"{existing} cannot be written: {error.strerror}", hint)
        return
    free = shutil.disk_usage(existing).free
    state = OK if free >= _FREE_BYTES else WARNING
    made = "" if folder.exists() else ", will be made"
    yield Finding("data folder", state, f"{folder}{made}, {output.size(free)} free")
    if folder.exists() and os.name == "posix" and stat.S_IMODE(folder.stat().st_mode) & 0o077:
        yield Finding("data folder", WARNING, "other users may look into it", f"chmod 700 {folder}")
    yield from _file_system(existing)


def _file_system(folder: Path) -> Iterator[Finding]:
    from libra.store.filesystem import is_local

    if not is_local(folder):
        yield Finding(
            "data folder",
            WARNING,
            "it is on a network file system; SQLite is slower there and cannot use its WAL",
            "a local folder is better: --data-dir",
        )


def _database(where: Places) -> Iterator[Finding]:
    from libra.store.health import examine
    from libra.store.store import StoreParams

    path = where.database
    if not path.exists():
        yield Finding("database", OK, "none yet")
        return
    params = StoreParams()
    found = examine(path, params.check_bytes, params.busy_ms)
    size = output.size(path.stat().st_size)
    if found.damage is not None:
        hint = f"Libra opens it read-only; `libra restore latest` goes back to the newest backup in {where.backups}"
        yield Finding("database", FAILURE, f"{found.damage.message} ({size})", hint)
    elif not found.writable:
        yield Finding(
            "database", WARNING, f"{path} cannot be written ({size})", "Libra only answers, it learns nothing"
        )
    else:
        yield Finding("database", OK, f"sound, {size}")


def _socket(where: Places) -> Iterator[Finding]:
    try:
        with Client(endpoint(where), timeout_s=2.0) as client:
            health = client.call("health")
    except NotRunning:
        if is_held(where.run / "libra.lock"):
            hint = "it may listen at another socket: --socket, LIBRA_SOCKET or XDG_RUNTIME_DIR"
            yield Finding("app", WARNING, f"a Libra runs on this folder, but not at {where.socket}", hint)
        else:
            yield Finding(
                "app", OK, f"not running; it would listen at {where.socket}", "`libra run` starts it"
            )
        return
    except LibraError as error:
        hint = f"`libra run --replace` puts another in its place; what it wrote last stands in {where.logs}"
        yield Finding("app", FAILURE, f"a Libra is there but does not answer: {error.message}", hint)
        return
    reasons = ", ".join(str(reason) for reason in health.get("degraded") or ())
    state = WARNING if reasons or not health.get("ready") else OK
    told = f"running {health.get('version')} at {where.socket}{f' ({reasons})' if reasons else ''}"
    hint = "`libra status` says more of it; docs/failure-table.md says what to do in each case"
    yield Finding("app", state, told, hint if state == WARNING else None)


def _other_clients(where: Places) -> Iterator[Finding]:
    """Say whether clients of LibraVDB can be served as the settings ask for."""
    from libra.config import load

    wanted = load(where.config).compat
    if not (wanted.libravdb or wanted.grpc):
        return
    if sys.platform == "win32":
        hint = "take compat.libravdb and compat.grpc out of the settings of this machine"
        yield Finding("compat", WARNING, "clients of LibraVDB are not served on Windows", hint)
        return
    missing = [name for name in ("grpc", "google.protobuf") if wanted.grpc and not _importable(name)]
    if missing:
        hint = "pip install 'libra-memory[grpc]'"
        yield Finding("compat", WARNING, "compat.grpc is on, but the extra grpc is not installed", hint)
    else:
        asked = [name for name in ("libravdb", "grpc") if getattr(wanted, name)]
        yield Finding("compat", OK, f"clients of LibraVDB: {', '.join(asked)}")


def _importable(name: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the package that it is in
        return False


def _watching(_where: Places) -> Iterator[Finding]:
    if not _INOTIFY.is_dir():
        return
    found = {}
    for name in ("max_user_watches", "max_user_instances"):
        found[name] = int((_INOTIFY / name).read_text("ascii"))
    enough = found["max_user_watches"] >= _WATCHES and found["max_user_instances"] >= _INSTANCES
    detail = f"{found['max_user_watches']:,} watches, {found['max_user_instances']:,} instances"
    hint = "Libra polls instead where they run out; sysctl fs.inotify.max_user_watches=65536 raises them"
    yield Finding("inotify", OK if enough else WARNING, detail, None if enough else hint)


def _hosts(_where: Places) -> Iterator[Finding]:
    from libra.sources.catalog import Surroundings, survey

    catalog = survey(Surroundings.of_process())
    for talk in catalog.talk:
        if not talk.path.is_dir():
            yield Finding(talk.host, OK, f"not found ({talk.path})")
        elif not os.access(talk.path, os.R_OK | os.X_OK):
            yield Finding(talk.host, WARNING, f"{talk.path} cannot be read", "mend its permissions")
        else:
            yield Finding(talk.host, OK, f"{_transcripts(talk.path)} in {talk.path}")
    for path, problem in catalog.problems.items():
        yield Finding("settings of a host", WARNING, f"{path}: {problem}")


def _transcripts(folder: Path) -> str:
    count = 0
    for seen, path in enumerate(folder.rglob("*")):
        count += path.suffix in {".jsonl", ".sqlite"}
        if seen >= _ENTRIES_COUNTED:
            return f"more than {count:,} transcripts"
    return f"{count:,} transcripts"


LOOKS: tuple[tuple[str, Look], ...] = (
    ("python", _python),
    ("sqlite", _database_engine),
    ("settings", _settings),
    ("model", _model),
    ("summarizer", _summarizer),
    ("data folder", _data_folder),
    ("database", _database),
    ("app", _socket),
    ("compat", _other_clients),
    ("inotify", _watching),
    ("hosts", _hosts),
    *DESKTOP_LOOKS,
)
"""Every look, in the order in which a person wants to know."""
