"""``libra open``: the local page in the person's browser."""

from __future__ import annotations

import argparse

from libra.cli.reaching import places_of
from libra.cli.remote import answer, call


def open_(args: argparse.Namespace) -> int:
    """``libra open``."""
    result = call(args, "open_page", {})
    lines = [result["url"], f"This link opens the page once, within {result['expires_s']:.0f} seconds."]
    if not (args.no_browser or args.json):
        from libra.desktop.browser import show

        if show(result["url"], places_of(args).run):
            lines = ["The page opens in your browser. If it does not, follow this link, once:", result["url"]]
    return answer(args, result, "\n".join(lines))
