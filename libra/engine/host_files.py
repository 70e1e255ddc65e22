"""Which instruction files a host puts into its prompts by itself, so that Libra need not (hosts.md §2.3, §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The commands read the verbs' declarations, and may not load a database for it.
    from libra.store.documents import DirectiveRow

OWN_FILES = "own_files"
"""In ``have`` of ``assemble``: the prompt holds what the caller's host reads itself."""

_READS: Mapping[str, frozenset[str]] = {
    "codex": frozenset({"AGENTS.md", "AGENTS.override.md"}),
    "cursor": frozenset({"AGENTS.md", ".cursorrules"}),
    "gemini": frozenset({"GEMINI.md"}),
    "hermes": frozenset({"AGENTS.md", "CLAUDE.md", "SOUL.md"}),
    "opencode": frozenset({"AGENTS.md", "CLAUDE.md"}),
}
"""File names that a host reads though the file was found as another host's."""


def loads_itself(host: str | None, row: DirectiveRow) -> bool:
    """Return True if this host reads the document of a rule by itself.

    A host reads its own documents, and those of others that :data:`_READS` names.
    """
    if host is None:
        return False
    name = row.path.replace("\\", "/").rpartition("/")[2]
    return row.host == host or name in _READS.get(host, ())
