"""New rules for secrets reach the past only if their version rises; nobody may forget that (C80)."""

from __future__ import annotations

import json

from libra.text.redact import REDACTION
from tests.text.redaction_mark import NOTED, mark


def test_rules_do_not_change_without_a_thought_of_what_is_stored() -> None:
    """A secret that today's rules find would stay in everything that was stored before."""
    noted = json.loads(NOTED.read_text("utf-8"))
    told = (
        "the rules for secrets have changed: if they find anything else now, raise REDACTION in libra/text/redact.py;"
        " then note them with python -m tests.text.redaction_mark (its first lines say how)"
    )
    assert (noted["version"], noted["mark"]) == (REDACTION, mark()), told
