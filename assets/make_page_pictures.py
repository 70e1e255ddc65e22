"""Take the pictures of the page that README and docs/page.md show: the demo's sessions, a real app, headless Chromium.

python assets/make_page_pictures.py        (needs the extra `page` and Debian's chromium)
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
DEMO = ROOT / "assets" / "demo"

sys.path.insert(0, str(ROOT))

from libra.cli.demo import lay_out  # noqa: E402 - the checkout has to be found first
from libra.cli.demo_app import DemoApp  # noqa: E402
from libra.ground.errors import DeadlinePassed  # noqa: E402

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync".split()
MOST_BYTES = 150_000
ASKED = (
    ("claude-code", "Why did we drop Postgres, and what do we use instead?", 1_200),
    ("openclaw", "When does the backup run?", 700),
    ("claude-code", "Which unit are amounts stored in?", 900),
    ("codex", "What must hold before a deploy?", 1_500),
    ("openclaw", "Whom do I tell if a backup fails?", 600),
    ("claude-code", "How are labels for shelves sorted?", 1_800),
    ("gemini", "Which error codes may be used again?", 800),
    ("claude-code", "What does the health check answer?", 1_200),
)
SIZES = {"wide": {"width": 1180, "height": 780}, "phone": {"width": 390, "height": 780}}


def fill(app: DemoApp, home: Path) -> None:
    """Let the app read the demo, compact its longest session, and be asked by four agents."""
    app.settle(120.0)
    sessions = app.call("sessions", {"k": 50})["items"]
    key = max(sessions, key=lambda item: item["tokens"])["key"]
    app.call("compact", {"who": {"host": key.partition(":")[0], "session": key}, "force": True})
    _by_hand(app)
    _reword(app, home)
    for host, query, budget in ASKED:
        who = {"host": host, "session": "today", "cwd": str(home / "larder")}
        app.call("assemble", {"who": who, "query": query, "budget_tokens": budget})
    app.settle(60.0)


def _by_hand(app: DemoApp) -> None:
    """Set down what a person sets down by name."""
    mine = {"origin": "owner"}
    app.call(
        "rule_set",
        {"text": "Never send an order without asking.", "name": "orders", "keywords": ["order sent"], **mine},
    )
    app.call(
        "card_update", {"name": "Minh", "fields": {"role": "cook", "speaks": "Vietnamese, English"}, **mine}
    )
    app.call(
        "intent_set",
        {"when": ["deploy", "release"], "remind": "Look at the freezer's alarm first.", "name": "freezer"},
    )
    app.call(
        "lesson",
        {
            "symptom": "CI waits 40 seconds for a container.",
            "cause": "The tests started a database of their own.",
            "fix": "Use a temporary SQLite file.",
            **mine,
        },
    )


def _reword(app: DemoApp, home: Path) -> None:
    """Let a person change their file of rules, and wait until it was read again."""
    path = home / "larder" / "CLAUDE.md"
    lines = path.read_text("utf-8").splitlines()
    rules = [at for at, line in enumerate(lines) if line.startswith("- ")]
    lines[rules[0]] += " Ask before you change it."
    del lines[rules[-1]]
    path.write_text("\n".join([*lines, "- Label every shelf in both languages.", ""]), "utf-8")
    while not any(c["what"] == "removed" for c in app.call("rules_history", {"everywhere": True})["items"]):
        time.sleep(0.5)


def take(tab: Any, name: str) -> None:
    """Write what the tab shows, with few colours, so that the repository stays small."""
    from PIL import Image

    tab.wait_for_timeout(400)
    with Image.open(io.BytesIO(tab.screenshot())) as shot:
        small = shot.convert("RGB").quantize(192, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    path = PICTURES / f"page-{name}.png"
    small.save(path, optimize=True)
    size = path.stat().st_size
    assert size < MOST_BYTES, f"{path.name}: {size} bytes"
    print(f"{path.name}: {size:,} bytes")


def tab_of(browser: Any, app: DemoApp, size: str, scheme: str) -> Any:
    """Open the page in a fresh profile."""
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)
    context.set_default_timeout(120_000)
    tab = context.new_page()
    tab.goto(app.call("open_page")["url"])
    tab.wait_for_selector("svg.plot >> nth=3")
    return tab


def show(tab: Any, view: str, wait: str, click: str | None = None) -> None:
    """Show a view, with something chosen in it."""
    tab.evaluate("view => { location.hash = view }", view)
    tab.wait_for_selector(wait)
    if click is not None:
        tab.click(click)
        tab.wait_for_selector("article")


def pictures(browser: Any, app: DemoApp) -> None:
    """Take all of them."""
    tab = tab_of(browser, app, "wide", "light")
    take(tab, "now")
    tab.evaluate("document.querySelector('svg.plot').closest('.card').scrollIntoView(); scrollBy(0, -70)")
    take(tab, "plots")
    show(tab, "memories", ".row", ".row:has-text('Postgres')")
    take(tab, "memories")
    show(tab, "receipts", ".row", ".row >> nth=0")
    take(tab, "receipts")
    show(tab, "rules", ".row", ".row:has-text('CLAUDE.md')")
    take(tab, "rules")
    tab.wait_for_selector("article li[data-what=removed]")
    tab.evaluate("document.querySelector('article ol.line').scrollIntoView({block: 'end'})")
    take(tab, "history")
    show(tab, "byhand", ".shelf li")
    take(tab, "byhand")
    show(tab, "sessions", ".row", ".row:has-text('summar')")
    take(tab, "sessions")
    show(tab, "settings", "details.section")
    tab.evaluate("document.querySelector('[data-section=assemble]').open = true")
    tab.fill("[aria-label='assemble.tail']", "7")
    tab.press("[aria-label='assemble.tail']", "Enter")
    tab.wait_for_selector(".fault")
    tab.evaluate("document.querySelector('[data-section=assemble]').scrollIntoView(); scrollBy(0, -70)")
    take(tab, "settings")
    dark = tab_of(browser, app, "wide", "dark")
    show(dark, "receipts", ".row", ".row >> nth=0")
    take(dark, "dark")
    phone = tab_of(browser, app, "phone", "light")
    show(phone, "memories", ".row")
    take(phone, "phone")


def main() -> None:
    """Start the app on the demo, look at it, write the pictures."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program is not None, "Chromium is missing"
    PICTURES.mkdir(exist_ok=True)
    root = Path(tempfile.mkdtemp(prefix="libra-")).resolve()
    try:
        home = root / "home"
        lay_out(DEMO, home)
        with DemoApp(root, home) as app, sync_playwright() as driver:
            with suppress(DeadlinePassed):  # a busy machine: what comes next waits longer
                app.start()
            fill(app, home)
            browser = driver.chromium.launch(executable_path=program, args=FLAGS)
            pictures(browser, app)
            browser.close()
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
