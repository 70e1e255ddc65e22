"""A verb that changes something says whether it did: of what is unknown, and of what was so already."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine.core import Engine
from libra.engine.verbs import VERBS
from libra.ground.errors import NotFound
from tests.engine.conftest import ME

PLACE = "project:/home/dev/harbour"
TWICE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("relate", {"to": "other"}), ("unrelate", {"to": "other"}), ("pin", {}), ("unpin", {}),
    ("set_priority", {"priority": 70}), ("extend", {"days": 3}), ("extend", {}), ("never", {"place": PLACE}),
    ("allow", {"place": PLACE}), ("update", {"text": "The crane lifts 25 tonnes."}), ("share", {"ids": 1, "to": "global"}),
    ("unshare", {"ids": 1, "from": "global"}),
)  # fmt: skip
"""Verbs with what they need beside an id: done twice, the second time changes nothing."""


def _do(engine: Engine, verb: str, uid: str, more: dict[str, Any], other: str) -> dict[str, Any]:
    params: dict[str, Any] = (
        {"origin": "owner"} if any(p.name == "origin" for p in VERBS[verb].params) else {}
    )
    params |= {"ids": [uid]} if "ids" in more else {"id": uid}
    params |= {name: other if value == "other" else value for name, value in more.items() if name != "ids"}
    answer: dict[str, Any] = getattr(engine, verb)(
        **VERBS[verb].check({**params, "who": {"user": "me"}}, "me")
    )
    return answer


def test_what_was_so_already_is_told_from_what_was_changed(engine: Engine) -> None:
    """Else a person would read "done" of something that nobody did, and look for its effect."""
    other = engine.remember(who=ME, text="The depot lost its roof.")["id"]
    uid = engine.remember(who=ME, text="The crane lifts 24 tonnes.")["id"]
    for verb, more in TWICE:
        first = _do(engine, verb, uid, more, other)
        uid = first.get("id", uid)  # other words are another memory
        second = _do(engine, verb, uid, more, other)
        assert (verb, first["changed"], second["changed"]) == (verb, True, False)
        if "journal_id" in first:
            assert (first["journal_id"] is None, second["journal_id"]) == (False, None)
        assert "changed" in VERBS[verb].result
    assert (engine.archive(who=ME, ids=[uid])["archived"], engine.archive(who=ME, ids=[uid])["archived"]) == (
        1,
        0,
    )
    assert engine.unarchive(who=ME, ids=[uid])["unarchived"] == 1
    assert engine.unarchive(who=ME, ids=[uid])["unarchived"] == 0


@pytest.mark.parametrize("verb", sorted({verb for verb, _ in TWICE} | {"confirm", "forget", "archive"}))
def test_an_unknown_id_is_an_error(engine: Engine, verb: str) -> None:
    """Else a slip in an id would be answered with "done"."""
    other = engine.remember(who=ME, text="The depot lost its roof.")["id"]
    more = dict(TWICE).get(verb, {"ids": 1} if verb == "archive" else {})
    with pytest.raises(NotFound):
        _do(engine, verb, "m0000000", more, other)


def test_what_hangs_together_is_parted_from_either_side(engine: Engine) -> None:
    """Else it would depend on who was named first, which nobody remembers."""
    one = engine.remember(who=ME, text="The crane lifts 24 tonnes.")["id"]
    two = engine.remember(who=ME, text="The depot lost its roof.")["id"]
    for kind in ("related_to", "evolved_from"):
        assert engine.relate(who=ME, id=one, to=two, kind=kind)["changed"]
        assert engine.unrelate(who=ME, id=two, to=one, kind=kind)["changed"]
        assert engine.relations(who=ME, id=one, kinds=(kind,))["relations"] == []
        engine.undo(who=ME, last=True)
        assert [r["id"] for r in engine.relations(who=ME, id=two, kinds=(kind,))["relations"]] == [one]
    assert not engine.relate(who=ME, id=two, to=one)["changed"]  # about the same matter, said once
    assert engine.relate(who=ME, id=two, to=one, kind="evolved_from")["changed"]  # that has a direction
    with pytest.raises(NotFound) as told:
        engine.relate(who=ME, id=one, to="m0000000")
    assert told.value.where == "to"


def test_resuming_says_whether_anything_was_paused(engine: Engine) -> None:
    """Else "learning again" would be said of a Libra that learnt all the time."""
    assert engine.resume() == {"ok": True, "was_paused": False}
    engine.pause(seconds=60)
    assert engine.resume()["was_paused"] is True
    engine.pause(project="/home/dev/harbour")
    assert engine.resume()["was_paused"] is False
    assert engine.resume(project="/home/dev/harbour")["was_paused"] is True
