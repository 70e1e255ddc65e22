"""What was forgotten, reset or scrubbed is in no table of a copy that is restored, whatever table it stood in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from libra.engine import audit
from libra.engine.cleaning import RULES
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.records import DocumentText, Kind, NewTurn, Origin, Role, Scope, Who
from libra.store import wipe
from libra.store.restore import restore
from libra.store.store import Store
from libra.store.wipe import Sweep
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

WORD = "Vantorquux"
SET_BY_NAME = {"ledger.name", "ledger.body", "hint.body", "rule_change.text", "rule_change.before"}
"""What no memory is: it goes with a reset and a scrub, and by its own verbs, whose changes can be undone."""
OF_A_FILE = {"item.text", "node.heading"}
"""A document's words go when the file changes, and with a scrub."""
NOT_WORDS = {
    *("meta.key", "meta.value", "scope.name", "scope.owner", "item.uid", "item.project", "item.agent", "item.type", "item.role"),
    *("session.key", "session.user", "session.host", "session.agent", "session.project", "session.cwd", "session.kind"),
    *("source.path", "source.host", "source.form", "source.device", "source.inode", "source.head_sha256", "source.tail_sha256"),
    *("source.session_key", "source.positions", "source.parser", "source.state"),
    *("turn.event_key", "turn.content_key", "turn.external_id", "turn.origin"),
    *("memory.content_hash", "relation.kind", "summary.method", "summary.refused"),
    *("document.path", "document.host", "document.digest", "document.state", "document.imported_by"),
    *("node.tier", "node.block", "node.modalities", "chunk.fingerprint"),
    *("tombstone.uid", "tombstone.owner", "tombstone.event_key", "tombstone.content_key", "tombstone.text_hash", "tombstone.fingerprint"),
    *("receipt.id", "receipt.session_key", "receipt.query_hash", "receipt.items", "receipt.degraded", "receipt.user"),
    *("receipt.agent", "receipt.host", "receipt.project", "receipt.left_out", "injected.line_hash", "injected.session_key"),
    *("injected.receipt_id", "request.id", "request.result", "journal.verb", "journal.owner", "journal.actor"),
    *("use.receipt_id", "use.session_key", "label.cause", "never.place", "shared.place", "rule_change.what", "ledger.kind", "ledger.owner", "hint.user"),
    *("hint.session", "hint.hook", "refusal.why", "refusal.signals", "rule_change.path", "rule_change.uid", "rule_change.tier", "rule_change.was", "mirrored.uid", "mirrored.file", "mirrored.hash"),
}  # fmt: skip
"""Text columns that hold no words that somebody said: keys, hashes, vocabularies, numbers, places."""
WORDS = {
    *(
        "item.text",
        "item.speaker",
        "speaker.name",
        "turn.metadata",
        "memory.subject",
        "memory.slot",
        "memory.signals",
        "node.heading",
    ),
    *("journal.before", "ledger.name", "ledger.body", "hint.body", "rule_change.text", "rule_change.before"),
}


def text_columns(engine: Engine) -> set[str]:
    """Return all text columns of the database, as ``table.column``."""
    out = set()
    with engine.deps.store.snapshot() as s:
        for table in wipe.tables(s):
            info = s.rows(f'PRAGMA table_info("{table.name}")')
            out |= {f"{table.name}.{row[1]}" for row in info if row[2] == "TEXT" or table.name == "meta"}
    return out


def test_each_text_column_is_known(engine: Engine) -> None:
    """A new column with words would be forgotten here, and stay in old copies for good."""
    assert text_columns(engine) == WORDS | NOT_WORDS


def holding(store: Store) -> set[str]:
    """Return the columns in which the word stands."""
    sweep = Sweep(
        lambda _table, _column, value: value.replace(WORD, "").replace(WORD.lower(), ""),
        lambda _table, held: WORD.lower() in held.lower(),
    )
    return {f"{place.table.name}.{place.column}" for place in wipe.everywhere(store, sweep)}


@pytest.fixture
def told(engine: Engine, clock: FixedClock) -> Engine:
    """Return an engine that has heard the word in every way there is."""
    said = [
        user(f"{WORD} runs Postgres 15 in the harbour.", 1_000, "e1"),
        NewTurn(
            Role.USER,
            f"The quay of {WORD} is closed.",
            2_000,
            "e2",
            Origin.OWNER,
            WORD,
            metadata={"seen": WORD},
        ),
        user(f"Always greet {WORD} at the gate before you open it.", 3_000, "e3"),
        *(user(f"Filler about crane {n} of {WORD} in the harbour.", 4_000 + n, f"f{n}") for n in range(30)),
    ]
    engine.ingest(who=ME, turns=said)
    settle(engine)
    kept = engine.remember(who=ME, text=f"The spare key of {WORD} hangs in the shed.")["id"]
    other = engine.update(who=ME, id=kept, text=f"The spare key of {WORD} hangs in the boat house.")["id"]
    lesson = engine.lesson(
        who=ME, symptom=f"{WORD} fails with ETIMEDOUT.", fix="Set the host.", cause=f"{WORD} moved."
    )
    engine.relate(who=ME, id=other, to=lesson["id"])
    engine.keep_session(who=ME)
    engine.compact(who=ME, force=True, budget_tokens=60)
    engine.rule_set(who=ME, text=f"Never tell {WORD}'s prices.", name=WORD, keywords=(WORD,))
    engine.rule_set(who=ME, text=f"Never tell {WORD}'s new prices.", name=WORD)
    engine.card_update(who=ME, name=WORD, fields={"role": f"friend of {WORD}"})
    engine.intent_set(who=ME, when=(WORD,), remind=f"Ask {WORD} about the key.")
    audit.note_hint(engine.deps, ME, "reset", {"reason": f"of {WORD}"})
    engine.document(
        DocumentText("/w/AGENTS.md", f"# About {WORD}\n\n- Greet {WORD}.\n", "h", Scope.parse("global"), instructions=True)
    )  # fmt: skip
    engine.assemble(who=ME, query=f"spare key of {WORD}", budget_tokens=800)
    settle(engine)
    clock.advance(60_000)
    return engine


def test_the_word_stands_in_every_column_of_words(told: Engine) -> None:
    """Otherwise the tests below look for something that was never there."""
    assert holding(told.deps.store) == WORDS - {"memory.signals", "memory.slot"}


def test_what_a_statement_is_about_follows_its_words(engine: Engine) -> None:
    """A secret that new rules take out of a memory would stay in what the memory is known to be about."""
    engine.remember(who=ME, text=f"Server {WORD} runs Postgres 15.")
    store = engine.deps.store
    assert "memory.subject" in holding(store)

    def change(table: str, column: str, value: str) -> str:
        return value.replace(WORD, "B") if (table, column) == ("item", "text") else value

    places = wipe.everywhere(store, Sweep(change, lambda table, _held: table == "item"))
    assert RULES.identity is not None
    wipe.wipe(store, places, change, RULES.identity)
    assert not holding(store)
    engine.remember(who=ME, text="Server B runs Postgres 17.")
    assert [item["text"] for item in engine.list(who=ME)["items"]] == ["Server B runs Postgres 17."]


def _forget(engine: Engine) -> None:
    found = engine.forget(who=ME, query=WORD, dry_run=True)
    engine.forget(who=ME, query=WORD, confirm=found["would_forget"])


def _reset(engine: Engine) -> None:
    mine = Scope.parse("user:me")
    engine.reset(who=ME, scope=mine, confirm=engine.reset(who=ME, scope=mine, dry_run=True)["would_forget"])


def _scrub(engine: Engine) -> None:
    plan = engine.scrub(who=ME, text=WORD)
    engine.scrub(who=ME, text=WORD, dry_run=False, confirm=plan["values"])


def _off_record(engine: Engine) -> None:
    engine.off_record(who=ME, minutes=60 * 24 * 365 * 60)


@pytest.mark.parametrize(
    ("take_back", "may_stay"),
    [
        (_forget, SET_BY_NAME | OF_A_FILE | {"journal.before"}),
        (_off_record, SET_BY_NAME | OF_A_FILE | {"journal.before"}),
        (_reset, OF_A_FILE),
        (_scrub, set()),
    ],
)
def test_no_table_brings_it_back(
    told: Engine, deps: Deps, take_back: Callable[[Engine], None], may_stay: set[str]
) -> None:
    """The rules, cards and reminders of somebody who had everything reset came back with an old copy."""
    name = told.backup()["name"]
    packed = {path: path.read_bytes() for path in deps.store.backups.iterdir() if path.is_file()}
    take_back(told)
    settle(told)
    now = holding(deps.store)
    assert now <= may_stay
    told.stop()
    deps.store.close()
    for path, held in packed.items():
        path.write_bytes(held)
    restore(deps.store.path, name, deps.clock, RULES)
    store = Store.open(deps.store.path)
    try:
        assert holding(store) == now
        with store.snapshot() as s:
            stays = Kind.DIRECTIVE, Kind.LORE
            of_people = [
                row[0]
                for row in s.rows("SELECT text FROM item WHERE kind NOT IN (?, ?)", tuple(map(int, stays)))
            ]
        assert not [text for text in of_people if WORD.lower() in text.lower()]
    finally:
        store.close()
    if not may_stay:
        assert WORD.lower().encode() not in Path(deps.store.path).read_bytes().lower()


def test_an_export_of_before_brings_no_rule_back(told: Engine, clock: FixedClock) -> None:
    """Who resets everything and then imports an older file would have all rules and cards again; what is set anew stays."""
    records = told.export(everybody=True)["records"]
    _reset(told)
    clock.advance(1_000)
    told.card_update(who=ME, name="Dana", fields={"role": "pilot"})
    done = told.import_records(records=records, everybody=True)
    assert done["new"] == 0
    assert told.rule_list(who=ME)["rules"] == []
    assert [card["name"] for card in told.card_list(who=ME)["cards"]] == ["Dana"]
    again = told.export(everybody=True)["records"]
    assert [r["name"] for r in again if r["kind"] == "leaf"] == ["Dana"]


def test_off_the_record_takes_no_more_out_of_a_copy_than_it_did(
    engine: Engine, deps: Deps, clock: FixedClock
) -> None:
    """What was known before and only said again then would be gone after a restore."""
    fact = "My PIN hint is the blue bike."
    engine.ingest(who=ME, turns=[user(fact, clock.now_ms - 600 * 60_000, "old")])
    settle(engine)
    engine.ingest(who=Who(user="me", session="s2"), turns=[user(fact, clock.now_ms - 60_000, "new")])
    settle(engine)
    name = engine.backup()["name"]
    packed = {path: path.read_bytes() for path in deps.store.backups.iterdir() if path.is_file()}
    engine.off_record(who=ME)
    kinds = "SELECT kind, count(*) FROM item WHERE text LIKE '%blue bike%' GROUP BY kind ORDER BY kind"
    with deps.store.snapshot() as s:
        left = s.rows(kinds)
    assert left == [(1, 1), (3, 1)]
    engine.stop()
    deps.store.close()
    for path, held in packed.items():
        path.write_bytes(held)
    restore(deps.store.path, name, clock, RULES)
    store = Store.open(deps.store.path)
    with store.snapshot() as s:
        assert s.rows(kinds) == left
    store.close()


def test_a_restore_knows_the_exports_of_since(engine: Engine, deps: Deps, tmp_path: Path) -> None:
    """A scrub after a restore would leave the word in a file that was written between copy and restore."""
    engine.remember(who=ME, text="The crane is red.")
    name = engine.backup()["name"]
    target = tmp_path / "out.ndjson"
    engine.export(everybody=True, to=str(target))
    engine.stop()
    deps.store.close()
    restore(deps.store.path, name, deps.clock, RULES)
    store = Store.open(deps.store.path)
    with store.snapshot() as s:
        assert s.rows("SELECT path FROM export_file") == [(str(target),)]
    store.close()
