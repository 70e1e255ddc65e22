"""How long the first start of a new version holds people up, when it changes the schema of a large database.

    PYTHONPATH=. python bench/schema_change.py [--megabytes 1000]

Makes a database of so many MB of the schema before (turns of some 2 KB with their full-text entries), starts the real app on it, and
prints when it first answered ``health``, when the engine was there, when a prompt was assembled, and when the copy was packed. The copy is looked at as soon
as the engine answers: it must be whole then.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import apsw
import corpus
import psutil
from running import folder, libra

from libra.ground.errors import NotReady
from libra.rpc.client import Client
from libra.store.backup import every, unpacked_copies
from libra.store.migrations import SCHEMA
from libra.store.store import Store
from tests.store.support import Handle, session, turn

_BACK = "DROP TABLE rule_change; DROP TABLE shared; DROP INDEX speaker_name"
"""Takes schema 4 back, as far as it would stand in its own way; a later schema needs its own."""
_A_STEP = 500


def make(database: Path, megabytes: int) -> int:
    """Write so much, of the schema before; return how many turns there are."""
    store = Store.open(database)
    handle = Handle(store)
    pool = list(corpus.sentences(4000))
    rng = random.Random(5)  # noqa: S311 - the same on every run
    number = 0
    while database.stat().st_size < megabytes * 1e6:
        said = [
            turn(f"{number + n}: " + " ".join(rng.choices(pool, k=12)), number + n) for n in range(_A_STEP)
        ]
        handle.append(said, session(f"bench:{number}"))
        number += _A_STEP
    store.close()
    con = apsw.Connection(str(database))
    con.execute(_BACK)
    con.pragma("user_version", SCHEMA - 1)
    con.close()
    return number


def _ready(client: Client) -> bool:
    try:
        client.call("status", {}, timeout_s=900)
    except NotReady:
        return False
    return True


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument(
        "--wait",
        type=float,
        default=0.0,
        help="seconds to wait for the packing: it begins when all turns have vectors",
    )
    args = parser.parse_args()
    with folder() as data:
        database = data / "store" / "libra.db"
        database.parent.mkdir(parents=True)
        count = make(database, args.megabytes)
        size = database.stat().st_size
        begun = time.perf_counter()
        with libra(data) as (client, process, health_s):
            while not _ready(client):
                time.sleep(0.01)
            engine_s = time.perf_counter() - begun
            spent = sum(psutil.Process(process.pid).cpu_times()[:2])
            (copy,) = every(database.parent / "backups")
            whole = copy.bytes == copy.db_bytes and copy.counts is not None and copy.counts["turns"] == count
            client.call(
                "assemble", {"query": "Which port has the queue?", "budget_tokens": 2000}, timeout_s=900
            )
            prompt_s = time.perf_counter() - begun
            print(
                f"{size / 1e6:,.0f} MB, {count:,} turns: health after {health_s:.1f} s, engine after {engine_s:.1f} s ({spent:.1f} s of processor),"
                f" prompt after {prompt_s:.1f} s; the copy {copy.name} {'is whole' if whole else 'IS NOT WHOLE'}",
                flush=True,
            )
            while unpacked_copies(database.parent / "backups") and time.perf_counter() - begun < args.wait:
                time.sleep(1)
            packed = not unpacked_copies(database.parent / "backups")
            print(f"{'packed' if packed else 'not packed yet'} after {time.perf_counter() - begun:.0f} s")
            if not whole:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
