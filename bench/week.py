"""A week of install-and-forget in minutes: four agents, a clock that runs fast, and what grows meanwhile.

python bench/week.py [days]

Two agents write transcripts, two speak over the engine; each hour of the simulated day some of them talk and are given memory.
Everything is real but the embedding model (a fake one) and the clock; the page caches of SQLite are small, since they would fill all week, and all of
its readers are opened at the beginning: else each first moment in which one more agent asks at once would look like a leak of three
descriptors. Prints, after each day, threads, descriptors and resident memory of the process and the size of the database. Ends non-zero if after
the first two days threads grew at all, descriptors by more than :data:`DESCRIPTORS_GROW`, or memory by more than :data:`MEMORY_GROWS_MB`.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.engine.background import BackgroundParams
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground import logs, machine
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.fake import FakeEmbedder
from libra.sources.catalog import Surroundings
from libra.sources.service import SourceParams, SourceService
from libra.store.store import Store, StoreParams
from tests.e2e.running import cc

BEGIN_MS = 1_775_000_000_000
HOUR_MS = 3_600_000
MEMORY_GROWS_MB = 20
"""What may be held more after a week than after two days: the latest prompts (``engine.exact`` and ``engine.shown`` count 2 MB each, the latter
keeps its lines twice once a half of one has been looked for: some 8 MB), the turns' vectors (some 400 bytes each in the mirror: 1 MB), and what
the allocator keeps. Measured: 8 MB in five days, 10.5 in eleven, 3 of which were a reader that was opened on the last."""
DESCRIPTORS_GROW = 2
"""The log of a connection that had not read since, and a transcript that is open in that very moment. One a day that is not closed is more."""
WARM_DAYS = 2
READERS = 8
AGENTS = ("claude-code", "openclaw", "codex", "gemini")


class Clock:
    """A clock that a step moves on."""

    now_ms = BEGIN_MS

    def __call__(self) -> int:
        """Return the time."""
        return self.now_ms


def iso(ms: int) -> str:
    """Return a time as transcripts write it."""
    return datetime.fromtimestamp(ms / 1000, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def talk(agent: str, hour: int) -> list[tuple[str, str]]:
    """Return what is said in an hour: a little that lasts, much that does not."""
    return [
        (
            "user",
            f"My PIN hint of {agent} for berth {hour} of pier {hour % 7} is the blue bike number {7000 + hour}.",
        ),
        (
            "assistant",
            f"Noted for {agent}. I changed src/pier_{hour % 7}/berth_{hour}.py and ran its tests, {hour + 3} passed.",
        ),
        ("user", f"Now have a look at the failing build of {agent}, please."),
        ("assistant", f"The build of {agent} fails in step {hour % 5}: a file is missing. I added it."),
    ]


def by_file(home: Path, agent: str, hour: int, now_ms: int) -> None:
    """Append an hour to a transcript; a new session begins each day."""
    day = hour // 24
    if agent == "claude-code":
        folder = home / ".claude" / "projects" / "-home-dev-harbor"
        lines = [
            cc(f"u{hour}-{n}", role, text, iso(now_ms + n), f"c{day}")
            for n, (role, text) in enumerate(talk(agent, hour))
        ]
    else:
        folder = home / ".openclaw" / "agents" / "main" / "sessions"
        lines = [
            json.dumps({"type": "message", "id": f"o{hour}-{n}", "timestamp": iso(now_ms + n),
                        "message": {"role": role, "content": [{"type": "text", "text": text}]}})
            for n, (role, text) in enumerate(talk(agent, hour))
        ]  # fmt: skip
        if not (folder / f"c{day}.jsonl").exists():
            lines.insert(
                0,
                json.dumps(
                    {
                        "type": "session",
                        "version": 3,
                        "id": f"c{day}",
                        "timestamp": iso(now_ms),
                        "cwd": "/home/dev",
                    }
                ),
            )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"c{day}.jsonl").open("a", encoding="utf-8") as file:
        file.write("".join(f"{line.rstrip()}\n" for line in lines))


def hour_of(engine: Engine, home: Path, hour: int, now_ms: int) -> None:
    """Let the agents of an hour talk and be given memory."""
    for number, agent in enumerate(AGENTS):
        if hour % 3 == number % 3:
            continue
        who = Who(user="me", host=agent, session=f"{agent}:c{hour // 24}", agent="main")
        if number < 2:
            by_file(home, agent, hour, now_ms)
        else:
            turns = [
                NewTurn(
                    Role(role),
                    text,
                    now_ms + n,
                    f"{agent}{hour}-{n}",
                    Origin.OWNER if role == "user" else Origin.AGENT,
                )
                for n, (role, text) in enumerate(talk(agent, hour))
            ]
            engine.ingest(who=who, turns=turns)
            engine.remember(
                who=who, text=f"{agent}: the relay of berth {hour} listens on port {7000 + hour}."
            )
        engine.assemble(who=who, query=f"Which port has berth {hour % 40}?", budget_tokens=1_500)


def main() -> None:
    """Simulate, print, judge."""
    machine.share_memory()  # as the app does first of all
    days = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    this, clock, began = psutil.Process(), Clock(), time.perf_counter()
    rows: list[tuple[int, int, float]] = []
    with tempfile.TemporaryDirectory(prefix="lw-", dir="/tmp") as folder:
        home = Path(folder)
        logs.setup(home / "logs", stderr=False)
        store = Store.open(home / "libra.db", StoreParams(cache_kib=1_024, readers=READERS), clock)
        deps = Deps(
            store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC
        )
        engine = Engine(deps, BackgroundParams())
        around = Surroundings.of_process()
        around = type(around)(
            **{**{f: getattr(around, f) for f in around.__dataclass_fields__}, "home": home, "env": {}}
        )
        sources = SourceService(engine, SourceParams("me", surroundings=around), clock)
        engine.read_with(sources.status, sources.wait_idle, sources.follow)
        engine.use_model(FakeEmbedder(dims=128))
        with ExitStack() as stack:
            for _ in range(READERS):
                stack.enter_context(store.snapshot())
        engine.start()
        sources.start()
        print("day  threads  descriptors  memory MB  database MB  turns  memories")
        for hour in range(days * 24):
            clock.now_ms += HOUR_MS
            hour_of(engine, home, hour, clock.now_ms - HOUR_MS // 2)
            if hour % 24 == 23:
                if hour // 24 % 2:
                    engine.pause(seconds=60, project="harbor")
                engine.drain(timeout_ms=120_000)
                counts = engine.status()["counts"]
                rows.append((threading.active_count(), this.num_fds(), this.memory_info().rss / 1e6))
                size = (home / "libra.db").stat().st_size / 1e6
                threads, files, memory = rows[-1]
                print(
                    f"{hour // 24 + 1:3}  {threads:7}  {files:11}  {memory:9.0f}  {size:11.1f}  {counts['turn']:5}  {counts['memory']:8}",
                    flush=True,
                )
        sources.stop()
        engine.stop()
        store.close()
        kept = sorted(p.name for p in (home / "logs").iterdir())
    print(f"{days} days in {time.perf_counter() - began:.0f} s; log files: {', '.join(kept)}")
    first, last = rows[min(WARM_DAYS, len(rows) - 1)], rows[-1]
    if last[0] > first[0] or last[1] > first[1] + DESCRIPTORS_GROW or last[2] > first[2] + MEMORY_GROWS_MB:
        raise SystemExit(f"something grew: {first} -> {last}")


if __name__ == "__main__":
    main()
