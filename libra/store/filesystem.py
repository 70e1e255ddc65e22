"""Whether a folder lies on a file system on which SQLite's WAL can be trusted."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_FOREIGN = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "smb2", "9p", "virtiofs", "vboxsf", "vmhgfs", "prl_fs", "drvfs",
    "afs", "ceph", "glusterfs", "lustre", "ncpfs", "webdav", "davfs", "afpfs",
})  # fmt: skip
"""Network and host-shared file systems: their shared memory and locks are not one machine's (lessons.md C70)."""
_DRIVE_REMOTE = 4
_MNT_LOCAL = 0x1000


def is_local(folder: Path) -> bool:
    """Say whether ``folder`` lies on a file system of this machine. When it cannot be told: yes."""
    real = os.path.realpath(folder)
    if sys.platform == "win32":
        return _local_windows(real)
    if sys.platform == "darwin":
        return _local_mac(real)
    try:
        table = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
    except OSError:
        return True
    return not is_foreign(mounted_type(real, table))


def is_foreign(fs_type: str) -> bool:
    """Say whether a Linux file system type is a network's, a virtual machine's or somebody's FUSE program."""
    return fs_type in _FOREIGN or (fs_type.startswith("fuse") and fs_type not in {"fuseblk", "fuse.lxcfs"})


def mounted_type(real: str, mountinfo: str) -> str:
    """Return the type of the file system that holds ``real``: the longest mount point that leads to it.

    Args:
        real: An absolute path without symbolic links.
        mountinfo: Text of ``/proc/self/mountinfo``.
    """
    best, found = -1, ""
    for line in mountinfo.splitlines():
        left, sep, right = line.partition(" - ")
        fields = left.split(" ")
        if not sep or len(fields) < 5:  # noqa: PLR2004 - proc(5): the mount point is the fifth field
            continue
        point = fields[4].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        # A later line for the same point lies on top of the earlier one.
        if inside and len(point) >= best:
            best, found = len(point), right.split(" ")[0]
    return found


def _local_windows(real: str) -> bool:  # pragma: no cover - only there
    if real.startswith("\\\\"):
        return False
    windll = getattr(ctypes, "windll", None)
    drive = os.path.splitdrive(real)[0] + "\\"
    return windll is None or int(windll.kernel32.GetDriveTypeW(drive)) != _DRIVE_REMOTE


def _local_mac(real: str) -> bool:  # pragma: no cover - only there
    class StatFs(ctypes.Structure):
        """The head of macOS's ``struct statfs`` (64-bit inodes), up to the flags."""

        _fields_ = [
            ("bsize", ctypes.c_uint32), ("iosize", ctypes.c_int32), ("blocks", ctypes.c_uint64 * 5),
            ("fsid", ctypes.c_int32 * 2), ("owner", ctypes.c_uint32), ("type", ctypes.c_uint32),
            ("flags", ctypes.c_uint32), ("rest", ctypes.c_byte * 4096),
        ]  # fmt: skip

    answer = StatFs()
    try:
        failed = ctypes.CDLL(None).statfs(os.fsencode(real), ctypes.byref(answer))
    except (OSError, AttributeError):
        return True
    return bool(failed) or bool(answer.flags & _MNT_LOCAL)
