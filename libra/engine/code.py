"""Code search: where a path, a function or an error was spoken of, by what it is and not by how the sentence is near."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.scopes import complete, visible
from libra.engine.search import hit
from libra.ground.records import Kind, Who
from libra.store import history, search
from libra.store.visibility import Filter
from libra.text.artifacts import Artifact, ArtifactKind, artifacts

_LIMIT_MS = 3_000
_PAGE = 100
_EXCERPT_CHARS = 160
_KINDS = frozenset({Kind.TURN, Kind.MEMORY, Kind.SUMMARY, Kind.LORE})
_IS: dict[str, frozenset[ArtifactKind]] = {
    "path": frozenset({ArtifactKind.PATH, ArtifactKind.URL}),
    "function": frozenset({ArtifactKind.FUNCTION_DEF, ArtifactKind.FUNC_REF, ArtifactKind.NAME}),
    "error": frozenset({ArtifactKind.ERROR_CODE, ArtifactKind.STACK_TRACE}),
}
"""What counts as each of them."""


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """The parameters of ``code_search``: part of a path, of a function's name, or of an error; several must all be there."""

    path: str | None = None
    function: str | None = None
    error: str | None = None
    since: int | None = None
    k: int = 20


def code_search(deps: Deps, who: Who | None, asked: CodeRequest) -> dict[str, Any]:
    """Answer the method ``code_search``: records newest first, each with what of it fits, and what else comes up beside it."""
    wanted = {name: value.casefold() for name in _IS if (value := getattr(asked, name)) is not None}
    filt = Filter(visible(deps, complete(deps, who)), _KINDS, since_ms=asked.since, with_covered=True)
    deadline = Deadline.after(_LIMIT_MS)
    hits: list[dict[str, Any]] = []
    beside: Counter[str] = Counter()
    truncated = False
    with deps.store.snapshot() as snapshot:
        ids = history.holding(snapshot, max(wanted.values(), key=len), filt)
        for start in range(0, len(ids), _PAGE):
            rows = search.rows(snapshot, ids[start : start + _PAGE], filt)
            for row in (rows[item] for item in ids[start : start + _PAGE] if item in rows):
                found = artifacts(row.text)
                fits = _fits(found, wanted)
                if fits is None:
                    continue
                if len(hits) == asked.k:
                    return _answer(hits, beside, truncated=True)
                told = hit(row, 1.0, None)
                del told["score"]
                told["text"] = _around(row.text, fits[0])
                hits.append(
                    {**told, "fits": [{"kind": a.kind.value, "text": a.text[:_EXCERPT_CHARS]} for a in fits]}
                )
                beside.update({a.text for a in found if a.kind is ArtifactKind.PATH})
            truncated = deadline.left_s() <= 0
            if truncated:
                break
    return _answer(hits, beside, truncated=truncated)


def _answer(hits: list[dict[str, Any]], beside: Counter[str], *, truncated: bool) -> dict[str, Any]:
    files = [{"path": path, "records": n} for path, n in beside.most_common(10)]
    return {"hits": hits, "files": files, "truncated": truncated}


def _fits(found: list[Artifact], wanted: dict[str, str]) -> list[Artifact] | None:
    """Return what fits, None unless something does of everything that is wanted."""
    out: list[Artifact] = []
    for name, part in wanted.items():
        mine = [a for a in found if a.kind in _IS[name] and part in a.text.casefold()]
        if not mine:
            return None
        out += mine
    return out


def _around(text: str, found: Artifact) -> str:
    start = max(found.start - _EXCERPT_CHARS, 0)
    return " ".join(text[start : found.start + _EXCERPT_CHARS].split())
