"""Where libra listens: permissions, stale and live sockets, long paths, the instance lock."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from libra.ground.errors import AlreadyRunning, Conflict, LibraError, NotRunning, StoreReadOnly
from libra.ground.paths import places
from libra.rpc.endpoint import Endpoint, UnixEndpoint, endpoint
from libra.rpc.lock import InstanceLock, is_held
from libra.rpc.loopback import TcpEndpoint
from libra.rpc.peer import peer_uid, same_user

TIMEOUT_S = 10.0

unix = pytest.mark.skipif(os.name == "nt", reason="Unix sockets and permissions")
as_user = pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")


def mode(path: Path) -> int:
    """Return a file's permissions."""
    return stat.S_IMODE(path.stat().st_mode)


@unix
def test_socket_and_folder_are_private(data_dir: Path) -> None:
    """The socket is 0600 in a folder 0700, also if the folder was there with more."""
    (data_dir / "run").mkdir(mode=0o755)
    listener = UnixEndpoint(data_dir / "run" / "libra.sock").listen()
    assert mode(data_dir / "run") == 0o700
    assert mode(data_dir / "run" / "libra.sock") == 0o600
    listener.close()
    assert not (data_dir / "run" / "libra.sock").exists()


@unix
def test_a_folder_of_the_user_keeps_its_permissions(data_dir: Path) -> None:
    """Only libra's own folders are made private."""
    (data_dir / "shared").mkdir()
    (data_dir / "shared").chmod(0o755)
    UnixEndpoint(data_dir / "shared" / "s.sock").listen().close()
    assert mode(data_dir / "shared") == 0o755


@unix
def test_a_stale_socket_is_reclaimed(data_dir: Path) -> None:
    """A crash leaves the file; the next start takes its place."""
    path = data_dir / "s.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    with pytest.raises(NotRunning):
        UnixEndpoint(path).connect(1)
    listener = UnixEndpoint(path).listen()
    UnixEndpoint(path).connect(1)[0].close()
    listener.close()


def test_a_live_endpoint_is_not_stolen(endpoint: Endpoint) -> None:
    """A second server is refused and the first goes on."""
    listener = endpoint.listen()
    with pytest.raises(AlreadyRunning):
        endpoint.listen()
    endpoint.connect(1)[0].close()
    listener.close()
    endpoint.listen().close()


@unix
def test_a_socket_that_hangs_is_not_stolen(data_dir: Path) -> None:
    """A server whose backlog is full still lives."""
    path = data_dir / "s.sock"
    busy = socket.socket(socket.AF_UNIX)
    busy.bind(str(path))
    busy.listen(0)
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
    for sock in waiting:
        sock.setblocking(False)  # noqa: FBT003 - the socket module's own form
        try:
            sock.connect(str(path))
        except BlockingIOError:
            break
    with pytest.raises(LibraError):
        UnixEndpoint(path).listen()
    assert path.exists()
    for sock in [busy, *waiting]:
        sock.close()


@unix
def test_a_file_in_the_way_is_left_alone(data_dir: Path) -> None:
    """What is no socket is never removed."""
    path = data_dir / "s.sock"
    path.write_text("mine")
    with pytest.raises(Conflict) as caught:
        UnixEndpoint(path).listen()
    assert caught.value.where == str(path)
    assert path.read_text() == "mine"


@unix
def test_closing_leaves_a_successors_socket(data_dir: Path) -> None:
    """An old server that stops late does not remove the file of the new one."""
    path = data_dir / "s.sock"
    old = UnixEndpoint(path).listen()
    path.unlink()
    new = UnixEndpoint(path).listen()
    old.close()
    UnixEndpoint(path).connect(1)[0].close()
    new.close()


@unix
def test_only_one_of_many_starts_wins(data_dir: Path) -> None:
    """Starts that find the same stale socket at once do not remove each other's."""
    path = data_dir / "s.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    won, lost = [], []
    together = threading.Barrier(6)

    def start() -> None:
        together.wait(TIMEOUT_S)
        try:
            won.append(UnixEndpoint(path).listen())
        except AlreadyRunning as error:
            lost.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert (len(won), len(lost)) == (1, 5)
    won[0].close()


@unix
def test_a_long_path_works_over_a_short_link(data_dir: Path) -> None:
    """A data folder deep in the tree, with spaces and letters of any script, is no obstacle."""
    deep = data_dir / "Anıl Phạm 测试" / ("x" * 100)
    place = UnixEndpoint(deep / "libra.sock")
    listener = place.listen()
    assert (deep / "libra.sock").is_socket()
    place.connect(1)[0].close()
    listener.close()
    assert not (deep / "libra.sock").exists()


@unix
def test_a_name_that_is_too_long_is_named(data_dir: Path) -> None:
    """The error says which name it is about."""
    with pytest.raises(Conflict):
        UnixEndpoint(data_dir / ("s" * 120)).listen()


@unix
def test_the_peer_is_known() -> None:
    """The system tells whose process is at the other end."""
    left, right = socket.socketpair(socket.AF_UNIX)
    assert peer_uid(left) == os.geteuid()
    assert same_user(right)
    left.close()
    right.close()


@unix
def test_another_user_is_refused(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer of another user id may not speak."""
    listener = UnixEndpoint(data_dir / "s.sock").listen()
    sock, _ = UnixEndpoint(data_dir / "s.sock").connect(1)
    conn, _ = listener.sock.accept()
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    assert not listener.admits(conn)
    for each in (sock, conn):
        each.close()
    listener.close()


@as_user
def test_a_folder_that_cannot_be_written_is_named(data_dir: Path) -> None:
    """The error is about the folder."""
    data_dir.chmod(0o500)
    with pytest.raises(StoreReadOnly):
        UnixEndpoint(data_dir / "run" / "libra.sock").listen()


def no_writing(*_: object, **__: object) -> None:
    """Refuse as a read-only file system does."""
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@unix
def test_a_read_only_folder_can_be_locked(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory on a read-only medium can be asked, by one libra at a time."""
    monkeypatch.setattr(Path, "mkdir", no_writing)
    path = data_dir / "run" / "libra.lock"
    with InstanceLock(path), pytest.raises(AlreadyRunning):
        InstanceLock(path).take()
    assert not path.exists()
    with pytest.raises(StoreReadOnly):
        InstanceLock(data_dir / "nowhere" / "run" / "libra.lock").take()


def test_the_endpoint_file_is_private_and_goes_away(data_dir: Path) -> None:
    """Port and token are for this user only; a successor's file is not removed."""
    file = data_dir / "run" / "endpoint.json"
    listener = TcpEndpoint(file).listen()
    found = json.loads(file.read_text())
    assert found["host"] == "127.0.0.1"
    assert len(found["token"]) >= 40
    if os.name == "posix":
        assert mode(file) == 0o600
    assert [p.name for p in file.parent.iterdir()] == ["endpoint.json"]
    listener.close()
    assert not file.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"port": "x"}', '{"port": 99999999, "token": "t"}', '{"port": 1}']
)
def test_a_broken_endpoint_file_means_not_running(data_dir: Path, text: str) -> None:
    """Half a file or nonsense in it is no crash, and a start replaces it."""
    file = data_dir / "endpoint.json"
    file.write_text(text)
    with pytest.raises(NotRunning):
        TcpEndpoint(file).connect(1)
    TcpEndpoint(file).listen().close()


def test_nobody_there_is_not_running(endpoint: Endpoint) -> None:
    """The error has a hint for the person."""
    with pytest.raises(NotRunning) as caught:
        endpoint.connect(1)
    assert "libra run" in (caught.value.hint or "")


@unix
def test_the_platform_chooses_the_endpoint(data_dir: Path) -> None:
    """A Unix socket everywhere but on Windows."""
    found = endpoint(places(str(data_dir), str(data_dir / "s.sock")))
    assert found == UnixEndpoint(data_dir / "s.sock")


def test_the_lock_admits_one_holder(data_dir: Path) -> None:
    """A second one is refused until the first lets go."""
    path = data_dir / "run" / "libra.lock"
    assert not is_held(path)
    with InstanceLock(path):
        assert is_held(path)
        with pytest.raises(AlreadyRunning) as caught:
            InstanceLock(path).take()
        assert caught.value.hint
    assert not is_held(path)
    InstanceLock(path).take()


def test_the_lock_ends_with_its_process(data_dir: Path) -> None:
    """A process that is killed leaves no lock behind, though the file stays."""
    path = data_dir / "libra.lock"
    code = (
        "import sys; from pathlib import Path; from libra.rpc.lock import InstanceLock\n"
        "lock = InstanceLock(Path(sys.argv[1])); lock.take(); print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"held"
    with pytest.raises(AlreadyRunning):
        InstanceLock(path).take()
    holder.kill()
    holder.communicate()
    assert path.exists()
    lock = InstanceLock(path)
    lock.take()
    lock.release()
