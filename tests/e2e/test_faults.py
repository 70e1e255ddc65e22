"""The machine fails under the running app: a full disk, no file events left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from libra.ground.errors import StoreFull
from tests.e2e.nursery import ForkedLibra, Nursery
from tests.e2e.running import Child, Running, cc, minute, write
from tests.inference.tiny import write_model
from tests.store.test_store import mounted

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

_LONG = "x" * 16_000
"""Much room, and one word only: what it costs to embed is no matter here."""
_BLOCK = b"\0" * 1024 * 1024


@contextmanager
def app(running: Running) -> Iterator[Running]:
    """Run with a model that takes no time; try again soon."""
    model = write_model(running.folder / "tiny")
    running.configure(
        f"[model]\nfolder = '{model}'\n[sources.agenda]\nretry_s = 0.1\nretry_max_s = 0.2\n[sources.look]\npoll_s = 1.0\n"
    )
    try:
        yield running
    finally:
        running.kill()


def _fill(ballast: Path) -> None:
    """Take all the room that there is."""
    with ballast.open("wb", buffering=0) as file:
        for size in (len(_BLOCK), 4096):
            while True:
                try:
                    if file.write(_BLOCK[:size]) < size:
                        break
                except OSError:
                    break


def test_a_disk_that_is_full(data_dir: Path, nursery: Nursery) -> None:
    """A full disk: questions are answered, a new turn is refused with the reason, and a restart works; with room it goes on by itself."""
    with mounted(data_dir / "data", "size=24m") as small, app(ForkedLibra(data_dir, nursery)) as running:
        write(running.transcript("A"), cc("u1", "user", "The relay listens on port 7443.", minute(1)))
        running.start()
        running.drain()
        _fill(small / "ballast")
        said = [{"id": f"e{n}", "role": "user", "content": f"long {n} {_LONG}"} for n in range(100)]
        with pytest.raises(StoreFull) as refused:
            running.call("ingest", who={"session": "s"}, turns=said)
        assert refused.value.reason == "disk_full"
        write(
            running.transcript("A"),
            *(cc(f"v{n}", "user", f"line {n} {_LONG}", minute(n)) for n in range(2, 60)),
        )
        running.until(lambda: running.call("status")["sources"]["store"] == "disk_full")
        assert any("disk is full" in line for line in running.call("health")["degraded"])
        for _ in range(2):
            assert (
                running.search("relay port", kinds=["turn"])[0]["text"] == "The relay listens on port 7443."
            )
            answer = running.call(
                "assemble", query="on which port does the relay listen?", budget_tokens=1000
            )
            assert "7443" in answer["text"]
            running.kill()
            running.start()
        assert running.turns() < 60
        (small / "ballast").unlink()
        running.until(lambda: running.turns() == 59)
        running.call("ingest", who={"session": "s"}, turns=said)
        assert running.turns() == 159
        assert not any("disk is full" in line for line in running.call("health")["degraded"])


class Deprived(Running):
    """Runs in a user namespace of its own in which no file can be watched."""

    limits = ("max_inotify_watches",)

    def spawn(self, *, command: str, ordinary: bool) -> Child:
        """Set the limits, then become the app."""
        lowered = "; ".join(f"echo 0 > /proc/sys/user/{name}" for name in self.limits)
        with self.log.open("ab") as log:
            return subprocess.Popen(
                ["unshare", "--user", "--map-root-user", "sh", "-c", f'{lowered}; exec "$@"', "sh",
                 sys.executable, "-m", "libra", *self.words(command)],
                env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip


class NoInstances(Deprived):
    """The same, and not even the means to watch can be had."""

    limits = ("max_inotify_instances", "max_inotify_watches")


@pytest.mark.parametrize("kind", [Deprived, NoInstances])
def test_no_watches_are_left(data_dir: Path, kind: type[Deprived]) -> None:
    """The system gives no watch (its limit is 0): files are looked at instead, nothing is missed, and status says so."""
    if sys.platform != "linux" or subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_watches"],
        check=False, capture_output=True,
    ).returncode:  # fmt: skip
        pytest.skip("this machine lets nobody make a user namespace")
    with app(kind(data_dir)) as running:
        path = running.transcript("A")
        write(path, cc("u1", "user", "first words", minute(1)))
        running.start()
        running.drain()
        assert running.call("status")["sources"]["watch"]["mode"] == "polling"
        write(path, cc("u2", "user", "The relay listens on port 7443.", minute(2)))
        running.until(lambda: running.turns() == 2)
