"""Commands that take words out of everything: calls to the running app."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from libra.cli import EXIT_FAILED, EXIT_OK, EXIT_USAGE, output
from libra.cli.remote import Json, answer, call, given, who

_SLOW_S = 3_600.0


def scrub(args: argparse.Namespace) -> int:
    """``libra scrub``: says what it would do, asks, does it; exit code 1 if a file still holds a word."""
    words = sys.stdin.readline().rstrip("\r\n") if args.words == "-" else args.words
    params: Json = {"who": who(args), "pattern" if args.regex else "text": words, **given(args, "confirm")}
    if args.dry_run or not args.yes:
        planned = call(args, "scrub", {**params, "dry_run": True}, _SLOW_S)
        if args.dry_run:
            return answer(args, planned, _told(planned))
        if not _agreed(args, planned):
            return EXIT_USAGE
        params.setdefault("confirm", planned["values"])
    result = call(args, "scrub", {**params, "dry_run": False}, _SLOW_S)
    answer(args, result, _told(result))
    return EXIT_OK if result["ok"] else EXIT_FAILED


def _agreed(args: argparse.Namespace, planned: Json) -> bool:
    """Ask the person; without one at the keyboard the answer is no."""
    if args.json or args.words == "-" or not sys.stdin.isatty():
        output.note(
            "libra: scrub changes what is kept for good: add --yes to do so, or --dry-run to see what would change"
        )
        return False
    output.note(_told(planned))
    output.note("Take this out for good? [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _told(result: Json) -> str:
    many = output.count(result["values"])
    lines = [
        f"{many} values {'hold' if result['dry_run'] else 'held'} {output.count(result['words'])} such words"
    ]
    lines += [f"  {output.count(n)} in {where}" for where, n in result["found"].items()]
    lines += [f"  changed: {output.count(n)} in {where}" for where, n in result["changed"].items()]
    lines += [f"  still in the file of another program: {path}" for path in result["origins"]]
    if result["dry_run"]:
        lines += [f"  in the bytes of {f['path']}: {output.count(f['hits'] or 0)}" for f in result["files"]]
        return "\n".join(lines)
    lines.append(f"searched {output.count(result['searched'])} files byte by byte")
    if result["ok"]:
        lines.append("no such word is left in any of them")
    for file in result["left"]:
        what = "cannot be read" if file["hits"] is None else f"holds {output.count(file['hits'])} still"
        lines.append(f"  {file['path']} {what}")
    return "\n".join(lines)


def vacuum(args: argparse.Namespace) -> int:
    """``libra vacuum``."""
    return _begun(args, call(args, "vacuum", {"whole": args.whole}, _SLOW_S))


def reindex(args: argparse.Namespace) -> int:
    """``libra reindex``: counts what is missing or too much, then begins."""
    result = call(args, "reindex", {"dry_run": args.dry_run}, _SLOW_S)
    lines = [f"  {output.count(n)} {name.replace('_', ' ')}" for name, n in result["faults"].items() if n]
    found = "\n".join(["found:", *lines]) if lines else "nothing is missing, nothing too much"
    return _begun(args, result, found)


def reembed(args: argparse.Namespace) -> int:
    """``libra reembed``."""
    params = {} if args.model is None else {"model": str(_named(args.model))}
    return _begun(args, call(args, "reembed", params, _SLOW_S))


def _named(model: str) -> Path | str:
    """Return a model's name, or the whole path of its folder: the app runs elsewhere."""
    folder = Path(model).expanduser()
    return folder.absolute() if folder.is_dir() else model


def _begun(args: argparse.Namespace, result: Json, before: str | None = None) -> int:
    lines = [] if before is None else [before]
    if "name" in result:
        done, of = output.count(result["done"]), output.count(result["of"])
        lines.append(f"{result['name']}: {done} of {of} done; `libra status` says how far it is")
    return answer(args, result, "\n".join(lines))
