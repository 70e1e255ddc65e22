"""The Markdown mirror: both ways, and nothing is lost by it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps, MirrorParams
from libra.engine.mirror import mirror_some
from libra.ground.errors import NotReady
from libra.ground.records import MemoryType
from tests.conftest import FixedClock
from tests.engine.conftest import ME


@pytest.fixture
def folder(deps: Deps, tmp_path: Path) -> Path:
    """Return the mirror's folder, set in the settings."""
    deps.params = replace(deps.params, mirror=MirrorParams(str(tmp_path / "notes")))
    return tmp_path / "notes"


@pytest.fixture
def told(deps: Deps, folder: Path) -> Engine:
    """Return an engine that knows three facts, mirrored."""
    engine = Engine(deps)
    for text in ("The crane is red.", "The gate is green.", "The office is on the third floor."):
        engine.remember(who=ME, text=text, type=MemoryType.FACT)
    assert engine.mirror()["files"] == 1
    return engine


def _texts(engine: Engine, *, archive: bool = False) -> dict[str, str]:
    return {item["text"]: item["id"] for item in engine.list(who=ME, k=100, archive=archive)["items"]}


def test_it_can_be_read_and_an_untouched_file_changes_nothing(told: Engine, folder: Path) -> None:
    """A person sees their memories as a list; a pass without edits writes and changes nothing."""
    text = (folder / "fact.md").read_text("utf-8")
    assert "\n- The crane is red. <!-- m" in text
    assert (folder / "fact.md").stat().st_mode & 0o077 == 0
    before = _texts(told)
    again = told.mirror()
    assert (again["files"], again["updated"], again["archived"], again["added"]) == (0, [], [], [])
    assert _texts(told) == before


def test_an_edit_is_an_update_with_history(told: Engine, folder: Path) -> None:
    """Other words are a successor: the old ones stay in the history and can be brought back."""
    file = folder / "fact.md"
    old = _texts(told)["The crane is red."]
    file.write_text(
        file.read_text("utf-8").replace("The crane is red.", "The crane is blue\n  since May."), "utf-8"
    )
    assert told.mirror()["updated"] == [old]
    now = _texts(told)
    assert "The crane is red." not in now
    new = now["The crane is blue\nsince May."]
    assert told.get(who=ME, id=new)["history"][0]["text"] == "The crane is red."
    assert new in file.read_text("utf-8")
    told.undo(who=ME, last=True)
    told.mirror()
    assert "The crane is red." in file.read_text("utf-8")


def test_a_deleted_line_is_an_archive_not_a_loss(told: Engine, folder: Path) -> None:
    """What is deleted in an editor is found in the archive and can be brought back; a lost file deletes nothing."""
    file = folder / "fact.md"
    lines = file.read_text("utf-8").split("\n")
    file.write_text("\n".join(line for line in lines if "gate" not in line), "utf-8")
    gone = _texts(told)["The gate is green."]
    assert told.mirror()["archived"] == [gone]
    assert "The gate is green." in _texts(told, archive=True)
    told.unarchive(who=ME, ids=[gone])
    told.mirror()
    assert "The gate is green." in file.read_text("utf-8")
    file.unlink()
    assert told.mirror()["archived"] == []
    file.write_text("", "utf-8")
    assert told.mirror()["archived"] == []
    assert len(_texts(told)) == 3
    assert file.read_text("utf-8").count("\n- ") == 3


def test_a_new_line_is_remembered_once(told: Engine, folder: Path) -> None:
    """A person may simply write down what Libra should know; a copied line is a new one; a secret does not come in."""
    file = folder / "fact.md"
    with file.open("a", encoding="utf-8") as out:
        out.write("- The harbour closes at ten.\n- My password is hunter2hunter2X9.\n")
    assert len(told.mirror()["added"]) == 2
    assert told.mirror()["added"] == []
    assert "The harbour closes at ten." in _texts(told)
    assert "hunter2hunter2X9" not in file.read_text("utf-8")


def test_where_both_sides_changed_both_are_kept_and_said(told: Engine, folder: Path) -> None:
    """Nobody's words are lost when a file was edited while Libra learnt something newer."""
    file = folder / "fact.md"
    known = _texts(told)
    edited = file.read_text("utf-8").replace("The crane is red.", "The crane is yellow with stripes.")
    edited = "\n".join(line for line in edited.split("\n") if "gate" not in line)
    told.update(who=ME, id=known["The crane is red."], text="The crane at pier two is red.")
    told.update(who=ME, id=known["The gate is green."], text="The gate is white.")
    file.write_text(edited, "utf-8")
    done = told.mirror()
    assert len(done["conflicts"]) == 1
    now = _texts(told)
    assert {
        "The crane at pier two is red.",
        "The crane is yellow with stripes.",
        "The gate is white.",
    } <= set(now)
    assert "yellow" in (folder / "conflicts.md").read_text("utf-8")
    assert told.mirror()["conflicts"] == []


def test_a_scrub_reaches_the_conflicts(told: Engine, folder: Path) -> None:
    """Both sides of a conflict are written down once: a word that may not be kept would stand there for good."""
    file = folder / "fact.md"
    edited = file.read_text("utf-8").replace("The crane is red.", "The crane is Vantor yellow.")
    told.update(who=ME, id=_texts(told)["The crane is red."], text="The crane at pier two is red.")
    file.write_text(edited, "utf-8")
    told.mirror()
    assert "Vantor" in (folder / "conflicts.md").read_text("utf-8")
    assert told.scrub(who=ME, text="vantor", dry_run=False)["ok"]
    texts = [path.read_text("utf-8") for path in folder.iterdir()]
    assert not [text for text in texts if "vantor" in text.lower()]
    assert "(no longer active)" in (folder / "conflicts.md").read_text("utf-8")


def test_what_is_forgotten_leaves_the_conflicts(told: Engine, folder: Path) -> None:
    """Both sides stand there in plain words: forgetting would leave them in a file that nobody looks at."""
    file = folder / "fact.md"
    edited = file.read_text("utf-8").replace("The crane is red.", "The crane is Vantor yellow,\n  and tall.")
    edited = edited.replace("The gate is green.", "The gate is oval.")
    told.update(who=ME, id=_texts(told)["The crane is red."], text="The crane at pier two is red.")
    told.update(who=ME, id=_texts(told)["The gate is green."], text="The gate is white.")
    file.write_text(edited, "utf-8")
    assert len(told.mirror()["conflicts"]) == 2
    assert "Vantor" in (folder / "conflicts.md").read_text("utf-8")
    told.forget(who=ME, id=_texts(told)["The crane is Vantor yellow,\nand tall."])
    told.mirror()
    left = (folder / "conflicts.md").read_text("utf-8")
    assert "Vantor" not in left
    assert "tall" not in left
    assert "oval" in left


def test_what_was_forgotten_stays_forgotten(told: Engine, folder: Path) -> None:
    """A file that still holds a forgotten line, even an edited one, does not bring it back; a scrub empties the file too."""
    file = folder / "fact.md"
    held = file.read_text("utf-8")
    told.forget(who=ME, id=_texts(told)["The gate is green."])
    file.write_text(held.replace("The gate is green.", "The gate is green!"), "utf-8")
    assert told.mirror()["refused"] == 1
    assert "gate" not in file.read_text("utf-8")
    assert len(_texts(told)) == 2
    assert told.scrub(who=ME, text="third floor", dry_run=False)["ok"]
    assert "third floor" not in file.read_text("utf-8")
    assert "[redacted:scrubbed]" in file.read_text("utf-8")


def test_it_is_kept_in_step_by_itself(told: Engine, deps: Deps, folder: Path, clock: FixedClock) -> None:
    """When Libra rests, changes of either side reach the other, and where nothing has changed nothing is done."""
    seen: dict[str, object] = {}
    assert mirror_some(deps, seen)
    assert not mirror_some(deps, seen)
    told.remember(who=ME, text="The quay has a clock.", type=MemoryType.FACT)
    assert mirror_some(deps, seen)
    assert "clock" in (folder / "fact.md").read_text("utf-8")
    assert not mirror_some(deps, seen)
    with (folder / "decision.md").open("w", encoding="utf-8") as out:
        out.write("- We sail on Friday.\n")
    assert mirror_some(deps, seen)
    assert "We sail on Friday." not in _texts(told)


def test_a_file_of_somebody_else_is_not_overwritten(deps: Deps, folder: Path) -> None:
    """A file of that name that is not ours is kept beside it, and nothing is read out of it."""
    folder.mkdir()
    (folder / "fact.md").write_text("- my own list\n", "utf-8")
    engine = Engine(deps)
    engine.remember(who=ME, text="The crane is red.", type=MemoryType.FACT)
    engine.mirror()
    assert (folder / "fact.before-mirror.md").read_text("utf-8") == "- my own list\n"
    assert "my own list" not in _texts(engine)


def test_without_a_folder_it_says_so(engine: Engine) -> None:
    """Who asks for a mirror without a folder is told which setting it needs."""
    with pytest.raises(NotReady):
        engine.mirror()
