"""Does an English clause start with a bare imperative?"""

from __future__ import annotations

import re
from typing import Final

from libra.text.deontic_collocations import (
    ADJECTIVES,
    AUXILIARY,
    COMPOUND,
    DO_BUT,
    DO_WITH,
    NO_CAPTION,
    PAST,
    PLURAL_FINITE,
    RARELY_ADJUNCT,
    TAKES_CLAUSE,
    TAKES_FOR,
    THINGS,
    WHEN,
)
from libra.text.deontic_forms import CODE
from libra.text.deontic_verbs import (
    CLOSED_CLASS,
    DETERMINERS,
    FINITE,
    MOSTLY_VERBS,
    NEVER_IMPERATIVE,
    NOUNISH,
    OBJECT_STARTS,
    PLAIN_VERBS,
    PURE_NOUNS,
    TAKES_TO,
    VERB_FOLLOWERS,
)

_WORD: Final = re.compile(rf"[\w{CODE}][\w{CODE}'/.-]*")
_ADVERB: Final = (
    r"(?:always|also|just|simply|please|kindly|only|still|then|instead|ideally|first|next|finally|lastly|otherwise|additionally"
    r"|furthermore|and|but|so|or|now|again|by default|where possible|if possible|at minimum|[a-z]{3,20}ly)"
)
_ADVERBS: Final = re.compile(rf"(?:{_ADVERB},?\s+){{0,3}}")
_NO_ADVERB: Final = frozenset(
    [
        "reply",
        "apply",
        "comply",
        "rely",
        "supply",
        "multiply",
        "family",
        "early",
        "fly",
        "july",
        "assembly",
        "anomaly",
        "italy",
    ]
)
_SUBORDINATORS: Final = frozenset(
    "that which if when who because where what before after unless until while so whenever to for".split()
)
_ADJECTIVE: Final = re.compile(
    r"(?:[a-z]{2,20}(?:able|ible|ive|ful|ous|less|ical|ional|ual|ial|ient|ant|ary|est)|recent|current|present|raw|old|large|small|long|short|hot|dead)\Z"
)
_PLURAL: Final = re.compile(r"[a-z][\w-]*(?<![su])s\Z")
_IDIOM: Final = re.compile(r"work in progress\b")
_ACCENTED: Final = re.compile("[à-öø-ÿœąćęłńśźżă-ąğıř]")
"""In such a sentence a word of no table is hardly an English verb."""
_WITH: Final = frozenset("with by before after".split())
"""After a doubtful verb, even a colon near by makes no caption of it ("Start with a summary: …")."""
_BY_MEANS: Final = frozenset("with via through using".split())
"""With code behind it, what an order is carried out with ("Import types with `import type`")."""
_PREFIXES: Final = frozenset(
    "fast soft hard force batch auto bulk pre post hand self cross half over under live hot dry code unit mass".split()
)
_COUNTED: Final = DETERMINERS | frozenset("one two three four five six ten".split())
_CONTRASTS: Final = re.compile(r",?\s\(?(?:not|never|instead\s+of|rather\s+than)\s")
"""What an order is told apart from ("Stage files by name, not …"): a thing behind the first word is its object then."""
_CAPTION_WORDS: Final = 3
_LIKELY_VERB: Final = re.compile(
    r"(?:(?:re|un|de|dis|pre|over|out|up|co)-?)?[a-z]{3,14}(?<!ing)(?<!ed)(?<!ly)(?<!ion)(?<!ness)(?<!ment)(?<!ity)(?<!ism)(?<!ous)(?<!ful)(?<!als)(?<!s)\Z|[a-z]{2,12}ss\Z"
)


def word_at(low: str, at: int) -> tuple[str, int]:
    """Return the word at ``at`` (white space skipped) and where it ends."""
    while at < len(low) and low[at] in " \t":
        at += 1
    match = _WORD.match(low, at)
    return (match.group().rstrip(".'-/"), match.end()) if match else ("", at)


def skip_adverbs(low: str, at: int) -> int:
    """Return where the clause goes on after leading adverbs ("Always carefully check …")."""
    match = _ADVERBS.match(low, at)
    if match is None or not match.group():
        return at
    last = match.group().replace(",", " ").split()[-1]
    if last in _NO_ADVERB:
        return low.rindex(last, at, match.end())
    return match.end()


def imperative_at(text: str, low: str, at: int, *, opens: bool = True) -> str | None:
    """Return the verb if a bare imperative starts at ``at``, else None.

    Args:
        text: The masked sentence as written.
        low: The same in lower case.
        at: Offset of the clause.
        opens: The clause opens the sentence, so it may be a mere caption ("Run tests:").
    """
    start = skip_adverbs(low, at)
    word, end = word_at(low, start)
    word = _last_part(word)
    if word == "be":
        following, _ = word_at(low, end)
        return "be" if following and following not in ("that", "it", "they", "he", "she", "they're") else None
    following = word_at(low, end)[0]
    if not word or word in NEVER_IMPERATIVE or (word, following) in THINGS or _IDIOM.match(low, start):
        return None
    if word == "do":
        told = following in DO_WITH and low.rstrip().endswith((".", "!"))
        return word if following and (told or following not in DO_BUT) else None
    if word in PLAIN_VERBS:
        return word if _plain(low, word, end, opens=opens) else None
    if word in NOUNISH:
        return word if _nounish(text, low, word, end) else None
    if word in MOSTLY_VERBS:
        return word if _mostly(text, low, word, end) else None
    return word if _unknown(text, low, word, start, end) else None


def _last_part(word: str) -> str:
    """Return the verb of a compound of ours ("soft-delete"), else the word."""
    first, _, last = word.partition("-")
    return last if first in _PREFIXES and last in PLAIN_VERBS | MOSTLY_VERBS else word


def _blocked(low: str, end: int) -> bool:
    """Return True if what follows shows at once that the word before is no imperative."""
    rest = low[end : end + 60]
    stripped = rest.lstrip()
    if rest.startswith(("-", "/", "(", "'s", "’s", "_")) or stripped.startswith(
        (":", "–", "—", "=", "- ", "-> ", "→", "|", "&", "+", "<", ">", "≤", "≥")
    ):
        return True
    following, after = word_at(low, end)
    if following == "by" or (following.endswith("ed") and word_at(low, after)[0] in ("by", "in", "with")):
        return True
    return following in (
        "of",
        "vs",
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "can",
        "will",
        "case",
        "cases",
    )


def _plain(low: str, word: str, end: int, *, opens: bool) -> bool:
    """Judge a word that is nearly always a verb."""
    stripped = low[end:].lstrip()
    if not stripped or stripped[0] in ".!;," or (stripped == ":" and not opens):
        return True
    if _blocked(low, end) or (opens and word not in NO_CAPTION and _caption(low, end)):
        return False
    following, after = word_at(low, end)
    if word not in TAKES_CLAUSE and _is_subject(low, end):
        return False
    if following in ("and", "or", "&"):
        return not _finite_near(low, after, 3)
    return True


def _is_subject(low: str, end: int) -> bool:
    """Return True if the word before ``end`` and the next are a subject ("Write access is …", "Cache misses cost …")."""
    following, after = word_at(low, end)
    if (
        not following
        or following in CLOSED_CLASS
        or following.startswith(CODE)
        or low[after : after + 1] == ","
    ):
        return False
    finite = word_at(low, after)[0]
    return finite in AUXILIARY or (_PLURAL.match(following) is not None and finite in PLURAL_FINITE)


def _mostly(text: str, low: str, word: str, end: int) -> bool:  # noqa: PLR0911 - a list of judgements, one a line
    """Judge a word that is a verb more often than not."""
    stripped = low[end:].lstrip()
    if not stripped or stripped[0] in ".!;,":
        return stripped.startswith((", then ", ", and then ", ", never ", ", don't ", ", do not "))
    if _blocked(low, end) or _labels(low, end) or _command(low, end) or _quality(low, word, end):
        return False
    following, after = word_at(low, end)
    if following == "to":
        return word in TAKES_TO
    if following in OBJECT_STARTS or following.startswith(CODE):
        return True
    if following in ("and", "or"):
        second = word_at(low, after)[0]
        return (second in PLAIN_VERBS or second in MOSTLY_VERBS) and not _finite_near(low, after, 4)
    if following in ("for", "by"):
        return following == "for" and word in TAKES_FOR and not _finite_near(low, after, 8)
    if _is_subject(low, end) or _finite_near(low, after, 8) or _title(text, end):
        return False
    if following in COMPOUND:
        second, behind = word_at(low, after)
        return _goes_on(low, word, behind if second in COMPOUND else after)
    return True


def _quality(low: str, word: str, end: int) -> bool:
    """Return True for a caption of an adjective and a noun ("Open questions")."""
    following, after = word_at(low, end)
    return word in ADJECTIVES and not low[after:].strip() and _PLURAL.match(following) is not None


def _goes_on(low: str, word: str, at: int) -> bool:
    """Return True if what follows a compound shows that its first word is a verb ("Name tests after …")."""
    if low.rstrip(" .!").endswith(("ly", "together", "separately")):
        return True
    following, after = word_at(low, at)
    if following in _BY_MEANS and word_at(low, after)[0].startswith(CODE):
        return True
    return word in RARELY_ADJUNCT and (following in VERB_FOLLOWERS or following in ("by", "where", "when"))


def _nounish(text: str, low: str, word: str, end: int) -> bool:  # noqa: PLR0911 - a list of judgements, one a line
    """Judge a word that is a noun more often than not."""
    stripped = low[end:].lstrip()
    if not stripped or stripped[0] in ".!;,":
        return False
    if _blocked(low, end) or _labels(low, end) or _command(low, end):
        return False
    following, after = word_at(low, end)
    if following == "to":
        return word in TAKES_TO
    if following.startswith(CODE):
        return not _finite_near(low, after, 6)
    if following in OBJECT_STARTS:
        return not (
            following in ("no", "up", "out", "down", "off", "over", "away", "back")
            and _finite_near(low, after, 6)
        )
    if following in VERB_FOLLOWERS or (following.endswith("ly") and len(following) > 4):
        return following != "by" and not _finite_near(low, after, 8)
    if following == "for" and word in TAKES_FOR:
        return _mostly(text, low, word, end)
    if following in ("for", "by", "and", "or", "than", "as") or _is_subject(low, end) or _title(text, end):
        return False
    if _CONTRASTS.search(low, after) and not _finite_near(low, end, 8):
        return True
    if following in COMPOUND and not _goes_on(low, word, after):
        return False
    if _finite_near(low, after, 8):
        return False
    return _has_object(low, word, end)


def _has_object(low: str, word: str, end: int) -> bool:
    """Return True if a noun phrase without an article follows, and the sentence goes on or ends in a stop."""
    following, after = word_at(low, end)
    if word in PURE_NOUNS:
        told = word_at(low, after)[0] in WHEN and low.rstrip().endswith((".", "!"))
        return told and _PLURAL.match(following) is not None
    plural = _PLURAL.match(following) is not None
    if plural and low[after : after + 2] == ", " and word_at(low, after + 2)[0] in PLAIN_VERBS | MOSTLY_VERBS:
        return True
    if plural or _ADJECTIVE.match(following) or following.isdigit():
        return low.rstrip().endswith((".", "!")) or _has_function_word(low, after)
    second, behind = word_at(low, after)
    participle = following.endswith("ed") and following not in PAST
    if not _PLURAL.match(second) or not (participle or following not in CLOSED_CLASS):
        return False
    return participle or _has_function_word(low, behind)


def _unknown(text: str, low: str, word: str, start: int, end: int) -> bool:
    """Judge a word of no table: a verb if a determiner follows and it looks like a base form ("Memoize the …")."""
    if (
        word in CLOSED_CLASS
        or _LIKELY_VERB.fullmatch(word) is None
        or _blocked(low, end)
        or _caption(low, end)
    ):
        return False
    following, after = word_at(low, end)
    if following not in DETERMINERS or _ACCENTED.search(low):
        return False
    first = text[start : start + 1]
    return first.isalpha() and not _finite_near(low, after, 5)


def _caption(low: str, end: int) -> bool:
    """Return True for a short line that only announces what follows ("Run tests:", "Format code: `make fmt`")."""
    rest = low[end:]
    colon = rest.find(":")
    if colon < 0 or len(rest[:colon].split()) > _CAPTION_WORDS:
        return False
    after = rest[colon + 1 :].strip()
    if CODE in rest[:colon]:
        return after == ""
    return after == "" or after[0].isdigit() or after.startswith((CODE, "http", "/"))


def _command(low: str, end: int) -> bool:
    """Return True for a caption of a command and nothing else ("Start the emulator: `make emu`")."""
    head, colon, tail = low[end:].partition(":")
    return bool(colon) and _caption(low, end) and CODE not in head and not tail.strip(f" .{CODE}")


def _labels(low: str, end: int) -> bool:
    """Return True if a colon follows within three words: a noun phrase that names what follows."""
    colon = low.find(":", end, end + 60)
    if word_at(low, end)[0] in _COUNTED or word_at(low, end)[0] in _WITH:
        return False
    return colon >= 0 and len(low[end:colon].split()) <= _CAPTION_WORDS and CODE not in low[end:colon]


def _title(text: str, end: int) -> bool:
    """Return True for a heading in title case without a full stop ("Test Strategy")."""
    head = text.split(":", 1)[0].strip()
    following = text[end:].lstrip()[:1]
    words = head.split()
    capital = sum(word[:1].isupper() for word in words)
    return (
        following.isupper() and not head.endswith((".", "!")) and capital * 2 > len(words) and len(words) <= 6
    )


def _has_function_word(low: str, at: int) -> bool:
    """Return True if a preposition or article follows, as it does after an object."""
    return (
        re.search(
            r"\b(?:the|a|an|in|on|with|before|after|when|if|for|to|from|using|at|under|by|unless|via|as|into|separately|together)\b",
            low[at:],
        )
        is not None
    )


def _finite_near(low: str, at: int, words: int) -> bool:
    """Return True if a finite verb stands within so many words, in the same clause."""
    for _ in range(words):
        if low[at : at + 1] in (",", ";", ":", ".", "(", "—", "–", "!"):
            return False
        word, end = word_at(low, at)
        if not word or word in _SUBORDINATORS:
            return False
        if word in FINITE:
            return True
        at = end
    return False
