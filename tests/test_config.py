"""Settings: a file becomes a frozen tree; what cannot be used is named with file, key and expectation."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import libra
from libra.config import Config, load
from libra.config.limits import bounds
from libra.config.person import os_user
from libra.config.reader import keys
from libra.config.tree import SECTIONS, TOP, defaults, section_keys
from libra.ground.errors import ConfigError
from libra.ground.records import Scope, ScopeKind
from libra.ground.zones import SystemZone
from libra.sources.document_places import NamedRoot

Write = Callable[[str], Path]

FULL = """
user = "anna"
time_zone = "Asia/Ho_Chi_Minh"

[access]
ops = ["agent:main", "project:example.org/team/app"]

[model]
folder = "models/own"
dims = 256
providers = ["cpu"]
threads = 2

[sources]
hosts = ["openclaw"]
tool_output = true

[sources.look]
poll_s = 10

[documents]
instructions = ["~/RULES.md"]
notes = ["/srv/notes"]
max_bytes = 1000
reference_budget_tokens = 4000

[[documents.roots]]
path = "team"
scope = "user:anna"
instructions = false

[documents.absence]
many = 9

[assemble]
hard = 0.3
deadline_ms = 500

[rank]
alpha = 1

[store.writer]
busy_ms = 20000

[summarizer]
model = "models/t5"
timeout_s = 5

[summarizer.breaker]
failures = 2

[server]
max_connections = 8
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file of settings."""

    def put(text: str) -> Path:
        path = tmp_path / "config.toml"
        path.write_text(text, "utf-8")
        return path

    return put


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    """The person is the user who is logged in, the zone the machine's."""
    config = load(tmp_path / "config.toml")
    assert config.user == os_user()
    assert isinstance(config.zone, SystemZone)
    assert dataclasses.replace(config, zone=UTC) == defaults(os_user(), UTC)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "config.toml", must_exist=True)
    assert "is not there" in caught.value.message


def test_an_empty_file_is_all_defaults(write: Write) -> None:
    """Comments, blank lines and a byte order mark say nothing."""
    assert dataclasses.replace(load(write("\ufeff# nothing\r\n\r\n")), zone=UTC) == defaults(os_user(), UTC)


def test_every_value_arrives_at_its_place(write: Write, tmp_path: Path) -> None:
    """Sections fill the parts of several packages; what is not named keeps its default."""
    config = load(write(FULL))
    base = defaults("anna", config.zone)
    assert (config.user, config.zone) == ("anna", ZoneInfo("Asia/Ho_Chi_Minh"))
    assert config.sources.user == config.engine.default_user == "anna"
    assert config.engine.access == {"ops": ("agent:main", "project:example.org/team/app")}
    assert config.model.folder == str(tmp_path / "models" / "own")
    assert (config.model.dims, config.model.providers, config.model.threads) == (256, ("cpu",), 2)
    assert (config.sources.hosts, config.sources.tool_output) == (("openclaw",), True)
    assert config.sources.look.poll_s == 10.0
    assert type(config.sources.look.poll_s) is float
    assert config.sources.documents.max_bytes == 1_000
    assert config.sources.documents.absence.many == 9
    assert config.engine.documents.reference_budget_tokens == 4_000
    assert (config.engine.pack.hard, config.engine.deadline_ms) == (0.3, 500)
    assert config.engine.pack.soft == base.engine.pack.soft
    assert config.engine.rank.alpha == 1.0
    assert config.store.writer.busy_ms == 20_000
    assert config.store.readers == base.store.readers
    assert config.engine.summarizer.model == str(tmp_path / "models" / "t5")
    assert (config.engine.summarizer.timeout_s, config.engine.summarizer.breaker.failures) == (5.0, 2)
    assert config.server.max_connections == 8
    assert config.sources.roots == (
        NamedRoot(Path.home() / "RULES.md", Scope(ScopeKind.GLOBAL), instructions=True),
        NamedRoot(Path("/srv/notes"), Scope(ScopeKind.GLOBAL), instructions=False),
        NamedRoot(tmp_path / "team", Scope(ScopeKind.USER, "anna"), instructions=False),
    )


WRONG = [
    (
        "[summarizer]\nmodel = 'a'\nollama = 'http://127.0.0.1:1'",
        "summarizer",
        "one of model, ollama and openai",
    ),
    ("[summarizer]\nollama = 'http://127.0.0.1:1'", "summarizer", "the model's name"),
    ("[summarizer]\nname = 'm'\nollama = 'http://example.org'", "summarizer", "allow_remote"),
    ("[summarizer]\nname = 'm'\nopenai = 'nowhere'", "summarizer", "a URL"),
    ("[summarizer]\nkey = 'sk-1'", "summarizer.key", "unknown key"),
    ("[summarizer]\ntimeout_s = 0", "summarizer.timeout_s", "a number from 0.1"),
    ("usr = 'x'", "usr", "unknown key"),
    ("[asemble]", "asemble", "unknown key"),
    ("[assemble]\nhrd = 0.3", "assemble.hrd", "unknown key"),
    ("[store.writer]\nx = 1", "store.writer.x", "unknown key"),
    ("[sources]\nuser = 'x'", "sources.user", "unknown key"),
    ("[sources]\nsurroundings = {}", "sources.surroundings", "unknown key"),
    ("assemble = 3", "assemble", "expected a table"),
    ("[store]\nwriter = 3", "store.writer", "expected a table"),
    ("[assemble]\nhard = 'much'", "assemble.hard", "a number from 0 to 1"),
    ("[assemble]\nhard = true", "assemble.hard", "a number from 0 to 1"),
    ("[assemble]\nhard = 1.5", "assemble.hard", "a number from 0 to 1"),
    ("[assemble]\nhard = nan", "assemble.hard", "a number from 0 to 1"),
    ("[assemble]\nhard = -0.1", "assemble.hard", "a number from 0 to 1"),
    ("[assemble]\nhard = 0.5\nsoft = 0.4\ntail = 0.35", "assemble", "hard + soft + tail may not exceed 1"),
    ("[store.writer]\nbusy_ms = 1.5", "store.writer.busy_ms", "a whole number"),
    ("[store.writer]\nbusy_ms = true", "store.writer.busy_ms", "a whole number"),
    ("[store.writer]\nbusy_ms = -1", "store.writer.busy_ms", "a whole number from 0 to 86,400,000"),
    ("[server]\nmax_connections = 65", "server.max_connections", "a whole number from 1 to 64"),
    ("[store]\nvectors = 1", "store.vectors", "true or false"),
    ("[sources]\nhosts = 'openclaw'", "sources.hosts", "a list of texts"),
    ("[sources]\nhosts = [1]", "sources.hosts", "a list of texts"),
    ("[model]\nprofile = 7", "model.profile", "a text in quotes"),
    ("[model]\ndims = 'all'", "model.dims", "a whole number from 8 to 8,192"),
    ("[model]\nthreads = 0", "model.threads", "a whole number from 1 to 256"),
    ("user = 7", "user", "a text that is not empty"),
    ("user = ' '", "user", "a text that is not empty"),
    ("time_zone = 'Mars/Olympus'", "time_zone", "an IANA time zone"),
    ("time_zone = '../../etc/passwd'", "time_zone", "an IANA time zone"),
    ("access = 3", "access", "a table"),
    ("[access]\nops = 'global'", "access.ops", "a list of scopes"),
    ("[access]\nops = ['global', 'user']", "access.ops[1]", "a scope"),
    ("[access]\nops = [3]", "access.ops[0]", "a scope"),
    ("[documents]\nnotes = 'x'", "documents.notes", "a list"),
    ("[documents]\nnotes = ['']", "documents.notes[0]", "a path"),
    ("[documents]\nroots = [3]", "documents.roots[0]", "a table with path"),
    ("[[documents.roots]]\nscope = 'global'", "documents.roots[0].path", "a path"),
    ("[[documents.roots]]\npath = 'x'\nscope = 'me'", "documents.roots[0].scope", "a scope"),
    ("[[documents.roots]]\npath = 'x'\ninstructions = 1", "documents.roots[0].instructions", "true or false"),
    ("[[documents.roots]]\npath = 'x'\nkind = 1", "documents.roots[0].kind", "unknown key"),
]


@pytest.mark.parametrize(
    ("text", "key", "expected"), WRONG, ids=[f"{key}-{i}" for i, (_, key, _) in enumerate(WRONG)]
)
def test_what_cannot_be_used_is_named(write: Write, text: str, key: str, expected: str) -> None:
    """File, key and what was expected."""
    path = write(text)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert caught.value.where == f"{path}: {key}"
    assert caught.value.message.startswith(f"{path}: {key}: ")
    assert expected in caught.value.message


def test_a_slip_of_the_hand_gets_a_hint(write: Write) -> None:
    """The nearest key is named."""
    with pytest.raises(ConfigError) as caught:
        load(write("[assemble]\ndeadline = 5"))
    assert caught.value.hint == "did you mean deadline_ms?"


@pytest.mark.parametrize("raw", [b"user = ", b"\xff\xfe", b"a" * 2_000_000, b"x = [" * 50_000, b"[a]\n[a]"])
def test_what_is_no_toml_is_said(tmp_path: Path, raw: bytes) -> None:
    """Torn, not UTF-8, far too long, nested without end."""
    path = tmp_path / "config.toml"
    path.write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert str(path) in caught.value.message


def test_a_folder_in_the_files_place_is_said(tmp_path: Path) -> None:
    """What the system says is passed on."""
    with pytest.raises(ConfigError):
        load(tmp_path)


def all_keys() -> Iterator[Any]:
    """Yield every key of every section, nested tables opened."""
    config = defaults("anna", UTC)

    def opened(key: Any) -> Iterator[Any]:
        if dataclasses.is_dataclass(key.kind):
            for inner in keys(key.kind, key.path, key.default):
                yield from opened(inner)
        else:
            yield key

    for section in SECTIONS:
        for _, key in section_keys(config, section):
            yield from opened(key)


def test_every_default_is_within_its_bounds() -> None:
    """A file that spells out a default is never refused."""
    for key in all_keys():
        if key.bounds is not None and key.default is not None:
            assert key.bounds[0] <= key.default <= key.bounds[1], key.path
        if get_number(key.kind):
            assert key.bounds is not None, key.path


def get_number(kind: Any) -> bool:
    """Return True for int and float, optional or not."""
    return kind in (int, float, int | None, float | None)


def test_no_key_is_there_twice() -> None:
    """Two parts of one section do not fight over a name."""
    paths = [key.path for key in all_keys()]
    assert len(paths) == len(set(paths))
    assert not {s.name for s in SECTIONS} & set(TOP)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from([*TOP, *(s.name for s in SECTIONS), "zzz"]),
        st.integers()
        | st.text(max_size=3)
        | st.dictionaries(st.sampled_from(["hard", "roots", "writer"]), st.integers()),
        max_size=3,
    )
)
def test_any_toml_loads_or_is_a_config_error(write: Write, table: dict[str, Any]) -> None:
    """No other exception comes out."""
    lines = []
    for name, value in table.items():
        if isinstance(value, dict):
            inner = ", ".join(f"{k} = {v}" for k, v in value.items())
            lines.append(f"{name} = {{ {inner} }}")
        else:
            lines.append(f"{name} = {json.dumps(value)}")
    try:
        outcome: object = load(write("\n".join(lines)))
    except ConfigError as error:
        outcome = error.where
    assert isinstance(outcome, Config | str)


NOT_SETTINGS = {
    "libra.compaction.cue": "a cue line has one form",
    "libra.lifecycle": "the engine hands its own defaults down",
    "libra.inference": "belongs to the model: measured with its profile",
    "libra.gate.calibration": "takes effect with the labels of use, which come later",
    "libra.store.search": "measured with the index",
    "libra.store.words": "measured with the index",
    "libra.sources.events": "made of [sources] for each parser",
}
"""Modules and packages whose parameters no section fills, each for its reason."""


def test_every_packages_params_are_in_the_tree() -> None:
    """A package's parameters that no section fills are found here."""
    seen: set[type] = set()

    def walk(kind: Any) -> None:
        if dataclasses.is_dataclass(kind) and kind not in seen:
            seen.update(kind.__mro__)
            for hint in get_type_hints(kind).values():
                walk(hint)

    walk(Config)
    missing = set()
    for module in pkgutil.walk_packages(libra.__path__, "libra."):
        if module.name.startswith(("libra.__main__", "libra._shipped")):
            continue
        own = vars(importlib.import_module(module.name)).items()
        kinds = [k for n, k in own if n.endswith("Params") and dataclasses.is_dataclass(k) and k not in seen]
        missing |= {f"{k.__module__}.{k.__name__}" for k in kinds}
    assert [name for name in sorted(missing) if not name.startswith(tuple(NOT_SETTINGS))] == []


def test_the_machines_zone_agrees_with_the_zone_database() -> None:
    """Conversions both ways, over a change of daylight saving, as zoneinfo does them."""
    code = """
import sys, time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo
from libra.config.reader import keys
from libra.ground.zones import SystemZone
real, ours = ZoneInfo("Europe/Berlin"), SystemZone()
start = datetime(2026, 10, 24, 22, 30, tzinfo=UTC)
for step in range(0, 12):
    moment = start + timedelta(minutes=30 * step)
    a, b = moment.astimezone(real), moment.astimezone(ours)
    assert a.replace(tzinfo=None) == b.replace(tzinfo=None), (a, b)
    assert a.fold == b.fold, (a, b)
    assert a.utcoffset() == b.utcoffset(), (a, b)
    assert b.astimezone(UTC) == moment
assert datetime(2026, 7, 1, tzinfo=ours).utcoffset() == timedelta(hours=2)
assert datetime(2026, 1, 1, tzinfo=ours).tzname() == "UTC+01:00"
"""
    env = os.environ | {"TZ": "Europe/Berlin", "PYTHONPATH": str(Path(libra.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_times_beyond_any_clock_have_an_offset() -> None:
    """The year 1 or 9999 is no crash."""
    zone = SystemZone()
    for year in (1, 9_999):
        assert isinstance(datetime(year, 1, 1, tzinfo=zone).utcoffset(), timedelta)


def test_the_example_of_the_docs_loads(root: Path, write: Write) -> None:
    """What docs/configuration.md shows can be copied into a file."""
    text = (root / "docs" / "configuration.md").read_text("utf-8")
    example = text.split("```toml\n", 1)[1].split("```", 1)[0]
    assert tomllib.loads(example)
    load(write(example))


def test_the_page_of_settings_is_fresh(root: Path) -> None:
    """A changed parameter changes docs/configuration.md: run packaging/configuration_page.py."""
    page = page_module(root)
    assert (root / "docs" / "configuration.md").read_text("utf-8") == page.page()


def test_every_setting_is_explained(root: Path) -> None:
    """No key without a word about it in its dataclass."""
    page = page_module(root)
    bare = re.findall(r"^\| `(\w+)` \|.*\|\s*\|$", page.page(), re.MULTILINE)
    assert bare == []


def page_module(root: Path) -> ModuleType:
    """Return packaging/configuration_page.py as a module."""
    spec = importlib.util.spec_from_file_location(
        "libra_conf_page", root / "packaging" / "configuration_page.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_bounds_follow_the_unit_and_the_exceptions() -> None:
    """Milliseconds, shares, counts; None for what is no number."""
    assert bounds("a.b_ms", int, 5) == (0, 86_400_000)
    assert bounds("a.share", float, 0.5) == (0, 1)
    assert bounds("a.factor", float, 1.5) == (0, 1_000)
    assert bounds("a.count", int, 5) == (0, 1_000_000)
    assert bounds("model.dims", int | None, None) == (8, 8_192)
    assert bounds("a.word", str, "x") is None
