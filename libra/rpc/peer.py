"""Who is at the other end of a Unix socket, as the operating system tells it."""

from __future__ import annotations

import os
import socket
import struct
import sys

_LINUX_UCRED = struct.Struct("3i")
_MAC_SOL_LOCAL = 0
_MAC_LOCAL_PEERCRED = 1
_MAC_XUCRED = struct.Struct("IIh2x16I")
"""struct xucred of sys/ucred.h: version, uid, number of groups, groups."""


def peer_uid(conn: socket.socket) -> int | None:
    """Return the user id of the process that connected, or None where the system cannot tell."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            raw = conn.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX_UCRED.size)
            return int(_LINUX_UCRED.unpack(raw)[1])
        raw = conn.getsockopt(_MAC_SOL_LOCAL, _MAC_LOCAL_PEERCRED, _MAC_XUCRED.size)
        return int(_MAC_XUCRED.unpack(raw)[1])
    except (OSError, struct.error):
        return None


def same_user(conn: socket.socket) -> bool:
    """Return True if the peer runs as this process's user.

    Where the system cannot tell, the socket's own permissions (0600) are the guard.
    """
    uid = peer_uid(conn)
    return uid is None or (sys.platform != "win32" and uid == os.geteuid())
