"""Where hosts other than Claude Code and OpenClaw keep a person's instructions and notes.

| file                                                   | for whom          | instructions |
|--------------------------------------------------------|-------------------|--------------|
| ``~/.codex/AGENTS.override.md``, else ``AGENTS.md``    | you               | yes |
| ``~/.gemini/GEMINI.md``                                | you               | yes |
| ``~/.config/opencode/AGENTS.md``                       | you               | yes |
| ``~/.hermes/SOUL.md``                                  | the agent hermes  | yes |
| ``~/.hermes/memories/*.md``                            | you               | no  |

One that is word for word a document that its reader gets anyway is no second one.

Source: hosts.md §3.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from libra.ground.records import Scope, ScopeKind
from libra.sources.catalog import CODEX, GEMINI, HERMES, OPENCODE, Catalog
from libra.sources.document_places import DocumentPlace, Trouble, listed
from libra.sources.looking import is_file

_ORDER: Final = 2_000
_NOTES: Final = 300_000
_FILES: Final = {
    CODEX: ("AGENTS.override.md", "AGENTS.md"),
    GEMINI: ("GEMINI.md",),
    OPENCODE: ("AGENTS.md",),
    HERMES: ("SOUL.md",),
}
"""Names of a host's instruction file, the first that is there."""


def other_hosts_places(catalog: Catalog, user: str, trouble: Trouble) -> Iterator[DocumentPlace]:
    """Yield the places of a person's own instructions and notes in other hosts' folders."""
    own = Scope(ScopeKind.USER, user)
    for number, (host, names) in enumerate(_FILES.items()):
        home = catalog.homes.get(host)
        if home is None:
            continue
        path = next((home / name for name in names if is_file(home / name)), home / names[-1])
        scope = Scope(ScopeKind.AGENT, HERMES) if host == HERMES else own
        yield _place(path, host, scope, _ORDER + number, home, instructions=True)
    memories = catalog.homes.get(HERMES, Path()) / "memories"
    for path in listed(memories, trouble) if HERMES in catalog.homes else ():
        yield _place(path, HERMES, own, _NOTES, memories.parent, instructions=False)


def _place(
    path: Path, host: str, scope: Scope, order: int, home: Path, *, instructions: bool
) -> DocumentPlace:
    roots = (home,) if host == GEMINI else ()
    return DocumentPlace(
        path,
        host,
        scope,
        instructions=instructions,
        order=order,
        anchor=home,
        import_roots=roots,
        unless_same=True,
    )
