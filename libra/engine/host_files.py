"""Which instruction files a host puts into its prompts by itself, so that Libra need not (hosts.md §2.3, §3)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The commands read the verbs' declarations, and may not load a database for it.
    from libra.store.documents import DirectiveRow

OWN_FILES = "own_files"
"""In ``have`` of ``assemble``: the prompt holds what the caller's host reads itself."""

_READS: Mapping[str, tuple[str, ...]] = {
    "codex": ("AGENTS.override.md", "AGENTS.md"),
    "cursor": ("AGENTS.md", ".cursorrules"),
    "gemini": ("GEMINI.md",),
    "hermes": ("AGENTS.md", "CLAUDE.md"),
    "opencode": ("AGENTS.md", "CLAUDE.md"),
}
"""Names of a project's files that a host reads though they were found as another host's."""
_FIRST_ONLY: Mapping[str, tuple[str, ...]] = {
    "hermes": (".hermes.md", "HERMES.md", "AGENTS.md", "CLAUDE.md"),
    "opencode": ("AGENTS.md", "CLAUDE.md"),
}
"""Hosts that read the first of these in a folder and leave the others beside it alone."""
_PERSONS: Mapping[str, tuple[str, ...]] = {"opencode": ("CLAUDE.md",)}
"""The same of a person's own files, for all projects."""
_CLAUDE_FOLDER = ".claude"


def loads_itself(host: str | None, row: DirectiveRow) -> bool:
    """Return True if this host reads the document of a rule by itself: its own, and those of others that it reads, too."""
    if host is None:
        return False
    if row.host == host:
        return True
    folder, name = os.path.split(row.path.replace("\\", "/"))
    if not row.scope.startswith("project:"):
        return name in _PERSONS.get(host, ())
    return name in _READS.get(host, ()) and not _stands_behind(host, folder, name)


def _stands_behind(host: str, folder: str, name: str) -> bool:
    """Whether a host leaves a file alone because another one is beside it."""
    order = _FIRST_ONLY.get(host, ())
    if os.path.basename(folder) == _CLAUDE_FOLDER:  # noqa: PTH119 - a string in, a string out
        folder = os.path.dirname(folder)  # noqa: PTH120
    before = order[: order.index(name)] if name in order else ()
    return any(os.path.exists(f"{folder}/{other}") for other in before)  # noqa: PTH110
