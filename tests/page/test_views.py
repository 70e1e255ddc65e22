"""Every view in a real browser, with real data: what is shown is what the verbs say, and nothing leaves loopback."""

from __future__ import annotations

import pytest

from libra.ground.records import NewTurn, Origin, Role, Who
from tests.page.conftest import MARKUP, SESSION, Looked, Tabs, World

VIEWS = {
    "now": "svg.plot",
    "memories": ".row",
    "receipts": ".row",
    "rules": ".row",
    "byhand": ".card",
    "sessions": ".row",
    "try": "form",
    "settings": "details",
}


@pytest.mark.parametrize(
    "how",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 360, "height": 740}}],
    ids=["light", "dark", "phone"],
)
def test_every_view_comes_up_without_an_error(open_tab: Tabs, how: dict[str, object]) -> None:
    """Else a view would be broken where nobody looked; on a phone nothing may be wider than the screen."""
    page = open_tab(**how)
    for view, wait in VIEWS.items():
        page.go(view, wait)
        assert page.tab.inner_text("h1")
        wide = page.tab.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0, view


def test_now_says_whether_it_works_and_draws_what_was_done(looked: Looked, world: World) -> None:
    """Else a person could not see at a glance whether Libra does its work."""
    looked.tab.wait_for_selector("svg.plot >> nth=3")
    looked.shows("main", "Watching")
    looked.shows(".figures", str(world.engine.status()["counts"]["memory"]))
    assert looked.tab.locator("svg.plot .bar.k-recall").count() >= 3
    for agent in ("claude-code", "openclaw"):
        looked.shows(".card.wide", agent)
    looked.tab.click("details.numbers summary >> nth=0")
    looked.counts("details.numbers table", 1)


def test_pausing_is_seen_in_the_state_line(looked: Looked, world: World) -> None:
    """Else the page would say "Watching" while nothing is learnt."""
    looked.tab.click("text=Pause until resumed")
    looked.tab.wait_for_selector("text=Paused")
    assert world.engine.status()["paused"] is True
    looked.tab.click("button:has-text('Resume')")
    looked.tab.wait_for_selector(".big:has-text('Watching')")
    assert world.engine.status()["paused"] is False


def test_what_somebody_said_is_never_markup(looked: Looked, world: World) -> None:
    """Else a transcript could run a script in the page, and do with the memory what it likes."""
    for view, wait in (("now", "svg.plot"), ("memories", ".row"), ("receipts", ".row"), ("sessions", ".row")):
        looked.go(view, wait)
    looked.go(f"memories/{world.memory('flag')['id']}", "article .words")  # type: ignore[index]
    assert looked.text("article .words") == MARKUP
    looked.go("try", "form")
    looked.tab.fill("input[name=query]", MARKUP)
    looked.tab.click("text=Assemble")
    looked.tab.wait_for_selector("pre.exact")
    looked.go("sessions/openclaw%3Asecond", ".turn")
    looked.shows(".turns", MARKUP)
    assert looked.tab.evaluate("window.harmed") is None
    assert looked.tab.locator("main img, main b").count() == 0


def test_the_browser_itself_refuses_markup(looked: Looked) -> None:
    """Else one slip of ours would be enough."""
    refused = looked.tab.evaluate(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return false } catch { return true } })()"
    )
    assert refused is True
    looked.errors.clear()  # the refusal is reported there


def test_a_receipt_shows_the_very_text_and_each_thing(looked: Looked, world: World) -> None:
    """Else a person could not check what an agent was told."""
    looked.go("receipts", ".row")
    looked.tab.click(".row >> nth=0")
    looked.tab.wait_for_selector("article")
    line = world.engine.receipts(k=1)["items"][0]
    receipt = world.engine.receipt(id=line["id"])
    assert looked.tab.text_content("pre.exact") == receipt["text"]
    assert looked.tab.locator("article section:has(h3:has-text('In it')) li").count() == len(receipt["items"])
    looked.shows("article", receipt["query"])


def test_rules_show_each_line_and_the_doctors_findings(looked: Looked) -> None:
    """Else a person would not know what became of their file, nor that two files contradict each other."""
    looked.go("rules", ".row")
    looked.tab.click(".row:has-text('CLAUDE.md')")
    looked.tab.wait_for_selector("table.lines")
    rows = [row.split("\t")[:2] for row in looked.text("table.lines tbody").splitlines() if "\t" in row]
    assert ["5", "hard"] in [[cell.strip() for cell in row] for row in rows]
    looked.shows("details.doctor", "contradict")
    looked.shows("details.doctor", "CLAUDE.md:5")
    looked.shows("details.doctor", "AGENTS.md:1")


def test_a_session_unfolds_from_summaries_to_turns(looked: Looked) -> None:
    """Else nobody could see what a summary stands for."""
    looked.go(f"sessions/{SESSION.replace(':', '%3A')}", ".turn")
    looked.tab.click("text=Unfold all")
    looked.tab.wait_for_selector(".tree .leaf")
    looked.tab.click(".tree .leaf >> nth=0")
    looked.tab.wait_for_selector(".turn:focus")
    looked.shows(".turn:focus", "Berth 0")


def test_a_long_session_comes_page_by_page(looked: Looked, world: World) -> None:
    """Else ten thousand turns would all be drawn, or only be reached by a hundred clicks."""
    who = Who(user="me", host="codex", session="long")
    said = [
        NewTurn(Role.USER, f"Buoy {n} is green.", world.clock() + n, f"b{n}", Origin.OWNER)
        for n in range(230)
    ]
    world.engine.ingest(who=who, turns=said)
    looked.go("sessions/codex%3Along", ".pager")
    looked.shows(".pager", "turns 1 to 100 of 230")
    looked.tab.click(".pager [data-to=last]")
    looked.shows(".pager", "turns 201 to 230 of 230")
    looked.shows(".turns", "Buoy 229 is green.")
    assert looked.tab.locator(".turn").count() == 30
    looked.tab.click(".pager [data-to=back]")
    looked.shows(".pager", "turns 101 to 200 of 230")
    assert looked.tab.locator(".turn").count() == 100


def test_try_it_gives_what_an_agent_would_get(looked: Looked, world: World) -> None:
    """Else a trial would show another context than the real one."""
    looked.go("try", "form")
    looked.tab.fill("input[name=query]", "On which day do we deploy the harbor?")
    looked.tab.fill("input[name=budget]", "500")
    looked.tab.click("text=Assemble")
    looked.tab.wait_for_selector("pre.exact")
    real = world.engine.assemble(query="On which day do we deploy the harbor?", budget_tokens=500, trial=True)
    assert looked.tab.text_content("pre.exact") == real["text"]
    looked.shows("pre.exact", "Fridays")


def test_settings_are_checked_and_written(looked: Looked, world: World) -> None:
    """Else a slip on the page would be found at the next start, by Libra not starting."""
    looked.go("settings", "details")
    looked.tab.fill("input[type=search]", "assemble.tail")
    field = looked.tab.locator("[aria-label='assemble.tail']")
    field.fill("7")
    field.press("Enter")
    _refused(looked, "assemble.tail", "Expected a number from 0 to 1.")
    field.fill("0.9")
    assert field.get_attribute("aria-invalid") is None
    field.press("Enter")
    _refused(looked, "assemble.tail", "hard + soft + tail may not exceed 1")
    assert not world.settings.exists()
    field.fill("0.3")
    field.press("Enter")
    looked.tab.wait_for_selector("text=when Libra is started next: assemble.tail")
    assert "tail = 0.3" in world.settings.read_text("utf-8")
    looked.tab.click("form:has([aria-label='assemble.tail']) >> button:text-is('Default')")
    looked.tab.wait_for_selector("text=has its default again")
    assert "tail" not in world.settings.read_text("utf-8")


def _refused(looked: Looked, key: str, words: str) -> None:
    """Wait until the field of a key says these words, to who hears the page too."""
    looked.shows(".fault", words)
    field = looked.tab.locator(f"[aria-label='{key}']")
    assert field.get_attribute("aria-invalid") == "true"
    told = str(field.get_attribute("aria-describedby")).split()
    assert len(told) == 2
    assert words in "".join(looked.text(f"#{one}") for one in told)
    looked.tab.wait_for_function("key => document.activeElement?.getAttribute('aria-label') === key", arg=key)


def test_each_kind_of_setting_says_at_its_field_what_is_wrong(looked: Looked, world: World) -> None:
    """Else a person would read at the edge of the screen that something is wrong, and not where."""
    looked.go("settings", "details")
    for key, typed, told in (
        ("store.readers", "1.5", "Expected a whole number from 1 to 64."),
        ("store.most_bytes", "", "Expected a whole number from 16,777,216 bytes (16.8 MB)"),
        ("sources.hosts", "claude-code\nnosuch", "“nosuch” is none of claude-code"),
        ("model.folder", "/nowhere/at/all", "Expected a folder that is there"),
        ("summarizer.ollama", "http://example.com", "an address of this machine"),
        ("rerank.key_env", "not a name", "the name of an environment variable"),
        ("time_zone", "Mars/Olympus", "IANA time zone"),
    ):
        looked.tab.fill("input[type=search]", key)
        looked.tab.locator(f"[aria-label='{key}']").fill(typed)
        looked.tab.click(f"form:has([aria-label='{key}']) >> button:text-is('Save')")
        _refused(looked, key, told)
    listed = [key for section in world.engine.settings()["sections"] for key in section["keys"]]
    assert [key["key"] for key in listed if key["value"] != key["default"]] == []


def test_every_key_stands_on_the_page_with_default_and_effect(looked: Looked, world: World) -> None:
    """Else a person would have to find in the documents what else could be set."""
    looked.go("settings", "details")
    looked.tab.evaluate("for (const box of document.querySelectorAll('details.section')) box.open = true")
    keys = [key for section in world.engine.settings()["sections"] for key in section["keys"]]
    looked.counts(".setting", len(keys))
    shown = looked.tab.evaluate(
        "[...document.querySelectorAll('.setting')].map(e => [e.querySelector('code').textContent, e.textContent])"
    )
    assert [name for name, _ in shown] == [key["key"] for key in keys]
    for (_, words), key in zip(shown, keys, strict=True):
        assert key["effect"].replace("`", "") in words
        assert "default " in words


def test_a_page_that_has_ended_says_so(open_tab: Tabs, world: World) -> None:
    """Else a person would click on, and wonder why nothing happens. The last of this module: no tab lives on."""
    open_tab.close()
    page = open_tab()
    page.tab.wait_for_selector("svg.plot")
    world.page.keys.clear()
    page.tab.evaluate("location.hash = 'receipts'")
    page.tab.wait_for_selector("text=This page has ended")
    assert "libra open" in page.text()
    open_tab.close()  # the browser has reported the refused request
