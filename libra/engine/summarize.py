"""Summarise turns that a caller hands in; nothing is stored."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from libra.compaction.extract import Summary, summarise, verbatim
from libra.compaction.turns import ClusterTurn
from libra.engine.condense import Space, space_of
from libra.engine.deps import Deps
from libra.ground.errors import InvalidParams, ModelError
from libra.ground.records import NewTurn
from libra.text.redact import redact

_LOG = logging.getLogger(__name__)


def summarize(deps: Deps, turns: Sequence[NewTurn], budget_tokens: int | None) -> dict[str, Any]:
    """Answer the method ``summarize``.

    Turns for which there is no shorter text come back as they are, with the method ``verbatim``.

    Args:
        deps: Shared parts.
        turns: In order; secrets in them are redacted first.
        budget_tokens: Most tokens of the summary, at least 1.

    Raises:
        InvalidParams: The budget is below 1.
    """
    if budget_tokens is not None and budget_tokens < 1:
        raise InvalidParams("budget_tokens: expected a whole number from 1", where="budget_tokens")
    given = [
        ClusterTurn(
            redact(turn.content).text, turn.role, turn.ts_ms, speaker=turn.speaker, tokens=turn.tokens
        )
        for turn in turns
    ]
    space = space_of(deps.model.get())
    try:
        made = _made(given, space, budget_tokens)
    except ModelError as error:
        _LOG.warning("the model failed in a summary: %s", error.reason)
        space = space_of(None)
        made = _made(given, space, budget_tokens)
    return {**asdict(made), "degraded": ["embedding"] if space.lexical else []}


def _made(given: Sequence[ClusterTurn], space: Space, budget_tokens: int | None) -> Summary:
    return summarise(given, space.embed, budget_tokens) or verbatim(given)
