"""Made-up technical talk for the benchmarks: many different sentences, the same ones on every run."""

from __future__ import annotations

import random
from collections.abc import Iterator

_WHO = [
    "the relay",
    "the limiter",
    "the dashboard",
    "the worker",
    "the parser",
    "the scheduler",
    "the cache",
    "the importer",
    "the gateway",
    "the queue",
]
_DID = [
    "drops",
    "retries",
    "duplicates",
    "delays",
    "rejects",
    "reorders",
    "loses",
    "batches",
    "caches",
    "truncates",
]
_WHAT = [
    "messages",
    "webhooks",
    "rows",
    "sessions",
    "tokens",
    "uploads",
    "invoices",
    "events",
    "thumbnails",
    "migrations",
]
_WHEN = [
    "after a restart",
    "under load",
    "at midnight",
    "when the disk is full",
    "on the second try",
    "behind the proxy",
    "in the nightly run",
    "after 20 minutes",
]
_WHY = [
    "because the lock is held too long",
    "since the clock jumps",
    "as the pool is too small",
    "because two writers share the file",
    "since the index is stale",
    "because the retry has no cap",
]
_SO = [
    "we decided to cap it at {n}",
    "I moved it to {path}",
    "the fix is in {path}:{n}",
    "the test {name} covers it now",
    "error {code} means exactly that",
    "set {name} to {n}",
]
_AREA = ["billing", "search", "login", "reports", "export", "import", "mail", "audit", "sync", "upload"]


def sentences(count: int, seed: int = 7) -> Iterator[str]:
    """Yield ``count`` different sentences of 15 to 45 words."""
    rng = random.Random(seed)
    for number in range(count):
        area = rng.choice(_AREA)
        path = f"{area}/{rng.choice(_WHAT)}_{rng.randrange(400)}.py"
        so = rng.choice(_SO).format(
            n=rng.randrange(2, 5000),
            path=path,
            name=f"{area}_{rng.choice(_DID)}_{number}",
            code=f"E{rng.randrange(1000, 9999)}",
        )
        first = f"In {area} {rng.choice(_WHO)} {rng.choice(_DID)} {rng.choice(_WHAT)} {rng.choice(_WHEN)} {rng.choice(_WHY)}"
        more = (
            f" and {rng.choice(_WHO)} {rng.choice(_DID)} {rng.choice(_WHAT)} {rng.choice(_WHEN)}"
            if rng.random() < 0.6
            else ""
        )
        yield f"{first}{more}; {so}."


def questions(count: int, seed: int = 11) -> list[str]:
    """Return ``count`` questions about what :func:`sentences` says."""
    rng = random.Random(seed)
    forms = (
        "Why does {who} in {area} {did} {what} {when}?",
        "What did we decide about {what} in {area} {when}?",
        "Where is the fix for {who} that {did} {what}?",
    )
    return [
        rng.choice(forms).format(
            who=rng.choice(_WHO),
            area=rng.choice(_AREA),
            did=rng.choice(_DID),
            what=rng.choice(_WHAT),
            when=rng.choice(_WHEN),
        )
        for _ in range(count)
    ]
