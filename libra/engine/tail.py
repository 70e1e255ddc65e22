"""The recent raw turns of the caller's session, cut into bundles, and the question that was really asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from libra.ground.records import NewTurn, Role, Who, digest, normal_text
from libra.store import search, turns
from libra.store.rows import ItemRow
from libra.store.store import Snapshot, Store
from libra.store.visibility import Visible
from libra.text.marks import strip
from libra.text.noise import NoiseKind, noise, unwrap
from libra.text.redact import redact
from libra.text.tokens import estimate

_LONG_BUNDLE_TURNS = 8
"""An agent may speak for hours after one request: a longer run may be cut between its answers."""
_NO_QUESTION = frozenset({NoiseKind.EMPTY, NoiseKind.CONTINUATION})


@dataclass(frozen=True, slots=True)
class TailTurn:
    """One recent turn. ``begins`` is True where a bundle may be cut before it."""

    uid: str
    item_id: int | None
    role: str
    speaker: str | None
    text: str
    tokens: int
    begins: bool
    source: dict[str, Any] = field(default_factory=dict)


def tail_of(
    snapshot: Snapshot,
    caller: Who,
    sees: Visible,
    messages: Sequence[NewTurn] | None,
    limit_tokens: int,
    as_of_ms: int | None = None,
) -> list[TailTurn]:
    """Return the recent turns, oldest first: the host's own messages, else the stored session's.

    Stored turns that stand among the host's messages lend them their id, so that recall leaves them out.

    Args:
        snapshot: The state to read.
        caller: The completed caller.
        sees: What it may see.
        messages: The conversation as the host has it, oldest first.
        limit_tokens: Stop reading once this many tokens (and the mandatory turns) are there.
        as_of_ms: Leave out what was stored of the session after this time, epoch ms; None for now.
    """
    stored = (
        list(reversed(turns.tail(snapshot, caller.session, limit_tokens, visible=sees)))
        if caller.session is not None
        else []
    )
    if as_of_ms is not None:
        stored = [row for row in stored if row.ts_ms <= as_of_ms]
    if messages is None:
        return _bundled([_from_row(row) for row in stored])
    by_text = {(row.role, normal_text(row.text)): row for row in reversed(stored)}
    return _bundled([t for i, m in enumerate(messages) if (t := _from_message(m, i, by_text)) is not None])


def real_query(query: str, tail: Sequence[TailTurn]) -> str:
    """Return the person's own question: envelopes off, "go on" replaced by the last real request.

    Source: lessons C29, C30.
    """
    text = unwrap(strip(query, lambda _line: False).text).strip()
    if noise(text, Role.USER) not in _NO_QUESTION:
        return text
    for turn in reversed(tail):
        if turn.role == Role.USER.value and noise(turn.text, Role.USER) is None:
            return turn.text
    return text


def surprises(store: Store, snapshot: Snapshot, tail: Sequence[TailTurn]) -> list[float]:
    """Return for each turn 1 − the largest cosine to another one, [0, 2]; 0 without a vector.

    Source: memory-model.md §8, Entropy-driven tail.
    """
    ids = [turn.item_id for turn in tail if turn.item_id is not None]
    known = search.vectors_of(snapshot, store, ids) if ids else {}
    places = [i for i, turn in enumerate(tail) if turn.item_id in known]
    out = [0.0] * len(tail)
    if len(places) > 1:
        vectors = np.stack([known[tail[i].item_id or 0] for i in places])
        near = vectors @ vectors.T
        np.fill_diagonal(near, -1.0)
        for i, largest in zip(places, near.max(axis=1), strict=True):
            out[i] = float(1.0 - largest)
    return out


def _from_row(row: ItemRow) -> TailTurn:
    where = {"session": row.session_key, "turn_ids": [row.uid], "path": row.source_path, "line": row.line}
    source = {k: v for k, v in where.items() if v is not None}
    return TailTurn(
        row.uid, row.id, row.role or "user", row.speaker, row.text, row.tokens, begins=True, source=source
    )


def _from_message(
    message: NewTurn, index: int, stored: dict[tuple[str | None, str], ItemRow]
) -> TailTurn | None:
    text = redact(unwrap(strip(message.content, lambda _line: False).text)).text.strip()
    if not text:
        return None
    # Popped: the second of two equal messages is another turn, and no id may stand in a prompt twice.
    row = stored.pop((message.role.value, normal_text(text)), None)
    if row is not None:
        return _from_row(row)
    uid = digest("message", str(index), message.event_id or "", text)
    tokens = message.tokens if message.tokens is not None else estimate(text)
    where = {"message": index}
    return TailTurn(uid, None, message.role.value, message.speaker, text, tokens, begins=True, source=where)


def _bundled(turns_: Sequence[TailTurn]) -> list[TailTurn]:
    """Mark where bundles begin: a request and its answers stay together, a tool call and its result too."""
    out: list[TailTurn] = []
    run = 0
    for turn in turns_:
        run = 0 if turn.role == Role.USER.value else run + 1
        free = turn.role == Role.ASSISTANT.value and run >= _LONG_BUNDLE_TURNS
        begins = not out or turn.role == Role.USER.value or free
        if free:
            run = 0
        out.append(replace(turn, begins=begins))
    return out
