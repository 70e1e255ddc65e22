"""Import: records of our own export, and statements and messages that readers made of other systems' files.

One path for looking, trying, doing and checking: a trial is the real thing rolled back, and a check afterwards is a trial
that must find everything known. Nothing comes in past the marks, the secrets and what a person made Libra forget
(lessons C27, C79, C90), and nothing that another system says is more than an agent's word unless it says that the person
said it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from libra.engine import ledger
from libra.engine.deps import Deps, LifecycleParams
from libra.engine.ingest import Injected, prepare
from libra.engine.moving_verbs import Step
from libra.engine.outgoing import only_the_person
from libra.engine.remember import Wish, meaning, taken_back
from libra.engine.scopes import complete
from libra.engine.telling import Telling, tell
from libra.exchange.shapes import HEADER, check
from libra.ground.records import MemoryType, NewTurn, Origin, Role, SessionRef, Who, digest
from libra.lifecycle.consolidate import content_hash
from libra.lifecycle.types import TYPES, detect
from libra.store import content, incoming, memories, receipts, revisions, tombstones, turns
from libra.store.incoming import Known, Outcome
from libra.store.ledger import Leaf
from libra.store.memories import NewMemory
from libra.store.tombstones import Meaning
from libra.store.turns import Appended
from libra.store.writer import WriteTx
from libra.text.halves import no_half
from libra.text.marks import line_hash, strip
from libra.text.tokens import estimate

__all__ = ["Step", "import_records"]

Json = dict[str, Any]

_MOST_FAULTS = 20
_PERSONS = frozenset({MemoryType.INSTRUCTION, MemoryType.PREFERENCE, MemoryType.IDENTITY})
"""Types that only the person's own words make. Source: memory-model.md §1, records.Origin."""
_ORIGIN_OF = {
    Role.USER: Origin.OWNER,
    Role.ASSISTANT: Origin.AGENT,
    Role.TOOL: Origin.TOOL,
    Role.SYSTEM: Origin.EXTERNAL,
}
_FOREIGN = frozenset({"statement", "message"})


class _RolledBack(Exception):
    """Ends a trial; nothing of it is stored."""


@dataclass(slots=True)
class _Tally:
    """What became of the records of one call."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    faults: list[Json] = field(default_factory=list)
    cleaned: int = 0

    def fault(self, index: int, reason: str) -> None:
        """Note a record that is not as it should be."""
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append({"index": index, "reason": reason})


@dataclass(frozen=True, slots=True)
class _Ready:
    """A record that may be stored: checked and clean.

    Attributes:
        means: What it means, where that has to be held against what was forgotten.
    """

    index: int
    record: Json
    means: Meaning | None = None


def import_records(
    deps: Deps, who: Who | None, records: Sequence[Any], step: Step, *, everybody: bool
) -> Json:
    """Answer the method ``import_records``.

    Raises:
        Forbidden: An agent asks to write everybody's records.
        StoreError: Nothing of the call was stored.
    """
    caller = complete(deps, who)
    if everybody:
        only_the_person(caller)
    tally = _Tally()
    ready = _prepared(deps, records, tally)
    if step is not Step.CHECK and ready:
        _store(deps, caller, ready, tally, step, owner=None if everybody else caller.user)
    return _answer(step, len(records), tally)


_FREE = ("metadata", "signals", "speaker", "body")


def _prepared(deps: Deps, records: Sequence[Any], tally: _Tally) -> list[_Ready]:
    """Return the records that may be stored; the others are counted."""
    injected = _injected(deps)
    ready = []
    for index, given in enumerate(records):
        record = check(given)
        if isinstance(record, str):
            tally.outcomes[Outcome.INVALID] += 1
            tally.fault(index, f"field {record}")
            continue
        tally.kinds[record["kind"]] += 1
        # The fields whose words are free; ids and keys stay as they are, or nothing would be known again.
        record |= deps.cleaner.json({name: record[name] for name in _FREE if record.get(name)})
        if record.get("text") and not _clean(deps, record, injected, tally):
            tally.outcomes[Outcome.INVALID] += 1
            tally.fault(index, "nothing is left without our own marks")
        elif record["kind"] != HEADER:
            ready.append(_Ready(index, record))
    return ready


def _clean(deps: Deps, record: Json, injected: Callable[[str], bool], tally: _Tally) -> bool:
    """Take our own marks, then secrets, off a record's text; return False if nothing is left (lessons C27, C79)."""
    text = deps.cleaner.text(strip(record["text"], injected, deps.shown.half).text).text
    if record["kind"] in _FOREIGN:
        text = text.strip()
    if text != record["text"]:
        tally.cleaned += 1
        record |= {"text": text, "tokens": estimate(text)}
    return bool(text.strip())


def _injected(deps: Deps) -> Callable[[str], bool]:
    def injected(line: str) -> bool:
        with deps.store.snapshot() as snapshot:
            return receipts.receipt_of_line(snapshot, line_hash(line)) is not None

    return injected


def _store(
    deps: Deps, caller: Who, ready: Sequence[_Ready], tally: _Tally, step: Step, *, owner: str | None
) -> None:
    """Put the records into the store, in one transaction; take it back for a trial."""
    now_ms = deps.clock()
    outcomes: list[Outcome] = []
    ready = _with_meanings(deps, caller, ready)

    def job(tx: WriteTx) -> None:
        # A job may be run again after a lost transaction.
        outcomes.clear()
        outcomes.extend(_put(deps, tx, caller, entry, owner, now_ms) for entry in ready)
        if step is not Step.RUN:
            raise _RolledBack

    try:
        deps.store.write(job, full_sync=step is Step.RUN).result()
        deps.kept.forget()
        deps.wake()
    except _RolledBack:
        pass
    for entry, outcome in zip(ready, outcomes, strict=True):
        # In a trial of one part, what an earlier part brings is not there.
        shown = Outcome.NEW if step is Step.DRY_RUN and outcome is Outcome.UNLINKED else outcome
        tally.outcomes[shown] += 1
        if shown in _FAULTS:
            tally.fault(entry.index, shown.value)


_FAULTS = frozenset({Outcome.REFUSED, Outcome.UNLINKED, Outcome.DIFFERS, Outcome.INVALID})


def _with_meanings(deps: Deps, caller: Who, ready: Sequence[_Ready]) -> Sequence[_Ready]:
    """Return the records with the meanings of statements and memories, if their user has forgotten anything (C90)."""
    with deps.store.snapshot() as snapshot:
        users = {entry.record.get("user") or caller.user for entry in ready}
        careful = {user for user in users if tombstones.any_of(snapshot, user)}
    if not careful:
        return ready
    return [
        replace(entry, means=meaning(deps, entry.record["text"]))
        if entry.record["kind"] in {"statement", "memory"}
        and (entry.record.get("user") or caller.user) in careful
        else entry
        for entry in ready
    ]


def _put(deps: Deps, tx: WriteTx, caller: Who, ready: _Ready, owner: str | None, now_ms: int) -> Outcome:
    record = ready.record
    if record["kind"] == "message":
        return _message(deps, tx, caller, record, now_ms)
    if record["kind"] == "statement":
        return _statement(deps, tx, caller, ready, now_ms)
    if record["kind"] == "leaf":
        return _leaf(tx, caller, record, owner, now_ms)
    if record["kind"] == "shared" and not Wish().by_person(caller):
        return Outcome.REFUSED
    text = record.get("text") or ""
    known = Known(record.get("tokens", 0), content_hash(text), ready.means)
    return incoming.put(tx, record, known, owner, now_ms)


def _leaf(tx: WriteTx, caller: Who, record: Json, owner: str | None, now_ms: int) -> Outcome:
    """Take in what was set by name; a rule only from the person, since it stands in every prompt."""
    rule = record["leaf"] == Leaf.RULE.value
    if rule and not Wish().by_person(caller):
        return Outcome.REFUSED
    done = incoming.put(tx, record, Known(0, "", None), owner, now_ms)
    if rule and done is Outcome.NEW:
        ledger.settle(tx, Leaf.RULE, record["user"], now_ms)
    return done


def _answer(step: Step, given: int, tally: _Tally) -> Json:
    answer: Json = {
        "step": step.value,
        "records": given,
        "kinds": dict(tally.kinds),
        "cleaned": tally.cleaned,
    }
    answer |= {outcome.value: tally.outcomes[outcome] for outcome in Outcome}
    bad = {Outcome.INVALID, Outcome.REFUSED}
    if step is Step.VERIFY:
        bad |= {Outcome.NEW, Outcome.DIFFERS, Outcome.UNLINKED}
    answer["ok"] = not any(tally.outcomes[outcome] for outcome in bad)
    answer["faults"] = tally.faults
    return answer


# ------------------------------------------------------------------ what other systems say


def _session_key(system: str, name: str) -> str:
    return name if name.startswith(f"{system}:") else f"{system}:{name}"


def _nothing_injected(_line: str) -> bool:
    return False


def _message(deps: Deps, tx: WriteTx, caller: Who, record: Json, now_ms: int) -> Outcome:
    """Keep a turn of another system's talk in a session of the caller's; the gate learns from it later."""
    session = SessionRef(
        _session_key(record["system"], record["session"]), caller.user, record["system"],
        record["agent"] or caller.agent, record["project"] or caller.project,
    )  # fmt: skip
    role = Role(record["role"])
    new = NewTurn(role, record["text"], record["ts"], record["id"], _ORIGIN_OF[role], record["speaker"])
    # Its words were stripped and redacted with everything else.
    row = prepare(new, session, Injected(_nothing_injected, _nothing_injected, no_half), deps.cleaner, now_ms)
    if row is None:
        return Outcome.INVALID
    done: Appended = turns.append(tx, session, [row], None, now_ms)
    if done.forgotten:
        return Outcome.FORGOTTEN
    return Outcome.NEW if done.accepted else Outcome.KNOWN


def _statement(deps: Deps, tx: WriteTx, caller: Who, ready: _Ready, now_ms: int) -> Outcome:
    """Keep a durable statement of another system, in its own time and as whose words it says they are."""
    record, params = ready.record, deps.params.lifecycle
    text, user = record["text"], caller.user
    uid = "m" + digest("import", user, record["system"], record["id"] or content_hash(text))[:23]
    here = content.hash_of(tx, uid)
    if here is not None:
        return Outcome.KNOWN if here == content_hash(text) else Outcome.DIFFERS
    if content.ever(tx, user, content_hash(text)):
        return Outcome.KNOWN
    if taken_back(tx, user, text, ready.means, record["ts"]):
        return Outcome.FORGOTTEN
    new = _telling(caller, record, uid, now_ms)
    if record["active"]:
        tell(tx, new, [], now_ms, params)
    else:
        item = memories.insert(tx, _past(new, params), now_ms)
        revisions.archive(tx, [item], now_ms)
    return Outcome.NEW


def _telling(caller: Who, record: Json, uid: str, now_ms: int) -> Telling:
    person = record["origin"] == Origin.OWNER.value
    kind = MemoryType(record["type"]) if record["type"] else None
    if kind is None:
        kind = detect(record["text"], Role.USER, 0.0, 0.0) or MemoryType.FACT
    if not person and kind in _PERSONS:
        kind = MemoryType.FACT
    ts_ms = record["ts"] if record["ts"] is not None else now_ms
    signals = {"admitted_by": "import", "origin": record["origin"], "system": record["system"]}
    return Telling(
        text=record["text"],
        user=caller.user,
        type=kind,
        ts_ms=ts_ms,
        role=(Role.USER if person else Role.ASSISTANT).value,
        project=record["project"] or caller.project,
        agent=record["agent"] or caller.agent,
        confidence=record["confidence"],
        priority=record["priority"],
        ttl_ms=max(record["expires_ms"] - ts_ms, 1) if record["expires_ms"] is not None else None,
        signals=signals | ({"source_id": record["id"]} if record["id"] else {}),
        bound=not person,
        uid=uid,
    )


def _past(new: Telling, params: LifecycleParams) -> NewMemory:
    """Return a memory that its own system had put aside: it goes to the archive and says nothing about what holds."""
    return NewMemory(
        uid=new.uid or "",
        user=new.user,
        type=new.type,
        text=new.text,
        tokens=estimate(new.text),
        ts_ms=new.ts_ms,
        content_hash=content_hash(new.text),
        project=new.project,
        agent=new.agent,
        role=new.role,
        confidence=params.confidence.start if new.confidence is None else new.confidence,
        priority=TYPES[new.type].priority if new.priority is None else new.priority,
        signals=new.signals,
        priority_manual=new.priority is not None,
    )
