"""Law: whatever reads what people say is linear. A tenth of a megabyte of the worst kind ends to be read (lessons.md C67)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC

import pytest

from libra.gate.signals import natural
from libra.ground.records import Role
from libra.lifecycle.claims import claim
from libra.lifecycle.ownwords import own_words
from libra.lifecycle.standing import standing_rules
from libra.lifecycle.statement import memorable
from libra.lifecycle.types import detect
from libra.lifecycle.usage import UsageParams, objects, used_in
from libra.lifecycle.volatile import is_volatile
from libra.text import marks
from libra.text.artifacts import artifacts
from libra.text.deontic import scan
from libra.text.imports import imports
from libra.text.noise import noise, unwrap
from libra.text.partition import partition
from libra.text.redact import redact
from libra.text.temporal import resolved
from libra.text.terms import identifiers, parse_query, side_terms
from libra.text.tokens import estimate
from tests.conftest import START_MS

_BYTES = 100_000
_PATIENCE_S = 60
"""Seconds until a reader is given up; a tenth of one is usual."""

HOSTILE = {
    "one letter": "a",
    "lines": "a\n",
    "blank lines": "\n",
    "blanks": " ",
    "a log": "log:\n  \n",
    "must": "must ",
    "short rules": "x must y. ",
    "colons": "a: ",
    "commas": "if a, ",
    "links": "[a](b) ",
    "brackets": "[",
    "back-ticks": "` ",
    "fences": "```\n",
    "comments": "<!--\n",
    "items": "- a\n",
    "quotes": "> a\n",
    "deep quotes": ">" * 400 + " a\n",
    "tables": "a|b\n-|-\n",
    "slashes": "a/b/",
    "dots": "a.b.",
    "cases": "aB",
    "passwords": 'password="',
    "pem": "-----BEGIN PRIVATE KEY-----",
    "digits": "4111 ",
    "addresses": "://a:",
    "marks": "<libra-context>",
    "closing marks": "</libra-context>\n",
    "split marks": "<lib<libra-context>ra-context>",
    "reminders": "<system-reminder>\n",
    "fenced hosts": "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
    "stack": "  at a.b(c)\n",
    "Chinese": "必须",
    "Chinese lead-ins": "只有把请，先",
    "Vietnamese": "phải không được ",
    "Vietnamese who": "không ai chỉ có mới được ",
    "German modals": "darf muss nicht ist zu ",
    "German clauses": "wenn keine a, immer alle n ",
    "French": "ne doit pas il faut les a ",
    "French clauses": "si a, ne le a jamais ",
    "Spanish": "no debe hay que las a siempre ",
    "Spanish clauses": "si a, solo nadie puede ",
    "Japanese": "絶対に必ずしないことを",
    "Japanese conditions": "前に、場合は使うこと",
    "only may": "only a may be never requires ",
    "norms": "every a goes per one ",
    "NUL": "\0",
}

FLOODS = {
    "password is": "password is ",
    "my password": "my password ",
    "secret": "secret ",
    "Chinese password": "密码",
    "Chinese password is": "密码是 ",
    "PIN": "pin ",
    "assigned": "pwd=a1b2c3 ",
    "quoted": 'password: "',
    "capitals": "A",
    "many words away": "my password of a b c d e ",
    "account keys": "accountkey=",
    "credentials": "credential ",
    "bots": "MAAAAAAAAAAAAAAAAAAAAAAAA.",
    "announced numbers": "CCCD ",
}
"""Texts of nothing but names of secrets: each name costs the redactor a look."""

READERS: dict[str, Callable[[str], object]] = {
    "partition": lambda text: partition(text, instructions=True),
    "scan": scan,
    "imports": imports,
    "redact": redact,
    "artifacts": artifacts,
    "identifiers": identifiers,
    "side_terms": side_terms,
    "parse_query": parse_query,
    "estimate": estimate,
    "unwrap": unwrap,
    "noise": lambda text: noise(text, Role.ASSISTANT),
    "strip": lambda text: marks.strip(text, lambda _line: False),
    "escape": marks.escape,
    "own_words": own_words,
    "detect": lambda text: detect(text, Role.USER, 1.0, 1.0),
    "natural": natural,
    "is_volatile": is_volatile,
    "claim": claim,
    "standing_rules": standing_rules,
    "used_in": lambda text: used_in("The relay listens on port 7443.", ("which port?",), text, UsageParams()),
    "objects": objects,
    "memorable": memorable,
    "resolved": lambda text: resolved(text, START_MS, UTC),
}


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
def test_hostile_text_is_read_in_linear_time(reader: str) -> None:
    """No reader takes more than linear time on any of the hostile texts."""
    for name, piece in (HOSTILE | (FLOODS if reader == "redact" else {})).items():
        text = piece * (_BYTES // len(piece))
        done = threading.Event()

        def read(text: str = text, done: threading.Event = done) -> None:
            READERS[reader](text)
            done.set()

        threading.Thread(target=read, daemon=True).start()
        # No stopwatch: what is quadratic in a megabyte does not end within this at all.
        assert done.wait(_PATIENCE_S), name
