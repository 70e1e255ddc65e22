"""Does a value that stands after "password" or "token" look like a secret, or like a word about one?"""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = "[redacted:"

_REFERENCE: Final = re.compile(
    r"\A(?:\$\{|\$\(|\$[A-Za-z_]|\$env:|%[A-Za-z_]\w*%|\{\{|\{[A-Za-z_]\w*\}|<[^<>]*>|\#\{|@[A-Za-z]|\*{2,}|\.{2,}|…|x{3,}|X{3,}|-+\Z|_+\Z|"
    r"\[|https?://|/|\./|\.\./|~/|[A-Za-z]:\\|op://|vault:|arn:|secretmanager|ssm:|sha256:|sha512:|bcrypt|\$2[aby]\$)"
)
_CODE: Final = re.compile(
    r"\A(?:await\b|new\b|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\?\.[A-Za-z_$][\w$]*|::\w+|->\w+|\[[^\]]*\])+(?:\(.*)?|[A-Za-z_$][\w$]*\(.*|[A-Za-z_$][\w$]*\[.*)\Z",
    re.DOTALL,
)
_PLACEHOLDER: Final = re.compile(
    r"(?:(?:your|my|the|some|a|an|insert|enter|put|replace|change|change[-_ ]?me|example|dummy|fake|sample|placeholder|todo|tbd)(?:[-_ ].*)?"
    r"|xxx+.*|redacted|hidden|masked|omitted|removed|censored)\Z"
)
_PLACE_ENDS: Final = tuple(f"{glue}{word}" for glue in "-_ " for word in ("here", "placeholder"))
_WORDS: Final = frozenset(
    """
    string str text varchar char number int integer bool boolean bytes object any none null nil undefined true false
    optional required requires needed mandatory missing empty blank unset set unknown invalid valid wrong incorrect correct
    expired expires expiring revoked rotated rotating stored saved kept hashed encrypted encoded salted signed generated
    created deleted removed changed reset used unused shared leaked exposed visible hidden masked redacted secret password
    passwd passphrase token key username user admin email login type name field value values prompt input default disabled
    enabled the this that these those not never always only also now then too very in on at by for from with within without
    of off to as is are was be being been has have had can could will would should must may might and or but if when where
    who which what how why because so such same different one two it its his her their our your my a an no yes ok okay
    something anything nothing everything available unavailable protected safe secure insecure strong weak short long longer
    readable plain plaintext cleartext env environment vault config configuration file path header headers cookie cookies
    rotation management manager policy policies reset resets field fields validation check checks hash hashes store storage
    auth authentication authorization bearer basic jwt oauth limit limits count counts budget usage window per and/or refresh
    refreshed fetched returned passed sent given taken read loaded handled checked verified validated compared derived
    tbd todo pending none. n/a na ignore ignored sensitive confidential private public internal external static dynamic
    random unique constant temporary temp permanent managed supplied provided included excluded printed logged written
    forgotten lost stolen compromised weak known good bad fine broken working going getting still already just
    """.split()
)
_KNOWN: Final = re.compile(
    r"(?i)\A(?:base(?:16|32|58|64)(?:url)?|sha-?(?:1|2|3|224|256|384|512)|md5|utf-?(?:8|16|32)|oauth-?2(?:\.0)?|[rehp]s(?:256|384|512)|argon2(?:id|i|d)?|x\.?509|"
    r"ed25519|rsa-?\d*|aes-?\d*|ec2|s3|k8s|1password|auth0|http2?|ipv[46]|v\d+(?:\.\d+)*|\d+|[a-z]+)\Z"
)
_GROUPS: Final = re.compile(r"(?i)(?=.*[a-z])(?=.*\d.*-.*\d)[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){2,7}")
"""Licence keys: groups of four to six."""
_CAMEL_WORD: Final = re.compile(r"\A(?:[A-Za-z][a-z]+)(?:[A-Z][a-z]+)*\Z")
_UUID: Final = re.compile(r"(?i)\A[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_LETTER: Final = re.compile(r"[^\W\d_]")
_DIGIT: Final = re.compile(r"\d")
_SPECIAL: Final = re.compile(r"[!@#$%^&*+=?~|]")
_STRONG_CHARS: Final = 6
_MIXED_CHARS: Final = 20


def is_literal(value: str, *, quoted: bool) -> bool:
    """Return False for references, code, placeholders, types and words about secrets.

    Args:
        value: What stands after the name, without its quotation marks.
        quoted: True if it stood in quotation marks: then dotted names are values, too.
    """
    plain = value.strip()
    low = plain.lower()
    if not plain or low.strip(".,;:!?") in _WORDS or len(set(plain)) == 1:
        return False
    if _MARK in plain or _REFERENCE.match(plain) or _PLACEHOLDER.match(low) or low.endswith(_PLACE_ENDS):
        return False
    return "${" not in plain and "{{" not in plain and (quoted or not _is_code(plain))


def _is_code(plain: str) -> bool:
    """Return True for a call, an attribute, an item, or a word of code before them."""
    return plain in ("await", "new") if plain.isalnum() else _CODE.match(plain) is not None


def is_strong(value: str) -> bool:
    """Return True if a value looks like a secret by itself: letters with digits or signs, or long and mixed."""
    plain = value.strip()
    if len(plain) < _STRONG_CHARS:
        return False
    if plain.isalpha():
        mixed = len(plain) >= _MIXED_CHARS and not plain.islower() and not plain.isupper()
        return mixed and _is_mixed(plain)
    letters = _LETTER.search(plain) is not None
    digits = _DIGIT.search(plain) is not None
    special = _SPECIAL.search(plain, 0, len(plain) - 1) is not None
    if letters and special:
        return not re.fullmatch(r"[a-z]+(?:[/+&|=?][a-z]+)*[!?]?", plain)
    if letters and digits:
        if _GROUPS.fullmatch(plain):
            return True
        return not all(_KNOWN.match(part) for part in re.split(r"[-_/.]", plain) if part)
    return False


def _is_mixed(word: str) -> bool:
    """Return True if the letters of a word are large and small ones, and not in the way of camelCase."""
    upper = any(ch.isupper() for ch in word)
    lower = any(ch.islower() for ch in word)
    return upper and lower and not _CAMEL_WORD.match(word)
