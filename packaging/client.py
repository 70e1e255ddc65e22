"""The second program: what hosts start at their hooks and for MCP. It loads no model, no database, nothing heavy.

The one-file program unpacks itself at every start, which a host would wait for at every prompt. This one lies ready in
a folder (:mod:`libra.hosts.client`) and only speaks with the Libra that runs.

    libra-client <host> [<event>] [--socket PATH]      a hook
    libra-client mcp [--host NAME]                     MCP on standard input and output
"""

from __future__ import annotations

import sys


def main() -> int:
    """Answer a hook, or serve MCP; return the exit code."""
    if sys.argv[1:2] == ["mcp"]:
        from libra.cli.mcp import main as mcp

        return mcp(sys.argv[2:])
    from libra.hosts.hook import main as hook

    return hook(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
