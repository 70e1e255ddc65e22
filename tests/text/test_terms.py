"""Index terms: identifiers whole, CJK in pairs, accents both ways, and no query that FTS5 refuses."""

from __future__ import annotations

import sqlite3

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
