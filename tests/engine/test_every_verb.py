"""Every verb answers on an empty store and on one that holds something, with the example of its own declaration."""

from __future__ import annotations

import contextlib

import pytest

from libra.engine.core import Engine
from libra.engine.verbs import VERBS
from libra.ground.errors import LibraError
from tests.engine.conftest import ME, assistant, settle, user

_ENDS = {"shutdown"}
"""Verbs that end what answers them."""


@pytest.mark.parametrize("name", [n for n in VERBS if n not in _ENDS])
@pytest.mark.parametrize("filled", [False, True], ids=["empty", "filled"])
def test_every_verb_answers_its_example(engine: Engine, name: str, *, filled: bool) -> None:
    """A fresh install answers, too: only a known error with a reason may come of it, never an internal one."""
    if filled:
        engine.ingest(who=ME, turns=[user("We deploy on Fridays, never on Mondays."), assistant("Noted.")])
        settle(engine)
    verb = VERBS[name]
    with contextlib.suppress(LibraError):
        assert getattr(engine, name)(**verb.check(dict(verb.example), "me")) is not None
