"""The commands that are read off their verbs (:mod:`libra.cli.plain`): only what stands without a flag, and an example."""

from __future__ import annotations

from libra.cli.plain_flags import plain

PLAIN = (
    plain("relations", "ask", "libra relations 3f9a0c1e", "id"),
    plain("relate", "change", "libra relate 3f9a0c1e 90ab77d2 --kind evolved_from", "id", "to"),
    plain("unrelate", "change", "libra unrelate 3f9a0c1e 90ab77d2", "id", "to"),
    plain("consolidate", "change", "libra consolidate --dry-run"),
    plain("prune", "change", "libra prune --dry-run"),
    plain("lesson", "change", 'libra lesson "The build fails with ETIMEDOUT." "Set CACHE_URL to the new host."', "symptom", "fix"),
    plain("lessons", "ask", 'libra lessons "build ETIMEDOUT"', "query"),
    plain("code_search", "ask", "libra code-search --path src/app.py --error ETIMEDOUT"),
    plain("suggest_capture", "ask", "libra suggest-capture -k 5"),
    plain("missed", "change", 'libra missed 3f9a0c1e "When does the depot open?"', "id", "query"),
    plain("correction_stats", "ask", "libra correction-stats --since 2026-04-01"),
    plain("workflows", "ask", "libra workflows --least 2"),
    plain("keep_session", "change", "libra keep-session --session claude-code:7c0f2b9a"),
    plain("promote_dreams", "change", "libra promote-dreams DREAMS.md --dry-run", "path"),
    plain("share", "change", "libra share 3f9a0c1e --to project:github.com/example/harbour", "ids"),
    plain("unshare", "change", "libra unshare 3f9a0c1e --from global", "ids"),
    plain("shares", "ask", "libra shares"),
    plain("reset", "change", "libra reset session:claude-code:7c0f2b9a --dry-run", "scope"),
    plain("audit", "ask", 'libra audit --why "below the threshold" -k 5'),
    plain("noise", "change", "libra noise 3f9a0c1e", "id"),
    plain("lifecycle", "ask", "libra lifecycle -k 10"),
    plain("rule_set", "change", 'libra rule-set "Never tell prices." --name prices --keywords "price list,EUR"', "text"),
    plain("rule_get", "ask", "libra rule-get prices", "name"),
    plain("rule_list", "ask", "libra rule-list"),
    plain("rule_check", "ask", 'libra rule-check "That is 12 EUR."', "text"),
    plain("rule_delete", "change", "libra rule-delete prices", "name"),
    plain("rules_history", "ask", "libra rules-history --everywhere -k 20", "path"),
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
