"""What is stored, what is being done, with which model, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from libra import __version__
from libra.engine import rescan, tasks
from libra.engine.calibrate import threshold_in_force
from libra.engine.deps import Deps
from libra.engine.instructions import hard_load
from libra.engine.lately import Lately
from libra.engine.pause import Pause
from libra.engine.rest import MEMORY
from libra.ground import program
from libra.ground.records import Who
from libra.store import cursors, documents, receipts, sessions, stats
from libra.store.migrations import SCHEMA
from libra.store.snapshot import Snapshot
from libra.store.stats import Stats

_GONE_SHOWN = 20


def degraded(deps: Deps) -> list[str]:
    """Return everything that does not work as it should, in words for a person."""
    out = []
    if deps.model.state == "missing":
        out.append(f"embedding: {deps.model.reason}")
    if deps.store.read_only:
        damage = deps.store.damaged
        out.append(
            f"store: {damage.message if damage is not None else 'opened read-only, nothing is learnt'}"
        )
    if deps.store.full:
        out.append(_full(deps))
    if deps.store.failing:
        out.append("store: the disk cannot be read or written; what comes is refused until it can")
    if deps.resting.startswith(MEMORY):
        out.append(deps.resting)
    if not deps.store.vec_available:
        out.append("vectors: sqlite-vec cannot be loaded here; the float rows are searched instead")
    summarizer = deps.summariser.state()
    if summarizer["reason"]:
        out.append(f"summarizer: {summarizer['reason']}; summaries are extractive")
    return [*out, *deps.troubles]


def _full(deps: Deps) -> str:
    if not deps.store.at_limit:
        return "store: the disk is full; what comes is refused until there is room"
    return (
        f"store: the database has grown to its limit of {deps.store.most_bytes // 1_000_000:,} MB (store.most_bytes); what comes is refused"
        " until something is forgotten or the limit is raised"
    )


def health(deps: Deps) -> dict[str, Any]:
    """Answer the method ``health``; ``ok`` is true whenever turns can be stored and searched."""
    wrong = degraded(deps)
    return {
        "ok": True,
        "ready": deps.model.state != "loading",
        "version": __version__,
        "build": program.build(),
        "schema": SCHEMA,
        "abstractiveReady": deps.summariser.ready,
        "message": "; ".join(wrong) or ("ready" if deps.model.state == "ready" else deps.model.reason),
        "degraded": wrong,
    }


def status(
    deps: Deps,
    who: Who | None,
    paused: Pause,
    sources: Mapping[str, Any],
    lately: Lately,
) -> dict[str, Any]:
    """Answer the method ``status``; ``who`` narrows nothing, since counts are no content."""
    del who
    with deps.store.snapshot() as snapshot:
        found = stats.collect(snapshot)
        newest = receipts.newest(snapshot)
        threshold = threshold_in_force(deps, snapshot)
        overloaded = documents.overloaded(snapshot)
        read = _with_gone(snapshot, sources)
        last = lately.fields(snapshot)
        redaction = rescan.progress(snapshot)
        undone = tasks.progress(snapshot)
    sizes = deps.store.sizes()
    wrong = degraded(deps)
    if sizes.get("wal_bytes", 0) > deps.store.wal_most_bytes:
        wrong.append(
            f"wal: the write-ahead log has grown to {sizes['wal_bytes'] // 1024**2} MB; a reader holds it back"
        )
    wrong += [hard_load(*document) for document in overloaded]
    wrong += [str(line) for line in sources.get("problems", ())]
    waiting = found.vectors.pending + found.gate_waiting
    return {
        **health(deps),
        "counts": {
            **found.kinds,
            "session": found.sessions,
            "document": sum(n for state, n in found.documents.items() if state != "gone"),
            "archived": found.archived,
            "tombstone": found.tombstones,
            "tombstone_hits": found.tombstone_hits,
        },
        "scopes": found.scopes,
        "queue": {
            "embed": found.vectors.pending,
            "embedded": found.vectors.ready,
            "failed": found.vectors.failed,
            "re_embed": found.vectors.stale,
            "gate": found.gate_waiting,
            "waiting": waiting,
            "resting": deps.resting,
        },
        "sources": read,
        "documents": found.documents,
        "model": _model(deps, found),
        "summarizer": deps.summariser.state(),
        "redaction": redaction,
        "tasks": undone,
        "sizes": sizes,
        "last_learnt": found.last_learnt_ms,
        "last_injected": None
        if newest is None
        else {"ts": newest.created_ms, "tokens": newest.tokens, "receipt_id": newest.id},
        **last,
        "paused": paused.until() is not None,
        "paused_until": paused.until(),
        "paused_projects": paused.projects(),
        "degraded": wrong,
        # What LibraVDB's clients read (hosts.md §4.4).
        "turnCount": found.kinds["turn"],
        "memoryCount": found.kinds["memory"],
        "lifecycleHintCount": 0,
        "gatingThreshold": threshold,
        "embeddingProfile": _profile(deps),
    }


def _with_gone(snapshot: Snapshot, sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the readers say, with what is kept of transcripts that their hosts have deleted (lessons.md C02)."""
    hosts = {name: dict(counts) for name, counts in sources.get("hosts", {}).items()}
    for name, (count, gone_ms) in sessions.kept(snapshot).items():
        hosts.setdefault(name, {}).update(sessions_kept=count, last_gone_ms=gone_ms)
    gone = [
        {"host": host, "path": path, "gone_ms": gone_ms, "turns": turns}
        for host, path, gone_ms, turns in cursors.gone(snapshot, _GONE_SHOWN)
    ]
    return {**sources, **({"hosts": hosts} if hosts else {}), **({"gone": gone} if gone else {})}


def _profile(deps: Deps) -> str:
    embedder = deps.model.get()
    return embedder.manifest.name if embedder is not None else "none"


def _model(deps: Deps, found: Stats) -> dict[str, Any]:
    embedder = deps.model.get()
    out: dict[str, Any] = {"state": deps.model.state, "profile": _profile(deps), "reason": deps.model.reason}
    if embedder is not None:
        out.update(
            provider=embedder.provider,
            reason=embedder.provider_reason,
            dims=embedder.dims,
            fingerprint=embedder.fingerprint,
        )
    if found.vectors.stale:
        out["re_embedding"] = f"re-embedding {found.vectors.stale} left"
    return out
