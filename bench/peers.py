"""The searches that other memories make, and ours, in one run: the same vectors, texts, questions and processor.

    python bench/scale.py fill --sizes 100000
    python bench/peers.py [--size 100000] [--queries 40] [--also DIR]

``--also`` names a ``site-packages`` with hnswlib, usearch and lancedb, which Libra does not need; what is not there is left out. Each peer
gets only the rows that the asker may see, so that none pays for a filter; ours filters among all. A peer's row is its search alone, as
``design/reference-systems.md`` tells of them: no scopes, no ranking by age and kind, no packing, no printing. The embedding is in no row and printed beside.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import libra  # noqa: F401  # isort: skip - before NumPy: it says how many threads BLAS may have

import apsw
import numpy as np
import sqlite_vec
from decade import PER_SESSION, Decade, Floats, questions
from scale_measure import ME, Asked, blocks, figures, opened, timed

from libra.engine.assemble import AssembleRequest, assemble
from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.engine.search import DEFAULT_KINDS, SearchRequest, search
from libra.ground.collector import settle
from libra.ground.paths import shipped
from libra.inference.embedder import Embedder
from libra.store import search as look
from libra.store.visibility import Filter
from libra.text import terms

_TOP = 10
_POOL = 20
"""memory-lancedb-pro: so many of the vector search and of the search by words."""
_NOESIS_TOP = 6
_HNSW_LINKS, _HNSW_BUILD, _HNSW_LOOK = 16, 200, 100
_LONG_MS = 60_000

Answer = Callable[[str, Floats], list[int]]
Peer = tuple[str, Answer]


class Rows:
    """What the asker may see: item ids, vectors of shape ``(n, dims)``, texts."""

    def __init__(self, deps: Deps) -> None:
        filt = Filter(visible(deps, complete(deps, ME)), DEFAULT_KINDS, with_covered=True)
        deps.store.vectors.view()
        with deps.store.snapshot() as s:
            view, allowed = look.Reading(s, filt).mask(deps.store)
        mine = np.sort(view.item[allowed])
        parts = [
            (ids[keep], matrix[keep]) for ids, matrix in blocks(deps.store) for keep in [np.isin(ids, mine)]
        ]
        self.ids = np.concatenate([ids for ids, _ in parts])
        self.vectors: Floats = np.concatenate([matrix for _, matrix in parts])
        with deps.store.snapshot() as s:
            known = dict(s.rows("SELECT id, text FROM item"))
        self.texts = [known[item] for item in self.ids.tolist()]


def exact(rows: Rows, vector: Floats, k: int) -> tuple[list[int], Floats]:
    """Return places and cosines of the nearest by all float32 vectors, best first."""
    near = rows.vectors @ vector
    best = np.argpartition(-near, k)[:k]
    best = best[np.argsort(-near[best])]
    return best.tolist(), near[best]


def words_index(rows: Rows, folder: Path) -> apsw.Connection:
    """Return a database with a full-text index and a table of sqlite-vec over the rows."""
    con = apsw.Connection(str(folder / "peer.db"))
    con.enable_load_extension(enable=True)
    con.load_extension(sqlite_vec.loadable_path())
    con.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'unicode61 remove_diacritics 2')")
    con.execute(
        f"CREATE VIRTUAL TABLE near USING vec0(v float[{rows.vectors.shape[1]}] distance_metric=cosine)"
    )
    with con:
        con.executemany("INSERT INTO words(rowid, text) VALUES(?, ?)", enumerate(rows.texts))
        con.executemany(
            "INSERT INTO near(rowid, v) VALUES(?, ?)", ((n, v.tobytes()) for n, v in enumerate(rows.vectors))
        )
    return con


def by_words(con: apsw.Connection, query: str, k: int) -> list[tuple[int, float]]:
    """Return places and BM25 of the best by FTS5's own ranking."""
    match = terms.word_match(terms.parse_query(query))
    sql = "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
    return con.execute(sql, (match, k)).fetchall() if match else []


def in_sqlite(rows: Rows, con: apsw.Connection) -> Iterator[Peer]:
    """Yield the searches of memories that keep everything in SQLite, and the exact scan."""

    def near(vector: Floats, k: int) -> list[tuple[int, float]]:
        sql = "SELECT rowid, distance FROM near WHERE v MATCH ? AND k = ?"
        return con.execute(sql, (vector.astype("<f4").tobytes(), k)).fetchall()

    def openclaw(query: str, vector: Floats) -> list[int]:
        """Weigh vector 0.7 and words 0.3, as OpenClaw's own memory does."""
        score: dict[int, float] = {n: 0.7 * (1.0 - distance) for n, distance in near(vector, 4 * _TOP)}
        for place, (n, _) in enumerate(by_words(con, query, 4 * _TOP)):
            score[n] = score.get(n, 0.0) + 0.3 / (1 + place)
        return sorted(score, key=lambda n: -score[n])[:_TOP]

    yield "exact scan, NumPy float32", lambda _, vector: exact(rows, vector, _TOP)[0]
    yield "sqlite-vec, float32", lambda _, vector: [n for n, _ in near(vector, _TOP)]
    yield "FTS5 alone, BM25", lambda query, _: [n for n, _ in by_words(con, query, _TOP)]
    yield "sqlite-vec and FTS5, 0.7 : 0.3 (OpenClaw)", openclaw


def fused(
    rows: Rows, con: apsw.Connection, near: Callable[[Floats, int], list[tuple[int, float]]]
) -> Iterator[Peer]:
    """Yield how two systems put LanceDB's vectors (``near``: place, squared distance) and words together; the words come from FTS5."""

    def pro(query: str, vector: Floats) -> list[int]:
        v = {n: 1 / (1 + d / 2) for n, d in near(vector, _POOL)}
        b = {n: 1 / (1 + float(np.exp(-raw / 5))) for n, raw in by_words(con, query, _POOL)}
        both = {
            n: max(0.7 * v[n] + 0.3 * b.get(n, 0.0), 0.92 * b[n] if b.get(n, 0.0) >= 0.75 else 0.0)
            if n in v
            else b[n]
            for n in {*v, *b}
        }
        return [n for n in sorted(both, key=lambda n: -both[n]) if both[n] >= 0.3][:_TOP]

    def noesis(query: str, vector: Floats) -> list[int]:
        score = {n: 0.6 / (1 + d) for n, d in near(vector, 6 * _NOESIS_TOP)}
        for place, (n, _) in enumerate(by_words(con, query, 3 * _NOESIS_TOP)):
            score[n] = score.get(n, 0.0) + 0.4 / (1 + place)
        pool = sorted(score, key=lambda n: -score[n])[: 2 * _NOESIS_TOP]
        said = {n: set(rows.texts[n].lower().split()) for n in pool}
        out: list[int] = []
        while pool:
            best = max(
                pool,
                key=lambda n: (
                    0.7 * score[n]
                    - 0.3
                    * max((len(said[n] & said[o]) / max(len(said[n] | said[o]), 1) for o in out), default=0.0)
                ),
            )
            pool.remove(best)
            out.append(best)
        return out[:_TOP]

    yield "LanceDB and words, as memory-lancedb-pro", pro
    yield "LanceDB and words, as Noesis", noesis


def installed(rows: Rows, con: apsw.Connection, folder: Path) -> Iterator[Peer]:
    """Yield the libraries that are there."""
    n, dims = rows.vectors.shape
    if (hnswlib := _there("hnswlib")) is not None:
        graph = hnswlib.Index(space="cosine", dim=dims)
        graph.init_index(n, M=_HNSW_LINKS, ef_construction=_HNSW_BUILD)
        graph.set_num_threads(2)
        graph.add_items(rows.vectors, np.arange(n))
        graph.set_ef(_HNSW_LOOK)
        yield (
            f"hnswlib, M {_HNSW_LINKS}, ef {_HNSW_LOOK}",
            lambda _, v: graph.knn_query(v, _TOP, num_threads=1)[0][0].tolist(),
        )
    if (usearch := _there("usearch.index")) is not None:
        index = usearch.Index(
            ndim=dims,
            metric="cos",
            connectivity=_HNSW_LINKS,
            expansion_add=_HNSW_BUILD,
            expansion_search=_HNSW_LOOK,
        )
        index.add(np.arange(n), rows.vectors, threads=2)
        yield "usearch, as hnswlib", lambda _, v: index.search(v, _TOP).keys.tolist()
    if (lancedb := _there("lancedb")) is not None:
        pa = importlib.import_module("pyarrow")
        flat = pa.FixedSizeListArray.from_arrays(pa.array(rows.vectors.ravel()), dims)
        table = lancedb.connect(str(folder / "lance")).create_table(
            "rows", pa.table({"id": np.arange(n), "vector": flat})
        )

        def lance(vector: Floats, k: int) -> list[tuple[int, float]]:
            found = table.search(vector).nprobes(16).limit(k).select(["id", "_distance"]).to_arrow()
            return list(zip(found["id"].to_pylist(), found["_distance"].to_pylist(), strict=True))

        yield "LanceDB, no index", lambda _, vector: [n for n, _ in lance(vector, _TOP)]
        yield from fused(rows, con, lance)
        # Asked after those above are measured: from here on the table has the index.
        table.create_index(metric="l2", num_partitions=256, num_sub_vectors=96)
        yield "LanceDB, IVF-PQ 96, 16 probes (Noesis)", lambda _, vector: [n for n, _ in lance(vector, _TOP)]


def _there(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def row(
    name: str, answer: Answer, asked: Sequence[tuple[str, Floats]], truth: Sequence[set[int]] | None
) -> str:
    """Return a line of the table: times over all questions but the first few, and the share of the exact ten."""
    times, hits = [], 0
    for at, (query, vector) in enumerate(asked):
        found: list[int] = []
        took = timed(lambda q=query, v=vector, found=found: found.extend(answer(q, v)))
        hits += len(set(found) & truth[at]) if truth is not None else 0
        times.append(took)
    f = figures(times[_WARM:])
    share = f"{hits / (_TOP * len(asked)):.3f}" if truth is not None else "–"
    return f"| {name} | {f['p50']:.1f} / {f['p95']:.1f} | {f['cpu']:.1f} | {share} |"


_WARM = 4


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/scale"))  # noqa: S108 - throw-away stores
    parser.add_argument("--also", type=Path)
    args = parser.parse_args()
    if args.also:
        sys.path.append(str(args.also))
    settle()
    real = Embedder.open(shipped("models") / "minilm-l6-v2")
    asked = questions(Decade(real, args.folder), args.queries + _WARM, args.size // PER_SESSION)
    model = Asked(real)
    model.known.update(dict(asked))
    folder = Path(tempfile.mkdtemp(prefix="peers-"))
    try:
        with opened(args.folder, args.size, model) as deps:
            rows = Rows(deps)
            print(
                f"{len(rows.ids):,} of {args.size:,} rows may be seen\n\n| search | p50 / p95, ms | processor, ms | exact ten |\n|---|---|---|---|"
            )
            truth = [set(exact(rows, vector, _TOP)[0]) for _, vector in asked]
            place = {item: n for n, item in enumerate(rows.ids.tolist())}
            filt = Filter(visible(deps, complete(deps, ME)), DEFAULT_KINDS, with_covered=True)

            def vectors(_: str, vector: Floats) -> list[int]:
                with deps.store.snapshot() as s:
                    found = look.vector_candidates(s, deps.store, vector, filt, _TOP)
                return [place[item] for item, _ in found]

            def whole(query: str, _: Floats) -> list[int]:
                answer = assemble(deps, ME, AssembleRequest(query, 4000, deadline_ms=_LONG_MS))
                return [1] * len(answer["items"])

            def found_(query: str, _: Floats) -> list[int]:
                return [1] * len(search(deps, ME, SearchRequest(query, _TOP))["hits"])

            print(row("**Libra**: nearest vectors, filtered", vectors, asked, truth), flush=True)
            print(row("**Libra**: `search`, ten hits", found_, asked, None), flush=True)
            print(row("**Libra**: `assemble`, 4,000 tokens", whole, asked, None), flush=True)
            print(
                row(
                    "the default model's embedding", lambda q, _: [int(real.embed_query(q).size)], asked, None
                ),
                flush=True,
            )
        con = words_index(rows, folder)
        for peers in (in_sqlite(rows, con), installed(rows, con, folder)):
            for name, answer in peers:
                print(row(name, answer, asked, truth), flush=True)
        con.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
