"""Commands about history and what became of it: calls to the running app."""

from __future__ import annotations

import argparse

from libra.cli import show_history
from libra.cli.remote import answer, call, given, who


def describe(args: argparse.Namespace) -> int:
    """``libra describe``."""
    result = call(args, "describe", {"who": who(args), **given(args, "id", "budget_tokens")})
    return answer(args, result, show_history.described(result))


def grep(args: argparse.Namespace) -> int:
    """``libra grep``."""
    names = ("pattern", "k", "regex", "kinds", "here", "budget_tokens")
    result = call(args, "grep", {"who": who(args), **given(args, *names)})
    return answer(args, result, show_history.grepped(result))


def compaction(args: argparse.Namespace) -> int:
    """``libra compaction report``."""
    result = call(args, "compaction_report", {"who": who(args), **given(args, "k")})
    return answer(args, result, show_history.report(result))
