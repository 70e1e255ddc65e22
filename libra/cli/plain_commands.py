"""The commands that are read off their verbs (:mod:`libra.cli.plain`): only what stands without a flag, and an example."""

from __future__ import annotations

from libra.cli.plain_flags import plain

PLAIN = (
    plain("rule_set", "change", 'libra rule-set "Never tell prices." --name prices --keywords "price list,EUR"', "text"),
    plain("rule_get", "ask", "libra rule-get prices", "name"),
    plain("rule_list", "ask", "libra rule-list"),
    plain("rule_check", "ask", 'libra rule-check "That is 12 EUR."', "text"),
    plain("rule_delete", "change", "libra rule-delete prices", "name"),
    plain("card_update", "change", 'libra card-update "Sam Rivers" --fields role="harbour master" --fields city=Oslo', "name"),
    plain("card_get", "ask", "libra card-get Sam", "name"),
    plain("card_list", "ask", "libra card-list --prefix Sa"),
    plain("card_delete", "change", 'libra card-delete "Sam Rivers"', "name"),
    plain("intent_set", "change", 'libra intent-set "Bump the version in the docs." --when release,deploy --days 30', "remind"),
    plain("intent_list", "ask", "libra intent-list --every"),
    plain("intent_done", "change", "libra intent-done docs", "name"),
    plain("intent_delete", "change", "libra intent-delete docs", "name"),
)  # fmt: skip
"""In the order of the overview, beside the commands that print in a way of their own."""
