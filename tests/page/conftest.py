"""A page over a real engine with real data, and a browser that looks at it; nothing leaves loopback."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from libra.config.settings import Settings
from libra.config.tree import defaults
from libra.desktop.page_keys import PageParams
from libra.desktop.page_server import Page
from libra.engine.core import Engine
from libra.engine.deps import Deps, EngineParams, ModelSlot
from libra.ground.records import DocumentText, NewTurn, Origin, Role, Scope, Who
from libra.inference.fake import FakeEmbedder
from libra.rpc.methods import Methods
from libra.store.store import Store, StoreParams
from tests.conftest import FixedClock

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext
    from playwright.sync_api import Page as Tab

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update"
    " --disable-sync --disable-dev-shm-usage"
).split()
"""As root, without a screen, and without a browser's own looks at the network."""

MARKUP = (
    '<img src="/x.png" onerror="window.harmed=1"> We decided to call the flag <b>calm</b> & never "loud".'
)
RULES = "# Harbor\n\nBuilt in 1901.\n\n- Never push to main.\n- Run the tests before every commit.\n\nYou should write short messages.\n"
GONE_RULE = "Never feed the gulls on the quay."
"""Stood in the file of rules once."""
OTHER_RULES = "- Always push to main when the tests pass.\n"
SESSION = "claude-code:7c0f2b9a-long"
NOW_MS = 1_775_000_000_000
DAY_MS = 86_400_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.page)


@dataclass(slots=True)
class World:
    """A running engine, the page over it, and what the browser did."""

    engine: Engine
    page: Page
    clock: FixedClock
    settings: Path
    stand_in: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Verbs that a test answers itself."""

    def memory(self, words: str) -> dict[str, Any] | None:
        """Return the active memory that holds these words."""
        found = self.engine.list(k=1_000)["items"]
        return next((item for item in found if words in item["text"]), None)


def _fill(engine: Engine, clock: FixedClock) -> None:
    """Let two agents talk, read two files, compact a long talk, and ask a few times."""
    who = Who(user="me", host="claude-code", session="7c0f2b9a-long", project="/home/dev/harbor")
    said: list[NewTurn] = []
    for n in range(40):
        at = NOW_MS - (40 - n) * 3_600_000
        said += [
            NewTurn(
                Role.USER,
                f"Berth {n} needs {n} ropes because ship number {n} is heavy.",
                at,
                f"u{n}",
                Origin.OWNER,
            ),
            NewTurn(
                Role.ASSISTANT,
                f"Noted: berth {n} gets {n} ropes for ship {n}.",
                at + 1_000,
                f"a{n}",
                Origin.AGENT,
            ),
        ]
    said.append(
        NewTurn(
            Role.USER,
            "Decision: we deploy on Fridays, because the harbor is quiet then.",
            NOW_MS - 9_000,
            "d1",
            Origin.OWNER,
        )
    )
    engine.ingest(who=who, turns=said)
    other = Who(user="me", host="openclaw", session="second", agent="ops")
    engine.ingest(who=other, turns=[NewTurn(Role.USER, MARKUP, NOW_MS - DAY_MS, "m1", Origin.OWNER)])
    for n in range(7):
        clock.advance(1_000)
        engine.remember(
            who=Who(user="me"), text=f"The crane on pier {n} lifts {n * 7 + 3} tonnes.", origin=Origin.OWNER
        )
    engine.remember(who=Who(user="me"), text=MARKUP, origin=Origin.OWNER)
    for text in (f"{RULES}\n- {GONE_RULE}\n", RULES):
        clock.advance(1_000)
        engine.document(
            DocumentText(
                "/home/dev/harbor/CLAUDE.md", text, "claude-code", Scope.parse("global"), instructions=True
            )
        )
    engine.document(
        DocumentText(
            "/home/dev/other/AGENTS.md",
            OTHER_RULES,
            "any",
            Scope.parse("project:/home/dev/other"),
            instructions=True,
        )
    )
    assert engine.drain(timeout_ms=60_000) == {"pending": 0}
    engine.compact(who=who, force=True)
    assert engine.drain(timeout_ms=60_000) == {"pending": 0}
    for question in (
        "On which day do we deploy the harbor?",
        "How many ropes does berth 7 need?",
        "What is the flag called?",
    ):
        clock.advance(60_000)
        engine.assemble(who=who, query=question, budget_tokens=600, explain=True)
    engine.deps.store.write(lambda _tx: None).result()


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Yield an engine with everything that the page shows; tests of one module share it."""
    folder = Path(tempfile.mkdtemp(prefix="lbp-", dir="/tmp" if os.name == "posix" else None))  # noqa: S108 - a private folder
    clock = FixedClock(NOW_MS)
    store = Store.open(folder / "libra.db", StoreParams(), clock)
    deps = Deps(store=store, model=ModelSlot(), params=EngineParams(default_user="me"), clock=clock, zone=UTC)
    engine = Engine(deps)
    engine.use_model(FakeEmbedder(dims=128))
    engine.start()
    _fill(engine, clock)
    settings = Settings(folder / "config.toml", defaults("me", UTC))
    engine.settle_with(settings.listed, settings.change)
    methods = Methods("me")
    methods.attach(engine)
    stand_in: dict[str, Callable[[Any], Any]] = {}

    def dispatch(verb: str, params: Any) -> Any:
        return stand_in[verb](params) if verb in stand_in else methods(verb, params)

    page = Page(dispatch, PageParams(idle_s=3_000))
    yield World(engine, page, clock, folder / "config.toml", stand_in)
    page.close()
    engine.stop()
    store.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield a headless Chromium, or skip."""
    driver = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright (pip install 'libra-memory[page]')"
    )
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium (Debian package chromium)")
    with driver.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


@dataclass(slots=True)
class Looked:
    """A tab on the page, and what went wrong in it."""

    tab: Tab
    base: str
    errors: list[str]
    asked: list[str]

    def go(self, view: str, wait: str) -> None:
        """Show a view and wait until this is there."""
        self.tab.evaluate("hash => { location.hash = hash }", view)
        self.tab.wait_for_selector(wait)

    def text(self, selector: str = "main") -> str:
        """Return the text that is shown."""
        return str(self.tab.inner_text(selector))

    def told(self, words: str) -> None:
        """Wait until the message shown has these words; what an earlier step said may stand there until then."""
        self.shows("#told", words)

    def shows(self, selector: str, words: str) -> None:
        """Wait until such an element has these words: a page draws when it can, not when it is looked at."""
        self.tab.locator(selector).filter(has_text=words).first.wait_for()

    def counts(self, selector: str, number: int) -> None:
        """Wait until there are so many of such elements."""
        self.tab.wait_for_function(
            "([selector, number]) => document.querySelectorAll(selector).length === number",
            arg=[selector, number],
        )


class Tabs:
    """Opens the page in fresh profiles."""

    def __init__(self, browser: Browser, world: World) -> None:
        self._browser = browser
        self._world = world
        self._contexts: list[BrowserContext] = []
        self.opened: list[Looked] = []

    def __call__(self, **how: Any) -> Looked:
        """Return the page in a new tab of a new profile."""
        context = self._browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **how})
        context.set_default_timeout(30_000)
        self._contexts.append(context)
        tab = context.new_page()
        errors: list[str] = []
        asked: list[str] = []
        tab.on(
            "console",
            lambda message: errors.append(message.text) if message.type in {"error", "warning"} else None,
        )
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(self._world.page.open()["url"])
        tab.wait_for_selector("nav a[aria-current=page]")
        looked = Looked(tab, tab.url.partition("#")[0], errors, asked)
        self.opened.append(looked)
        return looked

    def close(self) -> None:
        """Close all of them."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()
        self.opened.clear()


@pytest.fixture(scope="module")
def open_tab(browser: Browser, world: World) -> Iterator[Tabs]:
    """Yield what opens the page in a tab."""
    tabs = Tabs(browser, world)
    yield tabs
    tabs.close()


@pytest.fixture(scope="module")
def shared_tab(open_tab: Tabs) -> Looked:
    """Return the tab that the tests of a module share: a person does not open the page anew for each click either."""
    return open_tab()


@pytest.fixture
def looked(shared_tab: Looked) -> Looked:
    """Return the page in a tab, on *Now*, without an open dialog."""
    shared_tab.tab.keyboard.press("Escape")
    shared_tab.go("try", "form")
    shared_tab.go("now", "svg.plot")
    return shared_tab


@pytest.fixture(autouse=True)
def nothing_went_wrong(open_tab: Tabs, world: World) -> Iterator[None]:
    """Fail a test in which a tab complained, or asked for anything that is not this page."""
    yield
    for looked in open_tab.opened:
        errors, looked.errors[:] = list(looked.errors), []
        assert errors == []
        assert [
            url for url in looked.asked if not url.startswith(f"http://127.0.0.1:{world.page.port}/")
        ] == []
