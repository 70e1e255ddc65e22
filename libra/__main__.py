"""``python -m libra`` and the console script ``libra``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from libra.cli import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
