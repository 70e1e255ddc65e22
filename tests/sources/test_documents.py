"""Documents: which there are, for whom, what they import, and when they are gone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from libra.ground.records import Scope, ScopeKind
from libra.sources.catalog import survey
from libra.sources.document_places import NamedRoot, listed, owner_folder
from libra.sources.documents import DocumentParams, decode_text
from libra.sources.librarian import Librarian
from libra.sources.projects import Projects


def write(path: Path, text: str) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def librarian(home: Any, sink: Any) -> Any:
    """Return a librarian of this home, and ``update``, which goes over all documents once."""

    class Desk(Librarian):
        def pass_over(self) -> Any:
            return self.update(survey(home.surroundings()))

    return Desk(sink, "u", Projects(), sink.clock, (NamedRoot(home.path / "named", Scope(ScopeKind.GLOBAL)),))


def test_scopes_of_all_kinds(home: Any, sink: Any, librarian: Any) -> None:
    """User, project, agent and global documents, instructions and notes."""
    repo = home.path / "work" / "app"
    write(home.claude / "CLAUDE.md", "- Be brief.")
    write(home.claude / "rules" / "style.md", "- No tabs.")
    write(repo / "CLAUDE.md", "- Never push to main.")
    write(repo / "CLAUDE.local.md", "- Mine.")
    write(repo / "AGENTS.md", "- Not read beside CLAUDE.md.")
    write(repo / ".claude" / "rules" / "a.md", "- Rule.")
    write(repo / ".claude" / "rules" / "py.md", "---\npaths:\n  - '*.py'\n---\n- Only for Python.")
    workspace = home.path / ".openclaw" / "workspace"
    write(workspace / "AGENTS.md", "- Ask first.")
    write(workspace / "SOUL.md", "Calm.")
    write(workspace / "MEMORY.md", "Notes.")
    write(workspace / "memory" / "2026-04-01.md", "Day.")
    write(home.path / "managed" / "CLAUDE.md", "- Policy.")
    write(home.path / "named" / "deep" / "extra.md", "- Named.")
    assert librarian.add_folder(str(repo))
    report = librarian.pass_over()
    project = f"project:{os.path.realpath(repo)}"
    found = {
        (Path(d.path).name, d.scope.text, d.instructions, d.host)
        for d in sink.docs.values()
        if Path(d.path).parent != workspace or Path(d.path).name != "AGENTS.md"
    }
    assert found == {
        ("CLAUDE.md", "user:u", True, "claude-code"),
        ("style.md", "user:u", True, "claude-code"),
        ("CLAUDE.md", project, True, "claude-code"),
        ("CLAUDE.local.md", project, True, "claude-code"),
        ("a.md", project, True, "claude-code"),
        ("py.md", project, False, "claude-code"),
        ("SOUL.md", "agent:main", True, "openclaw"),
        ("MEMORY.md", "agent:main", False, "openclaw"),
        ("2026-04-01.md", "agent:main", False, "openclaw"),
        ("CLAUDE.md", "global", True, "claude-code"),
        ("extra.md", "global", True, "any"),
    }
    assert sink.docs[os.path.realpath(workspace / "AGENTS.md")].scope.text == "agent:main"
    assert (report.present, report.changed, report.unreadable) == (12, 12, ())
    orders = [d.order for d in sorted(sink.docs.values(), key=lambda d: d.order) if d.instructions]
    assert len(set(orders)) == len(orders)


def test_agents_file_counts_where_there_is_no_claude_file(home: Any, sink: Any, librarian: Any) -> None:
    """AGENTS.md is read alone, and given up when a CLAUDE.md appears beside it."""
    repo = home.path / "app"
    write(repo / "AGENTS.md", "- One.")
    librarian.add_folder(str(repo))
    librarian.pass_over()
    assert list(sink.in_force()) == ["AGENTS.md"]
    write(repo / "CLAUDE.md", "- Two.")
    librarian.pass_over()
    assert list(sink.in_force()) == ["CLAUDE.md"]


def test_folders_between_the_top_and_the_working_folder(home: Any, sink: Any, librarian: Any) -> None:
    """Each folder from the checkout's top down to the working folder has its say, outermost first."""
    repo = home.path / "app"
    (repo / ".git").mkdir(parents=True)
    write(repo / "CLAUDE.md", "- Top.")
    write(repo / "api" / "AGENTS.md", "- Middle.")
    write(repo / "api" / "v2" / "CLAUDE.md", "- Deep.")
    write(repo / "web" / "CLAUDE.md", "- Elsewhere.")
    librarian.add_folder(str(repo / "api" / "v2"))
    librarian.pass_over()
    texts = [d.text for d in sorted(sink.docs.values(), key=lambda d: d.order)]
    assert texts == ["- Top.", "- Middle.", "- Deep."]
    assert {d.scope.text for d in sink.docs.values()} == {f"project:{os.path.realpath(repo)}"}


def test_worktree_does_not_double_the_rules(home: Any, sink: Any, librarian: Any) -> None:
    """The main checkout's documents stand for all its worktrees."""
    main, tree = home.path / "app", home.path / "tree"
    gitdir = main / ".git" / "worktrees" / "tree"
    write(gitdir / "commondir", "../..\n")
    write(main / "CLAUDE.md", "- Rule.")
    write(tree / "CLAUDE.md", "- Rule.")
    write(tree / ".git", f"gitdir: {gitdir}\n")
    librarian.add_folder(str(main))
    librarian.add_folder(str(tree))
    librarian.pass_over()
    assert list(sink.docs) == [os.path.realpath(main / "CLAUDE.md")]
    (main / "CLAUDE.md").unlink()
    librarian.pass_over()
    assert os.path.realpath(tree / "CLAUDE.md") in sink.docs


def test_imports(home: Any, sink: Any, librarian: Any) -> None:
    """Imports are followed five deep, in the importer's name, never out of the allowed folders, never in circles."""
    repo = home.path / "app"
    write(home.path / "secret.md", "- Outside.")
    write(home.path / ".ssh" / "config.md", "- Hidden.")
    write(
        repo / "CLAUDE.md",
        "See @docs/one.md and @../secret.md and `@docs/code.md`.\n\n```\n@docs/fence.md\n```\n@docs/missing.md",
    )
    for number, name in enumerate(("one", "two", "three", "four", "five"), 1):
        nxt = ("one", "two", "three", "four", "five", "six")[number]
        write(repo / "docs" / f"{name}.md", f"@{nxt}.md @../CLAUDE.md")
    for name in ("six", "code", "fence"):
        write(repo / "docs" / f"{name}.md", "- Never.")
    write(home.claude / "CLAUDE.md", "@~/notes/me.md @~/.ssh/config.md @/etc/hostname")
    write(home.path / "notes" / "me.md", "- From home.")
    librarian.add_folder(str(repo))
    librarian.pass_over()
    names = {Path(p).name for p in sink.docs}
    assert names == {"CLAUDE.md", "one.md", "two.md", "three.md", "four.md", "five.md", "me.md"}
    one = sink.docs[os.path.realpath(repo / "docs" / "one.md")]
    assert one.imported_by == os.path.realpath(repo / "CLAUDE.md")
    assert one.scope.kind is ScopeKind.PROJECT
    assert sink.in_force()["me.md"].scope.text == "user:u"


def test_import_may_not_leave_by_a_link(home: Any, sink: Any, librarian: Any) -> None:
    """A link inside the project that leads out of it is not followed."""
    repo = home.path / "app"
    write(home.path / "elsewhere" / "x.md", "- Outside.")
    write(repo / "CLAUDE.md", "@x.md")
    (repo / "x.md").symlink_to(home.path / "elsewhere" / "x.md")
    librarian.add_folder(str(repo))
    librarian.pass_over()
    assert [Path(p).name for p in sink.docs] == ["CLAUDE.md"]


def test_import_line_taken_out(home: Any, sink: Any, librarian: Any) -> None:
    """A document that nobody imports any more is not in force, though its file is there."""
    repo = home.path / "app"
    write(repo / "CLAUDE.md", "@style.md")
    write(repo / "style.md", "- Style.")
    librarian.add_folder(str(repo))
    librarian.pass_over()
    assert set(sink.in_force()) == {"CLAUDE.md", "style.md"}
    write(repo / "CLAUDE.md", "Nothing more.")
    librarian.pass_over()
    assert set(sink.in_force()) == {"CLAUDE.md"}


def test_nothing_is_handed_over_twice(home: Any, sink: Any, librarian: Any) -> None:
    """Only what changed is read and handed over; a touched file too, its digest decides."""
    file = write(home.claude / "CLAUDE.md", "- Be brief.")
    assert librarian.pass_over().changed == 1
    assert librarian.pass_over().changed == 0
    write(file, "- Be brief and kind.")
    assert librarian.pass_over().changed == 1
    assert sink.in_force()["CLAUDE.md"].text == "- Be brief and kind."


def test_deletion_takes_two_looks(home: Any, sink: Any, librarian: Any) -> None:
    """C01: a rule stays in force until its absence was seen twice, two seconds apart."""
    file = write(home.claude / "CLAUDE.md", "- Be brief.")
    librarian.pass_over()
    file.unlink()
    assert librarian.pass_over().missing == (os.path.realpath(file),)
    sink.now_ms += 1000
    librarian.pass_over()
    assert "CLAUDE.md" in sink.in_force()
    sink.now_ms += 1000
    librarian.pass_over()
    assert "CLAUDE.md" not in sink.in_force()


def test_file_that_comes_back_is_in_force_again(home: Any, sink: Any, librarian: Any) -> None:
    """An editor that writes by delete and create loses no rule; even an unchanged file is present again."""
    file = write(home.claude / "CLAUDE.md", "- Be brief.")
    aside = home.path / "aside.md"
    librarian.pass_over()
    file.rename(aside)
    librarian.pass_over()
    assert sink.doc_states[os.path.realpath(file)].state == "missing_once"
    aside.rename(file)
    sink.now_ms += 60_000
    librarian.pass_over()
    assert sink.doc_states[os.path.realpath(file)].state == "present"


def test_root_that_is_away_keeps_everything(home: Any, sink: Any, librarian: Any) -> None:
    """B13: an unreadable root deletes nothing, is named, and all is as before when it is back."""
    write(home.claude / "CLAUDE.md", "- One.\n- Two.")
    for number in range(9):
        write(home.claude / "rules" / f"r{number}.md", "- Rule.")
    librarian.pass_over()
    aside = home.path / "aside"
    home.claude.rename(aside)
    home.claude.symlink_to(home.claude)  # a folder that can be named but not read, also for root
    for _ in range(3):
        sink.now_ms += 5000
        report = librarian.pass_over()
        assert len(sink.in_force()) == 10
        assert str(home.claude) in report.unreadable
    assert {s.state for s in sink.doc_states.values()} == {"unreadable"}
    home.claude.unlink()
    aside.rename(home.claude)
    assert librarian.pass_over().unreadable == ()
    assert {s.state for s in sink.doc_states.values()} == {"present"}


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX")
def test_permission_denied_is_no_deletion(home: Any, sink: Any, librarian: Any) -> None:
    """B13 with permission bits: a folder closed to its reader for a while loses nothing."""
    write(home.claude / "CLAUDE.md", "- One.\n- Two.")
    librarian.pass_over()
    mode = home.claude.stat().st_mode
    home.claude.chmod(0)
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)  # root is refused nothing
    try:
        for _ in range(2):
            sink.now_ms += 5000
            assert librarian.pass_over().unreadable
    finally:
        if was_root:
            os.seteuid(0)
        home.claude.chmod(mode)
    assert sink.in_force()["CLAUDE.md"].text == "- One.\n- Two."
    assert librarian.pass_over().unreadable == ()
    assert {s.state for s in sink.doc_states.values()} == {"present"}


def test_root_that_vanished_keeps_everything(home: Any, sink: Any, librarian: Any) -> None:
    """An unplugged drive or an unmounted share is no deletion."""
    write(home.claude / "CLAUDE.md", "- One.")
    librarian.pass_over()
    home.claude.rename(home.path / "aside")
    for _ in range(3):
        sink.now_ms += 5000
        librarian.pass_over()
    assert sink.doc_states[os.path.realpath(home.path) + "/.claude/CLAUDE.md"].state == "unreadable"


def test_many_at_once_wait_for_a_person(home: Any, sink: Any, librarian: Any) -> None:
    """C01: when a fifth vanishes at once, nothing is given up before somebody says so."""
    files = [write(home.claude / "rules" / f"r{n}.md", "- Rule.") for n in range(10)]
    librarian.pass_over()
    for file in files[:7]:
        file.unlink()
    for _ in range(3):
        sink.now_ms += 5000
        assert len(librarian.pass_over().held_back) == 7
    assert len(sink.in_force()) == 10
    librarian.accept_missing()
    for _ in range(2):
        sink.now_ms += 5000
        librarian.pass_over()
    assert len(sink.in_force()) == 3


def test_restart_forgets_no_project(home: Any, sink: Any) -> None:
    """After a restart a project's documents are looked after though nobody has named its folder yet."""
    repo = home.path / "app"
    write(repo / "CLAUDE.md", "@style.md")
    write(repo / "style.md", "- Style.")
    first = Librarian(sink, "u", Projects(), sink.clock)
    first.add_folder(str(repo))
    first.update(survey(home.surroundings()))
    write(repo / "CLAUDE.md", "- New rule. @style.md")
    second = Librarian(sink, "u", Projects(), sink.clock)
    second.update(survey(home.surroundings()))
    assert sink.in_force()["CLAUDE.md"].text == "- New rule. @style.md"
    assert "style.md" in sink.in_force()


def test_notes_of_a_slug(home: Any, sink: Any, librarian: Any) -> None:
    """Auto memory belongs to its project once the slug's folder is known, to the person until then."""
    repo = home.path / "app"
    repo.mkdir()
    write(home.slug / "memory" / "MEMORY.md", "Note.")
    librarian.pass_over()
    assert sink.in_force()["MEMORY.md"].scope.text == "user:u"
    assert librarian.add_slug("-work-app", str(repo))
    assert not librarian.add_slug("-work-app", str(repo))
    librarian.pass_over()
    note = sink.in_force()["MEMORY.md"]
    assert (note.scope.text, note.instructions) == (f"project:{os.path.realpath(repo)}", False)


def test_oversize_and_odd_documents(home: Any, sink: Any) -> None:
    """Too large a file is named and not read; an empty one is a document without rules."""
    write(home.claude / "CLAUDE.md", "")
    write(home.claude / "rules" / "big.md", "x" * 3000)
    (home.claude / "rules" / "folder.md").mkdir()
    desk = Librarian(sink, "u", Projects(), sink.clock, (), DocumentParams(max_bytes=2000))
    report = desk.update(survey(home.surroundings()))
    assert [Path(p).name for p in report.oversize] == ["big.md"]
    assert sink.in_force()["CLAUDE.md"].text == ""


def test_links_in_a_circle(home: Any, sink: Any, librarian: Any) -> None:
    """A folder that links to itself is walked once; a linked rules folder is followed."""
    rules = home.claude / "rules"
    write(home.path / "dotfiles" / "a.md", "- Linked.")
    rules.mkdir(parents=True)
    (rules / "self").symlink_to(rules)
    (rules / "more").symlink_to(home.path / "dotfiles")
    (rules / "dead.md").symlink_to(home.path / "nowhere.md")
    (rules / "loop.md").symlink_to(rules / "loop.md")
    librarian.pass_over()
    assert list(sink.in_force()) == ["a.md"]
    assert len(listed(rules, lambda _f, _e: None)) == 3


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("\ufeff# Tiêu đề".encode(), "# Tiêu đề"),
        ("# 标题".encode("utf-16"), "# 标题"),
        (b"a\x00b\xff", "ab\ufffd"),
        (b"", ""),
    ],
)
def test_text_of_a_document(data: bytes, text: str) -> None:
    """BOMs, UTF-16, NUL bytes and broken bytes."""
    assert decode_text(data) == text


def test_owner_folder() -> None:
    """The folder that a project document speaks for."""
    assert owner_folder(Path("/w/app/CLAUDE.md")) == Path("/w/app")
    assert owner_folder(Path("/w/app/.claude/rules/deep/a.md")) == Path("/w/app")
    assert owner_folder(Path("/w/app/docs/style.md")) is None


def test_odd_folders_are_no_projects(librarian: Any) -> None:
    """Relative, missing and impossible folders are not taken."""
    for folder in ("", "relative", "/nowhere/at/all", "C:\\work", "/a\x00b"):
        assert not librarian.add_folder(folder)


def test_other_hosts_instructions(home: Any, sink: Any, librarian: Any) -> None:
    """Codex, Gemini, opencode and Hermes have instructions of the person's own; a copy is no second one."""
    write(home.claude / "CLAUDE.md", "- Be brief.")
    write(home.path / ".codex" / "AGENTS.md", "- Never read.")
    write(home.path / ".codex" / "AGENTS.override.md", "- Run the tests.")
    write(home.path / ".gemini" / "GEMINI.md", "- Cite files.\n@extra.md\n")
    write(home.path / ".gemini" / "extra.md", "- Extra.")
    write(home.path / ".config" / "opencode" / "AGENTS.md", "- Be brief.")
    write(home.path / ".hermes" / "SOUL.md", "- Calm.")
    write(home.path / ".hermes" / "memories" / "MEMORY.md", "One.\n§\nTwo.")
    librarian.pass_over()
    found = {(Path(d.path).name, d.scope.text, d.instructions, d.host) for d in sink.docs.values()}
    assert found == {
        ("CLAUDE.md", "user:u", True, "claude-code"),
        ("AGENTS.override.md", "user:u", True, "codex"),
        ("GEMINI.md", "user:u", True, "gemini"),
        ("extra.md", "user:u", True, "gemini"),
        ("SOUL.md", "agent:hermes", True, "hermes"),
        ("MEMORY.md", "user:u", False, "hermes"),
    }


def test_cursor_rules(home: Any, sink: Any, librarian: Any) -> None:
    """Rules that always hold are rules, others are found when they are relevant; the host's keys are neither."""
    repo = home.path / "work" / "app"
    rules = repo / ".cursor" / "rules"
    always = "---\ndescription: café\nalwaysApply: true\n---\n- Run the tests.\n"
    write(rules / "core.mdc", always)
    write(rules / "deep" / "python.mdc", "---\nglobs: '*.py'\nalwaysApply: false\n---\n- Use pathlib.\n")
    write(rules / "bare.mdc", "- Asked for by hand.")
    write(repo / ".cursorrules", "Keep functions short.")
    librarian.add_folder(str(repo))
    librarian.pass_over()
    found = {Path(d.path).name: (d.instructions, d.host) for d in sink.docs.values()}
    assert found == {
        "core.mdc": (True, "cursor"),
        "python.mdc": (False, "cursor"),
        "bare.mdc": (False, "cursor"),
        ".cursorrules": (True, "cursor"),
    }
    text = next(d.text for d in sink.docs.values() if d.path.endswith("core.mdc"))
    assert "alwaysApply" not in text
    assert text.encode().index(b"- Run") == always.encode().index(b"- Run")


def test_a_vault_of_notes(home: Any, sink: Any) -> None:
    """An Obsidian vault: only notes, only those that patterns and tags ask for, and what loses its tag is gone."""
    vault = home.path / "vault"
    write(vault / "harbour.md", "---\ntags: [work/harbour, pinned]\n---\nPilots board at six.")
    write(vault / "daily" / "2026-04-01.md", "Met Linh. #work")
    write(vault / "private" / "diary.md", "#work but private")
    write(vault / "shopping.md", "Milk. #home C# and a#work")
    write(vault / "drawing.excalidraw.md", "#work")
    write(vault / ".obsidian" / "plugins.md", "#work")
    write(vault / ".trash" / "old.md", "#work")
    only = {"include": ("**/*.md",), "exclude": ("private/",), "tags": ("work",)}
    root = NamedRoot(vault, Scope(ScopeKind.USER, "u"), instructions=False, **only)
    desk = Librarian(sink, "u", Projects(), sink.clock, (root,))
    desk.update(survey(home.surroundings()))
    assert sorted(sink.in_force()) == ["2026-04-01.md", "harbour.md"]
    assert not any(d.instructions for d in sink.docs.values())
    assert desk.folders(survey(home.surroundings()))[os.path.realpath(vault)] is True
    write(vault / "daily" / "2026-04-01.md", "Met Linh.")
    desk.update(survey(home.surroundings()))
    assert sorted(sink.in_force()) == ["harbour.md"]


def test_a_root_that_is_named_no_longer(home: Any, sink: Any, librarian: Any) -> None:
    """A root taken out of the configuration takes its documents along, though the files still lie there."""
    write(home.path / "named" / "team.md", "- Named.")
    write(home.claude / "CLAUDE.md", "- Be brief.")
    librarian.pass_over()
    assert sorted(sink.in_force()) == ["CLAUDE.md", "team.md"]
    Librarian(sink, "u", Projects(), sink.clock).update(survey(home.surroundings()))
    assert sorted(sink.in_force()) == ["CLAUDE.md"]


def test_instructions_above_the_root(home: Any, sink: Any, librarian: Any) -> None:
    """What stands above a repository holds for each repository below it, and for no other; imports come along."""
    work = home.path / "work"
    write(home.path / "CLAUDE.md", "- At home.")
    write(work / "CLAUDE.md", "- At work.\n@team.md\n")
    write(work / "team.md", "- Team.")
    for name in ("app", "lib"):
        (work / name / ".git").mkdir(parents=True)
        librarian.add_folder(str(work / name))
    (home.path / "other" / ".git").mkdir(parents=True)
    librarian.add_folder(str(home.path / "other"))
    librarian.pass_over()
    seen: dict[str, list[str]] = {}
    for doc in sorted(sink.docs.values(), key=lambda d: d.order):
        seen.setdefault(Path(doc.scope.name).name, []).append(doc.text.split("\n")[0])
    assert seen == {
        "app": ["- At home.", "- At work.", "- Team."],
        "lib": ["- At home.", "- At work.", "- Team."],
        "other": ["- At home."],
    }
    assert os.path.realpath(work) in librarian.folders(survey(home.surroundings()))


def test_instructions_above_that_change_or_go(home: Any, sink: Any, librarian: Any) -> None:
    """A change reaches every project; after a restart all are still known; what is deleted goes everywhere."""
    for name in ("app", "lib"):
        (home.path / "work" / name / ".git").mkdir(parents=True)
        librarian.add_folder(str(home.path / "work" / name))
    above = write(home.path / "work" / "CLAUDE.md", "- Old.")
    librarian.pass_over()
    write(above, "- Newer.")
    again = Librarian(sink, "u", Projects(), sink.clock)
    catalog = survey(home.surroundings())
    again.update(catalog)
    assert [d.text for d in sink.docs.values()] == ["- Newer.", "- Newer."]
    above.unlink()
    again.update(catalog)
    assert len(sink.docs) == 2
    sink.now_ms += 5_000
    again.update(catalog)
    assert {state.state for state in sink.doc_states.values()} == {"gone"}
