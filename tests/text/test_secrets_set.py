"""The labelled set of secrets and of what only looks like one: no certain format is missed, hardly a sentence is hurt."""

from __future__ import annotations

import itertools
import random
import re
import string
from pathlib import Path

import pytest

from libra.text.redact import redact

SET = Path(__file__).resolve().parents[1] / "data" / "secrets"
MOST_FALSE = 0.01

ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "url": string.ascii_letters + string.digits,
    "b64": string.ascii_letters + string.digits,
    "hex": "0123456789abcdef",
    "up": string.ascii_uppercase + string.digits,
    "b32": string.ascii_uppercase + "234567",
    "d": "123456789",
}
PASSWORDS = ("Tr0ub4dor&3x", "correct-Horse7", "x9!kLm2#q")
WORDS = ("sunflower", "blauwal", "girasol")
PINS = ("4711", "908172")


def lines(name: str) -> list[str]:
    """Return the lines of one file of the set."""
    return (SET / name).read_text(encoding="utf-8").splitlines()


def body(kind: str, length: int) -> str:
    """Return a made-up token body: letters of both cases and figures, the same each time."""
    rng = random.Random(f"{kind}{length}")
    alphabet = ALPHABETS[kind]
    text = "".join(rng.choice(alphabet) for _ in range(length))
    start = [
        next(ch for ch in alphabet if test(ch))
        for test in (str.isalpha, str.isdigit)
        if any(map(test, alphabet))
    ]
    mixed = ("aB3" if kind in ("an", "url", "b64") else "".join(start)) + text
    return mixed[:length]


def build(template: str, values: dict[str, str]) -> tuple[str, list[str]]:
    """Return the text of a template and the secret parts in it.

    ``|`` cuts a prefix in two in the file, so that no scanner takes the set for a leak.
    """
    secrets: list[str] = []

    def fill(match: re.Match[str]) -> str:
        name, length = match.group(1), match.group(2)
        value = values[name] if name in values else body(name, int(length))
        secrets.append(value)
        return value

    text = re.sub(r"\{(an|url|b64|b32|hex|up|d|pw|word|pin)(\d*)\}", fill, template.replace("|", ""))
    return text.replace("\\n\\n", "\n\n").replace("\\n", "\n"), [s for s in secrets if len(s) > 3]


CERTAIN = [line.split("\t", 1) for line in (*lines("certain.txt"), *lines("certain_later.txt"))]


@pytest.mark.parametrize(("name", "template"), CERTAIN, ids=[row[0] for row in CERTAIN])
def test_no_certain_format_is_missed(name: str, template: str) -> None:
    """A key with a known shape must never reach the disk, wherever it stands."""
    text, secrets = build(template, {"pw": PASSWORDS[0]})
    whole = (
        [s for s in secrets if len(s) >= 16]
        or secrets[-1:]
        or [text.split(" ", 1)[-1] if name != "iban german" else text]
    )
    for around in ("{}", "see {} please", "({})", '"{}"', "x\n{}\ny"):
        left = redact(around.replace("{}", text)).text
        assert "[redacted:" in left
        assert not any(secret in left for secret in whole), name


TOLD = ("prose.txt", "prose_later.txt", "prose_third.txt")
PROSE = list(itertools.product([line for name in TOLD for line in lines(name)], range(3)))


@pytest.mark.parametrize(("template", "turn"), PROSE, ids=[f"{t}-{i}" for t, i in PROSE])
def test_a_secret_told_in_a_sentence_is_gone(template: str, turn: int) -> None:
    """People tell passwords in plain words, in their own language."""
    text, secrets = build(template, {"pw": PASSWORDS[turn], "word": WORDS[turn], "pin": PINS[turn % 2]})
    left = redact(text).text
    assert "[redacted:" in left
    assert not any(secret in left for secret in secrets)


def test_most_of_an_unseen_list_is_gone() -> None:
    """Written after the forms were made: what to expect of people's own words."""
    left = 0
    for template in lines("prose_fourth.txt"):
        text, secrets = build(template, {"pw": PASSWORDS[0], "word": WORDS[0], "pin": PINS[0]})
        left += any(secret in redact(text).text for secret in secrets)
    assert left <= 5


def test_hardly_an_ordinary_line_is_hurt() -> None:
    """A memory full of holes where nothing was secret would be of no use."""
    ordinary = [line for file in sorted(SET.glob("ordinary*.txt")) for line in lines(file.name)]
    assert len(ordinary) >= 500
    hurt = [line for line in ordinary if redact(line).text != line]
    assert len(hurt) <= MOST_FALSE * len(ordinary), hurt


def test_the_set_is_large() -> None:
    """A handful of examples would prove nothing."""
    assert len(CERTAIN) + len(lines("prose.txt")) >= 150
