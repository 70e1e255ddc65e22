"""Long sessions for the tests of compaction, stored through the real ingest."""

from __future__ import annotations

from collections.abc import Sequence

from libra.engine.deps import Deps
from libra.engine.ingest import ingest
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.inference.fake import FakeEmbedder
from libra.store import summaries, turns, vectors
from libra.store.rows import ItemRow

SESSION = "me/s1"
MINUTE_MS = 60_000


def who(session: str = "s1") -> Who:
    """Return the caller of a session."""
    return Who(user="me", session=session)


def with_model(deps: Deps, model: FakeEmbedder | None = None) -> FakeEmbedder:
    """Make a fake model ready."""
    made = model or FakeEmbedder(dims=128)
    deps.store.write(lambda tx: vectors.begin_model(tx, made.fingerprint, made.dims)).result()
    deps.model.ready(made)
    return made


def talk(count: int, start_ms: int, *, rules_every: int = 0) -> list[NewTurn]:
    """Return an alternating dialogue; with ``rules_every``, each n-th turn of the person is a rule."""
    out: list[NewTurn] = []
    for i in range(count):
        at = start_ms + i * MINUTE_MS
        if i % 2:
            text = (
                f"I looked at module_{i} and found that the loader reads config_{i}.toml twice, which costs {i + 7} ms on"
                " a cold start; the second read can go because the first result is still in memory."
            )
            out.append(NewTurn(Role.ASSISTANT, text, at, f"e{i}", Origin.AGENT))
        elif rules_every and (i // 2) % rules_every == 0:
            out.append(
                NewTurn(Role.USER, f"Never restart service_{i} without a backup.", at, f"e{i}", Origin.OWNER)
            )
        else:
            text = (
                f"The start of service_{i} still takes {i + 90} ms on our oldest machine, and the harbour team complained"
                f" about it in ticket HARB-{i + 100} last week."
            )
            out.append(NewTurn(Role.USER, text, at, f"e{i}", Origin.OWNER))
    return out


def store(deps: Deps, new: Sequence[NewTurn], session: str = "s1") -> list[str]:
    """Ingest turns into a session; return their ids."""
    return list(ingest(deps, who(session), new, None)["ids"])


def raw(deps: Deps, session: str = SESSION) -> list[ItemRow]:
    """Return all turns of a session."""
    with deps.store.snapshot() as s:
        return turns.turns_of(s, session)


def made(deps: Deps, session: str = SESSION, *, uncovered: bool = False) -> list[ItemRow]:
    """Return the summaries of a session."""
    with deps.store.snapshot() as s:
        return summaries.of_session(s, session, uncovered=uncovered)
