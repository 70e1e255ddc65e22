"""The icons that are committed are those that the script draws from the one drawing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image, ImageChops, ImageStat

from libra.desktop.menu import IconState
from libra.desktop.palette import Palette


@pytest.fixture(scope="module")
def script(root: Path) -> ModuleType:
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("libra_make_icons", root / "assets" / "make_icons.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_state_or_palette_of_the_tray_has_its_icons_drawn(script: ModuleType) -> None:
    """A state that is new in the menu would have no picture, and the icon would fail when it comes."""
    assert set(script.STATES) == {state.value for state in IconState}
    assert set(script.COLOURS) == set(script.INK) == {palette.value for palette in Palette}
    assert all(set(colours) == set(script.STATES) for colours in script.COLOURS.values())


def test_the_pictures_are_those_of_the_drawing(script: ModuleType) -> None:
    """A drawing that was changed without the pictures, or a picture that was changed by hand, is not what people see."""
    pytest.importorskip("resvg_py", reason="resvg-py draws the icons: pip install .[dev]")
    drawn = script.pictures()
    there = {
        p.relative_to(script.ASSETS) for f in ("icons", "hicolor") for p in (script.ASSETS / f).rglob("*.png")
    }
    assert set(drawn) == there
    for place, picture in drawn.items():
        with Image.open(script.ASSETS / place) as file:
            assert file.size == picture.size
            # Another version of the renderer may smooth an edge by a shade.
            apart = ImageStat.Stat(ImageChops.difference(file.convert("RGBA"), picture)).mean
        assert max(apart) < 2, place


def test_the_page_has_the_same_drawing(script: ModuleType) -> None:
    """The page in the browser and the icon that opened it are seen to be one program."""
    assert script.PAGE.read_bytes() == script.DRAWING.read_bytes()


def test_the_programs_own_icon_has_every_size(script: ModuleType) -> None:
    """Windows and macOS take the size that they show, and blur none."""
    with Image.open(script.FOLDER / "libra.ico") as icon:
        assert icon.info["sizes"] == {(size, size) for size in script.ICO_PX}
    with Image.open(script.FOLDER / "libra.icns") as icon:
        assert {width * scale for width, _, scale in icon.info["sizes"]} >= set(script.ICNS_PX[1:])
