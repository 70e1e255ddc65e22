"""The key of the project that a folder belongs to: normalised git origin, else the real path.

Git is never run: ``.git`` and its ``config`` are read by hand. Worktrees share their main checkout's key
through ``commondir`` (lessons.md C74).
"""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

_CONFIG_MAX_BYTES: Final = 1024 * 1024
_LEVELS_UP: Final = 64
_SECTION: Final = re.compile(r'^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$')
_SETTING: Final = re.compile(r"\s*(\w[\w-]*)\s*=(.*)")
_COMMENT: Final = re.compile(r"(?<!\s)\s+[#;]")
"""Begins one behind a value; blanks are looked through once."""
_URL: Final = re.compile(
    r"^[a-z][a-z0-9+.-]*://(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)(?::\d+)?/+(.*)$", re.IGNORECASE
)
_SCP: Final = re.compile(r"^(?:[^@/\\]+@)?([^:/\\]{2,}):(?!//)/*(.*)$")
_DRIVE: Final = re.compile(r"^[a-zA-Z]:[\\/]")
_EXTENDED: Final = re.compile(r"^[\\/]{2}[?.][\\/](?:(UNC)[\\/](?=[^\\/])|(?=[a-zA-Z]:[\\/]))", re.IGNORECASE)
"""How Windows marks a path that may be longer than 260 characters; what follows is the path itself."""
_SHARE: Final = re.compile(r"^\\\\[^\\/?.][^\\/]*[\\/][^\\/]")


@dataclass(frozen=True, slots=True)
class Project:
    """A project as found from a folder.

    Attributes:
        key: What its scope is named by.
        root: The folder whose instruction files apply: the main checkout's top, the worktree's own top if
            the main one is not there, or the folder itself outside git.
        top: The top of the checkout that the folder is in; equal to ``root`` except in a worktree.
    """

    key: str
    root: Path
    top: Path


class Projects:
    """Finds projects and remembers them until :meth:`forget`; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Project] = {}
        self._before: dict[str, Project] = {}

    def of(self, cwd: str) -> Project:
        """Return the project of a folder, which may not exist (any more)."""
        with self._lock:
            if (known := self._known.get(cwd)) is not None:
                return known
        try:
            project = find(cwd)
        except OSError:
            # What cannot be looked at now is what it was before.
            here = Path(os.path.realpath(cwd))
            project = self._before.get(cwd) or Project(canonical(str(here)), here, here)
        with self._lock:
            return self._known.setdefault(cwd, project)

    def key(self, cwd: str) -> str | None:
        """Return the key of a folder's project, None for no folder."""
        return self.of(cwd).key if cwd else None

    def forget(self) -> None:
        """Look again from now on: an origin may have been added."""
        with self._lock:
            self._before.update(self._known)
            self._known.clear()


def find(cwd: str) -> Project:
    """Return the project of ``cwd``, read from the disk.

    Raises:
        OSError: A folder on the way cannot be looked at.
    """
    if not Path(cwd).is_absolute() or (os.name != "nt" and _EXTENDED.match(cwd)):
        # A folder of another system (a Windows path seen on Linux): its own text is all there is.
        return Project(canonical(cwd), Path(cwd), Path(cwd))
    here = Path(os.path.realpath(cwd))
    found = _git(here)
    if found is None:
        return Project(canonical(str(here)), here, here)
    top, common = found
    main = common.parent if common.name == ".git" else top
    root = main if main.is_dir() else top
    origin = _origin(common / "config")
    return Project(normal_origin(origin, root) if origin else canonical(str(root)), root, top)


def canonical(path: str) -> str:
    """Return one form for a path: NFC, no trailing separator; of Windows an upper-case drive letter, no mark of a long path.

    On every system, since transcripts of one may be read on another.
    """
    path = unicodedata.normalize("NFC", path)
    path = _EXTENDED.sub(lambda match: "\\\\" if match.group(1) else "", path)
    if _DRIVE.match(path):
        return str(PureWindowsPath(path[0].upper() + path[1:]))
    if _SHARE.match(path):
        # Servers and shares are not told apart by the case of their names.
        whole = PureWindowsPath(path)
        return str(PureWindowsPath(whole.anchor.lower(), *whole.parts[1:])).rstrip("\\")
    return str(PurePosixPath(path)) if path.startswith("/") else path


def normal_origin(url: str, root: Path) -> str:
    """Return ``host/owner/name`` in lower case for a remote's URL, or the real path of a local one.

    >>> normal_origin("git@Example.org:Team/App.git", Path("/"))
    'example.org/team/app'
    """
    url = url.strip().rstrip("/")
    if _DRIVE.match(url) is None and not url.lower().startswith("file:"):
        match = _URL.match(url) or _SCP.match(url)
        if match is not None:
            host, path = match.group(1), match.group(2).strip("/").removeprefix("~")
            return f"{host}/{path.removesuffix('.git')}".lower()
    local = re.sub(r"^file://(?:localhost)?", "", url, flags=re.IGNORECASE).removesuffix("/.git")
    return canonical(os.path.realpath(root / local))


def _git(folder: Path) -> tuple[Path, Path] | None:
    """Return the top of the checkout around ``folder`` and its common git folder, or None.

    A home folder that is itself under git (dotfiles) is nobody's project but its own.
    """
    home = Path(os.path.realpath(Path.home()))
    for top in [folder, *folder.parents][:_LEVELS_UP]:
        if top == home and folder != home:
            return None
        entry = top / ".git"
        if entry.is_dir():
            return top, entry
        if entry.is_file():
            return top, _common(entry)
    return None


def _common(entry: Path) -> Path:
    """Return the common git folder that a ``.git`` *file* leads to (a worktree or a submodule)."""
    text = _read(entry)
    if not text.startswith("gitdir:"):
        return entry
    folder = Path(os.path.realpath(entry.parent / text.removeprefix("gitdir:").strip()))
    common = _read(folder / "commondir").strip()
    return Path(os.path.realpath(folder / common)) if common else folder


def _origin(config: Path) -> str | None:
    """Return ``remote.origin.url`` of a git configuration file."""
    inside = False
    for raw in _read(config).replace("\\\n", "").splitlines():
        line = raw
        if section := _SECTION.match(line):
            inside = section.group(1).lower() == "remote" and section.group(2) == "origin"
            line = section.group(3)
        setting = _SETTING.match(line)
        if inside and setting and setting.group(1).lower() == "url":
            value = setting.group(2).strip()
            if value.startswith('"'):
                return value[1:].partition('"')[0] or None
            return _COMMENT.split(value, maxsplit=1)[0] or None
    return None


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_CONFIG_MAX_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""
