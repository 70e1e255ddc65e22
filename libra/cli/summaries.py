"""The summariser for pipes: the real model, the pure summariser, nothing stored."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from typing import Any, Self

from libra.cli.reaching import places_of
from libra.compaction.extract import summarise, verbatim
from libra.compaction.turns import ClusterTurn
from libra.config import load
from libra.engine.fields import Choice, ListOf, Param, Struct, Text, Time
from libra.ground.errors import InvalidParams
from libra.ground.records import Role
from libra.inference.embedder import Embedder
from libra.inference.profiles import find
from libra.text.redact import redact

Json = dict[str, Any]

_TURNS = ListOf(
    Struct(
        (
            Param("content", Text(), "The words."),
            Param("role", Choice(tuple(Role), Role), "Who spoke.", None),
            Param("ts", Time(), "When.", None),
            Param("speaker", Text(), "A name.", None),
        )
    ),
    10_000,
    1,
)


class Summaries:
    """An open model that summarises one cluster of turns after the other.

    Args:
        args: Flags; the model is the one of the settings.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        named = args.config is not None or "LIBRA_CONFIG" in os.environ
        model = load(places_of(args).config, must_exist=named).model
        self._embedder = Embedder.open(
            find(model.folder or model.profile),
            dims=model.dims,
            providers=model.providers,
            threads=model.threads,
        )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let the model go."""
        self._embedder.close()

    def of(self, value: Json, budget_tokens: int | None) -> Json:
        """Return the summary of a line's turns, as the method ``summarize`` answers.

        Raises:
            InvalidParams: The line has no turns, or one of them has no words.
        """
        turns = [_turn(found) for found in _TURNS.check(_worded(value.get("turns")), "turns")]
        asked = value.get("budget_tokens", budget_tokens)
        if asked is not None and (isinstance(asked, bool) or not isinstance(asked, int) or asked < 1):
            raise InvalidParams("budget_tokens: expected a whole number from 1", where="budget_tokens")
        # Where nothing shorter says the same, the turns stand for themselves.
        return asdict(summarise(turns, self._embedder.embed_texts, asked) or verbatim(turns))


def _worded(turns: Any) -> Any:
    """Return the turns with ``content``, where a line calls it ``text``; other fields are not looked at."""
    if not isinstance(turns, list):
        raise InvalidParams("turns: expected an array", where="turns")
    known = ("role", "ts", "speaker")
    return [
        {"content": t.get("content", t.get("text")), **{k: t[k] for k in known if k in t}}
        if isinstance(t, dict)
        else t
        for t in turns
    ]


def _turn(found: Json) -> ClusterTurn:
    text = redact(found["content"]).text
    return ClusterTurn(text, found["role"], found["ts"], speaker=found["speaker"])
