"""The tree of settings, and the table that says which section of the file fills which part of it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any, TypeVar

from libra.config import named
from libra.config.person import os_user
from libra.config.reader import Key, Table, fault, keys, read, unknown
from libra.desktop.page_keys import PageParams
from libra.engine.background import BackgroundParams
from libra.engine.deps import EngineParams
from libra.engine.rerank import check_rerank
from libra.engine.summariser import kind_of
from libra.ground import toml
from libra.ground.errors import ConfigError
from libra.ground.zones import SystemZone
from libra.rpc.door import CompatParams
from libra.rpc.server import ServerParams
from libra.sources.service import SourceParams
from libra.store.store import StoreParams

T = TypeVar("T")

_MAX_BYTES = 1024 * 1024
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class ModelParams:
    """Which embedding model is used.

    Attributes:
        profile: A model that came with Libra.
        folder: A folder with another model and its ``manifest.json``; it wins over ``profile``.
        dims: Components of a vector, for models that can be cut (Matryoshka); all of them if absent.
        providers: Execution providers to try, best first (``cpu`` to try no other); the platform's if absent.
        threads: Threads of one run on the CPU.
    """

    profile: str = "minilm-l6-v2"
    folder: str | None = None
    dims: int | None = None
    providers: tuple[str, ...] | None = None
    threads: int = 1


@dataclass(frozen=True, slots=True)
class McpParams:
    """What agents are offered over MCP.

    Attributes:
        all_tools: List every tool, not the seven that agents need daily; counts from the next start of an agent.
    """

    all_tools: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one running Libra.

    Attributes:
        user: The person whose memory it is.
        zone: The person's time zone, for days and for times that are shown.
        engine: The verbs.
        background: The worker that embeds, judges and compacts.
        sources: The readers of files.
        store: The database.
        model: The embedding model.
        server: The socket.
        compat: Other memories whose clients are served.
        page: The local page.
        mcp: What agents are offered over MCP.
    """

    user: str
    zone: tzinfo
    engine: EngineParams
    background: BackgroundParams
    sources: SourceParams
    store: StoreParams
    model: ModelParams
    server: ServerParams
    compat: CompatParams
    page: PageParams
    mcp: McpParams


@dataclass(frozen=True, slots=True)
class Part:
    """A dataclass of the tree that a section fills: where it is, and which of its fields."""

    target: str
    only: frozenset[str] | None = None
    skip: frozenset[str] = frozenset()

    def takes(self, name: str) -> bool:
        """Return True if the section may set this field."""
        return name not in self.skip and (self.only is None or name in self.only)


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the file.

    Attributes:
        name: Its name in brackets.
        doc: What it is about.
        parts: What it fills.
        named: Keys that are read by :mod:`libra.config.named` rather than field by field.
    """

    name: str
    doc: str
    parts: tuple[Part, ...]
    named: Mapping[str, str] = field(default_factory=dict)


_NOT_FROM_FILE = frozenset({"user", "surroundings", "roots", "documents"})

SECTIONS = (
    Section("model", "The embedding model.", (Part("model"),)),
    Section("sources", "What is read: agents' transcripts.", (Part("sources", skip=_NOT_FROM_FILE),)),
    Section(
        "documents",
        "Instruction files and notes.",
        (Part("sources.documents"), Part("engine.documents")),
        {
            "instructions": "Further instruction files or folders of them, for everybody (scope global).",
            "notes": "Further notes or folders of them: recalled, never taken for rules.",
            "roots": "The same with a scope: `[[documents.roots]]` with `path`, `scope`, `instructions`; of a folder or an Obsidian vault only what `include` and `exclude` (patterns of paths) and `tags` ask for.",
        },
    ),
    Section(
        "assemble",
        "Tiers and budget of an assembled context. hard + soft + tail may not exceed 1.",
        (Part("engine.pack"), Part("engine", only=frozenset({"deadline_ms"}))),
    ),
    Section("answers", "How many answers are worked on at once.", (Part("engine.admission"),)),
    Section("recall", "How many candidates are looked at.", (Part("engine.recall"),)),
    Section("rank", "How candidates are ranked.", (Part("engine.rank"),)),
    Section("fusion", "How nearness of meaning and of words become one relevance.", (Part("engine.fusion"),)),
    Section("diversity", "How much alike the recalled items may be.", (Part("engine.diversity"),)),
    Section("gate", "What is worth keeping.", (Part("engine.gate"),)),
    Section(
        "calibration",
        "How use moves the gate's threshold.",
        (Part("engine.calibration", skip=frozenset({"default_threshold"})),),
    ),
    Section(
        "memory",
        "How sure memories are, how they age, and when two are one.",
        (
            Part("engine.lifecycle", only=frozenset({"impossible_days"})),
            Part("engine.lifecycle.confidence"),
            Part("engine.lifecycle.decay", skip=frozenset({"model"})),
            Part("engine.lifecycle.consolidate"),
            Part("engine.lifecycle.episodes"),
        ),
    ),
    Section("use", "What answers say of memories.", (Part("engine.lifecycle.usage"),)),
    Section("journal", "What can be undone.", (Part("engine.lifecycle.journal"),)),
    Section("compaction", "When and how long sessions become short.", (Part("engine.compaction"),)),
    Section(
        "summarizer",
        "A model that writes summaries in its own words. None by default: summaries are then put together from what was said.",
        (Part("engine.summarizer"),),
    ),
    Section(
        "rerank",
        "A cross-encoder that judges the best candidates again. None by default.",
        (Part("engine.rerank"),),
    ),
    Section("guidance", "Which standing instructions go first.", (Part("engine.guidance"),)),
    Section("rules", "Rules that are set by hand.", (Part("engine.rules"),)),
    Section("cards", "Cards of people.", (Part("engine.cards"),)),
    Section("intents", "Reminders that wait for their words.", (Part("engine.intents"),)),
    Section("always", "What stands in every prompt.", (Part("engine.always"),)),
    Section("audit", "What is kept of what was not learnt.", (Part("engine.audit"),)),
    Section("canary", "A made-up turn that goes the whole way now and then.", (Part("engine.canary"),)),
    Section("noise", "What is not learnt for being near what was called noise.", (Part("engine.noise"),)),
    Section(
        "decay",
        "How age weighs on the rank: half-lives, or Weibull curves with tiers.",
        (Part("engine.lifecycle.decay", only=frozenset({"model"})), Part("engine.lifecycle.weibull")),
    ),
    Section("prune", "When memories of no use are put away.", (Part("engine.lifecycle.prune"),)),
    Section("session_memory", "Memories of whole sessions.", (Part("engine.session_memory"),)),
    Section(
        "dreams", "What an entry of an agent's dream diary must have to be kept.", (Part("engine.dreams"),)
    ),
    Section("mirror", "Memories as Markdown files that may be changed by hand.", (Part("engine.mirror"),)),
    Section("background", "Pace of the work behind.", (Part("background"),)),
    Section("store", "The database.", (Part("store"),)),
    Section("server", "The socket.", (Part("server"),)),
    Section("page", "The page of `libra open`.", (Part("page"),)),
    Section("compat", "Clients of other memories.", (Part("compat"),)),
    Section("mcp", "Agents' tools.", (Part("mcp"),)),
)
"""Every section but ``[access]``, in the order of the documentation."""

TOP = {
    "user": "The person's name in Libra; by default the name of the user who is logged in.",
    "time_zone": "An IANA name such as Asia/Ho_Chi_Minh; by default the machine's zone.",
    "tenants": "A table: for an agent's name, the user whose memory it writes and reads; `[access]` lets it read others'.",
    "access": "A table: for an agent's name, the scopes that it may see beyond its own.",
}


def defaults(user: str, zone: tzinfo) -> Config:
    """Return the settings that hold without a file."""
    return Config(
        user=user,
        zone=zone,
        engine=EngineParams(default_user=user),
        background=BackgroundParams(),
        sources=SourceParams(user=user),
        store=StoreParams(),
        model=ModelParams(),
        server=ServerParams(),
        compat=CompatParams(),
        page=PageParams(),
        mcp=McpParams(),
    )


def load(path: Path, *, must_exist: bool = False) -> Config:
    """Return the settings of a file; those that it does not name have their defaults.

    Args:
        path: The file; without one all defaults hold.
        must_exist: The person has named the file, so that its absence is an error.

    Raises:
        ConfigError: The file cannot be read, or a key in it cannot be used; it is named.
    """
    table = _table(path, must_exist=must_exist)
    for name in table:
        if name not in TOP and all(name != s.name for s in SECTIONS):
            raise unknown(path, name, name, dict.fromkeys([*TOP, *(s.name for s in SECTIONS)]))
    user = named.text(table, "user", path) or os_user()
    config = defaults(user, named.zone(table, path) or SystemZone())
    for section in SECTIONS:
        config = _filled(config, section, table.get(section.name, {}), path)
    config = _put(config, "engine.tenants", named.tenants(table.get("tenants", {}), path))
    config = _put(config, "engine.access", named.access(table.get("access", {}), path))
    roots = named.roots(table.get("documents", {}), path)
    config = _put(config, "sources.roots", roots)
    for key in ("model.folder", "engine.mirror.folder", "engine.summarizer.model", "engine.rerank.model"):
        if (folder := _get(config, key)) is not None:
            config = _put(config, key, str(named.place(folder, path)))
    _check(config, path)
    return config


def section_keys(config: Config, section: Section) -> Iterator[tuple[Part, Key]]:
    """Yield the keys of a section that are fields of the tree, with the part that each belongs to."""
    for part in section.parts:
        target = _get(config, part.target)
        for key in keys(type(target), section.name, target):
            if part.takes(key.name):
                yield part, key


def _table(path: Path, *, must_exist: bool) -> Table:
    """Return the file's content."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(f"{path} is not there", where=str(path)) from None
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", where=str(path)) from error
    if len(raw) > _MAX_BYTES:
        raise ConfigError(f"{path} is larger than {_MAX_BYTES:,} bytes", where=str(path))
    try:
        # Editors of Windows put a byte order mark before the text.
        return toml.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start})", where=str(path)) from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is no TOML: {error}", where=str(path)) from None


def _filled(config: Config, section: Section, table: Any, file: Path) -> Config:
    """Return the tree with a section's values in it."""
    if not isinstance(table, dict):
        raise fault(file, section.name, "expected a table")
    owner = {key.name: part for part, key in section_keys(config, section)}
    values: dict[Part, dict[str, Any]] = {}
    for name, value in table.items():
        if name in section.named:
            continue
        if name not in owner:
            raise unknown(file, f"{section.name}.{name}", name, {**owner, **section.named})
        values.setdefault(owner[name], {})[name] = value
    for part, given in values.items():
        old = _get(config, part.target)
        config = _put(config, part.target, read(type(old), given, section.name, file, old))
    return config


def _get(root: Any, target: str) -> Any:
    """Return the value at a dotted path."""
    for name in target.split("."):
        root = getattr(root, name)
    return root


def _put(root: T, target: str, value: Any) -> T:
    """Return the frozen tree with another value at a dotted path."""
    name, _, rest = target.partition(".")
    changed: T = replace(root, **{name: _put(getattr(root, name), rest, value) if rest else value})  # type: ignore[type-var]
    return changed


def _check(config: Config, file: Path) -> None:
    """Check what no single key can: the shares of the tiers leave room for each other, there is one summariser and one reranker.

    Source: memory-model.md §6: a1 + a2 + b <= 1.
    """
    pack = config.engine.pack
    total = pack.hard + pack.soft + pack.tail
    if total > 1 + _ROUNDING:
        raise fault(file, "assemble", f"hard + soft + tail may not exceed 1, they are {total:g}")
    for section, check in (
        ("summarizer", lambda: kind_of(config.engine.summarizer)),
        ("rerank", lambda: check_rerank(config.engine.rerank)),
    ):
        try:
            check()
        except ConfigError as error:
            raise fault(file, section, error.message) from None
