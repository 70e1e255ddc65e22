"""The engine's methods about rules, cards and standing intents; the work is in one module each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from libra.engine import cards, intents, rules
from libra.engine.deps import Deps
from libra.ground.records import Origin, Who

Json = dict[str, Any]


class LedgerMethods:
    """The part of :class:`libra.engine.core.Engine` that is about what a person sets down by name.

    Args:
        deps: Shared parts.
    """

    def __init__(self, deps: Deps) -> None:
        self.deps = deps

    def rule_set(self, *, who: Who | None = None, **asked: Any) -> Json:
        """Answer the method ``rule_set``; ``asked`` are the fields of :class:`NewRule`."""
        return rules.rule_set(self.deps, who, rules.NewRule(**asked))

    def rule_get(self, *, name: str, who: Who | None = None) -> Json:
        """Answer the method ``rule_get``."""
        return rules.rule_get(self.deps, who, name)

    def rule_list(self, *, who: Who | None = None) -> Json:
        """Answer the method ``rule_list``."""
        return rules.rule_list(self.deps, who)

    def rule_check(self, *, text: str, who: Who | None = None) -> Json:
        """Answer the method ``rule_check``."""
        return rules.rule_check(self.deps, who, text)

    def rule_delete(self, *, name: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``rule_delete``."""
        return rules.rule_delete(self.deps, who, name, origin)

    def card_update(
        self,
        *,
        name: str,
        fields: Mapping[str, Any],
        who: Who | None = None,
        aliases: Sequence[str] | None = None,
        main: bool | None = None,
        origin: Origin | None = None,
    ) -> Json:
        """Answer the method ``card_update``."""
        return cards.card_update(self.deps, who, name, cards.Wanted(fields, aliases, main), origin)

    def card_get(self, *, who: Who | None = None, name: str | None = None) -> Json:
        """Answer the method ``card_get``."""
        return cards.card_get(self.deps, who, name)

    def card_list(self, *, who: Who | None = None, prefix: str | None = None) -> Json:
        """Answer the method ``card_list``."""
        return cards.card_list(self.deps, who, prefix)

    def card_delete(self, *, name: str, who: Who | None = None, origin: Origin | None = None) -> Json:
        """Answer the method ``card_delete``."""
        return cards.card_delete(self.deps, who, name, origin)

    def intent_set(self, *, who: Who | None = None, **asked: Any) -> Json:
        """Answer the method ``intent_set``; ``asked`` are the fields of :class:`NewIntent`."""
        return intents.intent_set(self.deps, who, intents.NewIntent(**asked))

    def intent_list(self, *, who: Who | None = None, every: bool = False) -> Json:
        """Answer the method ``intent_list``."""
        return intents.intent_list(self.deps, who, every=every)

    def intent_done(self, *, name: str, who: Who | None = None) -> Json:
        """Answer the method ``intent_done``."""
        return intents.intent_done(self.deps, who, name)

    def intent_delete(self, *, name: str, who: Who | None = None) -> Json:
        """Answer the method ``intent_delete``."""
        return intents.intent_delete(self.deps, who, name)
