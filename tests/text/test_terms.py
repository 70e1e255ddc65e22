"""Index terms: identifiers whole, CJK in pairs, accents both ways, and no query that FTS5 refuses."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.text import terms


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("see src/app.py:41 for it", "src/app.py:41"),
        ("error E1234 again", "E1234"),
        ("ECONNRESET on the socket", "ECONNRESET"),
        ("commit 9fceb02d0a broke it", "9fceb02d0a"),
        ("call store.connect() first", "store.connect()"),
        ("the flag --no-verify", "--no-verify"),
        ("BKP-217 is open", "BKP-217"),
        ("max_retry_count is 3", "max_retry_count"),
        ("fetchUserData fails", "fetchUserData"),
        ("version 1.24.4 works", "1.24.4"),
        ("close #482 please", "#482"),
    ],
)
def test_identifiers(text: str, name: str) -> None:
    """Technical names are found whole."""
    assert name in terms.identifiers(text)


@pytest.mark.parametrize(
    "text",
    [
        "and/or is a way to say both",
        "in 2024 we moved to the main office",
        "e.g. this one, i.e. that one",
        "I have 500 ideas for the type of class we need",
        "It ended. Then it began again, at 5 p.m. sharp.",
    ],
)
def test_prose_has_no_identifiers(text: str) -> None:
    """Ordinary sentences name nothing technical."""
    assert terms.identifiers(text) == []


def _matches(document: str, query: str) -> bool:
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE f USING fts5(t, tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")"
    )
    db.execute("INSERT INTO f VALUES(?)", (terms.side_terms(document),))
    match = terms.side_match(terms.parse_query(query))
    found = (
        match is not None
        and db.execute("SELECT count(*) FROM f WHERE f MATCH ?", (match,)).fetchone()[0] == 1
    )
    db.close()
    return found


@pytest.mark.parametrize("query", ["身份验证", "上线", "验证改用"])
def test_b05_chinese_words_are_found(query: str) -> None:
    """Two-character words are normal (field case B05, lessons C43)."""
    assert _matches("用户身份验证改用 Passkey，下周上线", query)


def test_b07_accents() -> None:
    """Unaccented finds accented, accented stays exact (field case B07)."""
    assert _matches("Bạn của tôi tên Huy", "ban")
    assert not _matches("Bán máy ảnh cũ", "bạn")


@given(st.text(max_size=80))
def test_no_query_breaks_fts5(text: str) -> None:
    """Whatever is asked, the expressions are valid."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(t)")
    query = terms.parse_query(text)
    for match in (terms.word_match(query), terms.side_match(query), terms.phrase_match(query)):
        if match is not None:
            db.execute("SELECT rowid FROM f WHERE f MATCH ?", (match,)).fetchall()
    db.close()


def _spans(scan: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return what is found, without the runs of plain words that are passed over."""
    return [match.span() for match in scan.finditer(text) if match.lastgroup]


_FRAGMENTS = (
    *"""a B foo Bar é 中文 . : :: - -- -> / \\ ` C:\\ d:/ ( ) () # 1 12 2026 9f3c2ab 0x v _ file Makefile Dockerfile
    README.md .py .env @x/y ENOENT E HTTP fooBar FooBar http:// x.y ABC-123 TS2304 ' \" * [ ] < > $ ~ + { , ，
    aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee 。 | = ² top-5 abc-12 --flag e.g. Node.js don't well-known 3,000""".split(),
    *(" ", "  ", "\n", "\t", "\r", "\u00a0", "my dir", "Program Files"),
)


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=16).map("".join))
def test_passing_over_plain_words_misses_nothing(text: str) -> None:
    """The patterns find the same where plain words are passed over as when tried at every character."""
    assert _spans(terms._SCAN, text) == _spans(re.compile(terms._IDENTIFIER), text)


def test_passing_over_plain_words_misses_nothing_in_our_documents() -> None:
    """The same for everything that this repository documents."""
    root = Path(__file__).parents[2]
    documents = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    assert documents
    for path in documents:
        text = path.read_text(encoding="utf-8")
        assert _spans(terms._SCAN, text) == _spans(re.compile(terms._IDENTIFIER), text), path.name


def test_plain_prose_is_passed_over() -> None:
    """Ordinary sentences are no candidates at all: that is what makes indexing fast."""
    prose = "Yesterday we talked about it, and I think that Anna's well-known plan (the 2nd) is fine: call her at 5."
    plain = "".join(match.group() for match in terms._SCAN.finditer(prose) if match.lastgroup is None)
    assert set(prose.split()) - set(plain.split()) == {"2nd)"}


@pytest.mark.parametrize(
    ("name", "token"),
    [("E1234", "e1234"), ("src/app.py", "src_2f_app_2e_py"), ("max_n", "max_5f_n"), ("Ünit", "_fc_nit")],
)
def test_encode_keeps_one_token(name: str, token: str) -> None:
    """Signs are spelt out, so that a word splitter leaves the identifier whole."""
    assert terms.encode(name) == token


@pytest.mark.parametrize("query", ["app.py", "src/app.py", "where is src/app.py:41"])
def test_a_path_is_found_by_its_shorter_names(query: str) -> None:
    """A place in a file is found by the file's path and by its bare name."""
    assert _matches("it breaks in src/app.py:41 only", query)


def test_a_query_is_cut_like_a_document() -> None:
    """Stop words go, phrases and identifiers stay as written, a lone CJK character is a prefix."""
    query = terms.parse_query('What did "the long night" say about fetch_all 猫?')
    assert query.phrases == ("the long night",)
    assert query.identifiers == ("fetch_all",)
    assert "the" not in query.words
    assert "night" in query.words
    assert "猫*" in query.side


def test_nothing_to_ask_gives_no_expression() -> None:
    """Stop words and signs alone match nothing rather than everything."""
    query = terms.parse_query("the of ... !")
    assert terms.word_match(query) is None
    assert terms.side_match(terms.parse_query("?!")) is None
    assert terms.phrase_match(query) is None


def test_tags_are_names() -> None:
    """``proj:`` and ``env:`` mark what a note is about; a word with a colon behind it does not."""
    assert terms.identifiers("Look at proj:harbour and env:staging-2, please.") == [
        "proj:harbour",
        "env:staging-2",
    ]
    assert terms.identifiers("tag:v2 of repo:me/tools.") == ["tag:v2", "repo:me/tools"]
    for prose in ("Note: this.", "env: staging", "The project:", "at 12:30", "Re: hello", "myproj:x y"):
        assert terms.identifiers(prose) == []


def test_a_tag_meets_itself_in_the_index() -> None:
    """What was noted under a tag is found by it, whatever its case."""
    assert set(terms.parse_query("What about env:Staging?").side) & set(
        terms.side_terms("Noted under env:staging.").split()
    )
