"""A query as the searches use it; its embedding is worked out beside whatever comes before it is needed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from libra.engine.deadline import Deadline, Step
from libra.engine.deps import Deps
from libra.ground.errors import DeadlinePassed, ModelError
from libra.ground.vectors import Vector
from libra.store import voices
from libra.store.store import Snapshot
from libra.store.visibility import Visible
from libra.text import terms
from libra.text.names import asks_for_name
from libra.text.replies import asks_for_reply
from libra.text.temporal import TimeAsk, temporal

_EMBEDDING = 0.6
"""Of the time: an embedding that comes when nothing is left to search with it is of no use."""
_JOINED = r",|&|and|or|und|oder|et|ou|y|o|và|和|与|與|と"


class Question:
    """What was asked.

    Attributes:
        text: What was asked, as the person put it.
        deadline: By when the answer must be out.
        degraded: Gets what could not be done.
        terms: Its words, phrases, identifiers and side terms.
        speakers: The speaker it asks about, in lower case: the one it names, of several the first. Names of speakers are taken
            out of the searched text: who is spoken to says little of what was said.
        time: Times that it asks about.
        name: It asks for somebody or something by name: "Which cities has he been to?"
        reply: It is about what the agent said: "What did you recommend?"
    """

    def __init__(
        self,
        text: str,
        deadline: Deadline,
        asked: terms.Query,
        speakers: frozenset[str],
        time: TimeAsk,
        embedding: Step[Vector] | None,
        degraded: list[str],
    ) -> None:
        self.text = text
        self.deadline = deadline
        self.terms = asked
        self.speakers = speakers
        self.time = time
        self.name = asks_for_name(text)
        self.reply = asks_for_reply(text)
        self._embedding = embedding
        self.degraded = degraded
        self._vector: Vector | None = None

    @property
    def vector(self) -> Vector | None:
        """The embedding, waited for at the first use; None without a model, or when the deadline passed."""
        step, self._embedding = self._embedding, None
        if step is not None:
            try:
                self._vector = step.result()
            except DeadlinePassed:
                self.degraded.append("deadline: the query was not embedded in time")
            except ModelError as error:
                self.degraded.append(f"embedding: {error.message}")
        return self._vector


def read_question(
    deps: Deps, snapshot: Snapshot, query: str, sees: Visible, deadline: Deadline, degraded: list[str]
) -> Question:
    """Read a query and begin to embed it; what cannot be done is added to ``degraded``."""
    said = _named(voices.visible_names(snapshot, sees), query)
    bare = query
    for name in said:
        bare = re.sub(_whole(name), " ", bare, flags=re.IGNORECASE)
    bare = " ".join(bare.split()) if re.search(r"\w", bare) else query
    embedder = deps.model.get()
    if embedder is None:
        degraded.append(f"embedding: {deps.model.reason}")
    step = deadline.part(_EMBEDDING).start(embedder.embed_query, bare) if embedder is not None else None
    named = frozenset({said[0].lower()}) if said and not _together(said, query) else frozenset()
    time = temporal(query, deps.clock(), deps.zone)
    return Question(query, deadline, terms.parse_query(bare), named, time, step, degraded)


def _named(speakers: Iterable[str], query: str) -> list[str]:
    """Return the speakers whom a question names, first whom it asks about: "What did A say of B's boat?" asks about A."""
    seen = ((name, re.search(_whole(name), query, re.IGNORECASE)) for name in speakers if len(name) > 1)
    found = [(len(match.group()) > len(name), match.start(), name) for name, match in seen if match]
    return [name for _, _, name in sorted(found)]


def _together(said: Sequence[str], query: str) -> bool:
    """Say whether a question asks about several people at once: "both", "A and B"."""
    names = "|".join(map(re.escape, said))
    joined = rf"\b(?:{names})(?:['’]s)?\s*(?:{_JOINED})\s*(?:{names})\b"
    return len(said) > 1 and re.search(rf"\bboth\b|{joined}", query, re.IGNORECASE) is not None


def _whole(name: str) -> str:
    return rf"\b{re.escape(name)}(?:['’]s)?\b"
