"""LibraVDB's JSON-RPC methods over Libra's own memory, for its clients as they are (hosts.md §4.3–4.4).

Their collections are views here: a session's are its turns, a user's are memories, authored ones are rules. What
they write goes the way of every other host's turns, so that nothing is kept twice and nothing is kept that the gate
would not. Scores are those of ``search``: calibrated, in [0, 1], since these clients drop what scores below .2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from libra.engine.audit import note_hint
from libra.engine.host_files import loads_itself
from libra.engine.libravdb_cards import CardMethods
from libra.engine.libravdb_wire import (
    HOST,
    MOST,
    Json,
    Verbs,
    agent_of,
    count_of,
    hit_of,
    known_ids,
    names_of,
    record,
    session_key,
    text_of,
)
from libra.exchange.dreams import Dream, refused
from libra.gate.admission import GateInput, score
from libra.ground.errors import Conflict, InvalidParams, LibraError
from libra.ground.records import (
    DocumentText,
    Kind,
    NewTurn,
    NodeTier,
    Origin,
    Role,
    Scope,
    ScopeKind,
    Who,
    normal_text,
)
from libra.store import documents, hints, memories, turns

_JOURNAL = 500
_ENOUGH = 1_000_000
_RECENT = 16
"""The host hands the last answer in again with the next turn, under another id (hosts.md §4.3): looked for in so many."""
_WIDER = 4
_LATEST_MS = 10**15
_AFTER_TURN = ":after-turn:"
_OK: Json = {"ok": True}
_KINDS: Mapping[str, frozenset[Kind]] = {
    "session": frozenset({Kind.TURN, Kind.SUMMARY}),
    "session_raw": frozenset({Kind.TURN}),
    "session_summary": frozenset({Kind.SUMMARY}),
    "session_recall": frozenset({Kind.TURN}),
    "turns": frozenset({Kind.TURN}),
    "user": frozenset({Kind.MEMORY}),
    "elevated": frozenset({Kind.GUIDANCE}),
    "authored": frozenset({Kind.LORE}),
    "global": frozenset({Kind.MEMORY, Kind.LORE}),
}
"""What each family of collections holds here; families that are not named are empty."""


class LibraVdb(CardMethods):
    """The methods for one running engine; fields that a method does not know are passed over.

    Args:
        verbs: The engine.
        user: The person.
        host: Whose plugin calls; its sessions are this host's.
    """

    def __init__(self, verbs: Verbs, user: str, host: str = HOST) -> None:
        self._verbs = verbs
        self._user = user
        self._host = host

    def __call__(self, method: str, params: Json) -> Any:
        """Carry out one of :data:`METHODS`.

        Raises:
            LibraError: As the verbs behind it.
        """
        return METHODS[method](self, params)

    def _who(self, session: str | None = None, agent: str | None = None) -> Who:
        return Who(user=self._user, host=self._host, session=session, agent=agent)

    # ------------------------------------------------------------------ reading

    def search_text(self, params: Json) -> Json:
        """Search one collection."""
        found = self._find(
            text_of(params, "collection"), text_of(params, "text"), count_of(params), known_ids(params)
        )
        return {"results": found}

    def search_text_collections(self, params: Json) -> Json:
        """Search several collections; ``k`` is for the merged list."""
        k, text = count_of(params), text_of(params, "text")
        excluded = params.get("excludeByCollection") or {}
        found = [
            hit
            for name in names_of(params, "collections")
            for hit in self._find(name, text, k, excluded.get(name) or ())
        ]
        best = {hit["id"]: hit for hit in sorted(found, key=lambda hit: hit["score"])}
        return {"results": sorted(best.values(), key=lambda hit: -hit["score"])[:k]}

    def query_raw_session(self, params: Json) -> Json:
        """Search the turns of one session."""
        name = f"session_raw:{text_of(params, 'sessionId')}"
        return {"results": self._find(name, text_of(params, "text"), count_of(params), known_ids(params))}

    def _find(self, collection: str, text: str, k: int, excluded: Iterable[Any]) -> list[Json]:
        family, _, name = collection.partition(":")
        kinds = _KINDS.get(family)
        if kinds is None or not text.strip() or collection in {"authored:hard", "authored:soft"}:
            return []
        away = {str(x) for x in excluded}
        of_session = family.startswith("session") or name.startswith("session:")
        session = name.removeprefix("session:") if of_session else None
        asked: Json = {"query": text, "kinds": kinds, "k": min(MOST, (k + len(away)) * _WIDER)}
        if family == "global":
            asked["scopes"] = (Scope(ScopeKind.GLOBAL),)
        hits = self._verbs.search(who=self._who(session, agent_of(name)), **asked)["hits"]
        if session is not None:
            key = session_key(session, self._host)
            hits = [hit for hit in hits if hit["source"].get("session") == key]
        found = [hit_of(hit, collection, self._host) for hit in hits]
        return [hit for hit in found if hit["id"] not in away][:k]

    def list_by_meta(self, params: Json) -> Json:
        """List a session's turns, or all cards of people: the only listings that these clients ask for."""
        if (params.get("key"), params.get("value")) == ("type", "user_card"):
            return {"results": self.cards()}
        family, _, session = text_of(params, "collection").partition(":")
        if not family.startswith("session") or params.get("key") != "sessionId":
            return {"results": []}
        return {"results": self._turns(session)}

    def list_collection(self, params: Json) -> Json:
        """List rules, memories, or a session's turns."""
        collection = text_of(params, "collection")
        family, _, name = collection.partition(":")
        if collection in {"authored:hard", "authored:soft"}:
            return {"results": self._rules(NodeTier(name))}
        if family == "user":
            return {"results": self._memories()}
        return {"results": self._turns(name) if family.startswith("session") else []}

    def _turns(self, session: str) -> list[Json]:
        key = session_key(session, self._host)
        with self._verbs.deps.store.snapshot() as snapshot:
            rows = turns.turns_of(snapshot, key)
        return [
            record(row.external_id or row.uid, 1.0, row.text, f"session:{session}",
                    {"role": row.role, "ts": row.ts_ms, "type": "turn", "sessionId": session, "userId": self._user})
            for row in rows
        ]  # fmt: skip

    def _rules(self, tier: NodeTier) -> list[Json]:
        """Return the rules that OpenClaw does not read itself."""
        with self._verbs.deps.store.snapshot() as snapshot:
            rows = documents.directives(snapshot, [f"user:{self._user}", "global"])
        return [
            record(row.uid, 1.0, row.text, f"authored:{tier.value}",
                    {"authored": True, "tier": 1 if tier is NodeTier.HARD else 2, "source_doc": row.path,
                     "position": row.line_start, "ordinal": number, "token_estimate": row.tokens})
            for number, row in enumerate(rows)
            if row.tier is tier and not loads_itself(self._host, row)
        ]  # fmt: skip

    def _memories(self) -> list[Json]:
        with self._verbs.deps.store.snapshot() as snapshot:
            rows = memories.newest(snapshot, self._user, MOST)
        return [
            record(row.uid, 1.0, row.text, f"user:{self._user}",
                    {"ts": row.ts_ms, "type": row.type, "userId": self._user, "confidence": row.confidence})
            for row in rows
        ]  # fmt: skip

    def expand_summary(self, params: Json) -> Json:
        """Walk from a summary back to its turns."""
        who = self._who(text_of(params, "sessionId"))
        depth = max(1, min(64, int(params.get("maxDepth") or 3)))
        found = self._verbs.expand(text_of(params, "summaryId"), who, depth)
        return {
            "results": [hit_of({"score": 1.0, **item}, "session_raw", self._host) for item in found["items"]]
        }

    def export_memory(self, _params: Json) -> Json:
        """Hand out the durable memories."""
        names = ("collection", "id", "text", "metadata")
        rows = [{**hit, "collection": hit["metadata"]["collection"]} for hit in self._memories()]
        return {"records": [{name: row[name] for name in names} for row in rows]}

    def gating_scalar(self, params: Json) -> Json:
        """Say what the gate sees in a text of which nothing is known; clients only record it."""
        text = params.get("text")
        found = score(GateInput(text if isinstance(text, str) else "", (), ()), self._verbs.deps.params.gate)
        parts = {name: float(value) for name, value in found.as_dict().items()}
        return {**parts, "inputFreq": 0.0, "memSaturation": 0.0}

    # ------------------------------------------------------------------ writing

    def insert_session_turn(self, params: Json) -> Json:
        """Store a turn of a session, once, whatever its id says."""
        session, text = text_of(params, "sessionId"), text_of(params, "text")
        meta = params.get("metadata")
        meta = meta if isinstance(meta, dict) else {}
        role = Role(meta["role"]) if meta.get("role") in set(Role) else Role.USER
        with self._verbs.deps.store.snapshot() as snapshot:
            rows = turns.tail(snapshot, session_key(session, self._host), 0, with_lineage=False)[:_RECENT]
        if any(r.role == role.value and normal_text(r.text) == normal_text(text) for r in rows):
            return _OK
        ts = meta.get("ts")
        origin = {Role.USER: Origin.OWNER, Role.ASSISTANT: Origin.AGENT, Role.TOOL: Origin.TOOL}.get(
            role, Origin.EXTERNAL
        )
        said_ms = int(ts) if isinstance(ts, int | float) and ts == ts and abs(ts) < _LATEST_MS else None  # noqa: PLR0124 - NaN
        turn = NewTurn(role, text, said_ms, str(params.get("id") or "") or None, origin)
        self._verbs.ingest(who=self._who(session, agent_of(str(meta.get("userId") or ""))), turns=[turn])
        return _OK

    def insert_text(self, params: Json) -> Json:
        """Keep a text that is no turn; turns come by ``insert_session_turn``, and the gate decides about them."""
        family, _, name = text_of(params, "collection").partition(":")
        if family in {"user", "global"} and _AFTER_TURN not in str(params.get("id")):
            who = self._who(agent=agent_of(name))
            self._verbs.remember(text=text_of(params, "text"), who=who, origin=Origin.EXTERNAL)
        return _OK

    def promote_dream_entries(self, params: Json) -> Json:
        """Keep what an agent's diary holds worth keeping, as the agent's."""
        outcomes = []
        for entry in params.get("entries") or ():
            text = entry.get("text") if isinstance(entry, dict) else None
            if (
                isinstance(entry, dict)
                and "score" in entry
                and refused(_dream(entry), self._verbs.deps.params.dreams)
            ):
                outcomes.append(False)
                continue
            try:
                done = self._verbs.remember(text=str(text or ""), who=self._who(), origin=Origin.AGENT)
                outcomes.append(done["outcome"] != "forgotten")
            except InvalidParams:
                outcomes.append(False)
        return {"promoted": outcomes.count(True), "rejected": outcomes.count(False)}

    def compact_session(self, params: Json) -> Json:
        """Shorten a session's history; its turns stay."""
        who = self._who(text_of(params, "sessionId"))
        done = self._verbs.compact(who=who, force=params.get("force") is True)
        return {
            "didCompact": done["did_compact"],
            "clustersFormed": done.get("clusters", 0),
            "clustersDeclined": done.get("declined", 0),
            "turnsRemoved": 0,
            "summaryMethod": "extractive",
            "meanConfidence": done.get("mean_confidence") or 0.0,
        }

    def ingest_markdown_document(self, params: Json) -> Json:
        """Read a document that the client found; one that Libra's own readers follow is left to them."""
        path = text_of(params, "sourceDoc")
        if self._is_theirs(path, unknown=True):
            instructions, own = params.get("coreDoc") is True, Scope(ScopeKind.USER, self._user)
            doc = DocumentText(
                path, str(params.get("text") or ""), self._host, own, instructions=instructions
            )
            self._verbs.document(doc)
        return _OK

    def delete_authored_document(self, params: Json) -> Json:
        """Let go of a document that came by ``ingest_markdown_document``."""
        path = text_of(params, "sourceDoc")
        if self._is_theirs(path, unknown=False):
            self._verbs.document_state(path, "gone")
        return _OK

    def _is_theirs(self, path: str, *, unknown: bool) -> bool:
        """Return True if a document came from such a client; ``unknown`` where there is no such document."""
        with self._verbs.deps.store.snapshot() as snapshot:
            known = documents.states(snapshot).get(path)
        own = Scope(ScopeKind.USER, self._user).text
        return unknown if known is None else (known.host, known.scope) == (self._host, own)

    def delete(self, params: Json) -> Json:
        """Forget one record; one that is not there is gone already."""
        return self._forget([params.get("id")])

    def delete_batch(self, params: Json) -> Json:
        """Forget several records."""
        return self._forget(params.get("ids") or ())

    def _forget(self, ids: Iterable[Any]) -> Json:
        for uid in ids:
            try:
                self._verbs.forget(who=self._who(), ids=[str(uid)])
            except LibraError as error:
                if error.reason != "not_found":
                    raise
        return _OK

    def flush_namespace(self, params: Json) -> Json:
        """Refuse: it means "delete everything", and a memory of many agents is not one client's to delete."""
        if not (params.get("userId") or params.get("namespace")):
            raise InvalidParams("userId or namespace: missing", where="userId")
        raise Conflict("all agents share this memory: use `libra forget` for what is to go", reason="shared")

    # ------------------------------------------------------------------ what needs no doing

    def nothing(self, _params: Json) -> Json:
        """Agree: collections need no making, and use is counted from receipts."""
        return _OK

    def session_lifecycle_hint(self, params: Json) -> Json:
        """Note what becomes of a session."""
        told = {name: params.get(name) or "" for name in ("hook", "sessionId", "reason")}
        session = str(told["sessionId"]) or None
        note_hint(self._verbs.deps, self._who(session), str(told["hook"]), dict(params))
        return {"ok": True, **told}

    def list_lifecycle_journal(self, params: Json) -> Json:
        """List what hosts said of sessions' lives, newest last."""
        session, limit = params.get("sessionId"), params.get("limit")
        key = session_key(str(session), self._host) if session else None
        most = limit if isinstance(limit, int) and limit > 0 else _JOURNAL
        with self._verbs.deps.store.snapshot() as snapshot:
            found = hints.newest(snapshot, self._user, key, most)[::-1]
        return {"results": [record(f"hint:{h.id}", 1.0, h.hook, "lifecycle", dict(h.body)) for h in found]}


def _dream(entry: Json) -> Dream:
    """Return an entry as the gates see it: a figure that is not given stands in no way, one that is no number counts as 0."""

    def number(name: str) -> float:
        value = entry.get(name, _ENOUGH)
        return float(value) if isinstance(value, int | float) else 0.0

    recalls, questions = int(number("recallCount")), int(number("uniqueQueries"))
    return Dream(str(entry.get("text") or ""), number("score"), recalls, questions, 0)


METHODS: Mapping[str, Callable[[LibraVdb, Json], Json]] = {
    **{
        method.__name__: method
        for method in (
            LibraVdb.search_text, LibraVdb.search_text_collections, LibraVdb.query_raw_session, LibraVdb.list_by_meta,
            LibraVdb.list_collection, LibraVdb.expand_summary, LibraVdb.export_memory, LibraVdb.gating_scalar,
            LibraVdb.insert_session_turn, LibraVdb.insert_text, LibraVdb.promote_dream_entries, LibraVdb.compact_session,
            LibraVdb.ingest_markdown_document, LibraVdb.delete_authored_document, LibraVdb.delete, LibraVdb.delete_batch,
            LibraVdb.flush_namespace, LibraVdb.session_lifecycle_hint, LibraVdb.list_lifecycle_journal,
            LibraVdb.upsert_user_card, LibraVdb.get_user_card,
        )
    },
    "ensure_collections": LibraVdb.nothing,
    "bump_access_counts": LibraVdb.nothing,
}  # fmt: skip
"""What these clients call beyond ``health``, ``status`` and ``flush``, which are Libra's own names, too."""
