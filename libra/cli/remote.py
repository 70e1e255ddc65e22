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
from libra.cli.reaching import client_of, places_of
from libra.ground.errors import InvalidParams
from libra.ground.paths import Places
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint

Json = dict[str, Any]

_SLOW_S = 600.0
_SPARE_S = 10.0
_INGEST_TURNS = 500
_WHO = ("user", "agent", "project", "session", "host")


def call(args: argparse.Namespace, method: str, params: Json, timeout_s: float | None = None) -> Any:
    """Call a method of the running app."""
    with client_of(args) as client:
        return client.call(method, params, timeout_s=timeout_s)


def given(args: argparse.Namespace, *names: str) -> Json:
    """Return the arguments that were given, as parameters."""
    values = {name: getattr(args, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def who(args: argparse.Namespace) -> Json:
    """Return who asks; the present folder tells the project."""
    who: Json = given(args, *_WHO)
    if "project" not in who:
        who["cwd"] = str(Path.cwd())
    return who


def _time(text: str | None) -> str | int | None:
    """Return a time as the socket takes it: a number where the text is one."""
    return int(text) if text is not None and text.lstrip("-").isdigit() else text


def times(args: argparse.Namespace, *names: str) -> Json:
    """Return the times that were given, as parameters."""
    found = {name: _time(getattr(args, name)) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def chosen(args: argparse.Namespace) -> Json:
    """Return what the flags say of the records that a command is about, as parameters."""
    out = {**given(args, "types", "scopes", "query"), **times(args, "before", "after")}
    out |= {"ids": args.ids} if args.ids else {}
    named = {"project": args.in_project, "session": args.in_session}
    return {**out, **{name: value for name, value in named.items() if value is not None}}


def within(args: argparse.Namespace) -> Json:
    """Return the project and the agent that a list or a search keeps to (``--project`` and ``--agent`` say who asks)."""
    named = {"project": args.in_project, "agent": args.in_agent}
    return {name: value for name, value in named.items() if value is not None}


def answer(args: argparse.Namespace, result: Any, human: str) -> int:
    """Print a result, for a person or as JSON; return the exit code of success."""
    if args.json:
        output.show_json(result)
    elif human:
        print(human)
    return EXIT_OK


def status(args: argparse.Namespace) -> int:
    """``libra status``."""
    params = {"who": given(args, *_WHO)} if given(args, *_WHO) else {}
    result = call(args, "status", params)
    return answer(args, result, show.status(result))


def sources(args: argparse.Namespace) -> int:
    """``libra sources``: the part of the status that is about reading."""
    result = call(args, "status", {}).get("sources", {})
    return answer(args, result, show.sources(result))


def assemble(args: argparse.Namespace) -> int:
    """``libra assemble``."""
    params = {
        "who": who(args),
        **given(args, "query", "budget_tokens", "have", "deadline_ms", "explain"),
        **times(args, "as_of"),
    }
    started = time.perf_counter()
    result = call(args, "assemble", params)
    took_ms = (time.perf_counter() - started) * 1000
    if args.text and not args.json:
        sys.stdout.write(result["text"])
        return EXIT_OK
    return answer(args, result, show.assembled(result, took_ms, explain=args.explain))


def search(args: argparse.Namespace) -> int:
    """``libra search``."""
    names = ("query", "k", "kinds", "types", "scopes", "archive", "min_score", "explain")
    params = {
        "who": who(args),
        **given(args, *names),
        **within(args),
        **times(args, "since", "until", "as_of"),
    }
    result = call(args, "search", params)
    return answer(args, result, show.hits(result, explain=args.explain))


def get(args: argparse.Namespace) -> int:
    """``libra get``."""
    result = call(args, "get", {"who": who(args), "id": args.id})
    return answer(args, result, show.record(result))


def expand(args: argparse.Namespace) -> int:
    """``libra expand``."""
    result = call(args, "expand", {"who": who(args), **given(args, "id", "depth", "budget_tokens")})
    return answer(args, result, show.expanded(result))


def compact(args: argparse.Namespace) -> int:
    """``libra compact``."""
    params = {"who": who(args), **given(args, "force", "budget_tokens")}
    result = call(args, "compact", params, _SLOW_S)
    return answer(args, result, show.compacted(result))


def remember(args: argparse.Namespace) -> int:
    """``libra remember``."""
    wish = given(args, "text", "type", "origin", "priority", "ttl_ms")
    result = call(args, "remember", {"who": who(args), **wish})
    return answer(args, result, show.kept(result))


def update(args: argparse.Namespace) -> int:
    """``libra update``."""
    wish = given(args, "id", "text", "type", "origin", "priority", "ttl_ms")
    result = call(args, "update", {"who": who(args), **wish})
    return answer(args, result, show.kept(result))


def hook(args: argparse.Namespace) -> int:
    """``libra hook``, where flags stand before the word; hosts come by the short way (``libra.__main__``)."""
    from libra.hosts import hook as program

    words = [args.host, *([args.event] if args.event else [])]
    return program.main([*words, "--socket", str(places_of(args).socket)])


def flush(args: argparse.Namespace) -> int:
    """``libra flush``."""
    params = {} if args.path is None else {"path": os.path.abspath(args.path)}  # noqa: PTH100 - links stay as named
    result = call(args, "flush", params)
    return answer(args, result, "reading it" if result["following"] else "nothing new to read")


def forget(args: argparse.Namespace) -> int:
    """``libra forget``: says what would go, asks, deletes."""
    params: Json = {**chosen(args), **given(args, "kinds")}
    if not params:
        raise InvalidParams("forget needs ids, or --query or another flag that chooses", where="ids")
    params |= {"who": who(args), **given(args, "confirm")}
    if not args.dry_run and not args.yes:
        planned = call(args, "forget", {**params, "dry_run": True})
        if not _agreed(args, show.forgotten(planned)):
            return EXIT_USAGE
        # The person has seen this number and said yes to it; another one by now is refused.
        params.setdefault("confirm", planned.get("would_forget") or None)
    result = call(args, "forget", {**params, "dry_run": args.dry_run}, _SLOW_S)
    return answer(args, result, show.forgotten(result))


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
            params: Json = {"who": who(args), "turns": part}
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
    return answer(args, total, human)


def drain(args: argparse.Namespace) -> int:
    """``libra drain``: exit code 1 if something is still waiting."""
    params = given(args, "timeout_ms")
    timeout_s = (args.timeout_ms or 30_000) / 1000 + _SPARE_S
    result = call(args, "drain", params, timeout_s)
    left = result.get("pending", 0)
    answer(args, result, f"{output.count(left)} still waiting" if left else "nothing is waiting")
    return EXIT_FAILED if left else EXIT_OK


def pause(args: argparse.Namespace) -> int:
    """``libra pause``."""
    result = call(args, "pause", {**given(args, "seconds"), **_project(args)})
    return answer(args, result, f"paused until {show.until(result.get('paused_until'))}")


def resume(args: argparse.Namespace) -> int:
    """``libra resume``."""
    result = call(args, "resume", _project(args))
    return answer(args, result, "learning again" if result.get("was_paused", True) else "it was not paused")


def _project(args: argparse.Namespace) -> Json:
    """Return the project that is named, or with ``--here`` the one of the present folder."""
    return {"cwd": str(Path.cwd())} if args.here else given(args, "project")


def off_record(args: argparse.Namespace) -> int:
    """``libra off-record``: without a duration or a session the last ten minutes."""
    params: Json = {"who": who(args), "dry_run": args.dry_run}
    if args.seconds is not None:
        params["minutes"] = max(-(-args.seconds // 60), 1)
    if args.in_session is not None:
        params["session"] = args.in_session
    result = call(args, "off_record", params, _SLOW_S)
    return answer(args, result, show.forgotten(result))


def shutdown(args: argparse.Namespace) -> int:
    """``libra shutdown``: returns once the app has gone."""
    places = places_of(args)
    result = call(args, "shutdown", {})
    _wait_until_gone(places)
    return answer(args, result, "libra has stopped")


def stopped(places: Places) -> None:
    """Have the app end, and wait for it."""
    with Client(endpoint(places)) as client:
        client.call("shutdown", {})
    _wait_until_gone(places)


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
    result = call(args, "partition", params)
    return answer(args, result, show.partitioned(result))
