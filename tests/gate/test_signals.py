"""The text's own signals: strict about prose, measured on real turns."""

import json
import time
from pathlib import Path

import pytest

from libra.gate.signals import artifacts_density, decisions, natural, signals, structure, technical

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

PROSE = [
    "We could go and/or stay, either/or, his/her choice, 24/7.",
    "In 2024 we met on 12/05 near the old bridge.",
    "I have 500 ideas and about 404 photos.",
    "The main reason is that he is the main character.",
    "What type of class do you teach? First class, I hope.",
    "Bring fruit, e.g. apples, i.e. something sweet, etc.",
    "Every email he sends is an error of judgement.",
    "She master-minded it; the master bedroom is upstairs.",
    "I'd like a table for 2 at 7:30 p.m.",
    "It cost $20.50, w/o shipping, c/o my aunt.",
    "Import taxes and export rules are a function of politics.",
    "Let me return the book, then make a cake and go home.",
    "He lives at 5 Rue de Rivoli, apt. 3/4.",
    "Mon/Wed/Fri I swim; the score was 3/4 at half-time.",
    "It`s a bug, that`s life",
    "Room C301, ring twice; my truck is an F150.",
    "你好，今天天气不错，我们去公园吧。",
    "Hôm nay trời đẹp, mình đi dạo nhé.",
]


@pytest.mark.parametrize("text", PROSE)
def test_everyday_prose_is_not_technical(text: str) -> None:
    """No path in "and/or", no code in "500 ideas", no definition in "type" and "class"."""
    found = signals(text)
    assert found.t == 0.0
    assert found.p == 0.0


TECHNICAL = [
    ("The bug is in src/app/main.py", 0.4),
    ("```py\nx = 1\n```", 0.5),
    ('Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: x', 0.5),
    ("See https://example.org/docs", 0.3),
    ("It broke at commit 4f2a91c7be", 0.3),
    ("def load(path):\n    return 1", 0.4),
    ("$ git push origin main", 0.4),
    ("Use `pnpm` here", 0.5),
]


@pytest.mark.parametrize(("text", "least"), TECHNICAL)
def test_each_technical_pattern_counts(text: str, least: float) -> None:
    """Each pattern gives at least its weight over 1.5."""
    assert technical(text) >= least / 1.5 - 1e-9


def test_t_is_capped_at_one() -> None:
    """All kinds together are wholly technical."""
    text = (
        '```\nx\n```\nTraceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: x\n'
        "def f(x):\n$ ls -l /etc/hosts\nhttps://example.org 4f2a91c7be11"
    )
    assert technical(text) == 1.0


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("I prefer tabs.", 0.4),
        ("my favourite colour is blue", 0.4),
        ("My sister Linh lives in Da Nang.", 0.6),
        ("Yesterday I booked the dentist.", 0.3),
        ("We pay 20 dollars a month.", 0.2),
        ("我喜欢喝茶", 0.4),
        ("我昨天买了三个苹果", 0.5),
        ("Tôi thích cà phê", 0.4),
        ("Hôm qua bạn tôi tên Huy đến", 0.6),
        ("Ich mag keine Pilze", 0.4),
        ("Gestern kam meine Schwester", 0.6),
        ("Je préfère le thé", 0.4),
        ("Hier soir ma sœur est venue", 0.6),
        ("Me gusta el té", 0.4),
        ("Ayer vino mi hermana", 0.6),
        ("お茶が好きです", 0.4),
        ("昨日、姉が来ました", 0.6),
    ],
)
def test_natural_statements(text: str, least: float) -> None:
    """Preferences, dates, people, facts and quantities, in seven languages."""
    assert natural(text) >= least - 1e-9


@pytest.mark.parametrize(
    "text", ["", "ok", "It depends.", "Does it work?", "Looks good to me", "谢谢", "vâng"]
)
def test_nothing_natural(text: str) -> None:
    """Small talk states nothing."""
    assert natural(text) == 0.0


def test_prose_beside_code_still_counts() -> None:
    """The person's words count, the code block does not."""
    code = '```py\nNAME = "I love cats"\n```'
    assert natural(f"I prefer tabs.\n{code}") == pytest.approx(0.4)
    assert natural(code) == 0.0


def test_density_by_length() -> None:
    """P counts artifacts per hundred tokens, a short text as a hundred."""
    assert artifacts_density("ECONNREFUSED in src/app/net.py") == pytest.approx(0.9)
    assert artifacts_density("ECONNREFUSED in src/app/net.py", tokens=900) == pytest.approx(0.1)
    assert artifacts_density("ECONNREFUSED ENOENT EACCES in a/b.py and c/d.py") == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We decided to use SQLite.", 0.5),
        ("The root cause was a stale lock.", 0.4),
        ("I changed the timeout from 5 to 30.", 0.4),
        ("v2 is deployed.", 0.3),
        ("决定采用 SQLite", 0.5),
        ("How is the weather?", 0.0),
    ],
)
def test_decisions(text: str, expected: float) -> None:
    """Decision .5, resolution .4, configuration .4, milestone .3."""
    assert decisions(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def load(path):", 0.4),
        ("class Store(Base):", 0.7),
        ("pip install apsw", 0.3),
        ("The regression test is red.", 0.2),
        ('"""Load it."""', 0.2),
        ("What type of class is it?", 0.0),
        ("She has an interface with the public all day.", 0.0),
    ],
)
def test_structure(text: str, expected: float) -> None:
    """Function .4, data structure .3, dependency .3, test .2, doc comment .2."""
    assert structure(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    ["a" * 300_000, "a/" * 150_000, "`" * 300_000, "I prefer " * 30_000, "x = 1\n" * 50_000, "(" * 100_000],
)
def test_no_input_takes_long(text: str) -> None:
    """A worst case of several hundred kilobytes stays within seconds (C67)."""
    start = time.process_time()
    signals(text)
    assert time.process_time() - start < 3.0


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")
def test_precision_and_recall_of_t_on_real_turns() -> None:
    """At least 0.95 each: LoCoMo's turns are conversation, the agent sessions' turns are technical."""
    talk = [
        turn["text"]
        for sample in json.loads((DATA / "locomo" / "locomo-dev.json").read_text(encoding="utf-8"))
        for key, turns in sample["conversation"].items()
        if key.startswith("session_") and isinstance(turns, list)
        for turn in turns
    ]
    sessions = json.loads((DATA / "techsessions" / "sessions.json").read_text(encoding="utf-8"))
    work = [turn["text"] for session in sessions for turn in session["turns"]]
    wrong = sum(technical(text) > 0 for text in talk) / len(talk)
    right = sum(technical(text) > 0 for text in work) / len(work)
    assert right >= 0.95
    assert right / (right + wrong) >= 0.95
