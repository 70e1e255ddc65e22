"""Knows whose folders there are, and keeps the documents in them in step with the engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from libra.engine.feed import Sink
from libra.ground.records import Clock, Scope, ScopeKind
from libra.sources.absence import GONE
from libra.sources.catalog import CLAUDE_CODE, Catalog
from libra.sources.document_places import (
    DocumentPlace,
    NamedRoot,
    folders_above,
    memory_places,
    named_places,
    owner_folder,
    parent_places,
    project_places,
    user_places,
    workspace_places,
)
from libra.sources.documents import DocumentParams, Report, Shelf
from libra.sources.host_places import other_hosts_places
from libra.sources.looking import is_folder
from libra.sources.projects import Project, Projects

_INTERESTING: Final = frozenset(
    {".claude", ".cursor", ".cursorrules", "rules", "memory", "memories", ".git", "openclaw.json"}
)
_SUFFIXES: Final = (".md", ".mdc", ".markdown")


class Librarian:
    """One thread uses it, except :meth:`add_folder`, which any may call.

    Args:
        sink: Takes the documents.
        user: The person.
        projects: Finds a folder's project.
        clock: Now in epoch ms.
        named: Roots that the configuration names.
        params: Bounds.
    """

    def __init__(
        self,
        sink: Sink,
        user: str,
        projects: Projects,
        clock: Clock,
        named: tuple[NamedRoot, ...] = (),
        params: DocumentParams | None = None,
    ) -> None:
        self._sink = sink
        self._user = user
        self._projects = projects
        self._clock = clock
        self._named = named
        self._params = params or DocumentParams()
        self._shelf: Shelf | None = None
        self._folders: dict[str, None] = {}
        self._slugs: dict[str, str] = {}
        self._remembered = False
        self.report = Report()

    def add_folder(self, cwd: str) -> bool:
        """Note a folder that somebody works in; return True if it is new and exists."""
        if cwd in self._folders or not Path(cwd).is_absolute() or not is_folder(cwd):
            return False
        self._folders[cwd] = None
        return True

    def add_slug(self, slug: str, cwd: str) -> bool:
        """Note which folder a slug of Claude Code stands for; return True if that is news."""
        if self._slugs.get(slug) == cwd or slug in self._slugs:
            return False
        self._slugs[slug] = cwd
        return True

    def accept_missing(self) -> None:
        """Let documents be taken away even if many are missing at once: a person has said so."""
        if self._shelf is not None:
            self._shelf.accept_missing()

    def update(self, catalog: Catalog) -> Report:
        """Go over all documents once.

        Raises:
            StoreError: Not all could be kept; the pass can be repeated.
        """
        if self._shelf is None:
            self._shelf = Shelf(self._sink, catalog.surroundings.home, self._clock, self._params)
        if not self._remembered:
            self._remember(catalog)
        unlisted: dict[str, None] = {}
        places = list(self._places(catalog, unlisted))
        self.report = self._shelf.update(places, unlisted, self._roots(catalog))
        return self.report

    def is_interesting(self, path: str) -> bool:
        """Whether a change of this path may concern a document; asked on watchdog's threads."""
        name = path.rpartition(os.sep)[2]
        return name.lower().endswith(_SUFFIXES) or name in _INTERESTING or path in self.report.paths

    def folders(self, catalog: Catalog) -> dict[str, bool]:
        """Return the folders to be watched for documents, and which with all that is below them."""
        out: dict[str, bool] = {str(catalog.claude / "rules"): True, str(catalog.claude): False}
        if catalog.managed is not None:
            out[str(catalog.managed)] = False
        for settings in catalog.settings:
            out[str(settings.parent)] = False
        for workspace in catalog.workspaces:
            out[str(workspace.path / "memory")] = True
            out[str(workspace.path)] = False
        for cwd in reversed(list(self._folders)):
            self._of_project(self._projects.of(cwd), Path(cwd), catalog, out)
        for home in catalog.homes.values():
            out[str(home)] = False
        for root in self._named:
            out[str(root.path)] = True
        for path in self.report.paths:
            out.setdefault(path.rpartition(os.sep)[0], False)
        real: dict[str, bool] = {}
        for folder_name, whole in out.items():
            path = os.path.realpath(folder_name)
            if is_folder(path):
                real[path] = real.get(path, False) or whole
        return real

    def _of_project(self, project: Project, cwd: Path, catalog: Catalog, out: dict[str, bool]) -> None:
        """Add the folders that a project's documents are in."""
        for folder in dict.fromkeys((project.root, project.top, cwd)):
            for hidden in (".claude", ".cursor"):
                out[str(folder / hidden / "rules")] = True
                out[str(folder / hidden)] = False
            out[str(folder)] = False
        for folder in folders_above(project.root, catalog.surroundings.home):
            out.setdefault(str(folder), False)

    def _remember(self, catalog: Catalog) -> None:
        """After a restart, look again where documents came from, before any is thought to be named nowhere."""
        known = [
            catalog.surroundings.home,
            catalog.claude,
            *catalog.homes.values(),
            *(one.path for one in catalog.workspaces),
        ]
        others = {os.path.realpath(folder) for folder in known}
        for path, state in self._sink.documents().items():
            folder = owner_folder(Path(path)) if state.state != GONE else None
            if folder is not None and str(folder) not in others:
                self.add_folder(str(folder))
        self._remembered = True

    def _places(self, catalog: Catalog, unlisted: dict[str, None]) -> Iterator[DocumentPlace]:
        def trouble(folder: str, _error: OSError) -> None:
            unlisted[folder] = None

        yield from user_places(catalog, self._user, trouble)
        yield from other_hosts_places(catalog, self._user, trouble)
        for workspace in catalog.workspaces:
            yield from workspace_places(workspace, trouble)
        yield from named_places(self._named, trouble)
        for cwd in list(self._folders):
            project = self._projects.of(cwd)
            yield from parent_places(project, catalog.surroundings.home)
            yield from project_places(project, Path(cwd), catalog.claude, trouble)
        for folder in catalog.talk:
            if folder.host == CLAUDE_CODE:
                yield from memory_places(folder.path, self._user, self._scope_of, trouble)

    def _scope_of(self, slug: str) -> Scope | None:
        cwd = self._slugs.get(slug)
        return Scope(ScopeKind.PROJECT, self._projects.of(cwd).key) if cwd else None

    def _roots(self, catalog: Catalog) -> Iterable[str]:
        """Return the folders that the places cover whole."""
        roots = [
            catalog.claude,
            *catalog.homes.values(),
            *(workspace.path for workspace in catalog.workspaces),
        ]
        roots += [self._projects.of(cwd).root for cwd in list(self._folders)]
        real = {os.path.realpath(root) for root in roots}
        return real - {os.path.realpath(catalog.surroundings.home)}
