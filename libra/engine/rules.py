"""Reply rules: what always holds, set by hand, with the words that no reply may have.

A rule stands in every prompt as those of an instruction file do. A host that asks before it shows a reply is told which rules
it breaks, and what to say instead. Words are looked for whole: the keyword "ana" does not block "banana" (LibraVDB's do).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from libra.engine.deps import Deps
from libra.engine.ledger import clean, name_for, named, person_only, rows, set_down, shown
from libra.engine.scopes import complete
from libra.ground.errors import OverLimit
from libra.ground.records import Origin, Who
from libra.store.ledger import Leaf
from libra.text.wholewords import found

INSTEAD = "I cannot answer that."
"""What to say instead where a rule does not say."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """The parameters of ``rule_set``: the rule, the words that no reply may have, and what to say instead."""

    text: str
    name: str | None = None
    keywords: Sequence[str] = ()
    reply: str | None = None
    origin: Origin | None = None


def rule_set(deps: Deps, who: Who | None, new: NewRule) -> dict[str, Any]:
    """Answer the method ``rule_set``; the rule of that name is replaced.

    Raises:
        Conflict: An agent asks.
        OverLimit: There are as many as the setting ``rules.most`` allows.
    """
    caller = complete(deps, who)
    person_only(caller, new.origin, "rules")
    text = clean(new.text, "text")
    name = name_for(new.name, text)
    known = rows(deps, Leaf.RULE, caller.user)
    most = deps.params.rules.most
    if len(known) >= most and all(row.name != name for row in known):
        raise OverLimit(f"there are {len(known)} rules, the setting rules.most allows {most}", where="name")
    words = [word.strip() for word in new.keywords if word.strip()]
    body = {"text": text, "keywords": words, "reply": new.reply or INSTEAD}
    number = set_down(deps, caller, "rule_set", (Leaf.RULE, name), body)
    return {**shown(named(deps, Leaf.RULE, caller.user, name)), "journal_id": number}


def rule_get(deps: Deps, who: Who | None, name: str) -> dict[str, Any]:
    """Answer the method ``rule_get``; see :func:`libra.engine.ledger.named`."""
    return shown(named(deps, Leaf.RULE, complete(deps, who).user, name))


def rule_list(deps: Deps, who: Who | None) -> dict[str, Any]:
    """Answer the method ``rule_list``: in the order in which they were set."""
    found_rows = rows(deps, Leaf.RULE, complete(deps, who).user)
    return {"rules": [shown(row) for row in found_rows], "most": deps.params.rules.most}


def rule_delete(deps: Deps, who: Who | None, name: str, origin: Origin | None) -> dict[str, Any]:
    """Answer the method ``rule_delete``; ``undo`` brings it back. See :func:`rule_set`."""
    caller = complete(deps, who)
    person_only(caller, origin, "rules")
    row = named(deps, Leaf.RULE, caller.user, name)
    return {
        "name": row.name,
        "journal_id": set_down(deps, caller, "rule_delete", (Leaf.RULE, row.name), None),
    }


def rule_check(deps: Deps, who: Who | None, text: str) -> dict[str, Any]:
    """Answer the method ``rule_check``: which rules a reply breaks, by which words, and what to say instead."""
    broken = []
    for row in rows(deps, Leaf.RULE, complete(deps, who).user):
        words = found(text, row.body["keywords"])
        if words:
            broken.append({"name": row.name, "keywords": words, "reply": row.body["reply"]})
    return {"ok": not broken, "broken": broken, "reply": broken[0]["reply"] if broken else None}
