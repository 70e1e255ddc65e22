"""What is packed for each system says the same as the program does."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import json
import plistlib
import re
import struct
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

from libra import __version__
from libra.desktop.autostart import LABEL, RUN_KEY, launch_agent


def load(path: Path) -> ModuleType:
    """Return a script of the packaging as a module."""
    spec = importlib.util.spec_from_file_location(f"libra_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_launch_agent_is_what_the_program_writes(root: Path) -> None:
    """Who sets it up by hand and then switches it off in the menu finds it gone."""
    shown = plistlib.loads((root / "packaging/macos/org.libra-memory.libra.plist").read_bytes())
    assert shown == plistlib.loads(launch_agent(shown["ProgramArguments"]))
    assert shown["Label"] == LABEL
    for name in ("Info.plist", "entitlements.plist"):
        assert plistlib.loads((root / "packaging/macos" / name).read_bytes())
    assert plistlib.loads((root / "packaging/macos/Info.plist").read_bytes())["LSUIElement"] is True


def test_the_setup_writes_the_value_that_the_menu_reads(root: Path) -> None:
    """Start at login, chosen in the setup, has its mark in the menu and goes with it."""
    text = (root / "packaging/windows/libra.iss").read_text("utf-8")
    assert f'Subkey: "{RUN_KEY}"' in text
    assert 'ValueName: "Libra"' in text
    assert 'Parameters: "uninstall"' in text


def test_linux_files_are_well_formed(root: Path) -> None:
    """A menu entry, metadata and a unit that can be read."""
    folder = root / "packaging/linux"
    found = ET.parse(folder / "org.libra_memory.libra.metainfo.xml").getroot()  # noqa: S314 - our own file
    assert found.findtext("launchable") == "libra.desktop"
    for name, section in (("libra.desktop", "Desktop Entry"), ("libra.service", "Service")):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read(folder / name, "utf-8")
        assert "libra" in parser[section]["Exec" if section == "Desktop Entry" else "ExecStart"]
    assert load(folder / "build_deb.py").version() == __version__


def test_the_debian_package_has_the_icon_in_each_size(root: Path, tmp_path: Path) -> None:
    """A panel or menu finds a picture of its own size and need not blur another one; 48 pixels every theme demands."""
    built = tmp_path / "built"
    built.mkdir()
    (built / "libra").write_bytes(b"")
    load(root / "packaging/linux/build_deb.py").tree(built, tmp_path / "deb", 1_775_000_000)
    theme = tmp_path / "deb" / "usr" / "share" / "icons" / "hicolor"
    sizes = {path.parents[1].name: path for path in theme.rglob("libra.png")}
    assert {"16x16", "22x22", "24x24", "32x32", "48x48", "64x64", "128x128", "256x256"} == set(sizes)
    for name, path in sizes.items():
        # Width and height in the header of a PNG: bytes 16 to 24.
        assert struct.unpack(">II", path.read_bytes()[16:24]) == tuple(int(side) for side in name.split("x"))
    drawing = ET.parse(theme / "scalable/apps/libra.svg").getroot()  # noqa: S314 - our own file
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"


def test_the_version_resource_is_one(root: Path) -> None:
    """Windows shows the version in the program's properties; PyInstaller reads it as a Python expression."""
    text = load(root / "packaging/windows/version_resource.py").resource("1.2.3")
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls == {
        "VSVersionInfo",
        "FixedFileInfo",
        "StringFileInfo",
        "StringTable",
        "StringStruct",
        "VarFileInfo",
        "VarStruct",
    }
    assert "filevers=(1, 2, 3, 0)" in text


def test_the_bill_of_materials_names_every_dependency(root: Path) -> None:
    """What is in the program can be looked up: each distribution with version, licence and hash."""
    found = load(root / "packaging/sbom.py").document([root / "LICENSE"], 0.0)
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.5")
    names = {part["name"].lower() for part in found["components"]}
    assert names >= {"numpy", "onnxruntime", "apsw", "pystray", "psutil", "all-minilm-l6-v2", "license"}
    assert not names & {"pytest", "mypy", "hypothesis"}
    for part in found["components"]:
        if part["type"] == "library" and part["bom-ref"].startswith("pkg:"):
            assert re.fullmatch(r"[0-9a-f]{64}", part["hashes"][0]["content"])
            assert part["licenses"][0]["license"]["name"] != ""
    assert names >= {"python", "sqlite"}
    notice = (root / "NOTICE").read_text("utf-8").lower()
    shipped = (
        "apsw",
        "numpy",
        "onnxruntime",
        "orjson",
        "pillow",
        "platformdirs",
        "psutil",
        "pystray",
        "tokenizers",
        "watchdog",
        "zstandard",
    )
    assert [name for name in shipped if name not in notice] == []
    json.dumps(found)
