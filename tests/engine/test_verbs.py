"""The declarations: strict, typed, and complete enough to be documentation."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.engine import fields
from libra.engine.verbs import TURN, VERBS, Verb
from libra.ground.errors import InvalidParams
from libra.ground.records import Kind, MemoryType, NewTurn, Origin, Role, Scope, ScopeKind, Who

NAMES = [
    *("health", "status", "ingest", "drain", "flush", "assemble", "search", "get"),
    *("list", "recent", "stats", "recap", "episodes", "expand"),
    *("describe", "grep", "compaction_report", "compact"),
    *(
        "remember",
        "update",
        "confirm",
        "correct",
        "explain",
        "undo",
        "journal",
        "calibrate",
        "forget",
        *("set_priority", "pin", "unpin", "extend", "archive", "unarchive"),
        "off_record",
        *("rule_set", "rule_get", "rule_list", "rule_check", "rule_delete"),
        *("card_update", "card_get", "card_list", "card_delete"),
        *("intent_set", "intent_list", "intent_done", "intent_delete"),
        "export",
        "import_records",
        "backup",
        "backups",
        *("timeline", "receipts", "receipt", "review", "never", "allow", "open_page"),
        *("scrub", "vacuum", "reindex", "reembed", "rehearse", "reapply", "mirror"),
        *(
            "rulebook",
            "rules_history",
            "sessions",
            "session",
            "settings",
            "set_setting",
        ),
        "classify",
        "partition",
        "summarize",
        "pause",
        "resume",
        "shutdown",
    ),
]

every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)


def test_every_method_of_the_protocol_is_declared() -> None:
    """The names are the protocol's: a client that knows one of them would find it gone."""
    assert set(NAMES) - set(VERBS) == set()


@every_verb
def test_every_declaration_is_documentation(verb: Verb) -> None:
    """Each verb and parameter is explained, and the example is a call that passes its own check."""
    assert verb.doc.endswith(".")
    assert verb.result
    assert all(p.doc.endswith(".") for p in verb.params)
    verb.check(dict(verb.example), "anna")
    json.dumps(verb.example)


@every_verb
def test_every_schema_is_json_and_closed(verb: Verb) -> None:
    """The JSON schema names every parameter with its meaning and admits no other."""
    schema = json.loads(json.dumps(verb.schema()))
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [p.name for p in verb.params]
    assert all(member["description"] for member in schema["properties"].values())
    assert schema.get("required", []) == [p.name for p in verb.params if p.required]


@every_verb
def test_an_unknown_field_is_refused_everywhere(verb: Verb) -> None:
    """A misspelt field is an error, not a silent default."""
    with pytest.raises(InvalidParams) as caught:
        verb.check({**verb.example, "zzz": 1}, "anna")
    assert caught.value.where == "zzz"


TURNS = [{"role": "user", "content": "a"}] * 3


@pytest.mark.parametrize(
    ("name", "params", "where", "expected"),
    [
        ("search", {}, "query", "missing; expected a string"),
        ("search", {"query": None}, "query", "missing"),
        ("search", {"query": 7}, "query", "expected a string, got a number"),
        ("search", {"query": ["a"]}, "query", "got an array"),
        ("search", {"query": "a", "k": 0}, "k", "a whole number from 1 to 1,000"),
        ("search", {"query": "a", "k": 1_001}, "k", "a whole number"),
        ("search", {"query": "a", "k": 1.5}, "k", "a whole number"),
        ("search", {"query": "a", "k": True}, "k", "got a boolean"),
        ("search", {"query": "a", "k": "5"}, "k", "got a string"),
        ("search", {"query": "a", "k": float("nan")}, "k", "a whole number"),
        ("search", {"query": "a", "kinds": ["turn", "poem"]}, "kinds[1]", "expected one of turn, summary"),
        ("search", {"query": "a", "kinds": "turn"}, "kinds", "expected an array"),
        ("search", {"query": "a", "types": ["poem"]}, "types[0]", "expected one of decision"),
        ("search", {"query": "a", "scopes": ["user"]}, "scopes[0]", "expected a scope"),
        ("search", {"query": "a", "since": "yesterday-ish"}, "since", "RFC 3339"),
        ("search", {"query": "a", "since": True}, "since", "expected a time"),
        ("search", {"query": "a", "min_score": 1.5}, "min_score", "a number from 0 to 1"),
        ("search", {"query": "a", "archive": "yes"}, "archive", "true or false, got a string"),
        ("search", {"query": "a", "who": "anna"}, "who", "expected an object"),
        ("search", {"query": "a", "who": {"user": 1}}, "who.user", "expected a string"),
        ("search", {"query": "a", "who": {"usr": "x"}}, "who.usr", "unknown field"),
        ("ingest", {"turns": {}}, "turns", "expected an array"),
        ("ingest", {"turns": [*TURNS, {"role": "robot", "content": "x"}]}, "turns[3].role", "one of user"),
        ("ingest", {"turns": [*TURNS, {"role": "user"}]}, "turns[3].content", "missing; expected a string"),
        (
            "ingest",
            {"turns": [{"role": "user", "content": "x", "text": "y"}]},
            "turns[0].text",
            "unknown field",
        ),
        ("ingest", {"turns": [{"role": "user", "content": "x", "ts": "?"}]}, "turns[0].ts", "a time"),
        ("ingest", {"turns": [{"role": "user", "content": "x", "tokens": -1}]}, "turns[0].tokens", "from 0"),
        (
            "ingest",
            {"turns": [{"role": "user", "content": "x", "metadata": 1}]},
            "turns[0].metadata",
            "an object",
        ),
        ("ingest", {"turns": TURNS * 4_000}, "turns", "at most 10,000 items"),
        ("assemble", {"query": "a"}, "budget_tokens", "missing"),
        ("assemble", {"query": "a", "budget_tokens": -1}, "budget_tokens", "from 0"),
        ("assemble", {"query": "a", "budget_tokens": 9, "have": ["hat"]}, "have[0]", "one of hard, soft"),
        ("forget", {}, "id", "one of the fields id, ids, kinds, types"),
        ("forget", {"id": ""}, "id", "not empty"),
        ("partition", {"name": "x"}, "path", "one of the fields path, text"),
        ("summarize", {"turns": []}, "turns", "1 to 10,000"),
        ("pause", {"seconds": 0}, "seconds", "from 1"),
        ("health", [], "params", "expected no members, got an array"),
    ],
)
def test_what_does_not_fit_names_field_and_expectation(
    name: str, params: Any, where: str, expected: str
) -> None:
    """The error says where and what, and never repeats the value."""
    with pytest.raises(InvalidParams) as caught:
        VERBS[name].check(params, "anna")
    assert caught.value.where == where
    assert caught.value.message.startswith(f"{where}: ")
    assert expected in caught.value.message


def test_a_near_miss_gets_a_hint() -> None:
    """A likely misspelling is named."""
    with pytest.raises(InvalidParams) as caught:
        VERBS["assemble"].check({"query": "a", "budget_token": 5}, "anna")
    assert caught.value.hint == "did you mean budget_tokens?"


def test_values_never_appear_in_errors() -> None:
    """What people said stays out of messages."""
    with pytest.raises(InvalidParams) as caught:
        VERBS["search"].check({"query": "a", "kinds": ["my secret"]}, "anna")
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, Who("anna", agent="main")),
        ({}, Who("anna", agent="main")),
        ({"user": "", "session": ""}, Who("anna", agent="main")),
        ({"user": "ben", "session": "s"}, Who("ben", agent="main", session="s")),
        ({"host": "openclaw"}, Who("anna", host="openclaw")),
        ({"host": "openclaw", "agent": "ops"}, Who("anna", agent="ops", host="openclaw")),
        ({"cwd": "/p", "project": "q", "agent": "a"}, Who("anna", agent="a", project="q", cwd="/p")),
    ],
)
def test_the_caller_is_completed(given: Any, expected: Who) -> None:
    """The person is the default user; the agent is main where neither agent nor host is named."""
    params = {"query": "a"} if given is None else {"query": "a", "who": given}
    assert VERBS["search"].check(params, "anna")["who"] == expected


def test_status_without_a_caller_counts_everything() -> None:
    """Only there does an absent caller stay absent."""
    assert VERBS["status"].check(None, "anna") == {"who": None}
    assert VERBS["status"].check({"who": {}}, "anna")["who"] == Who("anna", agent="main")


def test_search_parameters_are_typed() -> None:
    """Kinds, types, scopes and times become values; absent ones their defaults."""
    found = VERBS["search"].check(
        {
            "query": "a",
            "k": 20.0,
            "kinds": ["turn", "memory"],
            "types": ["todo"],
            "scopes": ["global", "user:ben"],
            "since": "2026-04-01T00:00:00Z",
            "until": 1_775_001_600,
        },
        "anna",
    )
    assert found["k"] == 20
    assert type(found["k"]) is int
    assert found["kinds"] == frozenset({Kind.TURN, Kind.MEMORY})
    assert found["types"] == (MemoryType.TODO,)
    assert found["scopes"] == (Scope(ScopeKind.GLOBAL), Scope(ScopeKind.USER, "ben"))
    assert found["since"] == found["until"] == 1_775_001_600_000
    assert (found["archive"], found["explain"], found["min_score"], found["as_of"]) == (
        False,
        False,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("role", "origin"),
    [("user", Origin.OWNER), ("assistant", Origin.AGENT), ("tool", Origin.TOOL), ("system", Origin.EXTERNAL)],
)
def test_a_turns_origin_is_its_roles_unless_given(role: str, origin: Origin) -> None:
    """An assistant's words are never taken for the owner's."""
    assert TURN.check({"role": role, "content": ""}, "t") == NewTurn(Role(role), "", origin=origin)
    given = TURN.check({"role": role, "content": "", "origin": "external"}, "t")
    assert given.origin is Origin.EXTERNAL


def test_a_turn_carries_all_it_was_given() -> None:
    """Every member arrives under its record's name."""
    turn = TURN.check(
        {
            "id": "e",
            "role": "user",
            "content": "c",
            "ts": 1_775_001_600_000,
            "speaker": "A",
            "tokens": 3,
            "metadata": {"a": 1},
        },
        "t",
    )
    assert turn == NewTurn(Role.USER, "c", 1_775_001_600_000, "e", Origin.OWNER, "A", 3, None, {"a": 1})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(list(VERBS.values())), st.data())
def test_any_value_anywhere_is_taken_or_refused(verb: Verb, data: st.DataObject) -> None:
    """Whatever a caller sends, the check returns keywords or raises InvalidParams with a place."""
    names = [p.name for p in verb.params]
    params = data.draw(st.dictionaries(st.sampled_from([*names, "zzz"]), json_values, max_size=4))
    wanted = {p.target or p.name for p in verb.params}
    try:
        found = set(verb.check(params, "anna"))
    except InvalidParams as error:
        found = wanted if error.where else set()
    assert found == wanted


def test_the_kinds_of_fields_describe_themselves() -> None:
    """Every kind says what it expects and has a schema."""
    kinds = [
        obj
        for _, obj in inspect.getmembers(fields, inspect.isclass)
        if obj.__module__ == fields.__name__ and hasattr(obj, "schema") and obj is not fields.Field
    ]
    assert len(kinds) >= 9
    samples = [
        fields.Text(1, 5),
        fields.Whole(0, 1),
        fields.Number(0, 1),
        fields.Flag(),
        fields.Choice(("a",)),
    ]
    samples += [fields.Parsed("x", str), fields.Time(), fields.Free(), fields.ListOf(fields.Text(), 3, 1)]
    for sample in [*samples, fields.Struct(())]:
        assert sample.expected
        assert sample.schema()["type"]
