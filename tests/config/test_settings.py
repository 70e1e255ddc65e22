"""The settings as a person sees and changes them: one key at a time, checked before it is written."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.config import load
from libra.config.choices import CHOICES
from libra.config.edit import put
from libra.config.settings import Settings
from libra.config.tree import defaults
from libra.engine.reach import reach
from libra.ground.errors import Conflict, InvalidParams

FILE = """# mine
user = "anna"   # me

[assemble]
tail = 0.4     # more of what was said last
soft = [
]

[store.writer]
busy_ms = 5000
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the place of a settings file that is not there yet."""
    return tmp_path / "conf" / "config.toml"


@pytest.fixture
def settings(file: Path) -> Settings:
    """Return the settings of a Libra that runs with all defaults."""
    return Settings(file, defaults("anna", UTC))


def key(settings: Settings, name: str) -> dict[str, Any]:
    """Return one key as it is listed."""
    return next(k for s in settings.listed()["sections"] for k in s["keys"] if k["key"] == name)


def test_every_key_is_listed_with_default_bounds_and_effect(settings: Settings) -> None:
    """Else a person would have to read the documentation to change anything."""
    listed = settings.listed()
    keys = [k for section in listed["sections"] for k in section["keys"]]
    assert len(keys) > 150
    assert all(k["effect"] for k in keys)
    assert all(
        k["least"] <= k["default"] <= k["most"] for k in keys if "least" in k and k["default"] is not None
    )
    assert listed["waiting"] == []
    json.dumps(listed)
    names = {k["key"] for k in keys}
    assert names >= {"user", "time_zone", "tenants", "access", "documents.instructions", "documents.roots"}
    assert key(settings, "assemble.deadline_ms")["unit"] == "ms"


def test_keys_of_another_form_are_listed_changed_and_taken_back(settings: Settings, file: Path) -> None:
    """Else files of one's own could be named in the settings file only, and the page would not even say that they are."""
    settings.change("documents.notes", ["~/notes", "~/more"])
    settings.change("time_zone", "Europe/Oslo")
    assert key(settings, "documents.notes")["value"] == ["~/notes", "~/more"]
    assert str(load(file).zone) == "Europe/Oslo"
    assert sorted(settings.listed()["waiting"]) == ["documents.notes", "time_zone"]
    file.write_text(f'user = "anna"\n{file.read_text("utf-8")}[access]\nops = ["global"]\n', "utf-8")
    assert key(settings, "access")["value"] == {"ops": ["global"]}
    assert key(settings, "user")["kind"] == "own"
    settings.change("time_zone", None)
    settings.change("documents.notes", None)
    assert "access" in settings.listed()["waiting"]
    assert "zone" not in file.read_text("utf-8")


def test_every_closed_list_and_named_place_is_checked(settings: Settings, file: Path, tmp_path: Path) -> None:
    """Else a slip in a host's or folder's name would be written, and nothing would be read from then on."""
    for name, value in (
        ("sources.hosts", ["openclau"]), ("model.providers", ["gpu"]), ("model.profile", "minilm"), ("model.folder", ""),
        ("summarizer.model", str(tmp_path / "no")), ("rerank.style", "cohere"), ("rerank.key_env", "a b"), ("time_zone", "Mars/Olympus"),
    ):  # fmt: skip
        with pytest.raises(InvalidParams) as told:
            settings.change(name, value)
        assert told.value.where == "value"
        assert "expected" in told.value.message
    assert not file.exists()
    settings.change("mirror.folder", str(tmp_path / "not yet"))
    settings.change("model.folder", str(tmp_path))
    for name, known in CHOICES.items():
        assert key(settings, name)["choices"] == list(known)


def test_the_list_of_providers_is_the_runtimes() -> None:
    """Else one that was added there could not be set."""
    from libra.inference.providers import ORT_NAMES

    assert set(CHOICES["model.providers"]) == set(ORT_NAMES)


@pytest.mark.parametrize(
    ("name", "value"),
    [("assemble.tail", 0.4), ("store.writer.busy_ms", 9_000), ("summarizer.name", "writer"),
     ("compat.libravdb", True), ("sources.hosts", ["openclaw"]), ("memory.impossible_days", 7), ("assemble.hard", 0)],
)  # fmt: skip
def test_a_change_is_written_read_again_and_taken_back(
    settings: Settings, file: Path, name: str, value: Any
) -> None:
    """Else the page would say "saved" of something that Libra does not start with."""
    before = key(settings, name)["value"]
    told = settings.change(name, value)
    assert told == {"key": name, "value": value, "restart": True, "reach": reach(name).value}
    assert key(settings, name)["value"] == value
    assert settings.listed()["waiting"] == [name]
    load(file)
    settings.change(name, None)
    assert key(settings, name)["value"] == before
    assert settings.listed()["waiting"] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("assemble.tail", 2), ("assemble.tail", "much"), ("assemble.tail", 0.9), ("store.readers", 1.5), ("nothing", 1),
     ("store", 1), ("compat.libravdb", 1), ("user", "eve"), ("access.x", ["a"]), ("sources.hosts", "openclaw")],
)  # fmt: skip
def test_what_libra_would_not_start_with_is_not_written(
    settings: Settings, file: Path, name: str, value: Any
) -> None:
    """Else a slip on the page would keep Libra from starting."""
    with pytest.raises((InvalidParams, Conflict)):
        settings.change(name, value)
    assert not file.exists()
    assert list(file.parent.glob("*")) == []


def test_comments_order_and_rights_of_the_file_stay(settings: Settings, file: Path) -> None:
    """Else a person would lose what they wrote beside their settings."""
    file.parent.mkdir()
    file.write_text(FILE.replace("soft = [\n]\n", ""), encoding="utf-8")
    file.chmod(0o640)
    settings.change("assemble.deadline_ms", 900)
    settings.change("store.readers", 4)
    settings.change("store.writer.busy_ms", 6_000)
    text = file.read_text("utf-8")
    for line in (
        "# mine",
        'user = "anna"   # me',
        "tail = 0.4     # more of what was said last",
        "deadline_ms = 900",
    ):
        assert line in text.splitlines()
    assert file.stat().st_mode & 0o777 == 0o640
    assert load(file).store.writer.busy_ms == 6_000


@pytest.mark.parametrize("text", ["assemble.tail = 0.4\n", "assemble = { tail = 0.4 }\n"])
def test_a_form_that_is_left_to_its_owner_is_refused(text: str) -> None:
    """Else an edit could change something else."""
    with pytest.raises(Conflict):
        put(text, "assemble.tail", 0.3)


def test_values_over_several_lines_are_replaced_whole() -> None:
    """Else half of a list would stay behind."""
    text = 'first = 1\n[sources]\nhosts = [\n  "a", # one\n  "b",\n]\nother = 2\n'
    assert put(text, "sources.hosts", ["c"]) == 'first = 1\n[sources]\nhosts = ["c"]\nother = 2\n'
    assert put(text, "sources.hosts", None) == "first = 1\n[sources]\nother = 2\n"
    assert put("[a]\r\nx = 1\r\n", "a.x", 2) == "[a]\r\nx = 2\r\n"


_VALUES = st.one_of(
    st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=30),
    st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=10), max_size=4),
)  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(["a.x", "a.y", "a.b.x", "c.x"]), st.one_of(st.none(), _VALUES)), max_size=6
    )
)
def test_any_sequence_of_changes_reads_back(changes: list[tuple[str, Any]]) -> None:
    """Else one value or another would come back changed, or change its neighbour."""
    text = "# begin\n[a] # table\n'z' = 1 # keep\n\n[a.b]\n"
    known: dict[str, Any] = {}
    for name, value in changes:
        text = put(text, name, value)
        known[name] = value
        found = tomllib.loads(text)
        for path, wanted in known.items():
            table, _, last = path.rpartition(".")
            inner: Any = found
            for part in table.split("."):
                inner = inner.get(part, {})
            assert inner.get(last) == wanted
    assert "'z' = 1 # keep" in text
