"""What a person changes on the page is changed in the memory, and can be taken back; by keyboard alone, too."""

from __future__ import annotations

from typing import Any

from tests.page.conftest import DAY_MS, Looked, World


def test_search_finds_what_an_agent_would_find(looked: Looked, world: World) -> None:
    """Else the page would show another memory than the one that agents have."""
    looked.go("memories", ".row")
    looked.tab.fill("input[type=search]", "Which crane lifts 24 tonnes?")
    looked.tab.wait_for_selector(".count:has-text('found')")
    first = world.engine.search(query="Which crane lifts 24 tonnes?", k=1, kinds=frozenset({_memory()}))[
        "hits"
    ][0]["text"]
    looked.tab.wait_for_selector(f".row >> nth=0 >> text={first}")
    looked.tab.click(".row >> nth=0")
    looked.tab.wait_for_selector("article dt:text-is('Found with')")


def test_filters_show_what_they_say(looked: Looked, world: World) -> None:
    """Else a person would look for a pinned or archived memory among thousands."""
    pinned, away = world.memory("pier 5"), world.memory("pier 6")
    assert pinned is not None
    assert away is not None
    world.engine.pin(id=pinned["id"])
    world.engine.archive(ids=[away["id"]])
    looked.go("memories", ".row")
    for state, words in (("pinned", "pier 5"), ("archived", "pier 6")):
        looked.tab.select_option("select:has(option[value=expiring])", state)
        looked.tab.wait_for_selector(".count:has-text('1 shown')")
        looked.shows(".list", words)
    looked.tab.select_option("select:has(option[value=expiring])", "active")
    looked.tab.select_option("select:has(option[value=decision])", "decision")
    looked.tab.wait_for_selector(".row:has-text('Fridays')")
    wanted = world.engine.list(types=(_decision(),), k=100)["items"]
    looked.tab.wait_for_selector(f".count:has-text('{len(wanted)} shown')")
    world.engine.unarchive(ids=[away["id"]])


def _decision() -> Any:
    from libra.ground.records import MemoryType

    return MemoryType.DECISION


def _memory() -> Any:
    from libra.ground.records import Kind

    return Kind.MEMORY


def test_correct_confirm_pin_and_undo(looked: Looked, world: World) -> None:
    """Else what a person says of a memory on the page would be lost."""
    old = world.memory("pier 2")
    assert old is not None
    looked.go(f"memories/{old['id']}", "article")
    looked.tab.click("article >> text=Correct")
    looked.tab.fill("dialog textarea", "The crane on pier 2 lifts 99 tonnes.")
    looked.tab.click("dialog button[type=submit]")
    looked.tab.wait_for_selector("article .words:has-text('99 tonnes')")
    new = world.memory("99 tonnes")
    assert new is not None
    looked.shows("ol.line", "lifts 17 tonnes")
    looked.tab.click("article >> text=Pin")
    looked.tab.wait_for_selector("article .chip:has-text('pinned')")
    assert world.memory("99 tonnes")["pinned"] is True  # type: ignore[index]
    looked.tab.click("article >> text=Unpin")
    looked.told("Unpinned")
    looked.tab.click("article >> button:text-is('Confirm')")
    looked.told("Confirmed")
    looked.tab.click("#told >> text=Undo")
    looked.tab.wait_for_selector("article section:has-text('What was changed') .chip:has-text('undone')")


def test_edit_expire_and_archive(looked: Looked, world: World) -> None:
    """Else a memory could be seen and not mended."""
    old = world.memory("pier 3")
    assert old is not None
    looked.go(f"memories/{old['id']}", "article")
    looked.tab.click("article >> text=Edit")
    looked.tab.fill("dialog textarea", "The crane on pier 3 lifts 24 tonnes and is red.")
    looked.tab.click("dialog button[type=submit]")
    looked.tab.wait_for_selector("article .words:has-text('is red')")
    looked.tab.click("article >> text=Expire…")
    looked.tab.fill("dialog input[name=days]", "3")
    looked.tab.click("dialog button[type=submit]")
    looked.told("Kept for 3 days")
    assert world.memory("is red")["expires"] == world.clock() + 3 * 86_400_000  # type: ignore[index]
    looked.tab.click("article >> button:text-is('Archive')")
    looked.tab.wait_for_selector("article >> text=Bring back")
    assert world.memory("is red") is None
    looked.tab.click("article >> text=Bring back")
    looked.told("Brought back")
    assert world.memory("is red") is not None


def test_forget_asks_first_and_is_for_good(looked: Looked, world: World) -> None:
    """Else a slip of the hand would delete, or "Forget" would keep."""
    old = world.memory("pier 4")
    assert old is not None
    looked.go(f"memories/{old['id']}", "article")
    looked.tab.click("article >> text=Forget…")
    looked.tab.wait_for_selector("dialog:has-text('cannot be undone')")
    looked.tab.click("dialog >> text=Cancel")
    assert world.memory("pier 4") is not None
    looked.tab.click("article >> text=Forget…")
    looked.tab.click("dialog button[type=submit]")
    looked.told("Forgotten")
    assert world.memory("pier 4") is None
    looked.tab.wait_for_selector("text=Choose a memory")
    assert "pier 4 lifts" not in looked.text()


def test_the_review_of_the_day_shrinks_with_each_decision(looked: Looked, world: World) -> None:
    """Else the inbox would never be empty."""
    world.clock.advance(DAY_MS)  # what the other tests have mended was yesterday
    looked.go("memories", "details.inbox")
    before = len(world.engine.review()["items"])
    looked.tab.click("details.inbox summary")
    looked.tab.click("details.inbox >> button:text-is('Right') >> nth=0")
    looked.told("Confirmed")
    looked.tab.wait_for_selector(f"details.inbox summary:has-text('{before - 1}')")
    assert len(world.engine.review()["items"]) == before - 1


def test_wrong_in_a_receipt_keeps_a_thing_out_of_its_project(looked: Looked, world: World) -> None:
    """Else "this does not belong here" could only be said by forgetting."""
    line = next(r for r in world.engine.receipts(k=9)["items"] if _has(world, r["id"], "ropes"))
    looked.go(f"receipts/{line['id']}", "article")
    looked.tab.click("article li:has(.chip.recall) >> text=Wrong… >> nth=0")
    looked.tab.check("dialog input[value=never]")
    looked.tab.select_option("dialog select[name=place]", "project:/home/dev/harbor")
    looked.tab.click("dialog button[type=submit]")
    looked.told("Never again in project:/home/dev/harbor")
    looked.tab.wait_for_selector("article .chip:has-text('never in project:/home/dev/harbor')")
    looked.tab.click("#told >> text=Undo")
    looked.tab.wait_for_selector("article:not(:has(.chip:has-text('never in')))")


def test_wrong_of_a_files_rule_leads_to_the_file(looked: Looked, world: World) -> None:
    """Else who reads a wrong rule in a prompt would be left without an answer to "this is wrong"."""
    line = next(r for r in world.engine.receipts(k=9)["items"] if "hard" in r["tiers"])
    looked.go(f"receipts/{line['id']}", "article")
    rule = "article li:has(.chip:text-is('directive'))"
    looked.tab.wait_for_selector(rule)
    # What another test of this module forgot meanwhile has nothing left to be wrong.
    items = looked.tab.locator("article section:has(h3:has-text('In it')) li:not(:has(.said em))")
    assert items.count() > 1
    assert items.count() == items.filter(has=looked.tab.locator("button:text-is('Wrong…')")).count()
    looked.tab.click(f"{rule} >> text=Wrong… >> nth=0")
    looked.shows("dialog", "This stands in a file")
    assert looked.tab.input_value("dialog input").startswith("/home/dev/harbor/CLAUDE.md:")
    looked.tab.click("dialog button[type=submit]")
    looked.tab.wait_for_selector("article[aria-label='Rules of CLAUDE.md'] table.lines")


def _has(world: World, receipt_id: str, words: str) -> bool:
    from libra.ground.records import Who

    who = Who(user="me", host="claude-code", project="/home/dev/harbor")
    return any(
        item["tier"] == "recall" and words in item.get("text", "")
        for item in world.engine.receipt(id=receipt_id, who=who)["items"]
    )


def test_the_page_is_used_by_keyboard_alone(looked: Looked) -> None:
    """Else who has no mouse has no memory."""
    looked.tab.keyboard.press("Alt+2")
    looked.tab.wait_for_selector(".row")
    looked.tab.focus(".list")
    looked.tab.keyboard.press("ArrowDown")
    looked.tab.keyboard.press("ArrowDown")
    assert looked.tab.get_attribute(".row[aria-selected=true]", "aria-posinset") == "2"
    active = looked.tab.get_attribute(".list", "aria-activedescendant")
    assert active == looked.tab.get_attribute(".row[aria-selected=true]", "id")
    looked.tab.keyboard.press("Enter")
    looked.tab.wait_for_selector("article")
    looked.tab.keyboard.press("Escape")
    looked.tab.wait_for_selector("text=Choose a memory")
    looked.tab.keyboard.press("Alt+8")
    looked.tab.wait_for_selector("h1:text-is('Settings')")


def test_everything_that_can_be_used_has_a_name(looked: Looked) -> None:
    """Else a screen reader would say "button" and "edit", and not which."""
    for view, wait in (
        ("now", "svg.plot"),
        ("memories", ".row"),
        ("receipts", ".row"),
        ("rules", ".row"),
        ("byhand", ".card"),
        ("sessions", ".row"),
        ("try", "form"),
        ("settings", "details"),
    ):
        looked.go(view, wait)
        nameless = looked.tab.evaluate(
            "[...document.querySelectorAll('button, a, input, select, textarea, [role=listbox], [role=img], nav')].filter(e =>"
            " !(e.textContent?.trim() || e.getAttribute('aria-label') || e.labels?.length || e.getAttribute('aria-labelledby')"
            " || e.querySelector('img, svg'))).map(e => e.outerHTML.slice(0, 90))"
        )
        assert nameless == [], view
        assert looked.tab.locator("h1").count() == 1


def test_ten_thousand_rows_do_not_freeze_the_page(looked: Looked, world: World) -> None:
    """Else whoever has used Libra for years could not look into it."""
    most = 10_000

    def listed(params: dict[str, Any]) -> dict[str, Any]:
        first, k = int(str(params.get("after", "newest.0.0.0")).split(".")[2]), int(params["k"])
        items = [
            {
                "id": f"m{n}",
                "kind": "memory",
                "text": f"Memory number {n}",
                "ts": 0,
                "source": {},
                "confidence": 0.5,
            }
            for n in range(first, min(first + k, most))
        ]
        return {"items": items, **({"next": f"newest.0.{first + k}.0"} if first + k < most else {})}

    world.stand_in["list"] = listed
    try:
        looked.go("now", "svg.plot")
        looked.go("memories", ".row")
        looked.tab.focus(".list")
        for _ in range(most // 200 + 5):
            looked.tab.keyboard.press("End")
            size = looked.tab.get_attribute(".row[aria-selected=true]", "aria-posinset")
            if size == str(most):
                break
            longer = f".rows:not([style*='height: {int(size or 0) * 92}px'])"
            looked.tab.wait_for_selector(longer, state="attached")
        assert looked.text(".row[aria-selected=true] .text") == f"Memory number {most - 1}"
        assert looked.tab.locator(".row").count() < 60
        looked.tab.keyboard.press("Home")
        assert looked.text(".row[aria-selected=true] .text") == "Memory number 0"
    finally:
        del world.stand_in["list"]
