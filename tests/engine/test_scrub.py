"""Scrub: words leave everything, proven by a search of every byte; what was told stays; they do not come in again."""

from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from libra.engine import upkeep
from libra.engine.automatic import Lookout
from libra.engine.cleaning import RULES
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import Conflict, Forbidden, InvalidParams
from libra.ground.records import Who
from libra.store import backup, items, meta
from libra.store.restore import restore
from libra.store.store import Store, WriteTx
from tests.conftest import FixedClock
from tests.engine.conftest import ME, assistant, settle, user

WORD = 'Quuxly"Vantor-81'
"""With a sign that JSON writes otherwise."""


def everything(data: Path) -> bytes:
    """Return the bytes of all files, those of packed copies unpacked, in lower case."""
    out = b""
    for path in data.rglob("*"):
        if path.is_file():
            out += gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return out.lower()


def needles() -> list[bytes]:
    """Return how the word might stand somewhere: whole, in JSON, and the terms that an index makes of it."""
    return [WORD.lower().encode(), b'quuxly\\"vantor', b"quuxly", b"vantor"]


@pytest.fixture
def told(engine: Engine, deps: Deps, data_dir: Path, clock: FixedClock) -> Engine:
    """Return an engine that has heard the word in every way, with copies, an export and a log that hold it."""
    engine.ingest(
        who=ME,
        turns=[user(f"The gate code is {WORD} and the crane is red.", event="e1"), assistant("Noted.")],
    )
    kept = engine.remember(who=ME, text=f"The spare key of the shed says {WORD}.")
    engine.update(who=ME, id=kept["id"], text=f"The spare key of the boat house says {WORD.upper()}.")
    engine.ingest(
        who=Who(user="me", session="s2", host="claude-code"),
        turns=[
            user("We go on.", 5),
            *(user(f"Filler about crane {n} in the harbour.", n * 1000) for n in range(200)),
        ],
    )
    settle(engine)
    engine.assemble(who=ME, query="gate code", budget_tokens=500)
    engine.backup(label="one")
    target = data_dir / "out.ndjson"
    answer = engine.export(everybody=True, to=str(target))
    target.write_bytes(b"".join(orjson.dumps(r) + b"\n" for r in answer["records"]))
    (data_dir / "logs").mkdir()
    (data_dir / "logs" / "libra.log").write_text(f"a line with {WORD} in it\n", "utf-8")
    return engine


def test_nothing_is_left_in_any_byte(told: Engine, data_dir: Path) -> None:
    """The proof: after a scrub neither the word nor a term of it is in any file, and the rest is all there."""
    assert all(needle in everything(data_dir) for needle in needles()[:1])
    plan = told.scrub(who=ME, text=WORD)
    assert plan["dry_run"]
    assert not plan["changed"]
    assert {Path(f["path"]).suffix[:3] for f in plan["files"]} >= {".db", ".gz", ".nd", ".lo"}
    assert everything(data_dir).count(WORD.lower().encode()) > 5
    done = told.scrub(who=ME, text=WORD, dry_run=False)
    assert done["left"] == []
    assert done["values"] == plan["values"] > 2
    assert done["searched"] >= 4
    settle(told)
    held = everything(data_dir)
    assert [needle for needle in needles() if needle in held] == []
    assert b"the crane is red" in held
    assert b"[redacted:scrubbed]" in held
    assert told.search(who=ME, query="boat house")["hits"][0]["text"].count("[redacted:scrubbed]") == 1
    with told.deps.store.snapshot() as s:
        assert s.rows("PRAGMA integrity_check") == [("ok",)]


def test_the_indexes_hold_what_the_rows_hold(told: Engine) -> None:
    """Index and rows agree afterwards: no term is left behind, none is missing."""
    told.scrub(who=ME, text=WORD, dry_run=False)
    told.deps.store.write(
        lambda tx: tx.run("INSERT INTO fts_word(fts_word, rank) VALUES('integrity-check', 1)")
    ).result()
    assert told.grep(who=ME, pattern="scrubbed")["hits"]


def test_it_does_not_come_in_again(told: Engine, data_dir: Path, clock: FixedClock) -> None:
    """Neither from the host's own file, nor by another sentence, an import, a copy or another session."""
    before = told.export(everybody=True)["records"]
    stale = data_dir / "stale.db.gz"
    stale.write_bytes(next(told.deps.store.backups.glob("*.gz")).read_bytes())
    told.scrub(who=ME, text=WORD, dry_run=False)
    again = told.ingest(who=ME, turns=[user(f"The gate code is {WORD} and the crane is red.", event="e1")])
    assert again["accepted"] == 0
    told.ingest(who=ME, turns=[user(f"Once more: {WORD.lower()}, please.", 1_775_000_500_000)])
    told.remember(who=ME, text=f"Do not lose {WORD}.")
    told.rule_set(who=ME, name="gate", text=f"Always say {WORD} at the gate.")
    told.card_update(who=ME, name="Gate", fields={"code": f"is {WORD}"})
    told.import_records(records=before, everybody=True)
    settle(told)
    stale.unlink()
    (data_dir / "out.ndjson").unlink()
    assert [n for n in needles() if n in everything(data_dir)] == []


def test_an_old_copy_that_is_restored_is_clean(told: Engine, deps: Deps, clock: FixedClock) -> None:
    """A copy that was away while the word was scrubbed brings it back to nobody."""
    name = next(deps.store.backups.glob("*.gz"))
    away = name.read_bytes(), name.with_name(name.name.removesuffix(".db.gz") + ".json")
    note = next(deps.store.backups.glob("*.json")).read_bytes()
    told.scrub(who=ME, text=WORD, dry_run=False)
    told.stop()
    deps.store.close()
    name.write_bytes(away[0])
    next(deps.store.backups.glob("*.json")).write_bytes(note)
    restore(deps.store.path, name.name, clock, RULES)
    store = Store.open(deps.store.path)
    with store.snapshot() as s:
        texts = "\n".join(row[0] for row in s.rows("SELECT text FROM item"))
    store.close()
    assert "quuxly" not in texts.lower()
    assert "[redacted:scrubbed]" in texts


def test_an_expression_takes_out_all_that_it_means(engine: Engine, data_dir: Path) -> None:
    """A person need not know each number to have them all gone."""
    engine.ingest(who=ME, turns=[user("Badge ZK-4471 opens the door."), user("Badge ZK-9082 does not.")])
    settle(engine)
    done = engine.scrub(who=ME, pattern=r"zk-\d+", dry_run=False)
    assert (done["words"], done["ok"]) == (2, True)
    assert b"zk-4471" not in everything(data_dir)
    assert b"zk-9082" not in everything(data_dir)


def test_what_is_refused(engine: Engine) -> None:
    """An agent may not scrub, a word of two letters would take half of the sentences, many need a number."""
    with pytest.raises(Forbidden):
        engine.scrub(who=Who(user="me", host="claude-code"), text="whatever")
    for bad in ("ab", "redacted"):
        with pytest.raises(InvalidParams):
            engine.scrub(who=ME, text=bad)
    engine.ingest(who=ME, turns=[user(f"crane {n}") for n in range(101)])
    with pytest.raises(Conflict):
        engine.scrub(who=ME, text="crane", dry_run=False)
    assert engine.scrub(who=ME, text="crane", confirm=101, dry_run=False)["ok"]


def test_new_rules_reach_what_was_stored(
    engine: Engine, deps: Deps, data_dir: Path, clock: FixedClock
) -> None:
    """C80: what an older version let through is taken out by the next one, in copies too, with a report; nothing comes twice."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    who = Who(user="me", session="s9")
    engine.ingest(who=who, turns=[user("My token is here.", 5_000), user("The crane is red.", 6_000)])
    settle(engine)
    engine.stop()
    with deps.store.snapshot() as s:
        (item,) = s.rows("SELECT id FROM item WHERE text = 'My token is here.' AND kind = 1")

    def let_through(tx: WriteTx) -> None:
        items.replace_text(tx, item[0], f"My token is {secret}.", 9)
        meta.put(tx, backup.REDACTION_KEY, 0)

    deps.store.write(let_through).result()
    engine.backup(label="old")
    assert not engine.status()["redaction"]["done"]
    while upkeep.when_idle(deps, Lookout()):
        pass
    assert engine.status()["redaction"] | {"version": 0} == {"version": 0, "done": True, "changed": 1}
    assert secret.lower().encode() not in everything(data_dir)
    again = engine.ingest(who=who, turns=[user(f"My token is {secret}.", 5_000)])
    assert (again["accepted"], again["duplicates"]) == (0, 1)
