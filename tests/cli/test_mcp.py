"""``libra mcp``: what it lists is the person's to say."""

from __future__ import annotations

from typing import Any

import pytest

from libra.mcp.tools import SHORT, TOOLS

ASKED = b'{"jsonrpc":"2.0","id":0,"method":"tools/list"}\n'


@pytest.mark.parametrize(
    ("settings", "flags", "wanted"),
    [
        ("", (), SHORT),
        ("[mcp]\nall_tools = false\n", (), SHORT),
        ("[mcp]\nall_tools = true\n", (), tuple(TOOLS)),
        ("", ("--all-tools",), tuple(TOOLS)),
        ("[mcp\n", (), SHORT),
    ],
)
def test_the_tools_that_are_listed(
    libra: Any, settings: str, flags: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    """Few by default, all by the setting or the flag; a broken file keeps no agent from its tools."""
    (libra.data / "config.toml").write_text(settings, "utf-8")
    done = libra("mcp", "--no-start", *flags, stdin=ASKED)
    assert [tool["name"] for tool in done.json["result"]["tools"]] == list(wanted)
