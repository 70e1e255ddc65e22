"""Whether Libra holds under many clients at once: errors, how slow an answer gets, and whether memory grows.

    PYTHONPATH=. python bench/load.py [--clients 62] [--minutes 10] [--turns 2000] [--depth 4] [--pause-s 0 1 2 5] [--counts counts.jsonl]

Starts the real ``libra serve``, stores so many turns, and asks it alone for the p50 of an idle ``assemble``. Then all clients
work for so long, for each of the pauses in turn. A client sends so many calls at once (pipelined), reads the answers as they come, thinks for
a while (exponential, with this mean; 0 for a closed loop that never thinks) and sends the next: in ten calls five
assemble, two search, two ingest, one asks for health. A call's time runs from the moment its burst was sent, so that what it waits for
other calls of its own connection is in it. One client more is stuck: it asks and never reads. Resident memory is looked at every
second, and printed for every quarter of a minute. What is stored grows meanwhile, and with it what an answer costs: the p50 of an idle ``assemble`` is
taken once more at the end. Then a thousand sessions of five turns are appended at once. Targets: no error, p99 of assemble at most 5 times the idle
p50, memory flat, nobody waits for the stuck one.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import threading
import time
from collections import Counter
from pathlib import Path

import corpus
import psutil
from running import folder, libra, percentile

from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint

_SESSIONS = 1000
_MIX = ("assemble",) * 5 + ("search",) * 2 + ("ingest",) * 2 + ("health",)


class Pipelined(threading.Thread):
    """One client: sends some calls at once, notes how long each took, and thinks.

    Args:
        path: The socket.
        number: Of the client.
        until_s: When to stop, on the monotonic clock.
        pause_s: Mean of the time between the last answer and the next burst.
        depth: Calls of a burst.
    """

    def __init__(self, path: Path, number: int, until_s: float, pause_s: float, depth: int) -> None:
        super().__init__(daemon=True)
        self._path, self._number, self._until_s = path, number, until_s
        self._pause_s, self._depth = pause_s, depth
        self._rng = random.Random(number)  # noqa: S311 - the same calls on every run
        self._asked = corpus.questions(50, seed=number)
        self._said = corpus.sentences(100_000, seed=1000 + number)
        self.spent: dict[str, list[float]] = {name: [] for name in set(_MIX)}
        self.errors: Counter[str] = Counter()
        self.late = 0
        """Prompts that came in time with less in them."""

    def run(self) -> None:
        """Work until the time is over."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(120)
            sock.connect(str(self._path))
            file = sock.makefile("rb")
            self._think(self._rng.random())
            while time.monotonic() < self._until_s:
                methods = [self._rng.choice(_MIX) for _ in range(self._depth)]
                lines = b"".join(self._line(number, method) for number, method in enumerate(methods))
                begun = time.perf_counter()
                sock.sendall(lines)
                for _ in methods:
                    line = file.readline()
                    self._note(methods, line, (time.perf_counter() - begun) * 1e3)
                self._think(self._rng.expovariate(1.0))

    def _note(self, methods: list[str], line: bytes, spent_ms: float) -> None:
        answer = json.loads(line)
        self.spent[methods[answer["id"]]].append(spent_ms)
        if "error" in answer:
            self.errors[str(answer["error"].get("data", {}).get("reason"))] += 1
        elif any(why.startswith("deadline") for why in answer["result"].get("degraded", ())):
            self.late += 1

    def _think(self, share: float) -> None:
        if self._pause_s:
            time.sleep(max(min(share * self._pause_s, self._until_s - time.monotonic()), 0.0))

    def _line(self, number: int, method: str) -> bytes:
        who = {"session": f"c{self._number}", "user": "bench"}
        params: dict[str, object] = {
            "assemble": {"who": who, "query": self._rng.choice(self._asked), "budget_tokens": 2000},
            "search": {"who": who, "query": self._rng.choice(self._asked), "k": 10},
            "ingest": {"who": who, "turns": [{"role": "user", "content": next(self._said)}]},
            "health": {},
        }[method]
        return (
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
        )


def stuck(path: Path) -> socket.socket:
    """Return a connection that asks for much and never reads."""
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(str(path))
    sock.setblocking(False)  # noqa: FBT003 - the socket's own name for it
    line = b'{"jsonrpc":"2.0","id":1,"method":"search","params":{"query":"the","k":500}}\n'
    try:
        while True:
            sock.send(line * 100)
    except BlockingIOError:
        return sock


def fill(client: Client, turns: int) -> None:
    """Store turns of one user."""
    said = corpus.sentences(turns)
    for start in range(0, turns, 100):
        batch = [{"role": "user", "content": next(said)} for _ in range(min(100, turns - start))]
        client.call(
            "ingest", {"who": {"session": f"s{start}", "user": "bench"}, "turns": batch}, timeout_s=300
        )
    client.call("drain", {"timeout_ms": 600_000}, timeout_s=700)


def alone(client: Client, count: int = 200) -> list[float]:
    """Return the milliseconds of assembles of one client with nothing beside it."""
    spent = []
    for question in corpus.questions(count):
        begun = time.perf_counter()
        client.call("assemble", {"who": {"user": "bench"}, "query": question, "budget_tokens": 2000})
        spent.append((time.perf_counter() - begun) * 1e3)
    return spent[20:]


def sessions_at_once(path: Path, count: int) -> tuple[float, int]:
    """Append so many sessions from 32 threads; return the seconds and how many turns were accepted."""
    numbers, lock, accepted = iter(range(count)), threading.Lock(), [0]

    def work() -> None:
        client = Client(UnixEndpoint(path), timeout_s=300)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                client.close()
                return
            turns = [
                {"id": f"a{n}", "role": "user", "content": f"session {number} says line {n}"}
                for n in range(5)
            ]
            done = client.call("ingest", {"who": {"session": f"at-once-{number}"}, "turns": turns})
            with lock:
                accepted[0] += done["accepted"]

    threads = [threading.Thread(target=work) for _ in range(32)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun, accepted[0]


def crowd(
    path: Path, watched: psutil.Process, args: argparse.Namespace, pause_s: float, idle_ms: float
) -> None:
    """Let all clients work at one pause, and print what came of it."""
    until = time.monotonic() + args.minutes * 60
    clients = [Pipelined(path, n, until, pause_s, args.depth) for n in range(args.clients)]
    for one in clients:
        one.start()
    begun, used = time.monotonic(), sum(watched.cpu_times()[:2])
    memory: list[float] = []
    while any(one.is_alive() for one in clients):
        memory.append(watched.memory_info().rss / 1e6)
        time.sleep(1)
    calls = sum(len(spent) for one in clients for spent in one.spent.values())
    used = sum(watched.cpu_times()[:2]) - used
    print(
        f"pause {pause_s:g} s, bursts of {args.depth}: {calls / (time.monotonic() - begun):.1f} calls/s,"
        f" {1e3 * used / calls:.1f} ms of processor a call"
    )
    for name in sorted(set(_MIX)):
        spent = [ms for one in clients for ms in one.spent[name]]
        p50, p95, p99 = (percentile(spent, share) for share in (0.5, 0.95, 0.99))
        print(
            f"  {name}: {len(spent):,} calls, p50 {p50:.0f} p95 {p95:.0f} p99 {p99:.0f} ms; p99 / idle p50 of assemble {p99 / idle_ms:.1f}"
        )
    errors = sum((one.errors for one in clients), Counter())
    late = sum(one.late for one in clients)
    each = sorted(sum(map(len, one.spent.values())) for one in clients)
    print(f"  calls of a client: fewest {each[0]}, median {each[len(each) // 2]}, most {each[-1]}")
    third = max(len(memory) // 3, 1)
    print("  resident MB each 15 s: " + " ".join(f"{held:.0f}" for held in memory[::15]))
    print(
        f"  errors: {dict(errors) or 'none'}; answers cut short by their deadline: {late}; resident MB: first {memory[0]:.0f},"
        f" end of the first third {memory[third - 1]:.0f}, last {memory[-1]:.0f}, most {max(memory):.0f}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=62)
    parser.add_argument("--minutes", type=float, default=10.0, help="for each of the pauses")
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--depth", type=int, default=4, help="calls that a client sends at once")
    parser.add_argument(
        "--pause-s", type=float, nargs="+", default=[0.0], help="a client's mean pauses; 0 for none"
    )
    parser.add_argument("--counts", type=Path, help="where to write what memory libra holds (probe.py)")
    args = parser.parse_args()
    with folder() as data, libra(data, counts=args.counts) as (client, process, _):
        path = data / "s.sock"
        while client.call("status", {}, timeout_s=300)["model"]["state"] != "ready":
            time.sleep(0.05)
        fill(client, args.turns)
        idle = alone(client)
        idle_ms = percentile(idle, 0.5)
        watched = psutil.Process(process.pid)
        held = stuck(path)
        print(f"{args.clients} clients and one stuck; {args.turns:,} turns stored before")
        print(
            f"idle assemble p50 {idle_ms:.1f} p95 {percentile(idle, 0.95):.1f} p99 {percentile(idle, 0.99):.1f} ms"
        )
        for pause_s in args.pause_s:
            crowd(path, watched, args, pause_s, idle_ms)
        held.close()
        client.call("drain", {"timeout_ms": 600_000}, timeout_s=700)
        print(f"idle assemble p50 at the end {percentile(alone(client), 0.5):.1f} ms")
        took, accepted = sessions_at_once(path, _SESSIONS)
        print(f"{_SESSIONS:,} sessions at once: {accepted:,} turns accepted in {took:.1f} s")


if __name__ == "__main__":
    main()
