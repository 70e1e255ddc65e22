"""Commands that show what is kept, and say how long and how much it counts: calls to the running app."""

from __future__ import annotations

import argparse

from libra.cli import show_browse
from libra.cli.remote import Json, answer, call, chosen, given, times, who, within


def list_(args: argparse.Namespace) -> int:
    """``libra list``."""
    params = given(args, "kinds", "types", "scopes", "archive", "sort", "k", "after")
    params |= within(args)
    result = call(args, "list", {"who": who(args), **params, **times(args, "since", "until")})
    return answer(args, result, show_browse.listed(result))


def recent(args: argparse.Namespace) -> int:
    """``libra recent``."""
    result = call(args, "recent", {"who": who(args), **given(args, "k")})
    return answer(args, result, show_browse.listed(result))


def _kept(args: argparse.Namespace, method: str, *names: str) -> int:
    result = call(args, method, {"who": who(args), **given(args, "id", "origin", *names)})
    return answer(args, result, show_browse.kept_by(result))


def set_priority(args: argparse.Namespace) -> int:
    """``libra set-priority``."""
    return _kept(args, "set_priority", "priority")


def pin(args: argparse.Namespace) -> int:
    """``libra pin``."""
    return _kept(args, "pin")


def unpin(args: argparse.Namespace) -> int:
    """``libra unpin``."""
    return _kept(args, "unpin")


def extend(args: argparse.Namespace) -> int:
    """``libra extend``."""
    return _kept(args, "extend", "days")


def archive(args: argparse.Namespace) -> int:
    """``libra archive``."""
    params: Json = {"who": who(args), **chosen(args), **given(args, "origin"), "dry_run": args.dry_run}
    result = call(args, "archive", params)
    return answer(args, result, show_browse.archived(result))


def unarchive(args: argparse.Namespace) -> int:
    """``libra unarchive``."""
    result = call(args, "unarchive", {"who": who(args), **given(args, "ids", "origin")})
    return answer(args, result, show_browse.unarchived(result))


def stats(args: argparse.Namespace) -> int:
    """``libra stats``."""
    result = call(args, "stats", {"who": who(args)})
    return answer(args, result, show_browse.stats(result))


def _of_session(args: argparse.Namespace) -> Json:
    return {"who": who(args), **({} if args.in_session is None else {"session": args.in_session})}


def recap(args: argparse.Namespace) -> int:
    """``libra recap``."""
    result = call(args, "recap", {**_of_session(args), **given(args, "budget_tokens")})
    return answer(args, result, show_browse.recap(result))


def episodes(args: argparse.Namespace) -> int:
    """``libra episodes``."""
    result = call(args, "episodes", {**_of_session(args), **given(args, "k"), **times(args, "since")})
    return answer(args, result, show_browse.episodes(result))
