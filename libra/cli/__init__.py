"""The command line. Most commands are clients of the running app and load nothing heavy (lessons.md C107)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_NOT_RUNNING = 3


def main(argv: Sequence[str]) -> int:
    """Run one command.

    Args:
        argv: The words after the program's name.

    Returns:
        0 ok, 1 failed, 2 usage, 3 not running (protocol.md, Commands).
    """
    from libra.cli import output
    from libra.cli.parser import parse
    from libra.ground.errors import LibraError

    # ONNX Runtime would else send usage data over the network from the moment it is imported, and leave an id of
    # this machine in the home folder. Libra opens no connection, ever.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    output.force_utf8()
    args = None
    try:
        args = parse(argv)
        code: int = args.run(args)
        sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILED
    except LibraError as error:
        output.show_error(error, as_json=args is not None and args.json)
        return exit_code(error)
    except KeyboardInterrupt:
        return EXIT_FAILED
    except BrokenPipeError:
        # The reader of our output has gone (`libra search … | head`): nobody is left to tell.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    return code


def exit_code(error: Exception) -> int:
    """Return the exit code for an error."""
    from libra.ground.errors import InvalidParams, NotRunning

    if isinstance(error, NotRunning):
        return EXIT_NOT_RUNNING
    return EXIT_USAGE if isinstance(error, InvalidParams) else EXIT_FAILED
