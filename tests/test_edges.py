"""Everything that reads what strangers write is tried: the table has it all, nothing gets out of it, and the worst text ends."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import threading
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import libra
from tests.conftest import examples
from tests.edges import EDGES, seeds
from tests.hostile import HOSTILE, megabyte

_PURE = ("text", "gate", "lifecycle", "assembly", "compaction")
"""What reads texts that have come in: of each module at least one reader must be tried, which leads to the others."""
_OUTSIDE = ("sources", "rpc", "mcp", "hosts", "config", "exchange")
"""What reads bytes first: each single reader must be tried."""
_NO_EDGE = {
    # Their argument is a name or a place of ours, or is checked by whoever hands it over.
    "libra.assembly.temporal", "libra.compaction.draft", "libra.config.choices", "libra.config.limits", "libra.config.named",
    "libra.config.tree", "libra.gate.talk", "libra.hosts.table", "libra.mcp.server", "libra.rpc.libravdb_schema",
    "libra.rpc.libravdb_messages", "libra.rpc.libravdb_grpc", "libra.rpc.reception", "libra.sources.absence", "libra.sources.scan",
    "libra.sources.looking", "libra.sources.lance", "libra.sources.reader",
}  # fmt: skip
_NO_READER = {
    "ask", "base_cursor", "facts_of_key", "internal", "is_database", "named_session", "only_differs_at", "plain", "predecessor", "render",
    "signature", "wanted",
}  # fmt: skip
"""Functions of other modules of which the same is true."""


def _functions() -> dict[CodeType, str]:
    """Return the public functions whose first argument is a text or bytes, and what parsers and passes of hosts are fed with."""
    found: dict[CodeType, str] = {}
    for package in (*_PURE, *_OUTSIDE):
        home = importlib.import_module(f"libra.{package}")
        for info in pkgutil.iter_modules(home.__path__, f"libra.{package}."):
            if info.name not in _NO_EDGE:
                found.update(_of_module(importlib.import_module(info.name), passes=package == "sources"))
    return found


def _of_module(module: ModuleType, *, passes: bool) -> Iterator[tuple[CodeType, str]]:
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(value) and name not in _NO_READER and _reads(value):
            yield value.__code__, f"{module.__name__}.{name}"
        elif inspect.isclass(value) and passes and not getattr(value, "_is_protocol", False):
            for method in ("feed", "step"):
                if (code := getattr(vars(value).get(method), "__code__", None)) is not None:
                    yield code, f"{module.__name__}.{name}.{method}"


def _left(wanted: Mapping[CodeType, str], ran: set[CodeType]) -> list[str]:
    """Return what was not tried: a module of a pure package of which nothing was, any reader of the others."""
    tried = {name.rpartition(".")[0] for code, name in wanted.items() if code in ran}
    missing = {name for code, name in wanted.items() if code not in ran}
    whole = {name.rpartition(".")[0] for name in missing if name.split(".")[1] in _PURE} - tried
    return sorted(whole | {name for name in missing if name.split(".")[1] in _OUTSIDE})


def _reads(function: Any) -> bool:
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and str(first.annotation).split("|")[0].strip() in {"str", "bytes"}


def test_no_reader_is_left_out() -> None:
    """A parser or a reader that nobody tries with hostile bytes is where the next crash is: each is run by an edge of the table."""
    wanted = _functions()
    assert len([name for name in wanted.values() if name.startswith("libra.sources")]) > 20
    ran: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            ran.add(frame.f_code)

    # What a cache would answer is read again: a reader that was warmed by another test counts all the same.
    for name, module in list(sys.modules.items()):
        if name.startswith(libra.__name__):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear") and getattr(value, "__module__", "") == name:
                    value.cache_clear()
    sys.setprofile(note)
    try:
        for name, read in EDGES.items():
            for seed in seeds(name):
                read(seed)
    finally:
        sys.setprofile(None)
    assert _left(wanted, ran) == []


pieces = st.sampled_from([megabyte(name, 60) for name in sorted(HOSTILE)])
"""The beginnings of all hostile texts: in one text they meet."""


def _inputs(name: str) -> st.SearchStrategy[bytes]:
    own = st.sampled_from(seeds(name))
    spoilt = st.tuples(own, st.integers(0, 400), st.binary(max_size=8), st.integers(0, 8)).map(
        lambda drawn: drawn[0][: drawn[1]] + drawn[2] + drawn[0][drawn[1] + drawn[3] :]
    )
    return st.one_of(
        st.binary(max_size=200), spoilt, st.lists(st.one_of(pieces, own), max_size=5).map(b"".join)
    )


@pytest.mark.parametrize("name", sorted(EDGES))
def test_nothing_gets_out(name: str) -> None:
    """Whatever bytes a host, a file or a caller brings: an edge answers or refuses in our own words, and never with a traceback."""

    @examples(8)
    @given(data=_inputs(name))
    def tried(data: bytes) -> None:
        EDGES[name](data)

    tried()


_ONCE_SLOW = [
    ("partition", "heading of blanks"), ("artifacts", "tildes"), ("own_words", "tildes"), ("documents", "front matter of blank lines"),
    ("estimate", "hard blanks"), ("projects", "blanks in a setting"), ("config", "long key"), ("host settings", "dotted"),
]  # fmt: skip
_PATIENCE_S = 60


@pytest.mark.parametrize(("name", "text"), _ONCE_SLOW)
def test_what_was_once_quadratic_ends(name: str, text: str) -> None:
    """Each of these texts once took hours a megabyte, in which nothing else was judged or answered."""
    data = megabyte(text, 300_000)
    done = threading.Event()

    def read() -> None:
        EDGES[name](data)
        done.set()

    threading.Thread(target=read, daemon=True).start()
    assert done.wait(_PATIENCE_S), "no stopwatch: what is quadratic does not end within this at all"
