"""Faults of other memories (docs/lessons-covered.md) that no other test of the verbs names."""

from __future__ import annotations

import unicodedata

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.records import Kind, Who
from tests.engine.conftest import ME, settle, user

_START_MS = 1_775_000_000_000


@pytest.fixture
def modelless(deps: Deps) -> Engine:
    """Return an engine that finds by words alone: with a model, vectors would come at some moment of the test."""
    return Engine(deps)


def _find(engine: Engine, query: str) -> list[str]:
    return [hit["text"] for hit in engine.search(who=ME, query=query, kinds=frozenset({Kind.TURN}))["hits"]]


def _say(engine: Engine, *said: str) -> None:
    engine.ingest(who=ME, turns=[user(text, _START_MS + n * 60_000, f"t{n}") for n, text in enumerate(said)])


SCRIPTS = {
    "Russian": ("Релиз шлюза перенесли на вторник.", "перенесли шлюза"),
    "Greek": ("Η πύλη ακούει στη θύρα επτά.", "πύλη θύρα"),
    "Hindi": ("गेटवे का पोर्ट मंगलवार को बदला गया।", "गेटवे पोर्ट"),
    "Arabic": ("انتقل الخادم إلى مركز البيانات الجديد.", "الخادم البيانات"),
    "Hebrew": ("השרת עבר למרכז הנתונים החדש.", "השרת הנתונים"),
    "Thai": ("เซิร์ฟเวอร์ย้ายไปศูนย์ข้อมูลใหม่", "เซิร์ฟเวอร์"),
    "Korean": ("게이트웨이 포트를 화요일에 바꿨습니다.", "게이트웨이"),
    "Japanese": ("ゲートウェイのポートを火曜日に変更しました。", "ゲートウェイ"),
    "Chinese": ("网关端口周二已经修改。", "端口"),
    "Georgian": ("სერვერი ახალ ცენტრში გადავიდა.", "სერვერი"),
    "Armenian": ("Սերվերը տեղափոխվել է նոր կենտրոն։", "Սերվերը"),
}


@pytest.mark.parametrize("language", SCRIPTS)
def test_words_of_every_script_are_found(modelless: Engine, language: str) -> None:
    """A word of any script is a word; a search that knows Latin letters only returns nothing (C53)."""
    _say(modelless, *(text for text, _ in SCRIPTS.values()))
    text, query = SCRIPTS[language]
    assert _find(modelless, query)[0] == text


def test_words_are_found_without_their_accents(modelless: Engine) -> None:
    """Who types without accents finds what was said with them (C48)."""
    _say(modelless, "We met at the café near the señor's house.", "The gateway was slow today.")
    assert "café" in _find(modelless, "cafe")[0]
    assert "señor" in _find(modelless, "senor")[0]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("cafe", "We met at the caffè behind the harbour."),
        ("where is the caffe?", "We met at the café behind the harbour."),
        ("resturant", "The restaurants on the pier close at ten."),
        ("recieve", "We received the crates on Monday."),
        ("organise", "Please organize the crates by weight."),
    ],
)
def test_a_word_one_letter_away_is_found(modelless: Engine, asked: str, said: str) -> None:
    """Who spells a word in another way finds it, where no word of the question is known as it stands (C48)."""
    assert _found_apart(modelless, asked, said, "The gateway was slow today.") == [said]


@pytest.mark.parametrize(("asked", "found"), [("cafe", 1), ("case", 0), ("care", 0), ("caf", 0)])
def test_a_word_brings_no_others(modelless: Engine, asked: str, found: int) -> None:
    """A known word stands for itself, and a short one is not every word of its length (C48)."""
    said = ("The cafe opens at nine.", "We met at the caffè behind the harbour.")
    assert _found_apart(modelless, asked, *said) == list(said[:found])


def _found_apart(engine: Engine, asked: str, *said: str) -> list[str]:
    """Say each in a session of its own, so that none is there as another's neighbour."""
    for n, text in enumerate(said):
        engine.ingest(who=Who(user="me", session=f"apart{n}"), turns=[user(text, _START_MS, f"t{n}")])
    return _find(engine, asked)


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_a_name_in_decomposed_letters_is_the_same_name(modelless: Engine, stored: str) -> None:
    """A Mac hands out file names in decomposed letters; asked for in either form, they are found (C52)."""
    path = "/home/dev/résumé/Đà-Nẵng.md"
    said = unicodedata.normalize(stored, f"The notes are in {path} now.")
    _say(modelless, said, "The gateway was slow today.")
    for form in ("NFC", "NFD"):
        assert _find(modelless, unicodedata.normalize(form, path))[0] == said


def test_without_a_budget_there_is_one(engine: Engine) -> None:
    """A host that names no budget must not get a prompt without end (C98)."""
    _say(
        engine,
        *(f"Step {n}: " + "the relay dropped frames and the queue was full again. " * 40 for n in range(60)),
    )
    settle(engine)
    answer = engine.assemble(who=ME, query="what happened to the relay?")
    assert answer["budget_tokens"] == engine.deps.params.pack.default_budget_tokens == 8000
    assert answer["tokens"] <= 0.95 * 8000


def test_a_search_says_that_a_source_could_not_be_read(engine: Engine) -> None:
    """Nothing found because a file could not be read must not look like nothing there (C17)."""
    before = engine.search(who=ME, query="gateway")["degraded"]
    for unreadable, said in (
        ({}, []),
        ({"/a.jsonl": "unreadable"}, ["sources: 1 source could not be read"]),
        ({"/a.jsonl": "unreadable", "/b": "gone"}, ["sources: 2 sources could not be read"]),
    ):
        engine.read_with(lambda found=unreadable: {"unreadable": found}, lambda _timeout_s: True)
        assert engine.search(who=ME, query="gateway")["degraded"] == [*before, *said]
