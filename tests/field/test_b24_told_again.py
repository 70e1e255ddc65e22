"""B24: telling the same thing again confirms the memory, it never deletes or doubles it."""

from __future__ import annotations

import pytest

from tests.e2e.running import Running

pytestmark = [pytest.mark.e2e, pytest.mark.model]

FACT = "My sister Linh lives in Da Nang."


def test_three_sessions_make_one_memory(running: Running) -> None:
    """One active memory, three confirmations, the same id all along."""
    running.start()
    ids = set()
    for number in range(1, 4):
        turn = {"id": f"t{number}", "role": "user", "content": FACT, "ts": f"2026-04-1{number}T09:00:00Z"}
        running.call("ingest", who={"session": f"s{number}"}, turns=[turn])
        running.drain()
        hits = running.search("Where does Linh live?", kinds=["memory"], k=10)
        assert [hit["text"] for hit in hits] == [FACT]
        ids.add(hits[0]["id"])
        assert running.call("get", id=hits[0]["id"])["confirmations"] == number
    assert len(ids) == 1


AGAIN = {
    "typed otherwise": (FACT, "my sister linh lives in da nang", "My  sister Linh lives in Da Nang!!", f"{FACT} 🙂", "My sister Linh lives in Da Nang :)"),
    "composed otherwise": ("Chị Linh sống ở Đà Nẵng.", "Chi\u0323 Linh sống ở Đà Nẵng.", "chị Linh sống ở Đà Nẵng"),
    "another script": ("我妹妹住在岘港。", "我妹妹住在岘港", "我妹妹住在岘港！"),
    "asked to remember": ("Remember: my sister Linh lives in Da Nang.", FACT),
    "quotes of another keyboard": ("My sister's birthday is 7 March.", "My sister’s birthday is 7 March."),
}  # fmt: skip


def tell(running: Running, user: str, said: tuple[str, ...]) -> list[dict[str, object]]:
    """Say each in a session of its own and return the memories, those in the archive too."""
    for number, text in enumerate(said, 1):
        turn = {"id": f"t{number}", "role": "user", "content": text, "ts": f"2026-04-1{number}T09:00:00Z"}
        running.call("ingest", who={"user": user, "session": f"s{number}"}, turns=[turn])
        running.drain()
    who = {"user": user, "session": "later"}
    hits = running.call("search", who=who, query=said[0], kinds=["memory"], k=10, archive=True)["hits"]
    return [running.call("get", who=who, id=hit["id"]) for hit in hits]


def test_the_same_in_other_dress_is_the_same(running: Running) -> None:
    """Case, spaces, punctuation, a smile, composed letters: one memory, confirmed each time."""
    running.start()
    for number, (name, said) in enumerate(AGAIN.items()):
        found = tell(running, f"u{number}", said)
        assert [(m["active"], m["confirmations"]) for m in found] == [(True, len(said))], name


def test_what_differs_in_a_particular_is_another_memory(running: Running) -> None:
    """A number, a name, a negation: nearly the same words say something else, and none is swallowed."""
    running.start()
    for number, said in enumerate(
        (
            ("My sister Linh has 2 cats.", "My brother Linh has 3 cats."),
            ("The backup runs at 02:00.", "The report runs at 02:00."),
            ("My sister Linh lives in Da Nang.", "My sister Mai lives in Da Nang."),
        )
    ):
        found = tell(running, f"d{number}", said)
        assert {m["text"] for m in found if m["active"]} == set(said)
