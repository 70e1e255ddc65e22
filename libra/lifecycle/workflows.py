"""Workflows that a person repeats: runs of commands that stand one after another in several sessions. No model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from libra.text.artifacts import ArtifactKind, artifacts

LONGEST = 6
"""Steps of a workflow at most."""
_TWO_WORDS = frozenset({"run", "compose", "pr", "issue", "stash", "remote", "submodule", "exec"})
"""Subcommands that say nothing without the next word: `npm run build`."""
_PROMPTED = re.compile(r"^\s*(?:[$%#❯➜>]\s+)?(?:sudo\s+)?")
_JOINED = re.compile(r"\s*(?:&&|\|\||;)\s*")
_PART = re.compile(r"[a-z][\w.+-]{0,30}")
_WITH_SUBCOMMAND = frozenset(
    "git npm npx pnpm yarn bun cargo go docker kubectl helm terraform pip pip3 poetry uv make just task gh glab brew apt systemctl"
    " dotnet bundle rails composer mix flutter ruff libra".split()
)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A run of steps.

    Attributes:
        steps: Commands without what differs each time (flags, paths, messages), in order.
        sessions: In how many sessions it was done.
        places: Which of the sequences that were given.
    """

    steps: tuple[str, ...]
    sessions: int
    places: tuple[int, ...]


def commands(text: str) -> list[str]:
    """Return the commands of a text in order, each by its program and what it is told to do: ``git push``, ``npm run build``."""
    lines = (found.text for found in artifacts(text) if found.kind is ArtifactKind.SHELL)
    return [step for line in lines for part in _JOINED.split(line) if (step := _step(part)) is not None]


def _step(command: str) -> str | None:
    words = _PROMPTED.sub("", command, count=1).split()
    if not words or _PART.fullmatch(words[0]) is None:
        return None
    kept = [words[0]]
    if words[0] in _WITH_SUBCOMMAND:
        for word in words[1:3]:
            if _PART.fullmatch(word) is None or "." in word:
                break
            kept.append(word)
            if word not in _TWO_WORDS:
                break
    return " ".join(kept)


def frequent(sequences: Sequence[Sequence[str]], least: int) -> list[Workflow]:
    """Return the runs of two and more steps that stand in at least so many sequences, most useful first.

    A run within a longer one that is as frequent says nothing more and is left out. A step that is repeated at once counts once.
    Useful is what is long and frequent: sessions times the steps that it spares.

    Args:
        sequences: The steps of each session, in order.
        least: In so many sessions.
    """
    seen: dict[tuple[str, ...], set[int]] = {}
    for place, steps in enumerate(sequences):
        once = [step for n, step in enumerate(steps) if n == 0 or steps[n - 1] != step]
        for run in _runs(once):
            seen.setdefault(run, set()).add(place)
    often = {run: places for run, places in seen.items() if len(places) >= least}
    # Every run within a frequent one is frequent, too: those as frequent as a run that holds them go.
    covered = {
        part for run, places in often.items() for part in (run[1:], run[:-1]) if often.get(part) == places
    }
    found = [
        Workflow(run, len(places), tuple(sorted(places)))
        for run, places in often.items()
        if run not in covered
    ]
    return sorted(found, key=lambda w: (-w.sessions * (len(w.steps) - 1), w.steps))


def _runs(steps: Sequence[str]) -> Iterable[tuple[str, ...]]:
    for size in range(2, LONGEST + 1):
        for start in range(len(steps) - size + 1):
            yield tuple(steps[start : start + size])
