"""A note that quotes what was said is linked to the turn (lessons.md C22)."""

from __future__ import annotations

from typing import Any

import pytest

from libra.engine import quoting, upkeep
from libra.engine.automatic import Lookout
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.records import DocumentText, Scope
from tests.conftest import FixedClock
from tests.engine.conftest import ME, user

SAID = "We want the harbour crane repainted in *dark green* before the spring fair opens."
HOUR_MS = 3_600_000


def note(engine: Engine, text: str) -> None:
    """Have a note of the person's be read."""
    engine.document(DocumentText("/w/notes/day.md", text, "any", Scope.parse("user:me"), instructions=False))


def linked(engine: Engine, query: str, kind: str) -> list[dict[str, Any]]:
    """Return what hangs together with the one found record of a kind."""
    hits = [hit for hit in engine.search(who=ME, query=query)["hits"] if hit["kind"] == kind]
    return [link for hit in hits for link in engine.relations(who=ME, id=hit["id"])["relations"]]


def swept(deps: Deps) -> None:
    """Do what the background worker does when nothing waits."""
    lookout = Lookout()
    while upkeep.when_idle(deps, lookout):
        pass


@pytest.mark.parametrize(
    "quoted",
    [
        "# Talk\n\nMe: we want the harbour crane repainted in dark green before the spring fair opens\n",
        "> We want the harbour crane repainted\n> in **dark green** before the spring fair opens.\n",
        "- the harbour crane repainted in dark green before the spring fair\n",
    ],
)
def test_a_note_that_quotes_a_turn_is_linked_to_it(deps: Deps, clock: FixedClock, quoted: str) -> None:
    """Who reads a note finds when it was said, and the other way round, whatever signs stand around the words."""
    engine = Engine(deps)
    note(engine, quoted)
    engine.ingest(who=ME, turns=[user(SAID, 1000, "e1"), user("The harbour crane is green now.", 2000, "e2")])
    clock.advance(HOUR_MS)
    swept(deps)
    (there,) = linked(engine, "harbour crane dark green spring fair", "lore")
    (back,) = linked(engine, "harbour crane dark green spring fair", "turn")
    assert (there["kind"], there["of"], there["text"]) == ("quotes", "turn", SAID)
    assert (back["kind"], back["of"]) == ("quoted_by", "lore")


def test_what_only_sounds_alike_is_not_linked(deps: Deps, clock: FixedClock) -> None:
    """A note of one's own that shares words with a talk would be told to come from it."""
    engine = Engine(deps)
    engine.ingest(
        who=ME,
        turns=[
            user("The crane in the harbour is dark green since the spring fair.", 1000, "e1"),
            user("Yes, do that.", 2000, "e2"),
        ],
    )
    note(
        engine,
        "We want the harbour crane repainted in dark green before the spring fair opens.\n\nYes, do that.\n",
    )
    clock.advance(HOUR_MS)
    swept(deps)
    assert linked(engine, "harbour crane dark green", "lore") == []


def test_the_talk_may_be_read_after_the_note(deps: Deps, clock: FixedClock) -> None:
    """On a first start notes come before the history that they quote: looked at at once, they would never be linked."""
    engine = Engine(deps)
    note(engine, f"> {SAID}\n")
    assert not quoting.link_some(deps)
    engine.ingest(who=ME, turns=[user(SAID, 1000, "e1")])
    clock.advance(HOUR_MS)
    assert quoting.link_some(deps)
    assert not quoting.link_some(deps)
    assert len(linked(engine, "harbour crane", "lore")) == 1


def test_a_forgotten_turn_leaves_no_link(deps: Deps, clock: FixedClock) -> None:
    """The note is the person's file and stays; that it was also said must not."""
    engine = Engine(deps)
    note(engine, f"> {SAID}\n")
    engine.ingest(who=ME, turns=[user(SAID, 1000, "e1")])
    clock.advance(HOUR_MS)
    swept(deps)
    (told,) = [hit for hit in engine.search(who=ME, query="harbour crane")["hits"] if hit["kind"] == "turn"]
    engine.forget(who=ME, ids=[told["id"]])
    assert linked(engine, "harbour crane", "lore") == []


def test_links_are_not_exported(deps: Deps, clock: FixedClock) -> None:
    """Notes are read from their files where they are: a link to one would be an error of every import and check."""
    engine = Engine(deps)
    note(engine, f"> {SAID}\n")
    engine.ingest(who=ME, turns=[user(SAID, 1000, "e1")])
    clock.advance(HOUR_MS)
    swept(deps)
    assert linked(engine, "harbour crane", "lore")
    records = engine.export(who=ME)["records"]
    assert {record["kind"] for record in records} >= {"turn"}
    assert [record for record in records if record["kind"] == "relation"] == []
