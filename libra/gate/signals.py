"""The gate's signals that depend on the text alone; pure, linear, each in [0, 1] (memory model §4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from libra.gate.patterns import DECISIONS, NATURAL, STRUCTURE, Form
from libra.gate.talk import is_talk
from libra.gate.vocabulary import technical_talk
from libra.text.artifacts import Artifact, ArtifactKind, artifacts
from libra.text.tokens import cheap_length

TECHNICAL_NORM = 1.5
"""Sum of technical weights at which a text is wholly technical. Source: memory-model.md §4."""

TECHNICAL: Mapping[ArtifactKind, float] = MappingProxyType(
    {
        ArtifactKind.CODE_FENCE: 0.5,
        ArtifactKind.STACK_TRACE: 0.5,
        ArtifactKind.PATH: 0.4,
        ArtifactKind.FUNCTION_DEF: 0.4,
        ArtifactKind.SHELL: 0.4,
        ArtifactKind.URL: 0.3,
        ArtifactKind.HASH: 0.3,
    }
)
"""T: each kind counts once. Source: memory-model.md §4."""

TALK_WEIGHT = 1.5e-7
"""T of technical talk that shows none of these kinds: enough to be seen, and less than the gate's threshold is exact to. A
hundredth, as it was, took "The backup runs at 02:00" just under the threshold, which a plain new fact just reaches
(field cases B22, B24; docs/quality.md)."""

DENSITY: Mapping[ArtifactKind, float] = MappingProxyType(
    {
        ArtifactKind.ERROR_CODE: 0.5,
        ArtifactKind.PATH: 0.4,
        ArtifactKind.GIT_REF: 0.4,
        ArtifactKind.FUNC_REF: 0.3,
        ArtifactKind.URL: 0.3,
    }
)
"""P: each artifact counts. Source: memory-model.md §4."""

FUNCTION_DEF_WEIGHT = 0.4
"""Dtech's weight of a function definition. Source: memory-model.md §4."""

_DENSITY_TOKENS = 100
_MAX_CHARS = 50_000
"""What is looked at of a turn: nobody types more, and it bounds the time (lessons.md C67)."""

_SPAN = re.compile(r"(?<![\w`])`(?=[^\s`])[^`\n]{1,199}(?<=\S)`(?![\w`])")
_HEX_ID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])"
    r"|(?i:\b(?:commits?|revision|sha|cherry-pick(?:ed)?|revert(?:ed)?|merged?)) `?(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\b"
)
_TERMINAL = re.compile(r"\x1b\[[\d;]*m|^\[[*+x!-]\] \S|^[^\S\n]*+% Total +% Received", re.MULTILINE)
_ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")

_MORE: tuple[tuple[ArtifactKind, re.Pattern[str]], ...] = (
    (ArtifactKind.CODE_FENCE, _SPAN),
    (ArtifactKind.HASH, _HEX_ID),
    (ArtifactKind.SHELL, _TERMINAL),
    (ArtifactKind.URL, _ADDRESS),
)
"""Further forms of technical kinds: code spans, ids longer than any hash or named as commits, terminal output, addresses."""


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of one text: T, Dnl, P, A, Dtech, each in [0, 1]."""

    t: float
    d: float
    p: float
    a: float
    dtech: float


def signals(text: str, meaning: float | None = None) -> Signals:
    """Return all signals of a text; its artifacts are looked for once.

    Args:
        text: A turn.
        meaning: What its vector says (:func:`libra.gate.talk.log_odds`).
    """
    text = text[:_MAX_CHARS]
    found = artifacts(text)
    return Signals(
        t=_technical(text, found, meaning),
        d=_weigh(NATURAL, _prose(text, found)),
        p=_density(found, cheap_length(text)),
        a=_weigh(DECISIONS, text),
        dtech=_structure(text, found),
    )


def technical(text: str, meaning: float | None = None) -> float:
    """Return T: how technical a text is. ``min(sum of the weights of the kinds present / 1.5, 1)``."""
    text = text[:_MAX_CHARS]
    return _technical(text, artifacts(text), meaning)


def natural(text: str) -> float:
    """Return Dnl: what a person tells of themselves and their world. Code never counts."""
    return _weigh(NATURAL, _prose(text[:_MAX_CHARS], artifacts(text[:_MAX_CHARS])))


def artifacts_density(text: str, tokens: int | None = None) -> float:
    """Return P: weighted artifacts per 100 tokens (at least 100).

    Args:
        text: The turn.
        tokens: Its length; by default the gate's cheap length.
    """
    return _density(artifacts(text[:_MAX_CHARS]), cheap_length(text) if tokens is None else tokens)


def decisions(text: str) -> float:
    """Return A: something was decided, solved, set or reached."""
    return _weigh(DECISIONS, text[:_MAX_CHARS])


def structure(text: str) -> float:
    """Return Dtech: definitions, data structures, dependencies, tests, doc comments."""
    return _structure(text[:_MAX_CHARS], artifacts(text[:_MAX_CHARS]))


def _technical(text: str, found: Sequence[Artifact], meaning: float | None) -> float:
    kinds = {a.kind for a in found} | {kind for kind, pattern in _MORE if pattern.search(text)}
    total = sum(TECHNICAL.get(kind, 0.0) for kind in kinds)
    if not total and is_talk(technical_talk(text, found), meaning):
        total = TALK_WEIGHT
    return min(total / TECHNICAL_NORM, 1.0)


def _density(found: Iterable[Artifact], tokens: int) -> float:
    counts = Counter(a.kind for a in found)
    total = sum(weight * counts[kind] for kind, weight in DENSITY.items())
    return min(total / max(tokens / _DENSITY_TOKENS, 1.0), 1.0)


def _structure(text: str, found: Iterable[Artifact]) -> float:
    defined = FUNCTION_DEF_WEIGHT if any(a.kind is ArtifactKind.FUNCTION_DEF for a in found) else 0.0
    return min(defined + _weigh(STRUCTURE, text), 1.0)


def _weigh(forms: Iterable[Form], text: str) -> float:
    """Return the sum of the weights of the forms that are present, at most 1."""
    return min(sum(form.weight for form in forms if form.pattern.search(text)), 1.0) if text else 0.0


_BLANKED = (
    ArtifactKind.CODE_FENCE,
    ArtifactKind.STACK_TRACE,
    ArtifactKind.SHELL,
    ArtifactKind.URL,
    ArtifactKind.PATH,
    ArtifactKind.HASH,
)
_CODE_LINE = re.compile(
    r"""^\s*(?:
        (?:async\s+)?(?:def|func|fn|function|elif|lambda|impl|struct|enum|interface|trait|namespace|typedef|unsafe|yield)\b.*[:;{}()\[\]=,\\].*
      | (?:class|type|trait|module|package)\s+[A-Z_]\w*.*[:;{}(=]?\s*$
      | (?:if|else|for|while|try|except|finally|with|switch|case|default|do|match|when|unless|until|end|then|return|raise|throw|assert|del|global
          |await|export|use|pub|mod|static|public|private|protected|final|void|int|float|double|char|bool|string|auto|let|const|var|require
          |include|print|echo|using)\b.*[:;{}\\](?:\s*(?:\#|//).*)?\s*$
      | (?:return|raise|throw|assert|await|del|yield)(?:\s+[\w.$\[\]'"()+*/%!<>=&|,:{}-]+)?\s*$
      | (?:return|raise|throw|assert|print|del)\b.*[()\[\]=<>+*/%{}"'].*
      | (?:pass|break|continue|else:?|end|fi|done|esac|try:?|finally:?|\.\.\.)\s*$
      | (?:from\s+[\w.]+\s+import\b.*|import\s+[\w.{}*, /"'@-]+(?:\s+(?:as|from)\s+\S+)?;?\s*)$
      | (?:SELECT|INSERT\s+INTO|UPDATE|DELETE\s+FROM|CREATE|ALTER|DROP|WHERE|FROM|JOIN|GROUP\s+BY|ORDER\s+BY)\b.*
      | [\w.$\[\]'"()*,:<> ]{1,80}\s(?:=|:=|\+=|-=|\*=|/=|\|=|=>|<-|==|!=|>=|<=)\s\S.*
      | [\w.$]{1,80}(?:\.[\w$]{1,40})*\(.*\)\s*[;:{,)]*\s*(?:(?:\#|//).*)?$
      | [{}()\[\];,]+\s*(?:else\b.*|catch\b.*|[,;)\]}]*)$
      | .*[;{}]\s*(?:(?:\#|//).*)?$
      | @\w[\w.]*(?:\(.*\))?\s*$
      | </?[\w-]+[^>\n]*>.*
      | (?:\#include|\#define|\#!|//|/\*|\*/|>>>\s|\$\s).*
      | ["'][\w\ $.-]{1,60}["']\s*:\s*\S.*
      | ["'][^"'\n]*["'],?\s*$
      )""",
    re.VERBOSE,
)
_COMMENT_LINE = re.compile(r"^\s*(?:#|//|/\*|\*|--|;|%|\"\"\"|''')")
_MOSTLY = 0.6
_MAX_LINE_CHARS = 1000


def _prose(text: str, found: Iterable[Artifact]) -> str:
    """Return a text without its code: artifacts blanked out, lines that look like code left out.

    Where most lines look like code, comments and strings belong to it and nothing is left.
    """
    spans = sorted(
        [(a.start, a.end) for a in found if a.kind in _BLANKED] + [m.span() for m in _SPAN.finditer(text)]
    )
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if end > at:
            parts.append(text[at:start])
            at = end
    out = " ".join([*parts, text[at:]])
    lines = [line[:_MAX_LINE_CHARS] for line in out.splitlines() if line.strip()]
    code = [_CODE_LINE.match(line) is not None for line in lines]
    comments = [_COMMENT_LINE.match(line) is not None for line in lines]
    if any(code):
        both = sum(c or k for c, k in zip(code, comments, strict=True))
        if both >= _MOSTLY * len(lines):
            return ""
    return "\n".join(line for line, is_code in zip(lines, code, strict=True) if not is_code)
