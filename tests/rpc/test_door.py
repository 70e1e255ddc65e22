"""The way in is open before anything else: a client that comes during a start waits, and is answered."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from libra.ground.errors import AlreadyRunning, LibraError, NotReady, NotRunning
from libra.ground.paths import Places
from libra.rpc.client import Client
from libra.rpc.door import Door
from libra.rpc.endpoint import UnixEndpoint
from libra.rpc.methods import Methods
from libra.rpc.server import Server, ServerParams


@pytest.fixture
def places(data_dir: Path) -> Places:
    """Return places in a folder of the test's own."""
    return Places(data_dir / "d", data_dir / "d" / "config.toml", data_dir / "s.sock")


def test_who_comes_early_waits(places: Places, data_dir: Path) -> None:
    """A call that is made before there is a server is answered by it, not refused."""
    door = Door(places, data_dir)
    door.open()
    answers: list[bool] = []

    def ask() -> None:
        with Client(UnixEndpoint(places.socket)) as client:
            answers.append(client.call("health", {})["ok"])

    asking = threading.Thread(target=ask)
    asking.start()
    (way,) = door.ways
    server = Server(Methods("anna"), way)
    server.start()
    asking.join(30)
    assert answers == [True]
    server.stop()
    door.close()
    assert not places.socket.exists()


def test_a_second_one_is_refused_at_the_door(places: Places, data_dir: Path) -> None:
    """The running Libra keeps its socket; after its end the next one gets in."""
    first = Door(places, data_dir)
    first.open()
    with pytest.raises(AlreadyRunning):
        Door(places, data_dir).open()
    assert places.socket.exists()
    first.close()
    second = Door(places, data_dir)
    second.open()
    second.close()


@pytest.mark.parametrize(
    ("text", "ways"),
    [(b"", 1), (b"[compat]\nlibravdb = true\n", 2), (b"\xef\xbb\xbf[compat]\r\nlibravdb = true\r\n", 2), (b"[broken", 1),
     (b"compat = 7\n", 1), (b'[compat]\nlibravdb = "yes"\n', 1)],
)  # fmt: skip
def test_the_other_memorys_place(places: Places, data_dir: Path, text: bytes, ways: int) -> None:
    """Only the setting opens it; a broken file is complained of by its reader, not here."""
    places.data.mkdir()
    places.config.write_bytes(text)
    door = Door(places, data_dir)
    door.open()
    assert len(door.ways) == ways
    door.close()
    assert not (data_dir / ".clawdb" / "run" / "libravdb.sock").exists()


def test_the_other_memory_is_running_itself(places: Places, data_dir: Path) -> None:
    """Its socket is not taken from it, and Libra runs without, but says so."""
    other = UnixEndpoint(data_dir / ".clawdb" / "run" / "libravdb.sock").listen()
    places.data.mkdir()
    places.config.write_bytes(b"[compat]\nlibravdb = true\n")
    door = Door(places, data_dir)
    door.open()
    assert len(door.ways) == 1
    (trouble,) = door.troubles
    assert trouble.startswith("compat.libravdb: ")
    door.close()
    other.close()


def test_who_does_not_end_gets_its_place_back(places: Places, data_dir: Path) -> None:
    """An upgrade that cannot come to its turn leaves the running Libra as it was, and says so."""
    first = Door(places, data_dir)
    first.open()
    (way,) = first.ways
    deaf = Server(lambda _method, _params: {"ok": True}, way)
    deaf.start()
    second = Door(places, data_dir)
    with pytest.raises(AlreadyRunning):
        second.take_over(wait_s=0.0)
    with Client(UnixEndpoint(places.socket)) as client:
        assert client.call("health", {}) == {"ok": True}
    deaf.stop()
    first.close()
    assert not list(data_dir.glob("s.sock*"))


def test_who_connected_before_the_end_is_told_and_asks_the_next_one(places: Places, data_dir: Path) -> None:
    """A call that reaches the old Libra while it stops is carried out by the new one."""
    first, second = Door(places, data_dir), Door(places, data_dir)
    first.open()
    (way,) = first.ways
    methods = Methods("anna", start_wait_s=0.0)
    methods.detach()
    stopping = Server(methods, way)
    stopping.start()
    answers: list[object] = []

    def ask() -> None:
        with Client(UnixEndpoint(places.socket)) as client:
            answers.append(client.call("status", {}))

    asking = threading.Thread(target=ask)
    asking.start()
    ended = threading.Timer(0.2, lambda: (stopping.stop(), first.close()))
    ended.start()
    second.take_over(wait_s=30.0)
    (new,) = second.ways
    server = Server(lambda _method, _params: {"new": True}, new)
    server.start()
    asking.join(30)
    assert answers == [{"new": True}]
    server.stop()
    second.close()


def test_health_is_answered_before_there_is_an_engine(places: Places, data_dir: Path) -> None:
    """A start that takes long is not taken for a Libra that is broken: health says so at once, other calls wait and are carried out."""
    door = Door(places, data_dir)
    door.open()
    door.answer()
    with Client(UnixEndpoint(places.socket)) as client:
        early = client.call("health", {})
    assert (early["ok"], early["ready"], early["degraded"]) == (True, False, ["starting"])
    answers: list[object] = []
    asked = threading.Event()

    def ask() -> None:
        with Client(UnixEndpoint(places.socket)) as client:
            client.call("health", {})
            asked.set()
            answers.append(client.call("status", {}))

    asking = threading.Thread(target=ask)
    asking.start()
    assert asked.wait(30)
    door.lead_to(lambda method, _params: {"carried out": method}, ServerParams(max_connections=1))
    asking.join(30)
    assert answers == [{"carried out": "status"}]
    door.close()


def test_who_waits_for_a_start_that_fails_is_told(places: Places, data_dir: Path) -> None:
    """The settings are wrong, the database cannot be opened: nobody waits for ten seconds to hear that."""
    door = Door(places, data_dir)
    door.open()
    door.answer()
    found: list[LibraError] = []
    asked = threading.Event()

    def ask() -> None:
        with Client(UnixEndpoint(places.socket)) as client:
            client.call("health", {})
            asked.set()
            try:
                client.call("status", {})
            except LibraError as error:
                found.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    assert asked.wait(30)
    door.close()
    asking.join(30)
    assert [type(error) in {NotReady, NotRunning} for error in found] == [True]
    assert not places.socket.exists()
