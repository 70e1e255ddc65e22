"""Every reader of text in the pure packages, as a function of one text; a part of :mod:`tests.edges`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Final

from libra.assembly.render import rule, shorten, spoken
from libra.assembly.temporal import asks_again, skip_reason
from libra.compaction.extract import bounded_cut, summarise
from libra.compaction.fidelity import exact_terms
from libra.compaction.grounding import has_new_rule, invents, repeats
from libra.compaction.header import without_header
from libra.compaction.lexical import content_words, lexical_vectors
from libra.compaction.sanitize import SanitizeParams, sanitise
from libra.compaction.turns import ClusterTurn
from libra.exchange.conflicts import without
from libra.exchange.dreams import dreams
from libra.exchange.mirror import is_ours, parse, words_hash
from libra.exchange.notes import bullets
from libra.gate.signals import artifacts_density, decisions, natural, signals, structure, technical
from libra.gate.vocabulary import technical_talk
from libra.ground.records import NodeTier, Role
from libra.lifecycle.claims import claim, correction, subject_slot, without_mood
from libra.lifecycle.consolidate import (
    ConsolidateParams,
    content_hash,
    near_duplicate,
    particulars,
    particulars_text,
)
from libra.lifecycle.ownwords import own_words
from libra.lifecycle.standing import rules_kept, standing_rules
from libra.lifecycle.statement import asks_to_remember, memorable, stated
from libra.lifecycle.supersede import settle
from libra.lifecycle.types import detect
from libra.lifecycle.usage import UsageParams, meant, objects, used_in
from libra.lifecycle.volatile import is_volatile, says_impossible, volatile_kind
from libra.lifecycle.workflows import commands
from libra.sources.projects import canonical
from libra.text import marks
from libra.text.artifacts import artifacts
from libra.text.dates import parse_ts
from libra.text.deontic import modalities, scan
from libra.text.imports import imports
from libra.text.keptout import cut_kept_out, kept_out
from libra.text.linediff import Line, compare
from libra.text.names import asks_for_name, holds_name
from libra.text.noise import noise, unwrap
from libra.text.partition import classify, degrade, partition
from libra.text.pattern import Pattern, PatternError
from libra.text.redact import redact
from libra.text.replies import asks_for_reply
from libra.text.scripts import is_vietnamese, runs
from libra.text.sentences import sentences
from libra.text.temporal import resolved, temporal
from libra.text.terms import identifiers, parse_query, side_terms
from libra.text.tokens import ends_in_sign, estimate, plain_cost
from libra.text.wholewords import found
from tests.conftest import START_MS

Reader = Callable[[str], object]
_KNOWN: Final = "The relay listens on port 7443."


def _partition(text: str) -> None:
    nodes = degrade(partition(text, instructions=True), 50)[0]
    assert all(0 <= node.start <= node.end for node in nodes)


def _strip(text: str) -> None:
    once = marks.strip(text, lambda _line: False, lambda _half: False).text
    assert len(once) <= len(text)


def _expression(text: str) -> None:
    with contextlib.suppress(PatternError):
        Pattern(text[:200], regex=True).find(text)
    Pattern("a needle", regex=False).find(text)


def _lines(text: str) -> None:
    lines = [Line(line, NodeTier.SOFT) for line in text.split("\n")]
    compare(lines, [Line(f"{line.text} x", NodeTier.HARD) for line in lines[1:]])


def _summary(text: str) -> None:
    turns = [ClusterTurn(text, role) for role in (Role.USER, Role.ASSISTANT, Role.TOOL)]
    summarise(turns, lexical_vectors)


READERS: Final[Mapping[str, Reader]] = {
    # text
    "partition": _partition,
    "classify": classify,
    "folder": canonical,
    "scan": scan,
    "modalities": modalities,
    "imports": imports,
    "redact": redact,
    "artifacts": artifacts,
    "identifiers": identifiers,
    "side_terms": side_terms,
    "parse_query": parse_query,
    "estimate": lambda text: (estimate(text), plain_cost(text), ends_in_sign(text)),
    "scripts": lambda text: (list(runs(text)), is_vietnamese(text)),
    "unwrap": unwrap,
    "noise": lambda text: [noise(text, role) for role in Role],
    "strip": _strip,
    "escape": marks.escape,
    "sentences": sentences,
    "resolved": lambda text: resolved(text, START_MS, UTC),
    "temporal": lambda text: temporal(text, START_MS, UTC),
    "parse_ts": parse_ts,
    "expression": _expression,
    "kept out": lambda text: cut_kept_out(text, [kept_out("hunter2", "salt")]),
    "names": lambda text: (asks_for_name(text), holds_name(text, ())),
    "asks_for_reply": asks_for_reply,
    "whole words": lambda text: found(text, ("a needle", "b", "漢字", text[:200])),
    "line diff": _lines,
    # gate, lifecycle
    "signals": signals,
    "signals one by one": lambda text: (
        technical(text),
        artifacts_density(text),
        decisions(text),
        structure(text),
    ),
    "natural": natural,
    "technical_talk": lambda text: technical_talk(text, artifacts(text)),
    "own_words": own_words,
    "detect": lambda text: [detect(text, role, 1.0, 1.0) for role in (Role.USER, Role.ASSISTANT)],
    "is_volatile": is_volatile,
    "volatile_kind": volatile_kind,
    "says_impossible": says_impossible,
    "claim": claim,
    "correction": correction,
    "subject_slot": subject_slot,
    "without_mood": without_mood,
    "settle": lambda text: settle(text, [_KNOWN, text]),
    "standing_rules": standing_rules,
    "rules_kept": lambda text: rules_kept(text, standing_rules(text) or (text[:100],)),
    "used_in": lambda text: used_in(_KNOWN, ("which port?",), text, UsageParams()),
    "used": lambda text: used_in(text, ("which port?", text), _KNOWN, UsageParams()),
    "objects": objects,
    "meant": lambda text: meant(text, (_KNOWN, text)),
    "memorable": memorable,
    "stated": stated,
    "asks_to_remember": asks_to_remember,
    "content_hash": content_hash,
    "particulars": lambda text: (particulars(text), particulars_text(text)),
    "near_duplicate": lambda text: near_duplicate(text, f"{text} ", 0.99, ConsolidateParams()),
    "commands": commands,
    # assembly
    "asks_again": asks_again,
    "skip_reason": skip_reason,
    "printed": lambda text: (
        spoken(text, estimate(text), "me"),
        rule(text, estimate(text), text),
        shorten(text, estimate(text), 100),
    ),
    # compaction
    "summary": _summary,
    "sanitise": lambda text: [sanitise(text, role, SanitizeParams()) for role in (Role.USER, Role.TOOL)],
    "content_words": content_words,
    "exact_terms": exact_terms,
    "bounded_cut": lambda text: bounded_cut(text, 200),
    "grounding": lambda text: (repeats(text), invents(text, (text, _KNOWN)), has_new_rule(text, (_KNOWN,))),
    "without_header": without_header,
    # exchange
    "dreams": dreams,
    "mirror": lambda text: (is_ours(text), parse(text), words_hash(text)),
    "conflicts": lambda text: without(text, lambda uid, _words: uid == "m1"),
    "bullets": lambda text: list(bullets(text, "memory/2026-04-01.md")),
}
"""Readers by name; none may raise, and none may take more than linear time."""
