"""Which files are instructions and notes, for whom, and in which order: the places, before any is read.

| file                                             | scope   | instructions |
|--------------------------------------------------|---------|--------------|
| managed ``CLAUDE.md``                            | global  | yes |
| ``~/.claude/CLAUDE.md``, ``~/.claude/rules/*.md``| user    | yes |
| a repository's ``CLAUDE.md`` (or ``.claude/CLAUDE.md``), ``CLAUDE.local.md``, ``.claude/rules/*.md``; ``AGENTS.md`` (or ``AGENTS.override.md``) where a folder has no ``CLAUDE.md``; ``.cursor/rules/*.mdc``, ``.cursorrules``, ``GEMINI.md`` | project | yes |
| ``CLAUDE.md``, ``CLAUDE.local.md`` in the folders above a repository | project | yes |
| ``~/.claude/projects/<slug>/memory/*.md``        | project if the slug's folder is known, else user | no |
| OpenClaw workspace ``AGENTS SOUL IDENTITY USER TOOLS .md`` | agent | yes |
| OpenClaw workspace ``MEMORY.md``, ``memory/*.md``| agent   | no |
| roots named in the configuration                 | as said, else global | as said |

A document has one scope: the first place that names it wins.

Source: hosts.md §1.5, §2.3.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from libra.ground.records import Scope, ScopeKind
from libra.sources.catalog import ANY_HOST, CLAUDE_CODE, CURSOR, GEMINI, OPENCLAW, Catalog, Workspace
from libra.sources.looking import is_file
from libra.sources.notes import wanted
from libra.sources.projects import Project

_DEPTH: Final = 6
_LEVELS_UP: Final = 32
_FILES_MAX: Final = 5000
_STEP: Final = 1000
_MANAGED, _USER, _PROJECT, _WORKSPACE, _NAMED, _NOTES = (_STEP * n for n in (0, 1, 10, 100, 200, 300))
_WORKSPACE_FILES: Final = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md")
_HIDDEN: Final = frozenset({".claude", ".cursor"})
"""Folders of a project in which hosts keep rules."""
_PROJECT_FILES: Final = frozenset(
    {"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules"}
)
_NOTE_FILES: Final = ("MEMORY.md", "memory.md")
_SUFFIXES: Final = (".md", ".mdc", ".markdown")
_NEVER: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A file that may be a document.

    Attributes:
        path: Where it is named; may be a link, may not exist.
        host, scope, instructions, order: As in :class:`libra.ground.records.DocumentText`.
        anchor: The folder that must be there for the file's absence to be a deletion.
        import_roots: Where its ``@imports`` may lead; none for documents without imports.
        tags: Tags of which it must have one to be a document; none for all.
        as_named: Known by the path as it is named here, not by the real one: one file may be a document of several scopes.
        unless_same: It is none if an earlier one of the same scope says the same, word for word.
    """

    path: Path
    host: str
    scope: Scope
    instructions: bool
    order: int
    anchor: Path
    import_roots: tuple[Path, ...] = ()
    tags: tuple[str, ...] = ()
    as_named: bool = False
    unless_same: bool = False


@dataclass(frozen=True, slots=True)
class NamedRoot:
    """A file or folder of documents that the configuration names.

    Attributes:
        path: The file or folder; an Obsidian vault is a folder.
        scope: Who gets them.
        instructions: True for rules, False for notes.
        include, exclude, tags: Which of a folder's files: see :mod:`libra.sources.notes`.
    """

    path: Path
    scope: Scope = Scope(ScopeKind.GLOBAL)  # noqa: RUF009 - frozen
    instructions: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


Trouble = Callable[[str, OSError], None]
"""Told each folder that could not be listed."""


def user_places(catalog: Catalog, user: str, trouble: Trouble) -> Iterator[DocumentPlace]:
    """Yield the places of managed rules and of the person's own, for every project."""
    home = catalog.surroundings.home
    if catalog.managed is not None:
        folder = catalog.managed
        everyone = Scope(ScopeKind.GLOBAL)
        yield DocumentPlace(
            folder / "CLAUDE.md",
            CLAUDE_CODE,
            everyone,
            instructions=True,
            order=_MANAGED,
            anchor=folder,
            import_roots=(folder,),
        )
    scope = Scope(ScopeKind.USER, user)
    config = catalog.claude
    files = [config / "CLAUDE.md", *listed(config / "rules", trouble)]
    for number, path in enumerate(files):
        yield DocumentPlace(
            path,
            CLAUDE_CODE,
            scope,
            instructions=True,
            order=_USER + number,
            anchor=config,
            import_roots=(config, home),
        )


def project_places(project: Project, cwd: Path, config: Path, trouble: Trouble) -> Iterator[DocumentPlace]:
    """Yield the places that hold for a folder: those of each folder from the project's top down to it.

    In a linked worktree the main checkout's documents stand for all, so that one rule is not there twice;
    the worktree's own are taken where the main checkout has none.
    """
    scope = Scope(ScopeKind.PROJECT, project.key)
    root = project.root
    if root != project.top and not any(_there(path) for path in _instructions(root)):
        root = project.top
    roots = (root, config)
    order = _PROJECT
    for folder in _down(project.top, root, cwd):
        main = [path for path in (folder / "CLAUDE.md", folder / ".claude" / "CLAUDE.md") if _there(path)]
        override = folder / "AGENTS.override.md"
        agents = override if _there(override) else folder / "AGENTS.md"
        files = [*(main or [agents]), *listed(folder / ".claude" / "rules", trouble)]
        files.append(folder / "CLAUDE.local.md")
        places = [(path, CLAUDE_CODE) for path in files]
        places += [(path, CURSOR) for path in listed(folder / ".cursor" / "rules", trouble)]
        places += [(folder / ".cursorrules", CURSOR), (folder / "GEMINI.md", GEMINI)]
        for path, host in places:
            yield DocumentPlace(
                path,
                host,
                scope,
                instructions=True,
                order=order,
                anchor=root,
                import_roots=roots if host != CURSOR else (),
                unless_same=host != CLAUDE_CODE,
            )
            order += 1
        order += _STEP - len(places)


def parent_places(project: Project, home: Path) -> Iterator[DocumentPlace]:
    """Yield the instruction files above a project's root, as Claude Code loads them, the topmost first.

    Several projects may lie below one such file: it is a document of each, named from the project's root
    (``…/app/../CLAUDE.md``).
    """
    scope = Scope(ScopeKind.PROJECT, project.key)
    above = folders_above(project.root, home)
    for number, folder in enumerate(reversed(above)):
        way = project.root.joinpath(*[os.pardir] * (len(above) - number))
        for place, name in enumerate(("CLAUDE.md", "CLAUDE.local.md")):
            yield DocumentPlace(
                way / name,
                CLAUDE_CODE,
                scope,
                instructions=True,
                order=_PROJECT - _STEP + 2 * number + place,
                anchor=folder,
                import_roots=(folder,),
                as_named=True,
            )


def folders_above(root: Path, home: Path) -> list[Path]:
    """Return the folders above a project's root, the nearest first: up to the home folder, else below the top."""
    home = Path(os.path.realpath(home))
    above = list(root.parents)[:_LEVELS_UP]
    if root.is_relative_to(home):
        return [folder for folder in above if folder.is_relative_to(home)]
    return [folder for folder in above if folder != folder.parent]


def memory_places(
    projects: Path, user: str, scope_of: Callable[[str], Scope | None], trouble: Trouble
) -> Iterator[DocumentPlace]:
    """Yield Claude Code's auto memory, ``<slug>/memory/*.md``.

    Args:
        projects: The folder of all slugs.
        user: Whose notes they are while a slug's working folder is not known.
        scope_of: The project scope of a slug, None if it is not known.
        trouble: Told what cannot be listed.
    """
    for slug in _entries(projects, trouble):
        if _is_folder(slug):
            for path in listed(Path(slug.path) / "memory", trouble):
                scope = scope_of(slug.name) or Scope(ScopeKind.USER, user)
                yield DocumentPlace(
                    path, CLAUDE_CODE, scope, instructions=False, order=_NOTES, anchor=projects
                )


def workspace_places(workspace: Workspace, trouble: Trouble) -> Iterator[DocumentPlace]:
    """Yield an OpenClaw workspace's instructions and notes."""
    scope = Scope(ScopeKind.AGENT, workspace.agent)
    folder = workspace.path
    for number, name in enumerate(_WORKSPACE_FILES):
        yield DocumentPlace(
            folder / name,
            OPENCLAW,
            scope,
            instructions=True,
            order=_WORKSPACE + number,
            anchor=folder,
            import_roots=(folder,),
        )
    for path in [*(folder / name for name in _NOTE_FILES), *listed(folder / "memory", trouble)]:
        yield DocumentPlace(path, OPENCLAW, scope, instructions=False, order=_NOTES, anchor=folder)


def named_places(roots: tuple[NamedRoot, ...], trouble: Trouble) -> Iterator[DocumentPlace]:
    """Yield the documents in roots that the configuration names."""
    for root in roots:
        single = is_file(root.path)
        folder = root.path.parent if single else root.path
        files = [root.path] if single else _wanted(root, trouble)
        for number, path in enumerate(files):
            order = _NAMED + number if root.instructions else _NOTES
            yield DocumentPlace(
                path,
                ANY_HOST,
                root.scope,
                instructions=root.instructions,
                order=order,
                anchor=folder,
                import_roots=(folder,),
                tags=root.tags,
            )


def _wanted(root: NamedRoot, trouble: Trouble) -> list[Path]:
    """Return the files of a named folder that its patterns ask for."""
    return [
        path
        for path in listed(root.path, trouble)
        if wanted(path.relative_to(root.path).as_posix(), root.include, root.exclude)
    ]


def owner_folder(path: Path) -> Path | None:
    """Return the folder whose rules a project document is: what to look at again after a restart."""
    if os.pardir in path.parts:
        return Path(*path.parts[: path.parts.index(os.pardir)])
    for number, part in enumerate(path.parts):
        if part in _HIDDEN and number > 0:
            return Path(*path.parts[:number])
    return path.parent if path.name in _PROJECT_FILES else None


def listed(folder: Path, trouble: Trouble) -> list[Path]:
    """Return the Markdown files in and below a folder, in the order of their names.

    Hidden and dependency folders below it are left out, links to folders are followed once.
    """
    out: list[Path] = []
    seen: set[str] = set()
    todo = [(str(folder), 0)]
    while todo and len(out) < _FILES_MAX:
        at, depth = todo.pop()
        real = os.path.realpath(at)
        if real in seen:
            continue
        seen.add(real)
        for entry in _entries(Path(at), trouble):
            if entry.name.startswith(".") or entry.name in _NEVER:
                continue
            if _is_folder(entry):
                if depth < _DEPTH:
                    todo.append((entry.path, depth + 1))
            elif entry.name.lower().endswith(_SUFFIXES):
                out.append(Path(entry.path))
    return sorted(out)


def _entries(folder: Path, trouble: Trouble) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        trouble(str(folder), error)
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in a circle
        return False


def _down(top: Path, root: Path, cwd: Path) -> Iterator[Path]:
    """Yield ``root`` and the folders below it that lie on the way to ``cwd``, a folder in ``top``."""
    at = root
    yield at
    try:
        below = Path(os.path.realpath(cwd)).relative_to(top).parts
    except ValueError:
        return
    for part in below:
        at = at / part
        yield at


def _instructions(folder: Path) -> tuple[Path, ...]:
    return tuple(folder / name for name in (*sorted(_PROJECT_FILES), *sorted(_HIDDEN)))


def _there(path: Path) -> bool:
    """Whether a file is there; one that cannot be looked at is, in doubt."""
    try:
        return path.exists()
    except OSError:
        return True
