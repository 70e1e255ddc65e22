"""Commands that take words out of everything: calls to the running app."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import orjson

from libra.cli import EXIT_FAILED, EXIT_OK, EXIT_USAGE, output
from libra.cli.remote import Json, answer, call, given, who
from libra.ground.errors import InvalidParams

_SLOW_S = 3_600.0
_LINE_CHARS = 100


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


def rehearse(args: argparse.Namespace) -> int:
    """``libra rehearse``: shows what would be different; with ``--accept`` asks, and writes the settings."""
    wanted = dict(_setting(pair) for pair in args.set)
    params: Json = {"who": who(args), "set": wanted, **given(args, "sessions", "prompts")}
    result = call(args, "rehearse", params, _SLOW_S)
    if args.accept:
        result["accepted"] = _accepted(args, result)
        if result["accepted"]:
            for key, value in wanted.items():
                call(args, "set_setting", {"key": key, "value": value})
    return answer(args, result, _rehearsed(result))


def _setting(pair: str) -> tuple[str, object]:
    """Return a key and its value: JSON where it is such, else the text itself.

    Raises:
        InvalidParams: There is no ``=`` in it.
    """
    key, sign, value = pair.partition("=")
    if not sign or not key.strip():
        raise InvalidParams("--set: expected key=value", where="set")
    try:
        return key.strip(), orjson.loads(value)
    except orjson.JSONDecodeError:
        return key.strip(), value.strip()


def _accepted(args: argparse.Namespace, result: Json) -> bool:
    if args.yes:
        return True
    if args.json or not sys.stdin.isatty():
        output.note("libra: rehearse writes settings only with --yes, or when you say so at the keyboard")
        return False
    output.note(_rehearsed(result))
    output.note("Write these settings? They hold from the next start on. [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _rehearsed(result: Json) -> str:
    changed, prompts, sessions = (output.count(result[n]) for n in ("changed_prompts", "prompts", "sessions"))
    lines = [f"{changed} of {prompts} prompts of {sessions} sessions would be different"]
    for name, sign in (("appear", "+"), ("vanish", "-")):
        lines += [
            f"  {sign} {_line(item['text'])}  ({item['kind']}, {item['prompts']} prompts)"
            for item in result[name]
        ]
    lines += [f"  would be learnt: {_line(text)}" for text in result["learnt"]]
    lines += [f"  would not be learnt: {_line(text)}" for text in result["not_learnt"]]
    for name, unit in (("tokens", "tokens a prompt"), ("ms", "ms a prompt")):
        lines.append(f"  {unit}: {result[name]['before']} before, {result[name]['after']} after")
    lines += [f"  {key} would apply to {to}" for key, to in result["reach"].items()]
    if result.get("accepted"):
        lines.append("written; it holds from the next start on")
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())[:_LINE_CHARS]


def reapply(args: argparse.Namespace) -> int:
    """``libra reapply``."""
    return _begun(args, call(args, "reapply", {}))


def mirror(args: argparse.Namespace) -> int:
    """``libra mirror``."""
    result = call(args, "mirror", {}, _SLOW_S)
    lines = [f"{result['folder']}: {output.count(result['files'])} files written"]
    lines += [
        f"  {name}: {output.count(len(result[name]))}"
        for name in ("updated", "archived", "added")
        if result[name]
    ]
    lines += [
        f"  kept on both sides, since both had changed: {c['id'] or 'a new item'}"
        for c in result["conflicts"]
    ]
    return answer(args, result, "\n".join(lines))
