"""Draw every icon from one drawing, ``assets/icons/libra.svg``: a pair of scales.

    pip install -e '.[dev]'
    python assets/make_icons.py

Needs resvg-py, which draws SVG without anything of the system, and Pillow. The files are committed; run this again
after a change of the drawing or of the colours. A test draws them and compares.
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path

from PIL import Image

ASSETS = Path(__file__).resolve().parent
FOLDER = ASSETS / "icons"
DRAWING = FOLDER / "libra.svg"
PAGE = ASSETS.parent / "libra" / "desktop" / "page" / "libra.svg"
"""The page serves the files of its own folder only."""
HICOLOR = ASSETS / "hicolor"
"""Laid out as below ``/usr/share/icons/hicolor``; packaging/linux/build_deb.py copies it there."""

TRAY_PX = 64
MENU_BAR_PX = 44
"""22 points of macOS's menu bar on a screen of two pixels a point."""
HICOLOR_PX = (16, 22, 24, 32, 48, 64, 128, 256)
"""Sizes that panels and menus ask for; 48 is the one that the icon theme specification demands."""
ICO_PX = (16, 20, 24, 32, 40, 48, 64, 256)
"""What Windows shows at 100 to 250 %, and the large tile."""
ICNS_PX = (16, 32, 64, 128, 256, 512, 1024)

STATES = ("starting", "watching", "working", "paused", "degraded", "error")
"""Those of libra.desktop.menu.IconState; the folders below are those of libra.desktop.palette.Palette."""

INK: dict[str, str] = {"coloured": "#ffffff", "light": "#1f2328", "dark": "#ffffff", "template": "#000000"}
"""Post and beam: on a plate of its own, on a light panel, on a dark one, and as macOS wants it."""

COLOURS: dict[str, dict[str, str]] = {
    "coloured": {
        "starting": "#8a8f98",
        "watching": "#2f7dd1",
        "working": "#2f9e63",
        "paused": "#8a8f98",
        "degraded": "#d99a1c",
        "error": "#cf3b3b",
    },
    "light": {
        "starting": "#6e7781",
        "watching": "#1f66b3",
        "working": "#1d7a48",
        "paused": "#6e7781",
        "degraded": "#945f00",
        "error": "#b42318",
    },
    "dark": {
        "starting": "#9da5b0",
        "watching": "#6cb2ff",
        "working": "#5ccf8f",
        "paused": "#9da5b0",
        "degraded": "#f0b847",
        "error": "#ff7b72",
    },
    "template": dict.fromkeys(STATES, "#000000"),
}
"""Colour of the plate where there is one, else of pans and badge: at least 3 : 1 on its panel (WCAG 2.2, 1.4.11)."""

BADGES = frozenset({"paused", "degraded", "error"})
"""States with a mark of their own, for eyes and menu bars that see no colour."""


def sheet(palette: str, state: str) -> str:
    """Return the rules that make the drawing this state's icon in this palette."""
    colour, ink, plate = COLOURS[palette][state], INK[palette], palette == "coloured"
    if state == "starting" and not plate:
        ink = colour
    rules = [
        f".plate {{ fill: {colour} }}" if plate else ".plate { display: none }",
        f".ink {{ stroke: {ink} }}",
        f".pans, .badge {{ fill: {ink if plate else colour} }}",
    ]
    if state == "working":  # scales in motion for work in motion
        rules += [".level { display: none }", ".tilted { display: inline }"]
    if state in BADGES:
        rules += [f".{state} {{ display: inline }}", ".scales { mask: url(#room) }"]
    if state == "starting" and palette == "template":  # macOS keeps how opaque a template is, not its colours
        rules.append(".scales { opacity: 0.6 }")
    return "\n".join(rules)


def draw(palette: str, state: str, size_px: int) -> Image.Image:
    """Return an icon, ``size_px`` square, RGBA, with a transparent ground."""
    import resvg_py

    before, end, after = DRAWING.read_text("utf-8").partition("</title>")
    drawing = f"{before}{end}<style>{sheet(palette, state)}</style>{after}"
    png = resvg_py.svg_to_bytes(svg_string=drawing, width=size_px, height=size_px, skip_system_fonts=True)
    return Image.open(io.BytesIO(bytes(png))).convert("RGBA")


def pictures() -> dict[Path, Image.Image]:
    """Return every PNG by its path below ``assets``."""
    found = {
        Path("icons") / palette / f"{state}.png": draw(
            palette, state, MENU_BAR_PX if palette == "template" else TRAY_PX
        )
        for palette in COLOURS
        for state in STATES
    }
    for size in HICOLOR_PX:
        place = Path("hicolor") / f"{size}x{size}" / "apps" / "libra.png"
        found[place] = draw("coloured", "watching", size)
    return found


def main() -> None:
    """Write the tray's icons, the program's own for Windows and macOS, and those of the icon theme on Linux."""
    drawn = pictures()
    for place, picture in drawn.items():
        (ASSETS / place).parent.mkdir(parents=True, exist_ok=True)
        picture.save(ASSETS / place, optimize=True)
    for name, sizes in (("libra.ico", ICO_PX), ("libra.icns", ICNS_PX)):
        *smaller, largest = (draw("coloured", "watching", size) for size in sizes)
        largest.save(FOLDER / name, sizes=[(size, size) for size in sizes], append_images=smaller)
    shutil.copyfile(DRAWING, PAGE)
    print(f"{len(drawn)} pictures, libra.ico and libra.icns in {ASSETS.name}/")


if __name__ == "__main__":
    main()
