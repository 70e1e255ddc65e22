"""Project keys: git origin, worktrees, submodules, plain folders, folders of other systems."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from libra.sources.projects import Projects, canonical, find, normal_origin

CONFIG = '[core]\n\tbare = false\n[remote "fork"]\n\turl = https://example.org/me/app\n[remote "origin"]\n\turl = {url}\n'


def repository(folder: Path, url: str | None) -> Path:
    """Make a folder look like a git checkout; git is not needed."""
    (folder / ".git").mkdir(parents=True)
    if url is not None:
        (folder / ".git" / "config").write_text(CONFIG.format(url=url))
    return folder


@pytest.mark.parametrize(
    "url",
    [
        "git@Example.org:Team/App.git",
        "ssh://git@example.org:2222/team/app.git",
        "https://me:secret@example.org/team/app",
        "https://example.org/team/app.git/",
        '"https://example.org/team/app.git" ; note',
        "https://example.org/team/app.git # note",
        "git://example.org/team/app",
    ],
)
def test_one_origin_one_key(tmp_path: Path, url: str) -> None:
    """All ways to write an origin give one key, without user or password."""
    assert find(str(repository(tmp_path / "clone", url))).key == "example.org/team/app"


def test_folders_below_share_the_key(tmp_path: Path) -> None:
    """C74: a folder inside a checkout belongs to its project, even one that does not exist."""
    root = repository(tmp_path / "app", "git@example.org:team/app.git")
    project = find(str(root / "src" / "deep"))
    assert (project.key, project.root) == ("example.org/team/app", root.resolve())


def test_same_name_is_not_the_same_project(tmp_path: Path) -> None:
    """C74: two folders with one name, without git, are two projects."""
    for parent in ("a", "b"):
        (tmp_path / parent / "app").mkdir(parents=True)
    keys = {find(str(tmp_path / parent / "app")).key for parent in ("a", "b")}
    assert keys == {os.path.realpath(tmp_path / parent / "app") for parent in ("a", "b")}


def test_worktree_shares_its_main_checkout_s_key(tmp_path: Path) -> None:
    """C74: a linked worktree leads to the common folder, with and without an origin."""
    for name, url in (("app", "git@example.org:team/app.git"), ("bare-app", None)):
        main = repository(tmp_path / name, url)
        gitdir = main / ".git" / "worktrees" / "wt"
        gitdir.mkdir(parents=True)
        (gitdir / "commondir").write_text("../..\n")
        tree = tmp_path / f"{name}-wt"
        tree.mkdir()
        (tree / ".git").write_text(f"gitdir: {gitdir}\n")
        assert find(str(tree)).key == find(str(main)).key
        assert find(str(tree)).root == main.resolve()
        assert find(str(tree)).top == tree.resolve()


def test_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    """A ``.git`` file without a common folder leads to its own configuration."""
    main = repository(tmp_path / "app", "git@example.org:team/app.git")
    gitdir = main / ".git" / "modules" / "lib"
    gitdir.mkdir(parents=True)
    (gitdir / "config").write_text(CONFIG.format(url="git@example.org:team/lib.git"))
    (main / "lib").mkdir()
    (main / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert find(str(main / "lib")).key == "example.org/team/lib"


def test_local_origin_is_its_real_path(tmp_path: Path) -> None:
    """A clone of a folder is the project of that folder."""
    origin = tmp_path / "origin.git"
    origin.mkdir()
    for url in (str(origin), f"file://{origin}", "../origin.git"):
        clone = repository(tmp_path / f"clone{len(url)}", url)
        assert find(str(clone)).key == os.path.realpath(origin)


def test_link_and_its_target_are_one_project(tmp_path: Path) -> None:
    """The real path counts."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert find(str(tmp_path / "link")).key == find(str(tmp_path / "real")).key


def test_home_under_git_is_nobody_else_s_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home folder with dotfiles under git does not swallow the folders below it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    repository(tmp_path / "x", None)
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").mkdir()
    assert find(str(tmp_path / "notes")).key == os.path.realpath(tmp_path / "notes")


def test_folder_of_another_system() -> None:
    """A Windows path seen elsewhere keeps its text, in one form."""
    if os.name != "nt":
        assert find("c:\\work\\App").key == "C:\\work\\App"
    assert canonical("/a/b/") == "/a/b"
    assert canonical("/cafe\u0301") == "/caf\u00e9"
    assert normal_origin("C:/repos/app.git", Path("/")) != "c/repos/app"


@pytest.mark.parametrize(
    ("seen", "key"),
    [
        ("c:/work/App/", r"C:\work\App"),
        (r"C:\work\.\App", r"C:\work\App"),
        (r"\\?\c:\work\App", r"C:\work\App"),
        ("//?/C:/work/App", r"C:\work\App"),
        (r"\\?\UNC\Nas\Code\App", r"\\nas\code\App"),
        (r"\\NAS\Code\App\\", r"\\nas\code\App"),
        (r"\\nas\code", r"\\nas\code"),
        ("\\\\?\\c:\\" + "long\\" * 80 + "App", "C:\\" + "long\\" * 80 + "App"),
    ],
)
def test_one_folder_of_windows_has_one_form(seen: str, key: str) -> None:
    """C75: however an agent writes a folder, with slashes, as a long path or on a share, its memory is the same project's."""
    assert canonical(seen) == key
    if os.name != "nt":
        assert find(seen).key == key


def test_odd_git_files_do_no_harm(tmp_path: Path) -> None:
    """An empty ``.git``, a broken one, a configuration of noise: the real path is the key."""
    for number, content in enumerate(("", "gitdir:", "\x00\xff", "gitdir: /nowhere/at/all")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / ".git").write_text(content, encoding="latin-1")
        assert find(str(folder)).key.startswith(os.path.realpath(folder))
    broken = repository(tmp_path / "broken", None)
    (broken / ".git" / "config").write_bytes(b"[remote \x00\xff\n=\n[[[")
    assert find(str(broken)).key == os.path.realpath(broken)


@pytest.mark.skipif(os.name == "nt", reason="permission bits are POSIX")
def test_unreadable_folder_keeps_its_key(tmp_path: Path) -> None:
    """While a checkout cannot be looked at, its project is what it was."""
    projects = Projects()
    closed = tmp_path / "closed"
    root = repository(closed / "app", "git@example.org:team/app.git")
    assert projects.key(str(root)) == "example.org/team/app"
    projects.forget()
    closed.chmod(0)
    was_root = os.geteuid() == 0
    if was_root:
        os.seteuid(65534)  # root is refused nothing
    try:
        assert projects.key(str(root)) == "example.org/team/app"
    finally:
        if was_root:
            os.seteuid(0)
        closed.chmod(0o700)


def test_keys_are_remembered_until_forgotten(tmp_path: Path) -> None:
    """A folder is looked up once; an origin that is added later is seen after :meth:`forget`."""
    projects = Projects()
    root = repository(tmp_path / "app", None)
    before = projects.key(str(root))
    (root / ".git" / "config").write_text(CONFIG.format(url="git@example.org:team/app.git"))
    assert projects.key(str(root)) == before
    projects.forget()
    assert projects.key(str(root)) == "example.org/team/app"
    assert projects.key("") is None
