"""How Libra behaves from a thousand memories to a million.

    python bench/scale.py fill    [--sizes 1000,10000,100000,300000,1000000] [--folder /tmp/scale]
    python bench/scale.py measure [--sizes …] [--queries 60] [--only ask,embedded,recall,start,write,forget,compact]
    python bench/scale.py show    [--pictures docs/pictures]

``fill`` grows one store through its own writing functions and keeps a copy at each size; ``measure`` asks it in this process,
with the engine's own ``assemble`` and ``search``, and starts the real app on it; ``show`` prints the tables and draws the plots. A
memory here is whatever can be recalled: three of four are turns, the fourth is what was learnt from one. How the decade is made up
stands in ``bench/decade.py``. ``write``, ``forget`` and ``compact`` change the store a little.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import Any

import libra  # noqa: F401  # isort: skip - before NumPy: it says how many threads BLAS may have

from decade import PER_SESSION, PER_SHELF, TURNS, Decade, Session

from libra.ground.paths import shipped
from libra.ground.records import Kind, Role, SessionRef, content_key
from libra.ground.vectors import sign_bits, to_blob
from libra.inference.embedder import Embedder
from libra.store import bits, items, scopes, sessions, vectors
from libra.store.store import Store, StoreParams
from libra.store.turns import DONE
from libra.store.writer import WriteTx
from libra.text.terms import side_terms

SIZES = (1_000, 10_000, 100_000, 300_000, 1_000_000)
DECADE_MS = 3_650 * 86_400_000
LARGEST = 1_000_000
_JOBS = 2
_NOW_MS = 1_790_000_000_000


def said_ms(item: int) -> int:
    """Return when the item of that number was said: a million of them fill ten years."""
    return _NOW_MS + item * (DECADE_MS // LARGEST)


def database(folder: Path, size: int) -> Path:
    """Return the store of that size."""
    return folder / str(size) / "store" / "libra.db"


def put(tx: WriteTx, shelf: list[Session], fingerprint: str) -> None:
    """Store some sessions with their vectors: the rows that the engine would leave of what was read, judged and embedded.

    The statements are the store's own, put together for a thousand rows at once.
    """
    first = items.next_id(tx)
    rows: list[items.NewItem] = []
    turns_: list[tuple[object, ...]] = []
    memories_: list[tuple[object, ...]] = []
    for made in shelf:
        ref = SessionRef(f"bench:{made.number}", made.user, "bench", "main", made.project)
        session = sessions.ensure(tx, ref)
        owner = scopes.ensure(tx, scopes.user_scope(made.user))
        begin = first + len(rows)
        for n, text in enumerate(made.texts):
            item = first + len(rows)
            said = n < TURNS
            at = said_ms(begin + (n if said else 3 * (n - TURNS)))
            role = Role.USER if n % 2 == 0 or not said else Role.ASSISTANT
            rows.append(
                items.NewItem(
                    item, f"{'tm'[not said]}{item:023}", Kind.TURN if said else Kind.MEMORY,
                    session.scope_id if said else owner, session.id, made.project, "main",
                    None if said else made.types[n - TURNS], len(text) // 4, at, at, 1, role.value, None,
                    n + 1 if said else None, text,
                )
            )  # fmt: skip
            if said:
                turns_.append((item, owner, content_key(role, at, text), ("owner", "agent")[n % 2], DONE))
            else:
                memories_.append((item, f"{item:032}", begin + 3 * (n - TURNS), at))
        tx.run("UPDATE session SET next_seq = ?, first_ms = ?, last_ms = ? WHERE id = ?",
               (TURNS + 1, said_ms(begin), said_ms(begin + TURNS), session.id))  # fmt: skip
    tx.many(f"INSERT INTO item({', '.join(items.NewItem._fields)}) VALUES({', '.join('?' * 16)})", rows)
    tx.many("INSERT INTO fts_side(rowid, text) VALUES(?, ?)",
            ((row.id, terms) for row in rows if (terms := side_terms(row.text))))  # fmt: skip
    tx.many("INSERT INTO turn(item_id, owner, content_key, origin, gated) VALUES(?, ?, ?, ?, ?)", turns_)
    tx.many(
        "INSERT INTO memory(item_id, confidence, priority, content_hash, source_turn, valid_from_ms, touched_ms)"
        " VALUES(?1, 0.6, 30, ?2, ?3, ?4, ?4)",
        memories_,
    )
    tx.many("INSERT INTO relation(from_id, to_id, kind, created_ms) VALUES(?1, ?3, 'told_by', ?4)", memories_)
    chunk = int(tx.value("SELECT seq FROM sqlite_sequence WHERE name = 'chunk'") or 0) + 1
    every = [vector for made in shelf for vector in made.vectors]
    tx.many(
        "INSERT INTO chunk(id, item_id, window, start, end_, state, fingerprint, vector) VALUES(?, ?, 0, 0, ?, 1, ?, ?)",
        (
            (chunk + n, row.id, len(row.text), fingerprint, to_blob(vector))
            for n, (row, vector) in enumerate(zip(rows, every, strict=True))
        ),
    )
    bits.add(tx, [(chunk + n, sign_bits(vector).tobytes()) for n, vector in enumerate(every)])


def fill(folder: Path, sizes: list[int]) -> None:
    """Grow one store through all sizes, leaving a copy at each; sizes that are there are taken from there."""
    embedder = Embedder.open(shipped("models") / "minilm-l6-v2")
    decade = Decade(embedder, folder)
    growing = folder / "growing" / "libra.db"
    there = max((s for s in sizes if database(folder, s).exists()), default=0)
    shutil.rmtree(growing.parent, ignore_errors=True)
    growing.parent.mkdir(parents=True)
    if there:
        shutil.copy(database(folder, there), growing)
    for size in sorted(s for s in sizes if s > there):
        begun = time.perf_counter()
        store = Store.open(growing, StoreParams(), lambda: _NOW_MS)
        store.write(lambda tx: vectors.begin_model(tx, embedder.fingerprint, embedder.dims)).result()
        waiting = []
        for number in range(there // (PER_SESSION * PER_SHELF), size // (PER_SESSION * PER_SHELF)):

            def job(tx: WriteTx, number: int = number) -> None:
                put(tx, decade.shelf(number), embedder.fingerprint)

            waiting.append(store.write(job))
            if len(waiting) > _JOBS:
                waiting.pop(0).result()
        for future in waiting:
            future.result()
        store.close()
        took_s = time.perf_counter() - begun
        goal = database(folder, size)
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(growing, goal)
        note(folder, size, "fill", {"rows": size - there, "seconds": took_s, "bytes": goal.stat().st_size})
        print(
            f"{size:,}: {(size - there) / took_s:,.0f} a second, {goal.stat().st_size / 1e6:,.0f} MB",
            flush=True,
        )
        there = size
    shutil.rmtree(growing.parent)


def note(folder: Path, size: int, what: str, figures: dict[str, Any]) -> None:
    """Keep figures for ``show``."""
    path = folder / "results.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known.setdefault(str(size), {})[what] = figures
    path.write_text(json.dumps(known, indent=1))


def main() -> None:
    """Fill, measure or show."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("fill", "measure", "show"))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--folder", type=Path, default=Path("/tmp/scale"))  # noqa: S108 - throw-away stores
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--only", default="ask,embedded,recall,start,write,forget,compact")
    parser.add_argument("--pictures", type=Path, default=Path(__file__).parent.parent / "docs" / "pictures")
    args = parser.parse_args()
    sizes = [int(size) for size in args.sizes.split(",")]
    if args.step == "fill":
        fill(args.folder, sizes)
    elif args.step == "measure":
        import scale_measure

        scale_measure.measure(args.folder, sizes, args.queries, args.only.split(","))
    else:
        import scale_show

        scale_show.show(args.folder, args.pictures)


if __name__ == "__main__":
    main()
