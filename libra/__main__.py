"""``python -m libra`` and the console script ``libra``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        # A host waits for this one at every prompt: it must not load the command line.
        from libra.hosts.hook import main as hook

        return hook(sys.argv[2:])
    if sys.argv[1:2] == ["mcp"] and not {"-h", "--help"} & set(sys.argv):
        # A host waits for its tools, some not for long: the other commands are not loaded for it.
        from libra.cli.mcp import main as mcp

        return mcp(sys.argv[2:])
    from libra.cli import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
