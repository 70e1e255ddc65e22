"""Commands that are calls to the running app: they load no model, no database, no arithmetic."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from libra.cli import EXIT_FAILED, EXIT_OK, EXIT_USAGE, output, show
from libra.cli.pipes import lines, object_of
from libra.ground.errors import InvalidParams
from libra.ground.paths import Places, places
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint

Json = dict[str, Any]

_SLOW_S = 600.0
_SPARE_S = 10.0
_INGEST_TURNS = 500
_WHO = ("user", "agent", "project", "session", "host")


def places_of(args: argparse.Namespace) -> Places:
    """Return the places that the flags and the environment name."""
    return places(args.data_dir, args.socket, args.config)


def client_of(args: argparse.Namespace) -> Client:
    """Return a client of the app at these places; it connects with its first call."""
    return Client(endpoint(places_of(args)))


def _call(args: argparse.Namespace, method: str, params: Json, timeout_s: float | None = None) -> Any:
    with client_of(args) as client:
        return client.call(method, params, timeout_s=timeout_s)


def _given(args: argparse.Namespace, *names: str) -> Json:
    """Return the arguments that were given, as parameters."""
    values = {name: getattr(args, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _who(args: argparse.Namespace) -> Json:
    """Return who asks; the present folder tells the project."""
    who: Json = _given(args, *_WHO)
    if "project" not in who:
        who["cwd"] = str(Path.cwd())
    return who


def _time(text: str | None) -> str | int | None:
    """Return a time as the socket takes it: a number where the text is one."""
    return int(text) if text is not None and text.lstrip("-").isdigit() else text


def _times(args: argparse.Namespace, *names: str) -> Json:
    found = {name: _time(getattr(args, name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _answer(args: argparse.Namespace, result: Any, human: str) -> int:
    if args.json:
        output.show_json(result)
    elif human:
        print(human)
    return EXIT_OK


def status(args: argparse.Namespace) -> int:
    """``libra status``."""
    params = {"who": _given(args, *_WHO)} if _given(args, *_WHO) else {}
    result = _call(args, "status", params)
    return _answer(args, result, show.status(result))


def sources(args: argparse.Namespace) -> int:
    """``libra sources``: the part of the status that is about reading."""
    result = _call(args, "status", {}).get("sources", {})
    return _answer(args, result, show.sources(result))


def assemble(args: argparse.Namespace) -> int:
    """``libra assemble``."""
    params = {
        "who": _who(args),
        **_given(args, "query", "budget_tokens", "have", "deadline_ms", "explain"),
        **_times(args, "as_of"),
    }
    started = time.perf_counter()
    result = _call(args, "assemble", params)
    took_ms = (time.perf_counter() - started) * 1000
    if args.text and not args.json:
        sys.stdout.write(result["text"])
        return EXIT_OK
    return _answer(args, result, show.assembled(result, took_ms, explain=args.explain))


def search(args: argparse.Namespace) -> int:
    """``libra search``."""
    names = ("query", "k", "kinds", "types", "scopes", "archive", "min_score", "explain")
    params = {"who": _who(args), **_given(args, *names), **_times(args, "since", "until", "as_of")}
    result = _call(args, "search", params)
    return _answer(args, result, show.hits(result, explain=args.explain))


def get(args: argparse.Namespace) -> int:
    """``libra get``."""
    result = _call(args, "get", {"who": _who(args), "id": args.id})
    return _answer(args, result, show.record(result))


def expand(args: argparse.Namespace) -> int:
    """``libra expand``."""
    result = _call(args, "expand", {"who": _who(args), **_given(args, "id", "depth", "budget_tokens")})
    return _answer(args, result, show.expanded(result))


def compact(args: argparse.Namespace) -> int:
    """``libra compact``."""
    params = {"who": _who(args), **_given(args, "force", "budget_tokens")}
    result = _call(args, "compact", params, _SLOW_S)
    return _answer(args, result, show.compacted(result))


def remember(args: argparse.Namespace) -> int:
    """``libra remember``."""
    wish = _given(args, "text", "type", "origin", "priority", "ttl_ms")
    result = _call(args, "remember", {"who": _who(args), **wish})
    return _answer(args, result, show.kept(result))


def update(args: argparse.Namespace) -> int:
    """``libra update``."""
    wish = _given(args, "id", "text", "type", "origin", "priority", "ttl_ms")
    result = _call(args, "update", {"who": _who(args), **wish})
    return _answer(args, result, show.kept(result))


def flush(args: argparse.Namespace) -> int:
    """``libra flush``."""
    params = {} if args.path is None else {"path": os.path.abspath(args.path)}  # noqa: PTH100 - links stay as named
    result = _call(args, "flush", params)
    return _answer(args, result, "reading it" if result["following"] else "nothing new to read")


def forget(args: argparse.Namespace) -> int:
    """``libra forget``: says what would go, asks, deletes."""
    if not args.ids and not args.query:
        raise InvalidParams("forget needs ids or --query", where="ids")
    params: Json = {"who": _who(args), **_given(args, "query")}
    if args.ids:
        params["ids"] = args.ids
    if not args.dry_run and not args.yes:
        planned = _call(args, "forget", {**params, "dry_run": True})
        if not _agreed(args, show.forgotten(planned)):
            return EXIT_USAGE
    result = _call(args, "forget", {**params, "dry_run": args.dry_run}, _SLOW_S)
    return _answer(args, result, show.forgotten(result))


def _agreed(args: argparse.Namespace, planned: str) -> bool:
    """Ask the person; without one at the keyboard the answer is no."""
    if args.json or not sys.stdin.isatty():
        output.note("libra: forget deletes for good: add --yes to do so, or --dry-run to see what would go")
        return False
    output.note(planned)
    output.note("Delete this for good? [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def ingest(args: argparse.Namespace) -> int:
    """``libra ingest``: turns from standard input, some hundred a call."""
    total: Json = {"accepted": 0, "duplicates": 0, "ids": []}
    part: list[Json] = []
    done = 0
    with client_of(args) as client:

        def send() -> None:
            nonlocal done
            params: Json = {"who": _who(args), "turns": part}
            if args.request_id is not None:
                params["request_id"] = args.request_id if not done else f"{args.request_id}+{done}"
            result = client.call("ingest", params, timeout_s=_SLOW_S)
            done += len(part)
            for name in ("accepted", "duplicates"):
                total[name] += result.get(name, 0)
            total["ids"] += result.get("ids", [])
            part.clear()

        for number, raw in lines():
            part.append(object_of(number, raw))
            if len(part) == _INGEST_TURNS:
                send()
        if part:
            send()
    human = (
        f"{output.count(total['accepted'])} turns stored, {output.count(total['duplicates'])} known already"
    )
    return _answer(args, total, human)


def drain(args: argparse.Namespace) -> int:
    """``libra drain``: exit code 1 if something is still waiting."""
    params = _given(args, "timeout_ms")
    timeout_s = (args.timeout_ms or 30_000) / 1000 + _SPARE_S
    result = _call(args, "drain", params, timeout_s)
    left = result.get("pending", 0)
    _answer(args, result, f"{output.count(left)} still waiting" if left else "nothing is waiting")
    return EXIT_FAILED if left else EXIT_OK


def pause(args: argparse.Namespace) -> int:
    """``libra pause``."""
    result = _call(args, "pause", _given(args, "seconds", "project"))
    until = result.get("paused_until")
    return _answer(args, result, f"paused until {output.moment(until)}" if until else "paused until resumed")


def resume(args: argparse.Namespace) -> int:
    """``libra resume``."""
    return _answer(args, _call(args, "resume", _given(args, "project")), "learning again")


def shutdown(args: argparse.Namespace) -> int:
    """``libra shutdown``: returns once the app has gone."""
    places = places_of(args)
    result = _call(args, "shutdown", {})
    _wait_until_gone(places)
    return _answer(args, result, "libra has stopped")


def _wait_until_gone(where: Places) -> None:
    from libra.rpc.lock import is_held

    end = time.monotonic() + _SPARE_S
    while is_held(where.run / "libra.lock") and time.monotonic() < end:
        time.sleep(0.05)


def partition(args: argparse.Namespace) -> int:
    """``libra partition``."""
    if args.path == "-":
        params: Json = {"name": "stdin", "text": sys.stdin.read()}
    else:
        params = {"path": os.path.abspath(args.path)}  # noqa: PTH100 - links stay as they are named
    result = _call(args, "partition", params)
    return _answer(args, result, show.partitioned(result))
