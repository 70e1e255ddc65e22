"""Which file systems can carry a WAL."""

from __future__ import annotations

from pathlib import Path

import pytest

from libra.store import store as store_module
from libra.store.filesystem import is_foreign, is_local, mounted_type
from libra.store.store import Store
from tests.store.support import QUICK, Handle

_MOUNTS = r"""21 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 21 0:25 / /mnt/share rw - nfs4 server:/export rw
31 21 0:26 / /mnt/with\040space rw - fuse.sshfs me@host: rw
32 30 0:27 / /mnt/share/local rw master:2 - tmpfs tmpfs rw
33 21 0:28 / /mnt/twice rw - ext4 /dev/vdb rw
34 33 0:29 / /mnt/twice rw - cifs //server/x rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/home/me", "ext4"),
        ("/mnt/share", "nfs4"),
        ("/mnt/share/data", "nfs4"),
        ("/mnt/sharedata", "ext4"),
        ("/mnt/share/local/x", "tmpfs"),
        ("/mnt/with space/x", "fuse.sshfs"),
        ("/mnt/twice/x", "cifs"),
    ],
)
def test_longest_mount_point_decides(path: str, found: str) -> None:
    """The deepest mount point above the path, and of two at one place the later."""
    assert mounted_type(path, _MOUNTS) == found


def test_foreign_types() -> None:
    """Networks, virtual machines' shares and FUSE programs are foreign; disks are not."""
    assert all(map(is_foreign, ("nfs", "cifs", "9p", "virtiofs", "fuse.sshfs", "fuse")))
    assert not any(map(is_foreign, ("ext4", "btrfs", "tmpfs", "overlay", "fuseblk", "zfs", "")))


def test_this_machine_is_local(tmp_path: Path) -> None:
    """Tests run on a local disk."""
    assert is_local(tmp_path)
    assert is_local(tmp_path / "not there yet")


def test_rollback_journal_on_a_foreign_file_system(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a WAL the store works as before; the journal mode is told (C70)."""
    monkeypatch.setattr(store_module, "is_local", lambda _folder: False)
    store = Store.open(db, QUICK)
    h = Handle(store)
    assert store.journal == "delete"
    assert h.value("PRAGMA journal_mode") == "delete"
    for n in range(5):
        h.say(f"text {n}", first=n + 1)
        assert h.value("SELECT count(*) FROM turn") == n + 1
    assert store.sizes()["wal_bytes"] == 0
    store.close()
    monkeypatch.undo()
    back = Store.open(db, QUICK)
    assert back.journal == "wal"
    assert Handle(back).value("SELECT count(*) FROM turn") == 5
    back.close()
