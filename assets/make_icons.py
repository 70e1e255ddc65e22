"""Draw the tray icons and the program icon from one shape: a pair of scales.

    python assets/make_icons.py

Needs Pillow only. The files are committed; run this again after a change to the shape or the colours.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

FOLDER = Path(__file__).resolve().parent / "icons"

SIZE_PX = 64
SCALE = 8
"""Drawn this much larger and scaled down, for smooth edges."""

COLOURS: dict[str, str] = {
    "starting": "#8a8f98",
    "watching": "#2f7dd1",
    "working": "#2f9e63",
    "paused": "#8a8f98",
    "degraded": "#d99a1c",
    "error": "#cf3b3b",
}
"""Plate colour by state; the names are those of libra.desktop.menu.IconState."""

TILT_PX = {"working": 4}
"""How far the beam leans: scales in motion for work in motion."""

WHITE = "#ffffff"


def _scales(draw: ImageDraw.ImageDraw, tilt: int) -> None:
    """Draw post, beam and two pans in units of the final 64 × 64 pixels."""

    def at(*points: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * SCALE, y * SCALE) for x, y in points]

    width = 3 * SCALE
    draw.line(at((32, 13), (32, 48)), fill=WHITE, width=width)
    draw.line(at((22, 49), (42, 49)), fill=WHITE, width=width)
    draw.line(at((15, 19 + tilt), (49, 19 - tilt)), fill=WHITE, width=width)
    for x, y in ((15, 19 + tilt), (49, 19 - tilt)):
        draw.line(at((x, y), (x - 6, y + 15)), fill=WHITE, width=SCALE)
        draw.line(at((x, y), (x + 6, y + 15)), fill=WHITE, width=SCALE)
        draw.pieslice(at((x - 8, y + 8), (x + 8, y + 22)), 0, 180, fill=WHITE)


def _badge(draw: ImageDraw.ImageDraw, state: str) -> None:
    """Mark the states that colour alone would not tell apart."""
    if state == "paused":
        for left in (44, 52):
            draw.rectangle([left * SCALE, 44 * SCALE, (left + 5) * SCALE, 60 * SCALE], fill=WHITE)
    if state in {"degraded", "error"}:
        draw.rounded_rectangle(
            [45 * SCALE, 34 * SCALE, 60 * SCALE, 62 * SCALE], radius=4 * SCALE, fill=COLOURS[state]
        )
        draw.rectangle([50 * SCALE, 40 * SCALE, 55 * SCALE, 52 * SCALE], fill=WHITE)
        draw.rectangle([50 * SCALE, 55 * SCALE, 55 * SCALE, 60 * SCALE], fill=WHITE)


def icon(state: str, size_px: int = SIZE_PX) -> Image.Image:
    """Return the icon of a state, ``size_px`` square, with a transparent ground."""
    side = SIZE_PX * SCALE
    image = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle([0, 0, side - 1, side - 1], radius=14 * SCALE, fill=COLOURS[state])
    _scales(draw, TILT_PX.get(state, 0))
    _badge(draw, state)
    return image.resize((size_px, size_px), Image.Resampling.LANCZOS)


def template(size_px: int = 44) -> Image.Image:
    """Return the scales alone, black on nothing: macOS draws such an image in the colour of its menu bar."""
    side = SIZE_PX * SCALE
    shape = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    _scales(ImageDraw.Draw(shape), 0)
    black = Image.new("RGBA", (side, side), (0, 0, 0, 255))
    black.putalpha(shape.getchannel("A"))
    return black.resize((size_px, size_px), Image.Resampling.LANCZOS)


def main() -> None:
    """Write one PNG a state, the program's own icon for Windows and macOS, and the template image of the latter."""
    FOLDER.mkdir(exist_ok=True)
    for state in COLOURS:
        icon(state).save(FOLDER / f"{state}.png", optimize=True)
    icon("watching", 256).save(FOLDER / "libra.ico", sizes=[(16, 16), (32, 32), (48, 48), (256, 256)])
    icon("watching", 1024).save(FOLDER / "libra.icns")
    template().save(FOLDER / "template.png", optimize=True)
    print(f"{len(COLOURS)} icons in {FOLDER.name}/")


if __name__ == "__main__":
    main()
