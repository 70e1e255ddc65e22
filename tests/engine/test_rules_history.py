"""What became of instruction files' lines and when, from the files to the answer; and that words go from it where they must."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from libra.engine import upkeep
from libra.engine.automatic import Lookout
from libra.engine.cleaning import RULES
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import NotFound
from libra.ground.records import Scope, Who
from libra.sources.document_places import DocumentPlace
from libra.sources.documents import Shelf
from libra.store.restore import restore
from libra.store.store import Store
from libra.store.wipe import tables
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle

DAY_MS = 86_400_000
WORD = "Quuxly-Vantor"


@dataclass(slots=True)
class Files:
    """Instruction files on the disk, and the reader that follows them."""

    engine: Engine
    clock: FixedClock
    shelf: Shelf
    folder: Path

    def write(self, text: str | None, name: str = "CLAUDE.md", scope: str = "global") -> str:
        """Write a file, or remove it, an hour after the last time; let it be read; return its path."""
        path = self.folder / name
        self.clock.advance(3_600_000)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, "utf-8")
        for _ in range(2):  # what is missing is looked for twice before it is gone
            self.shelf.update(
                [
                    DocumentPlace(
                        path,
                        "claude-code",
                        Scope.parse(scope),
                        instructions=True,
                        order=1,
                        anchor=self.folder,
                    )
                ]
            )
            self.clock.advance(10_000)
        return str(path.resolve())

    def told(self, **asked: Any) -> list[dict[str, Any]]:
        """Return what the history says, the newest first."""
        items: list[dict[str, Any]] = self.engine.rules_history(who=ME, **asked)["items"]
        return items


@pytest.fixture
def files(engine: Engine, clock: FixedClock, tmp_path: Path) -> Files:
    """Return an empty folder that is read for instruction files."""
    return Files(engine, clock, Shelf(engine, tmp_path, clock), tmp_path)


def test_a_removed_line_is_told_with_when_it_stood_there(files: Files) -> None:
    """A person who asks why an agent did something last month would find no trace of the rule that it followed."""
    path = files.write("- Never push to main.\n- Run the tests before every commit.\n")
    began = files.clock()
    files.write("- Run the tests before every commit.\n")
    removed, read = files.told()
    assert (read["what"], read["path"]) == ("read", path)
    assert (removed["what"], removed["text"], removed["tier"]) == ("removed", "Never push to main.", "hard")
    assert removed["lines"] == [1, 1]
    assert removed["since"] < began < removed["at"]


def test_what_a_line_became_is_told(files: Files) -> None:
    """Else nobody could see when a rule was worded otherwise, came in, or became advice."""
    files.write("- Never push to main.\n\nYou should write short messages.\n")
    files.write(
        "- Never push to main or to release.\n\n- You should write short messages.\n\n- Feed the cat.\n"
    )
    told = {(c["what"], c.get("was"), c.get("tier"), c.get("before"), c.get("text")) for c in files.told()}
    assert told == {
        ("read", None, None, None, None),
        ("changed", None, "hard", "Never push to main.", "Never push to main or to release."),
        ("became", "soft", "hard", None, "You should write short messages."),
        ("added", None, "hard", None, "Feed the cat."),
    }


def test_a_file_that_is_gone_and_back_is_told(files: Files) -> None:
    """Its lines hold no longer, and it would look as if they had always done."""
    files.write("- Never push to main.\n")
    files.write(None)
    files.write("- Never push to main.\n- Feed the cat.\n")
    assert [c["what"] for c in files.told()] == ["added", "back", "gone", "read"]


def test_pages_follow_each_other_and_each_file_can_be_asked_for(files: Files) -> None:
    """A long history would come whole, or in part without anybody knowing."""
    for n in range(6):
        files.write("".join(f"- Rule {k} about berth {k} of the harbor.\n" for k in range(n + 1)))
    other = files.write("- Feed the cat.\n", "AGENTS.md", "project:/w/p")
    whole = [c["id"] for c in files.told(everywhere=True)]
    assert len(whole) == 7
    got: list[int] = []
    after = None
    while True:
        page = files.engine.rules_history(who=ME, everywhere=True, k=3, after=after)
        got += [c["id"] for c in page["items"]]
        after = page.get("next")
        if after is None:
            break
    assert got == whole
    assert [c["what"] for c in files.told(path=other, everywhere=True)] == ["read"]
    assert files.told(path=other) == []


def test_another_users_rules_are_not_told(engine: Engine, clock: FixedClock) -> None:
    """One person would read what another one had set down, and taken away again."""
    engine.rule_set(who=Who(user="somebody"), name="quiet", text="Never mention the ferry.")
    engine.rule_delete(who=Who(user="somebody"), name="quiet")
    assert engine.rules_history(who=ME, everywhere=True)["items"] == []
    told = engine.rules_history(who=Who(user="somebody"))["items"]
    assert [c["what"] for c in told] == ["removed", "added"]


def test_rules_set_by_hand_are_no_missing_file(files: Files) -> None:
    """The reader of files looked for them on the disk: Libra was degraded, and a rule "unreadable", from the first one on."""
    files.engine.rule_set(who=ME, name="quiet", text="Never mention the ferry.")
    files.write("- Feed the cat.\n")
    book = files.engine.rulebook(who=ME)
    assert {doc["state"] for doc in book["documents"]} == {"present"}
    assert book["findings"] == []


def _held(deps: Deps) -> str:
    with deps.store.snapshot() as snapshot:
        return str([snapshot.rows(f'SELECT * FROM "{table.name}"') for table in tables(snapshot)])  # noqa: S608


def test_words_of_a_removed_line_can_be_forgotten(files: Files, deps: Deps) -> None:
    """What a person wrote into a file by mistake, and took out again, would stay in the memory for good."""
    files.write(f"- Never tell {WORD}.\n- Feed the cat.\n")
    files.write("- Feed the cat.\n")
    removed = files.told()[0]
    shown = files.engine.forget(who=ME, id=removed["rule"], dry_run=True)
    assert (shown["would_forget"], shown["former_rules"][0]["text"]) == (1, f"Never tell {WORD}.")
    assert files.engine.forget(who=ME, id=removed["rule"])["forgotten"] == 1
    assert WORD not in _held(deps)
    assert "text" not in files.told()[0]
    with pytest.raises(NotFound):
        files.engine.forget(who=Who(user="somebody"), id="d0000000")


def test_forgetting_by_words_reaches_the_history(files: Files, deps: Deps) -> None:
    """Else "everything that holds these words" would not be true."""
    files.write(f"- Never tell {WORD} to anybody.\n")
    files.write("- Feed the cat.\n")
    files.write(f"- Feed the cat and the {WORD}.\n")
    files.write("- Feed the cat.\n")
    assert files.engine.forget(who=ME, query=WORD)["forgotten"] >= 2
    assert WORD not in _held(deps)


def test_a_line_that_was_to_be_forgotten_leaves_no_words_when_it_is_removed(files: Files, deps: Deps) -> None:
    """Who forgets a line and then takes it out of the file would find it kept by that very step."""
    path = files.write(f"- Never tell {WORD}.\n- Feed the cat.\n")
    line = next(
        node["id"] for doc in files.engine.rulebook(who=ME)["documents"] if doc["path"] == path
        for node in doc["nodes"] if WORD in node["text"]
    )  # fmt: skip
    files.engine.forget(who=ME, id=line)
    files.write("- Feed the cat.\n")
    assert files.told()[0]["what"] == "removed"
    assert WORD not in _held(deps)


def test_scrubbed_words_leave_the_history(files: Files, deps: Deps) -> None:
    """A password that stood in an instruction file for a day would stay."""
    files.write(f"- The gate opens with {WORD}.\n- Feed the cat.\n")
    files.write("- Feed the cat.\n")
    assert WORD in _held(deps)
    files.engine.scrub(who=ME, text=WORD, dry_run=False)
    assert WORD.lower() not in _held(deps).lower()
    assert files.told()[0]["text"] == "The gate opens with [redacted:scrubbed]."


def test_a_reset_takes_the_history_along(files: Files, deps: Deps) -> None:
    """Else "everything of mine" would leave what the files once said; a project takes its own along, and no other's."""
    files.write(f"- Never tell {WORD}.\n", "AGENTS.md", "project:/w/p")
    files.write("- Feed the cat.\n", "AGENTS.md", "project:/w/p")
    files.write("- Never shout.\n")
    files.write("- Never whisper to the cat.\n")
    project = Scope.parse("project:/w/p")
    files.engine.reset(
        who=ME, scope=project, confirm=files.engine.reset(who=ME, scope=project, dry_run=True)["would_forget"]
    )
    assert WORD not in _held(deps)
    assert len(files.told(everywhere=True)) == 3
    mine = Scope.parse("user:me")
    files.engine.reset(
        who=ME, scope=mine, confirm=files.engine.reset(who=ME, scope=mine, dry_run=True)["would_forget"]
    )
    assert files.told(everywhere=True) == []


def test_a_copy_of_before_brings_no_forgotten_line_back(files: Files, deps: Deps, clock: FixedClock) -> None:
    """Going back to a backup would bring the words back that were forgotten since."""
    files.write(f"- Never tell {WORD}.\n- Feed the cat.\n")
    files.write("- Feed the cat.\n")
    settle(files.engine)
    files.engine.backup(label="before")
    files.engine.forget(who=ME, id=files.told()[0]["rule"])
    files.engine.stop()
    deps.store.close()
    path = deps.store.path
    restore(path, "latest", clock, RULES)
    store = Store.open(path)
    with store.snapshot() as snapshot:
        held = str(snapshot.rows("SELECT * FROM rule_change"))
    store.close()
    assert "removed" in held
    assert WORD not in held


def test_the_history_is_bounded_in_number_and_time(files: Files, deps: Deps) -> None:
    """A file that a tool rewrites every minute would fill the disk, and what is to go after some days would stay."""
    from dataclasses import replace

    for n in range(8):
        files.write(f"- Berth {n} is for ship {n}{n}{n}.\n")
    assert len(files.told()) > 7
    documents = replace(deps.params.documents, history=replace(deps.params.documents.history, kept=3))
    deps.params = replace(deps.params, documents=documents)
    while upkeep.when_idle(deps, Lookout()):
        pass
    assert len(files.told()) == 3
    files.clock.advance(2 * DAY_MS)
    files.write("- Feed the cat.\n")
    deps.params = replace(deps.params, compaction=replace(deps.params.compaction, purge_after_days=1))
    while upkeep.when_idle(deps, Lookout()):
        pass
    assert {c["text"] for c in files.told()} <= {"Feed the cat.", "Berth 7 is for ship 777."}
