"""Commands that move memory: export to a file, import from one, through the running app."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import orjson

from libra.cli import EXIT_FAILED, EXIT_OK, output
from libra.cli.reaching import client_of
from libra.cli.remote import answer, who
from libra.ground.errors import InvalidParams

Json = dict[str, Any]

_SLOW_S = 600.0
_PART_RECORDS = 500
_PART_BYTES = 1_000_000
_TOTALS = ("records", "new", "known", "differs", "forgotten", "refused", "unlinked", "invalid", "cleaned")


def export(args: argparse.Namespace) -> int:
    """``libra export``: one JSON record a line, to a file (published when it is whole) or to standard output."""
    if args.path in (None, "-"):
        _write(args, sys.stdout.buffer, lambda _done, _all: None)
        sys.stdout.buffer.flush()
        return EXIT_OK
    target = Path(args.path)
    partial = target.with_name(target.name + ".partial")
    bar = _Line("exported")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:  # noqa: PTH123 - private from its first byte
            count = _write(args, file, bar.show, str(target.absolute()))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except OSError as error:
        raise InvalidParams(f"{target} cannot be written: {error.strerror}", where="path") from error
    finally:
        bar.end()
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    result: Json = {"path": str(target.absolute()), "records": count, "bytes": target.stat().st_size}
    return answer(args, result, f"{output.count(count)} records, {output.size(result['bytes'])}: {target}")


def _write(
    args: argparse.Namespace, file: IO[bytes], shown: Callable[[int, int], None], to: str | None = None
) -> int:
    """Write all pages; return how many records there were."""
    params: Json = {"who": who(args), "everybody": not args.mine, "vectors": args.vectors}
    if to is not None:
        params["to"] = to
    done = total = 0
    with client_of(args) as client:
        while True:
            page = client.call("export", params, timeout_s=_SLOW_S)
            total = total or sum(page.get("counts", {}).values())
            for record in page["records"]:
                file.write(orjson.dumps(record) + b"\n")
            done += len(page["records"])
            shown(done, total)
            if page["next"] is None:
                return done
            params["after"] = page["next"]


def import_(args: argparse.Namespace) -> int:
    """``libra import``: exit code 1 if something was refused, or ``verify`` found a difference."""
    from libra.cli.opening import Bounds, records

    path = Path(args.path)
    step = "dry_run" if args.step == "run" and args.dry_run else args.step
    size = path.stat().st_size if path.is_file() else 0
    bar = _Line("read")
    total: Json = dict.fromkeys(_TOTALS, 0) | {"ok": True, "kinds": {}, "faults": []}
    try:
        system, found = records(path, args.system, Bounds(), lambda done: bar.show(done, size))
        with client_of(args) as client:
            for part in _parts(found):
                params = {"who": who(args), "records": part, "step": step, "everybody": not args.mine}
                _add(total, client.call("import_records", params, timeout_s=_SLOW_S))
    finally:
        bar.end()
    result = {"step": step, "system": system, **total}
    answer(args, result, _told(result))
    return EXIT_OK if total["ok"] else EXIT_FAILED


def _parts(found: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield records in parts that fit into one call."""
    part: list[Any] = []
    size = 0
    for record in found:
        # What is no object is handed on as one without a kind: the app counts it as broken.
        part.append(record if isinstance(record, dict) else {})
        size += len(orjson.dumps(record))
        if len(part) >= _PART_RECORDS or size >= _PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _add(total: Json, result: Json) -> None:
    before = total["records"]
    for name in _TOTALS:
        total[name] += result[name]
    total["ok"] = total["ok"] and result["ok"]
    for kind, n in result["kinds"].items():
        total["kinds"][kind] = total["kinds"].get(kind, 0) + n
    total["faults"] += [fault | {"index": before + fault["index"]} for fault in result["faults"]]
    del total["faults"][_MOST_FAULTS:]


_MOST_FAULTS = 20
_WORDS = {
    "new": "new", "known": "known already", "differs": "known with other words (left as they are here)",
    "forgotten": "kept out: you had them forgotten", "refused": "refused: another user's",
    "unlinked": "left out: what they refer to is not here", "invalid": "broken", "cleaned": "cleaned of secrets or marks",
}  # fmt: skip
_TITLES = {
    "check": "Looked at", "dry_run": "Tried, nothing was changed:", "run": "Imported:", "verify": "Compared with what is kept:",
}  # fmt: skip


def _told(result: Json) -> str:
    lines = [f"{_TITLES[result['step']]} {output.count(result['records'])} records of {result['system']}"]
    lines += [f"  {output.count(result[name])} {words}" for name, words in _WORDS.items() if result[name]]
    lines += [f"  record {fault['index'] + 1}: {fault['reason']}" for fault in result["faults"]]
    if result["step"] == "verify":
        lines.append("everything is here, word for word" if result["ok"] else "not everything is here")
    return "\n".join(lines)


class _Line:
    """A line on a terminal's standard error that says how far it is; nothing where there is no terminal."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._shown = -1
        self._on = sys.stderr.isatty()

    def show(self, done: int, total: int) -> None:
        """Show a share of the whole."""
        percent = min(100 * done // total, 100) if total else 0
        if self._on and percent != self._shown:
            self._shown = percent
            sys.stderr.write(f"\r{percent:3d} % {self._verb}")
            sys.stderr.flush()

    def end(self) -> None:
        """End the line."""
        if self._shown >= 0:
            sys.stderr.write("\n")
            self._shown = -1
