"""Whose program is at the other end of a connection on this machine, where the system tells.

Other users of a machine reach its loopback ports too, and the list of processes shows them the link that a browser
is started with. Linux names the owner of every connection; there nobody else gets as far as the link.
"""

from __future__ import annotations

import os
import socket
import sys
from enum import Enum
from pathlib import Path

_TABLE = Path("/proc/net/tcp")
_OWN, _OTHER, _UID, _INODE = 1, 2, 7, 9
"""Columns of the table: its own end, the other end, the owner, the socket's number. Source: Linux,
Documentation/networking/proc_net_tcp.rst."""
_LOOKS = 3
"""The table is given out in parts while it changes: a line may be missed once."""
_NOBODYS = "0"
"""A socket whose program has gone has this number, and is said to be root's."""


class Peer(Enum):
    """Whose program is at the other end."""

    OURS = "ours"
    FOREIGN = "foreign"
    GONE = "gone"
    """The connection is over already: there is nobody to answer."""


def peer_of(near: tuple[str, int], far: tuple[str, int], table: Path = _TABLE) -> Peer:
    """Return whose the far end of an IPv4 connection is; ours where nobody can tell.

    Args:
        near: Address and port of this end.
        far: Address and port of the other end.
        table: Linux' list of connections.
    """
    if sys.platform != "linux":
        return Peer.OURS
    wanted = [_written(far), _written(near)]
    for _ in range(_LOOKS):
        try:
            lines = table.read_text("ascii").splitlines()[1:]
        except (OSError, UnicodeDecodeError):
            return Peer.OURS
        told = False
        for line in lines:
            columns = line.split()
            told = told or columns[_OWN : _OWN + 1] == wanted[1:]
            if len(columns) > _INODE and columns[_OWN : _OTHER + 1] == wanted:
                if columns[_INODE] == _NOBODYS:
                    return Peer.GONE
                return Peer.OURS if int(columns[_UID]) in {os.geteuid(), 0} else Peer.FOREIGN
        if not told:  # as in some sandboxes: a table without our own end says nothing of the other one
            return Peer.OURS
    return Peer.GONE


def _written(end: tuple[str, int]) -> str:
    """Return an address as the table writes it: the four bytes as one number of this machine's byte order, in hex."""
    number = int.from_bytes(socket.inet_aton(end[0]), sys.byteorder)
    return f"{number:08X}:{end[1]:04X}"
