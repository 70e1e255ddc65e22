"""Secrets out of a text before anything is stored: ``[redacted:<kind>]`` stands in their place.

Four nets: formats that are certain (a PEM block, ``ghp_…``), assignments (``password=…`` in code, JSON,
YAML, shells), prose ("the API key is …"), and what no "is" announces ("log in with admin / …"). The last three look at the value as well as at the name, so
that "the password is required" and ``api_key = os.environ["KEY"]`` stay as they are (lessons.md C79).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from libra.text.scripts import lower
from libra.text.secretasides import cut_asides
from libra.text.secretflood import MOST_MARKS
from libra.text.secretformats import CERTAIN, cut_cards, cut_private_keys, mark
from libra.text.secretnames import cut_named
from libra.text.secretprose import cut_told
from libra.text.secrettokens import service_tokens
from libra.text.secretvalues import is_literal

REDACTION: Final = 4
"""Version of the rules: raise it with every change of what is found, and what is stored is gone over again (lessons.md C80).

``tests/text/test_redaction_version.py`` fails when the rules have changed and nobody has said whether this must rise.
"""
_ROUNDS: Final = 6
"""A cut may bring a name and a value together; each round only shortens what is no mark."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets.

    Attributes:
        text: The text with ``[redacted:<kind>]`` where a secret stood.
        kinds: Which kinds were found, distinct, in order.
    """

    text: str
    kinds: tuple[str, ...]


def redact(text: str) -> Redaction:
    """Return ``text`` without secrets. Idempotent, linear in the length of the text."""
    kinds: dict[str, None] = {}
    for _ in range(_ROUNDS):
        before = text
        text = cut_private_keys(text, kinds)
        low = lower(text)
        for form in CERTAIN:
            cut = _cut(text, form.matches(text, low), form.kind, kinds)
            if cut is not text:
                text, low = cut, lower(cut)
        text = _cut(text, service_tokens(text), "token", kinds)
        judged, rest = cut_named(text, kinds)
        text = cut_asides(cut_told(judged, kinds), kinds) + rest
        text = cut_cards(text, kinds)
        if text == before or text.count(mark("")[:-1]) > MOST_MARKS:
            break
    return Redaction(text, tuple(kinds))


def clean(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object of JSON without secrets; what stands under a telling name ("password") is one."""
    return cast("dict[str, Any]", _clean(value))


def _clean(value: object, name: str = "") -> object:
    if isinstance(value, str):
        value = redact(value).text
        label = f"{name}: "
        named = redact(label + value).text
        return named.removeprefix(label) if name and named.startswith(label) else value
    if isinstance(value, Mapping):
        return {
            redact(key).text if isinstance(key, str) else key: _clean(v, str(key)) for key, v in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(v, name) for v in value]
    return value


def _cut(text: str, found: Iterable[re.Match[str]], kind: str, kinds: dict[str, None]) -> str:
    """Replace the group ``v`` (or the whole match) of every match that is no placeholder."""
    pieces: list[str] = []
    at = 0
    for match in found:
        start, end = match.span()
        if "v" in match.re.groupindex:
            if not is_literal(match.group("v"), quoted=True):
                continue
            start, end = match.span("v")
        kinds.setdefault(kind, None)
        pieces += [text[at:start], mark(kind)]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text
