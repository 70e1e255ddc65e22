"""What is to stand in a host's files, as values; nothing here touches a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from libra.hosts import jsonc, toml_text, yaml_text
from libra.hosts.edits import Edit


class Form(StrEnum):
    """How a settings file is written."""

    JSON = "json"
    TOML = "toml"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class Put:
    """A member at a path of a settings file."""

    file: Path
    path: tuple[str, ...]
    value: Any
    form: Form = Form.JSON
    unless: bool = False
    """True to leave a value that is there as it is."""

    def edits(self, text: str) -> list[Edit]:
        """Return what it takes to make it so."""
        if self.form is Form.TOML:
            put = toml_text.put if isinstance(self.value, dict) else toml_text.put_key
            return put(text, self.path, self.value)
        if self.form is Form.YAML:
            return yaml_text.put(text, self.path, self.value)
        if self.unless and _at(jsonc.read(text), self.path) is not None:
            return []
        return jsonc.put(text, self.path, self.value)

    def removal(self, text: str) -> list[Edit]:
        """Return what it takes to be rid of it where the record of the edit does not fit any more."""
        if self.form is Form.TOML:
            whole = isinstance(self.value, dict)
            return toml_text.cut(text, self.path) if whole else toml_text.cut_key(text, self.path, self.value)
        if self.form is Form.YAML:
            return yaml_text.cut(text, self.path, self.value)
        ours = any("libra" in name for name in self.path) or _at(jsonc.read(text), self.path) == self.value
        return jsonc.cut(text, self.path) if ours and not self.unless else []

    def spares(self, text: str, back: str) -> bool:
        """Whether taking an insertion out has left what else a file says as it was: in TOML a line belongs to what is above it."""
        return self.form is not Form.TOML or toml_text.only_differs_at(text, back, self.path)


@dataclass(frozen=True, slots=True)
class Append:
    """An item of a list in a settings file.

    Attributes:
        only_if_there: Add nothing where there is no such list: its absence means "all".
    """

    file: Path
    path: tuple[str, ...]
    value: Any
    only_if_there: bool = False

    def edits(self, text: str) -> list[Edit]:
        """Return what it takes to make it so."""
        if self.only_if_there and _at(jsonc.read(text), self.path) is None:
            return []
        return jsonc.append(text, self.path, self.value)

    def removal(self, text: str) -> list[Edit]:
        """Return what it takes to be rid of it."""
        return jsonc.drop(text, self.path, self.value)


@dataclass(frozen=True, slots=True)
class Own:
    """A file of ours, in a folder of ours: in Libra's data folder, or one called ``libra`` where a host looks."""

    file: Path
    text: str


Wish = Put | Append | Own


def _at(value: Any, path: Sequence[str]) -> Any:
    """Return the value at a path, None if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


@dataclass(frozen=True, slots=True)
class Program:
    """How hosts start Libra.

    Attributes:
        libra: The words that start its command line.
        hook: The words that start the hook program.
        data: Libra's data folder.
        config: Libra's own settings.
        socket: Where it listens.
        flags: Flags that name a data folder and a socket other than the usual ones.
        openclaw: Texts of the plugin for OpenClaw, by their place in its folder.
        hermes: Texts of the provider for Hermes, by their place in its folder.
        opencode: Texts of the plugin for opencode, by their place in its folder.
        windows: True if command lines are for cmd.exe.
    """

    libra: tuple[str, ...]
    hook: tuple[str, ...]
    data: Path
    config: Path
    socket: Path
    flags: tuple[str, ...] = ()
    openclaw: Mapping[str, str] = field(default_factory=dict)
    hermes: Mapping[str, str] = field(default_factory=dict)
    opencode: Mapping[str, str] = field(default_factory=dict)
    windows: bool = False

    @property
    def folder(self) -> Path:
        """The folder that holds what hosts load from Libra."""
        return self.data / "connect"
