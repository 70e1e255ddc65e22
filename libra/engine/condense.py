"""One cluster of a session becomes a summary and guidance, in one transaction, or stays as it is."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from libra.compaction.extract import Embed, Summary, extracted, prepared
from libra.compaction.header import without_header
from libra.compaction.lexical import lexical_vectors
from libra.compaction.params import CompactionParams
from libra.compaction.shards import PROTOTYPES, ShardTurn, is_borderline, protected
from libra.compaction.turns import ClusterTurn
from libra.engine.deps import Deps
from libra.engine.rewrite import Rewriter
from libra.gate.admission import stability
from libra.ground.errors import ModelError
from libra.ground.records import Kind, Origin, Role, digest
from libra.ground.vectors import Vector
from libra.inference.protocol import EmbedderLike
from libra.lifecycle.ownwords import own_words
from libra.store import meta, search, summaries, vectors
from libra.store.rows import ItemRow
from libra.store.summaries import SummaryRow
from libra.store.writer import WriteTx

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Condensed:
    """A cluster that was condensed.

    Attributes:
        uid: The summary's id.
        confidence: Of the summary, [0, 1].
        guidance: Turns newly kept verbatim.
        guidance_tokens: Their tokens.
        lexical: There was no model: words were counted instead.
        new: False if the summary was there already.
        method: ``extractive``, or ``abstractive`` where a model wrote it.
        refused: Why no model did, if one is set.
    """

    uid: str
    confidence: float
    guidance: int
    guidance_tokens: int
    lexical: bool
    new: bool
    method: str
    refused: str | None


@dataclass(frozen=True, slots=True)
class Space:
    """The space that a cluster is judged in: the model's, or that of counted words."""

    embed: Embed
    known: dict[int, Vector]
    name: str
    lexical: bool


class Prototypes:
    """Vectors of the guidance prototypes, made once a run and space."""

    def __init__(self) -> None:
        self._made: dict[str, Vector] = {}

    def of(self, space: Space) -> Vector:
        """Return them, shape ``(prototypes, dims)``."""
        if space.name not in self._made:
            self._made[space.name] = space.embed(PROTOTYPES)
        return self._made[space.name]


def cluster(
    deps: Deps,
    rows: Sequence[ItemRow],
    level: int,
    params: CompactionParams,
    prototypes: Prototypes,
    rewriter: Rewriter,
) -> Condensed | None:
    """Condense one cluster and store it; return None if there is no shorter text for it.

    Args:
        deps: Shared parts.
        rows: Uncovered turns (level 1) or summaries of one level, in time order, of one session.
        level: Level of the new summary.
        params: Settings.
        prototypes: Of this run.
        rewriter: Of this run.

    Raises:
        Conflict: The cluster changed meanwhile; nothing was stored.
        StoreError: The database refused; nothing was stored.
    """
    space = _space(deps, rows)
    try:
        return _within(deps, rows, level, params, space, prototypes, rewriter)
    except ModelError as error:
        _LOG.warning("the model failed in a compaction: %s", error.reason)
        return _within(deps, rows, level, params, _WORDS, prototypes, rewriter)


def summary_uid(rows: Sequence[ItemRow]) -> str:
    """Return the content-addressed id of the summary of these rows: session and sorted source ids."""
    return "s" + digest("summary", str(rows[0].session_key), *sorted(row.uid for row in rows))[:23]


def _within(
    deps: Deps,
    rows: Sequence[ItemRow],
    level: int,
    params: CompactionParams,
    space: Space,
    prototypes: Prototypes,
    rewriter: Rewriter,
) -> Condensed | None:
    """Condense a cluster in one space."""
    uid = summary_uid(rows)
    mark = digest("declined", uid, space.name)
    if _was_declined(deps, rows[0], mark):
        return None
    kept = _protected(rows, params, space, prototypes) if level == 1 else []
    rest = [row for i, row in enumerate(rows) if i not in set(kept)] or rows
    source = prepared([_turn(row, space) for row in rest], space.embed, params.extract)
    made = None if source is None else extracted(source, space.embed, None, params.extract)
    if source is None or made is None:
        deps.store.write(lambda tx: _decline(tx, rows[0], mark)).result()
        return None
    # Counted words cannot judge a model's own; what is protected is safe by now, whatever the model does.
    refused = None
    if not space.lexical:
        made, refused = rewriter.better(rest, level, source, made, space.embed)
    return _store(deps, rows, kept, _row(uid, rows, level, made, refused), lexical=space.lexical)


def _store(
    deps: Deps,
    rows: Sequence[ItemRow],
    kept: Sequence[int],
    summary: SummaryRow,
    *,
    lexical: bool,
) -> Condensed:
    """Commit guidance, summary and coverage together, synced to the disk."""
    now_ms = deps.clock()
    covered, turns = [row.id for row in rows], [rows[i].id for i in kept]
    committed = deps.store.write(
        lambda tx: summaries.commit(tx, summary, covered, turns, now_ms), full_sync=True
    ).result()
    return Condensed(
        uid=summary.uid,
        confidence=summary.confidence,
        guidance=len(committed.guidance_ids),
        guidance_tokens=sum(rows[i].tokens for i in kept) if committed.guidance_ids else 0,
        lexical=lexical,
        new=committed.new,
        method=summary.method,
        refused=summary.refused,
    )


def _row(uid: str, rows: Sequence[ItemRow], level: int, made: Summary, refused: str | None) -> SummaryRow:
    return SummaryRow(
        uid=uid,
        session_id=rows[0].session_id or 0,
        level=level,
        text=made.text,
        tokens=made.tokens_out,
        ts_ms=max(row.ts_ms for row in rows),
        method=made.method,
        confidence=made.confidence,
        align=made.align,
        cover=made.cover,
        ident=made.identifiers_kept,
        tokens_in=sum(row.tokens for row in rows),
        refused=refused,
    )


def _turn(row: ItemRow, space: Space) -> ClusterTurn:
    """Return a row as the summariser sees it; lower summaries name their speakers themselves."""
    role = Role(row.role) if row.kind is Kind.TURN and row.role else None
    text = row.text if row.kind is Kind.TURN else without_header(row.text)
    return ClusterTurn(text, role, row.ts_ms, space.known.get(row.id), row.speaker, row.tokens)


_WORDS = Space(lexical_vectors, {}, "words", lexical=True)


def _space(deps: Deps, rows: Sequence[ItemRow]) -> Space:
    """Return the model's space with the vectors that the store has in it, else that of counted words."""
    embedder = deps.model.get()
    if embedder is None:
        return _WORDS
    known: dict[int, Vector] = {}
    with deps.store.snapshot() as snapshot:
        model = vectors.current_model(snapshot)
        if model is not None and model[0] == embedder.fingerprint:
            known = search.vectors_of(snapshot, deps.store, [row.id for row in rows])
    return Space(embedder.embed_texts, known, embedder.fingerprint, lexical=False)


def _protected(
    rows: Sequence[ItemRow], params: CompactionParams, space: Space, prototypes: Prototypes
) -> list[int]:
    """Return the indexes of the turns that are kept verbatim.

    What a person quotes, pastes, reports or shows as code is no rule of theirs (lessons.md C37).
    """
    seen = [
        ShardTurn(
            own_words(row.text),
            stability(Role(row.role or Role.USER.value), Origin(row.origin or Origin.OWNER.value)),
        )
        for row in rows
    ]
    cosines = [0.0] * len(rows)
    borderline = [i for i, turn in enumerate(seen) if is_borderline(turn, params.shards)]
    if borderline and not space.lexical:
        missing = [i for i in borderline if rows[i].id not in space.known]
        fresh = (
            dict(zip(missing, space.embed([rows[i].text for i in missing]), strict=True)) if missing else {}
        )
        near = prototypes.of(space)
        for i in borderline:
            vector = fresh[i] if i in fresh else space.known[rows[i].id]
            cosines[i] = float(np.max(near @ vector))
    return protected(seen, cosines, params.shards)


# ------------------------------------------------------------------ clusters without a shorter text

_MOST_MARKS = 64


def _key(row: ItemRow) -> str:
    return f"compact.declined.{row.session_id}"


def _was_declined(deps: Deps, row: ItemRow, mark: str) -> bool:
    """Return True if this very cluster had no shorter text in this very space, so that it is not tried again."""
    with deps.store.snapshot() as snapshot:
        return mark in str(meta.get(snapshot, _key(row)) or "").split()


def _decline(tx: WriteTx, row: ItemRow, mark: str) -> None:
    """Remember a cluster that has no shorter text; only the newest are."""
    marks = [*str(meta.get(tx, _key(row)) or "").split(), mark]
    meta.put(tx, _key(row), " ".join(marks[-_MOST_MARKS:]))


def space_of(embedder: EmbedderLike | None) -> Space:
    """Return the space for texts that are not stored."""
    if embedder is None:
        return _WORDS
    return Space(embedder.embed_texts, {}, embedder.fingerprint, lexical=False)
