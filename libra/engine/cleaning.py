"""What no text may hold when it is stored: secrets by rule, and words that a person had scrubbed (lessons C79, C80).

The rules change from version to version, so :data:`RULES` also says how they are applied to what was stored before.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import orjson

from libra.ground.records import content_key
from libra.lifecycle.claims import claim
from libra.lifecycle.consolidate import content_hash, particulars_text
from libra.store import keptout
from libra.store.restore import Rules
from libra.store.store import Store
from libra.store.wipe import Identity, Said, Sweep
from libra.store.wipe import Redaction as Again
from libra.text.keptout import SCRUBBED, KeptOut, cut_kept_out
from libra.text.redact import REDACTION, Redaction, clean, redact

_PLAIN = frozenset(
    {
        ("item", "text"),
        ("item", "speaker"),
        ("speaker", "name"),
        ("rule_change", "text"),
        ("rule_change", "before"),
    }
)
_JSON = frozenset(
    {("turn", "metadata"), ("journal", "before"), ("node", "heading"), ("ledger", "body"), ("hint", "body")}
)
_TABLES = frozenset(table for table, _ in _PLAIN | _JSON)


class Cleaner:
    """Takes secrets and scrubbed words out of what comes in.

    Args:
        store: Knows the scrubbed words; asked once, and again after a scrub.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: tuple[KeptOut, ...] | None = None

    def refresh(self) -> None:
        """Ask again at the next text."""
        with self._lock:
            self._known = None

    def text(self, text: str) -> Redaction:
        """Return a text without secrets and without scrubbed words."""
        found = redact(text)
        cut = cut_kept_out(found.text, self._words())
        return found if cut == found.text else Redaction(cut, (*found.kinds, SCRUBBED))

    def json(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return an object of JSON without them."""
        return self.without_scrubbed(clean(value))

    def without_scrubbed(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return an object of JSON without scrubbed words; secrets in it were seen to already."""
        known = self._words()
        return {cut_kept_out(k, known): _cut(v, known) for k, v in value.items()} if known else dict(value)

    def _words(self) -> tuple[KeptOut, ...]:
        with self._lock:
            if self._known is None:
                with self._store.snapshot() as snapshot:
                    self._known = keptout.every(snapshot)
            return self._known


def _cut(value: Any, known: tuple[KeptOut, ...]) -> Any:
    if isinstance(value, str):
        return cut_kept_out(value, known)
    if isinstance(value, Mapping):
        return {k: _cut(v, known) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(v, known) for v in value]
    return value


# ------------------------------------------------------------------ the past


def turn_key(said: Said) -> str:
    """Return the second identity of a turn: role, time and words; within its session where that alone says too little."""
    within = "" if said.ts_known and said.host is not None else said.session
    if said.event_key is not None and said.host is None:
        within = f"{within}#{said.external_id}"
    return content_key(said.role, said.ts_ms, said.text, within)


def _again(table: str, column: str, value: str) -> str:
    if (table, column) in _PLAIN:
        return redact(value).text
    if (table, column) in _JSON:
        held = orjson.loads(value)
        fresh = clean({"": held})[""]
        return value if fresh == held else orjson.dumps(fresh).decode()
    return value


def _may(table: str, _words: str) -> bool:
    return table in _TABLES


def _about(text: str) -> tuple[str | None, str | None]:
    made = claim(text)
    return (None, None) if made is None else (made.subject, made.slot)


RULES = Rules(
    particulars=particulars_text,
    identity=Identity(content_hash, turn_key, _about),
    redaction=Again(REDACTION, Sweep(_again, _may)),
)
"""How the past is brought to the rules of today."""
REDACTED_TABLES = tuple(sorted(_TABLES))
"""The tables that hold words."""
