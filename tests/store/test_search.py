"""Text search, rows and neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.errors import StoreError
from libra.ground.records import Kind
from libra.store import items, revisions, search, turns
from libra.store.search import WordParams
from libra.store.visibility import Filter, Visible
from libra.text import terms
from tests.store.support import Handle, session, turn

_MINE = Visible("u", scopes=("user:u", "global"))
_ALL = Filter(_MINE, frozenset(Kind))


def _find(h: Handle, query: str, filt: Filter = _ALL, k: int = 10) -> list[int]:
    """Search both indexes as the engine does; best first."""
    asked = terms.parse_query(query)
    best: dict[int, float] = {}
    for match, index in ((terms.word_match(asked), "word"), (terms.side_match(asked), "side")):
        if match:
            for item, score in h.read(lambda s, m=match, i=index: search.text_candidates(s, m, filt, k, i)):
                best[item] = max(score, best.get(item, 0.0))
    return sorted(best, key=lambda i: -best[i])


def test_words_are_stemmed_and_ranked(h: Handle) -> None:
    """The rarer word counts more; stems meet; scores are not negative."""
    ids = h.say("deploying the service", "the service is slow", "lunch", "the service again")
    found = h.read(lambda s: search.text_candidates(s, '"deployed" OR "services"', _ALL, 10))
    assert found[0][0] == ids[0]
    assert {i for i, _ in found} == {ids[0], ids[1], ids[3]}
    assert all(score >= 0 for _, score in found)


@pytest.mark.parametrize("query", ["身份验证", "上线", "验证改用"])
def test_b05_chinese(h: Handle, query: str) -> None:
    """Two and more characters of a Chinese text find it at rank 1."""
    h.remember("我们下周去上海开会", n=2)
    memory = h.remember("用户身份验证改用 Passkey，下周上线")
    assert _find(h, query)[0] == memory


def test_b07_vietnamese_accents(h: Handle) -> None:
    """An accented query stays exact or ranks first, an unaccented one finds all spellings."""
    first = h.remember("Bán máy ảnh cũ", n=1)
    second = h.remember("Bạn của tôi tên Huy", n=2)
    third = h.remember("Ban quản lý họp thứ ba", n=3)
    assert _find(h, "bạn")[0] == second
    assert set(_find(h, "ban")) == {first, second, third}


def test_identifiers_are_found_whole(h: Handle) -> None:
    """A path and an error code find the texts that hold them."""
    ids = h.say("see src/app/server.py:42 for it", "server app py src 42", "it failed with ECONNRESET again")
    for name, item in (("src/app/server.py:42", ids[0]), ("ECONNRESET", ids[2])):
        match = terms.side_match(terms.Query((), (), (), (terms.encode(name),)))
        assert match is not None
        assert [i for i, _ in h.read(lambda s, m=match: search.text_candidates(s, m, _ALL, 5, "side"))] == [
            item
        ]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_any_query_is_safe(text: str) -> None:
    """Whatever a person types, the expression made of it raises nothing in FTS5."""
    h = _shared_store()
    for match in (terms.word_match(terms.parse_query(text)), terms.side_match(terms.parse_query(text))):
        for index in ("word", "side"):
            if match:
                h.read(lambda s, m=match, i=index: search.text_candidates(s, m, _ALL, 5, i))


_stores: list[Handle] = []


def _shared_store() -> Handle:
    return _stores[0]


@pytest.fixture(autouse=True)
def _share(h: Handle) -> Iterator[None]:
    _stores[:] = [h]
    yield
    _stores.clear()


def test_broken_expression_is_an_error(h: Handle) -> None:
    """An expression that did not come from terms is refused, and the store lives on."""
    h.say("heron")
    with pytest.raises(StoreError):
        h.read(lambda s: search.text_candidates(s, '"unclosed', _ALL, 5))
    assert _find(h, "heron")


def test_filters(h: Handle) -> None:
    """Kind, type, time, activity and exclusion each narrow the search."""
    ids = h.say("heron one", "heron two", "heron three")
    memory = h.remember("heron memory", n=9)
    h.do(lambda tx: items.set_active(tx, [ids[0]], active=False))
    every = frozenset(Kind)
    for filt, expected in (
        (Filter(_MINE, every), {*ids[1:], memory}),
        (Filter(_MINE, every, active_only=False), {*ids, memory}),
        (Filter(_MINE, frozenset({Kind.MEMORY})), {memory}),
        (Filter(_MINE, every, types=("fact",)), {memory}),
        (Filter(_MINE, every, types=("todo",)), set()),
        (Filter(_MINE, every, since_ms=3000), {ids[2], memory}),
        (Filter(_MINE, every, until_ms=3000), {ids[1]}),
        (Filter(_MINE, every, exclude_ids=(memory, ids[1])), {ids[2]}),
        (Filter(_MINE, frozenset()), set()),
    ):
        assert set(_find(h, "heron", filt)) == expected


def test_a_larger_k_only_extends(h: Handle) -> None:
    """The order for a small k is the head of that for a larger one."""
    h.say(*(f"heron {'blue ' * (n % 7)} word{n}" for n in range(60)))
    long = _find(h, "blue heron", k=60)
    for k in (1, 5, 20):
        got = [i for i, _ in h.read(lambda s, k=k: search.text_candidates(s, '"blue" OR "heron"', _ALL, k))]
        full = [i for i, _ in h.read(lambda s: search.text_candidates(s, '"blue" OR "heron"', _ALL, 60))]
        assert got == full[:k]
    assert len(long) == 60


def test_too_common_words_are_left_out(h: Handle) -> None:
    """When a query would score too many rows, its commonest words go, down to the rarest one."""
    ids = h.say(
        *(f"common{' rare' if n == 7 else ''}{' middling' if n % 5 == 0 else ''} {n}" for n in range(50))
    )
    few = WordParams(scored_most=20)
    asked = '"common" OR "middling" OR "rare" OR "absent"'
    found = h.read(lambda s: search.text_candidates(s, asked, _ALL, 100, params=few))
    assert {i for i, _ in found} == {ids[7], *ids[::5]}
    assert found[0][0] == ids[7]
    assert len(h.read(lambda s: search.text_candidates(s, asked, _ALL, 100))) == 50
    alone = h.read(lambda s: search.text_candidates(s, '"common" OR "absent"', _ALL, 100, params=few))
    assert [i for i, _ in alone] == ids[:29:-1]
    phrase = h.read(lambda s: search.text_candidates(s, '"common 7"', _ALL, 100, params=few))
    assert phrase == [] or phrase


def test_common_words_count_where_they_stand_together(h: Handle) -> None:
    """Where every word of a question is common, what holds all of them comes first; what is to be forgotten is found whole."""
    words = {
        "harbour": range(0, 120, 3),
        "lantern": range(0, 120, 4),
        "ferry": [n for n in range(120) if n % 5 < 2],
    }
    ids = h.say(*(" ".join([w for w, held in words.items() if n in held] + [str(n)]) for n in range(120)))
    few = WordParams(scored_most=25)
    asked = '"harbour" OR "lantern" OR "ferry"'
    found = h.read(lambda s: search.text_candidates(s, asked, _ALL, 200, params=few))
    first = [ids[n] for n in (96, 60, 36, 0)]
    then = [ids[n] for n in range(108, 0, -12) if n not in (96, 60, 36)]
    assert [i for i, _ in found[: len(first + then)]] == first + then
    assert 25 <= len(found) <= 50
    every = h.read(lambda s: search.text_candidates(s, '"harbour"', _ALL, 200, params=search.EVERY_ROW))
    assert {i for i, _ in every} == {ids[n] for n in words["harbour"]}


def test_rows_come_in_the_order_asked(h: Handle) -> None:
    """Rows of unknown ids are missing, the others stand in the order of the ids."""
    ids = h.say("a", "b", "c")
    found = h.read(lambda s: search.rows(s, [ids[2], 999, ids[0]]))
    assert list(found) == [ids[2], ids[0]]
    assert found[ids[2]].text == "c"
    assert h.read(lambda s: search.rows(s, [])) == {}
    uid = found[ids[0]].uid
    assert h.read(lambda s: search.by_uid(s, [uid, "none"], visible=_MINE)).keys() == {uid}


def test_rows_of_memories(h: Handle) -> None:
    """A memory's row has its type, priority and state, and the confidence that it had while it held: as-of reads need it."""
    old = h.remember("old", n=1)
    new = h.remember("new", n=2, confidence=0.8, priority=85)
    h.do(lambda tx: revisions.supersede(tx, old, new, 77))
    rows = h.read(lambda s: search.rows(s, [old, new]))
    assert (rows[old].superseded, rows[old].archived_ms, rows[old].active, rows[old].confidence) == (
        True,
        77,
        False,
        0.6,
    )
    assert (rows[new].superseded, rows[new].priority, rows[new].confidence, rows[new].type) == (
        False,
        85,
        0.8,
        "fact",
    )
    assert (rows[new].scope, rows[new].session_key, rows[new].confirmations) == ("user:u", None, 1)


def test_neighbours(h: Handle) -> None:
    """Turns within reach in the same session; not the turns themselves, not other sessions'."""
    ids = h.say(*(f"t{n}" for n in range(10)))
    h.say("other", ref=session("s2"), first=100)
    memory = h.remember("m", n=50)
    near = h.read(lambda s: search.neighbours(s, [ids[0], ids[5], memory], 2, _MINE))
    assert set(near) == {ids[1], ids[2], ids[3], ids[4], ids[6], ids[7]}
    assert h.read(lambda s: search.neighbours(s, [ids[5]], 0, _MINE)) == []


def test_metadata_and_missing_parts(h: Handle) -> None:
    """Empty metadata is an empty dict; a turn without a file has no path."""
    (item,) = h.append([replace(turn("a"), metadata={})]).new_ids
    row = h.read(lambda s: search.rows(s, [item]))[item]
    assert row.metadata == {}
    assert (row.source_path, row.line, row.heading, row.level) == (None, None, (), None)
    assert h.read(lambda s: turns.partners(s, [item])) == {}
