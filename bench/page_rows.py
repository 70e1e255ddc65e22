"""The page over ten thousand of everything, in headless Chromium: the longest task of the main thread and the elements that exist, view by view.

    PYTHONPATH=. python bench/page_rows.py [rows]

A store is made with so many memories, turns in one session, further sessions, receipts, lines of instruction files and cards of people, all through
the store itself and with a fake embedding model. Then a browser opens each view, scrolls its list to the end, opens what is long, and pages through it.
Prints for each step how long the page took until it showed it, the longest task of its main thread meanwhile (Chromium's own ``longtask`` entries, which
begin at 50 ms: 0 is none), and how many elements there were. Ends non-zero if a task took more than :data:`TASK_MS` or there were more than :data:`ELEMENTS`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.config.settings import Settings
from libra.config.tree import defaults
from libra.desktop.page_keys import PageParams
from libra.desktop.page_server import Page
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.records import DocumentText, MemoryType, NewTurn, Origin, Role, Scope, Who
from libra.inference.fake import FakeEmbedder
from libra.rpc.methods import Methods
from libra.store import ledger, memories, receipts, sessions, summaries
from libra.store.ledger import Leaf
from libra.store.store import Store, StoreParams
from libra.store.writer import WriteTx

NOW_MS = 1_775_000_000_000
TASK_MS = 200
"""A person feels a page hang from about a fifth of a second on."""
ELEMENTS = 6_000
ME = Who(user="me")
LONG = "claude-code:long"
FLAGS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync".split()


class Clock:
    """A clock that stands, and is moved on."""

    now_ms = NOW_MS

    def __call__(self) -> int:
        """Return the time."""
        return self.now_ms


def fill(engine: Engine, rows: int) -> None:
    """Put so many of everything into the store."""
    store = engine.deps.store
    long = Who(user="me", host="claude-code", session="long", project="/home/dev/harbour")
    for first in range(0, rows, 500):
        turns = [
            NewTurn(
                Role.USER if n % 2 else Role.ASSISTANT,
                f"Turn {n}: berth {n % 97} needs {n % 13} ropes, and ship {n} leaves at {n % 24}:00.",
                NOW_MS - (rows - n) * 60_000,
                f"t{n}",
                Origin.OWNER if n % 2 else Origin.AGENT,
            )
            for n in range(first, min(first + 500, rows))
        ]
        engine.ingest(who=long, turns=turns)
    for n in range(rows):
        who = Who(
            user="me", host="codex" if n % 3 else "openclaw", session=f"s{n}", project=f"/home/dev/p{n % 40}"
        )
        said = NewTurn(
            Role.USER, f"Session {n} asks about dock {n}.", NOW_MS - n * 30_000, f"s{n}", Origin.OWNER
        )
        engine.ingest(who=who, turns=[said])

    def put(tx: WriteTx) -> None:
        for n in range(rows):
            text = f"Crane {n} on pier {n % 50} lifts {n % 90 + 3} tonnes, and is painted in colour {n % 7}."
            memories.insert(
                tx,
                memories.NewMemory(f"m{n:08x}", "me", MemoryType.FACT, text, 20, NOW_MS - n * 1_000, f"h{n}", project="/home/dev/harbour", confidence=0.3 + n % 60 / 100),
                NOW_MS,
            )  # fmt: skip
            items = [
                {"id": f"m{(n + k) % rows:08x}", "tier": "recall", "tokens": 20, "score": 0.7}
                for k in range(6)
            ]
            receipts.keep(
                tx,
                receipts.Receipt(
                    f"r{n}",
                    NOW_MS - n * 60_000,
                    LONG,
                    "q",
                    120,
                    600,
                    items,
                    [],
                    "me",
                    None,
                    "claude-code",
                    "/home/dev/harbour",
                    12.5,
                ),
            )
            fields = {"role": f"pilot of ship {n}", "city": "Oslo"}
            ledger.put(
                tx,
                Leaf.CARD,
                "me",
                f"Person {n}",
                {"fields": fields, "by": dict.fromkeys(fields, "owner"), "aliases": [], "main": False},
                NOW_MS - n,
            )

    store.write(put).result()
    store.write(summarise).result()
    for n in range(rows // 1_000):
        lines = [
            f"- Never let ship {k} into dock {k % 89} without {k % 17} ropes and a pilot from crew {k % 61}."
            for k in range(1_000)
        ]
        text = f"# Harbour {n}\n\n" + "\n".join(lines) + "\n"
        engine.document(
            DocumentText(
                f"/home/dev/p{n}/CLAUDE.md", text, "claude-code", Scope.parse("global"), instructions=True
            )
        )


def summarise(tx: WriteTx) -> None:
    """Cover the long session by summaries of twenty turns, and these by others."""
    found = sessions.find(tx, LONG, "me")
    assert found is not None
    below = [
        row[0]
        for row in tx.rows("SELECT id FROM item WHERE session_id = ? AND kind = 1 ORDER BY seq", (found.id,))
    ]
    for level in (1, 2):
        made = []
        for n in range(0, len(below), 20):
            text = (
                f"Summary {n // 20} of level {level}: ropes for berths, and ships that leave in the morning."
            )
            row = summaries.SummaryRow(
                f"s{level}x{n}", found.id, level, text, 18, NOW_MS + n, "extractive", 0.8, 0.85, 0.7, 1.0, 400
            )
            made.append(summaries.commit(tx, row, below[n : n + 20], [], NOW_MS).item_id)
        below = made


@contextmanager
def page(rows: int) -> Iterator[Page]:
    """Yield the page over such a store."""
    folder = Path(tempfile.mkdtemp(prefix="lbp-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        clock = Clock()
        store = Store.open(folder / "libra.db", StoreParams(), clock)
        stack.callback(store.close)
        engine = Engine(
            Deps(
                store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC
            )
        )
        begun = time.perf_counter()
        fill(engine, rows)
        print(
            f"{rows:,} of everything in {time.perf_counter() - begun:.0f} s, {(folder / 'libra.db').stat().st_size / 1e6:.0f} MB",
            flush=True,
        )
        engine.use_model(FakeEmbedder(dims=64))
        settings = Settings(folder / "config.toml", defaults("me", UTC))
        engine.settle_with(settings.listed, settings.change)
        methods = Methods("me")
        methods.attach(engine)
        shown = Page(methods, PageParams(idle_s=3_000))
        stack.callback(shown.close)
        yield shown


class Look:
    """A tab on the page that counts its long tasks."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab
        self.worst = 0.0
        self.most = 0
        tab.add_init_script(
            "window.tasks = []; new PerformanceObserver(l => window.tasks.push(...l.getEntries().map(e => e.duration)))"
            ".observe({ type: 'longtask', buffered: true })"
        )

    def step(self, name: str, do: str, wait: str) -> None:
        """Do something in the page, wait until it shows this, and print what it cost."""
        self.tab.evaluate("window.tasks.length = 0")
        begun = time.perf_counter()
        self.tab.evaluate(do)
        self.tab.wait_for_function(
            f"() => {wait}", timeout=120_000
        )  # as a string the page's own policy would refuse it
        took_s = time.perf_counter() - begun
        # Two frames later the entries of the last task are there.
        self.tab.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))))"
        )
        task = float(self.tab.evaluate("Math.max(0, ...window.tasks)"))
        elements = int(self.tab.evaluate("document.querySelectorAll('*').length"))
        self.worst, self.most = max(self.worst, task), max(self.most, elements)
        print(
            f"{name:44} {took_s * 1000:7.0f} ms {task:7.0f} ms longest task {elements:7,} elements",
            flush=True,
        )

    def list_to_end(self, name: str, rows: int) -> None:
        """Scroll a list until its last row is there."""
        self.step(
            f"{name}: to row {rows:,} of its list",
            "window.ended = false; (async () => { const list = document.querySelector('.list');"
            f" while (!list.querySelector('[aria-posinset=\"{rows}\"]')) {{ list.scrollTop = list.scrollHeight;"
            " await new Promise(d => requestAnimationFrame(d)) } window.ended = true })()",
            "window.ended === true",
        )


def shows(selector: str) -> str:
    """Return the condition that there is such an element."""
    return f"!!document.querySelector({selector!r})"


def look(tab: Any, rows: int) -> Look:
    """Go through every view."""
    looked = Look(tab)
    tab.goto(PAGE_URL[0])
    tab.wait_for_selector("svg.plot")
    go = "location.hash = {!r}".format
    looked.step("memories", go("memories"), shows(".row"))
    looked.list_to_end("memories", rows)
    looked.step(
        "memories: the review",
        "document.querySelector('details.inbox').open = true",
        shows("details.inbox li"),
    )
    looked.step("memories: one", "document.querySelector('.row').click()", shows("article"))
    looked.step("receipts", go("receipts"), shows(".view-receipts .row"))
    looked.list_to_end("receipts", rows)
    looked.step("receipts: one", "document.querySelector('.row').click()", shows("article"))
    looked.step("rules", go("rules"), shows(".view-rules .row"))
    looked.step(
        "rules: a file of 1,000 lines", "document.querySelector('.row').click()", shows("table.lines tr")
    )
    looked.step("rules: the doctor", "document.querySelector('.doctor').open = true", shows(".doctor li"))
    looked.step("set by you", go("byhand"), shows(".view-byhand li"))
    looked.step("sessions", go("sessions"), shows(".view-sessions .row"))
    looked.list_to_end("sessions", rows + 1)
    looked.step(f"sessions: one of {rows:,} turns", go(f"sessions/{LONG}"), shows(".turn"))
    looked.step(
        "sessions: its last turns",
        "document.querySelector('.pager [data-to=last]').click()",
        f"document.querySelector('.turns').textContent.includes('Turn {rows - 1}:')",
    )
    looked.step(
        "sessions: summaries unfolded",
        "[...document.querySelectorAll('button')].find(b => b.textContent === 'Unfold all').click()",
        "document.querySelectorAll('.leaf').length > 500",
    )
    looked.step(
        "sessions: from a leaf to its turn", "document.querySelector('.leaf').click()", shows(".turn:focus")
    )
    looked.step("now", go("now"), shows("svg.plot"))
    looked.step("settings", go("settings"), shows("details.section"))
    looked.step(
        "settings: all opened",
        "for (const box of document.querySelectorAll('details.section')) box.open = true",
        shows(".setting"),
    )
    return looked


PAGE_URL: list[str] = []


def main() -> None:
    """Make the store, look, and judge."""
    from playwright.sync_api import sync_playwright

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with page(rows) as served, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        tab = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
        PAGE_URL.append(served.open()["url"])
        looked = look(tab, rows)
        browser.close()
    print(
        f"longest task {looked.worst:.0f} ms (at most {TASK_MS}), {looked.most:,} elements (at most {ELEMENTS:,})"
    )
    sys.exit(looked.worst > TASK_MS or looked.most > ELEMENTS)


if __name__ == "__main__":
    main()
