"""Where clients of other memories look for theirs: a second listener, when the person asks for it (hosts.md §4.2)."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from pathlib import Path

from libra.ground.errors import LibraError
from libra.rpc.answer import Dispatch
from libra.rpc.server import Server, ServerParams
from libra.rpc.unix_socket import UnixEndpoint

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompatParams:
    """Other memories whose clients are served.

    Attributes:
        libravdb: Listen at ``~/.clawdb/run/libravdb.sock``, too, where clients of LibraVDB look (not on Windows).
    """

    libravdb: bool = False


def libravdb_socket(home: Path) -> Path:
    """Return where clients of LibraVDB look first."""
    return home / ".clawdb" / "run" / "libravdb.sock"


def listen(dispatch: Dispatch, home: Path, params: CompatParams, server: ServerParams) -> Server | None:
    """Serve the same methods at the other place; None if that is not asked for or cannot be.

    Whatever keeps it from listening there, such as the other memory itself, does not keep Libra from running. On
    Windows that place is a port that every user of the machine can reach: it is left alone.
    """
    if not params.libravdb or sys.platform == "win32":
        return None
    place = libravdb_socket(home)
    second = Server(dispatch, UnixEndpoint(place), server)
    try:
        second.start()
    except LibraError as error:
        _LOG.warning("clients of LibraVDB are not served at %s: %s", place, error.message)
        return None
    return second
