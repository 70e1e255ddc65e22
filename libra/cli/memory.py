"""Commands about single memories: calls to the running app."""

from __future__ import annotations

import argparse

from libra.cli import show_memory
from libra.cli.remote import answer, call, given, times, who
from libra.ground.errors import InvalidParams


def confirm(args: argparse.Namespace) -> int:
    """``libra confirm``."""
    result = call(args, "confirm", {"who": who(args), **given(args, "id", "origin")})
    return answer(args, result, show_memory.confirmed(result))


def correct(args: argparse.Namespace) -> int:
    """``libra correct``."""
    result = call(args, "correct", {"who": who(args), **given(args, "id", "text", "origin")})
    return answer(args, result, show_memory.corrected(result))


def explain(args: argparse.Namespace) -> int:
    """``libra explain``."""
    result = call(args, "explain", {"who": who(args), "id": args.id})
    return answer(args, result, show_memory.explained(result))


def undo(args: argparse.Namespace) -> int:
    """``libra undo``: a number of the journal, or ``last``."""
    if args.change != "last" and not args.change.isdecimal():
        raise InvalidParams("undo needs a number of the journal, or the word last", where="journal_id")
    what = {"last": True} if args.change == "last" else {"journal_id": int(args.change)}
    result = call(args, "undo", {"who": who(args), **what})
    return answer(args, result, show_memory.undone(result))


def journal(args: argparse.Namespace) -> int:
    """``libra journal``."""
    result = call(args, "journal", {"who": who(args), **given(args, "limit"), **times(args, "since")})
    return answer(args, result, show_memory.journal(result))


def calibrate(args: argparse.Namespace) -> int:
    """``libra calibrate``."""
    result = call(args, "calibrate", {})
    return answer(args, result, show_memory.calibration(result))
