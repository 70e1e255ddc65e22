"""Which folder a project folder of Gemini CLI stands for: its own note, else the host's list."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import orjson

from libra.sources.slices import TalkFile

_LIST: Final = "projects.json"
_NOTE: Final = ".project_root"
_MAX_BYTES: Final = 4 * 1024 * 1024


class GeminiProjects:
    """Remembers the host's list until it changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[int, int], dict[str, str]]] = {}

    def cwd(self, file: TalkFile) -> str | None:
        """Return the working folder of a chat, None if nothing names it.

        Args:
            file: The chat; its ``parts`` begin with the project's name.
        """
        top = Path(file.path)
        for _ in file.parts:
            top = top.parent
        try:
            with (top / file.parts[0] / _NOTE).open("rb") as note:
                named = note.read(_MAX_BYTES).decode("utf-8", errors="replace").strip()
        except OSError:
            named = ""
        return named or self._listed(top.parent / _LIST).get(file.parts[0])

    def _listed(self, path: Path) -> dict[str, str]:
        """Return the folders in the host's list, by the project's name."""
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._known.get(str(path))
            if known is None or known[0] != stamp:
                data = path.read_bytes() if stat.st_size <= _MAX_BYTES else b""
                known = self._known[str(path)] = (stamp, _folders(data))
        except OSError:
            return {}
        return known[1]


def _folders(data: bytes) -> dict[str, str]:
    try:
        listed = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    listed = listed.get("projects", listed) if isinstance(listed, dict) else {}
    if not isinstance(listed, dict):
        return {}
    return {name: folder for folder, name in listed.items() if isinstance(name, str)}
