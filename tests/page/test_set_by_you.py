"""What a person sets down by name on the page is set in the memory, changed and taken away; and what became of rules is told."""

from __future__ import annotations

from tests.page.conftest import GONE_RULE, Looked, World


def _save(looked: Looked, **fields: str) -> None:
    """Fill in the dialog's fields, and save; it closes when that is done."""
    for name, value in fields.items():
        looked.tab.fill(f"dialog [name={name}]", value)
    looked.tab.click("dialog button[type=submit]")
    looked.tab.wait_for_selector("dialog", state="detached")


def _in(title: str) -> str:
    """Return the selector of the card of that title."""
    return f"section.card:has(h2:text-is('{title}'))"


def test_a_rule_is_set_changed_and_taken_away(looked: Looked, world: World) -> None:
    """Else a rule could be seen in every prompt, and nobody could change it but by the command line."""
    looked.go("byhand", _in("Rules"))
    looked.tab.click("text=New rule…")
    _save(
        looked, text="Never tell prices.", name="prices", keywords="price list, EUR", reply="Ask the office."
    )
    looked.told("Saved")
    looked.shows(_in("Rules"), "Never tell prices.")
    told = looked.tab.locator(f"{_in('Rules')} li button").first.get_attribute("aria-describedby")
    looked.shows(f"#{told}", "Never tell prices.")  # whose button it is, to who hears the page
    (rule,) = world.engine.rule_list()["rules"]
    assert (rule["name"], rule["keywords"], rule["reply"]) == (
        "prices",
        ["price list", "EUR"],
        "Ask the office.",
    )
    looked.tab.click("text=Hold a reply against them")
    looked.tab.fill(f"{_in('Rules')} .grow input", "That is 12 EUR.")
    looked.tab.click(f"{_in('Rules')} >> button:text-is('Check')")
    looked.shows(_in("Rules"), "It breaks “prices” (EUR)")
    looked.tab.click(f"{_in('Rules')} >> text=Edit…")
    _save(looked, text="Never tell prices on the phone.")
    looked.shows(_in("Rules"), "on the phone")
    looked.tab.click(f"{_in('Rules')} >> button:text-is('Delete')")
    looked.shows(_in("Rules"), "No rule is set by hand")
    assert world.engine.rule_list()["rules"] == []
    looked.tab.click("#told >> text=Undo")
    looked.shows(_in("Rules"), "on the phone")
    assert [r["text"] for r in world.engine.rule_list()["rules"]] == ["Never tell prices on the phone."]


def test_a_card_gets_facts_and_loses_them(looked: Looked, world: World) -> None:
    """Else what stands of a person in prompts could not be put right; what cannot be kept is said, and nothing typed is lost."""
    looked.go("byhand", _in("People"))
    looked.tab.click("text=New card…")
    looked.tab.fill("dialog [name=name]", "Sam Rivers")
    looked.tab.fill("dialog [name=facts]", "harbour master")
    looked.tab.click("dialog button[type=submit]")
    looked.shows("dialog [role=alert]", "needs a name before a colon")
    assert looked.tab.input_value("dialog [name=name]") == "Sam Rivers"
    _save(looked, facts="role: harbour master\nzone: Europe/Oslo", aliases="Sammy")
    looked.shows(_in("People"), "Europe/Oslo")
    assert world.engine.card_get(name="Sammy")["fields"] == {"role": "harbour master", "zone": "Europe/Oslo"}
    looked.tab.click(f"{_in('People')} >> text=Edit…")
    _save(looked, facts="role: pilot")
    looked.shows(_in("People"), "pilot")
    assert world.engine.card_get(name="Sam")["fields"] == {"role": "pilot"}
    looked.tab.click(f"{_in('People')} >> button:text-is('Delete')")
    looked.shows(_in("People"), "No cards yet")
    assert world.engine.card_list()["cards"] == []


def test_a_reminder_waits_and_is_done_with(looked: Looked, world: World) -> None:
    """Else nobody could see what they will be reminded of, nor stop it."""
    looked.go("byhand", _in("Reminders"))
    looked.tab.click("text=New reminder…")
    _save(
        looked,
        remind="Bump the version.",
        when="release, deploy",
        name="bump",
        times="5",
        hours="2",
        days="30",
    )
    looked.shows(_in("Reminders"), "Bump the version.")
    (one,) = world.engine.intent_list()["intents"]
    assert (one["when"], one["times"], one["cooldown_ms"]) == (["release", "deploy"], 5, 7_200_000)
    looked.tab.click(f"{_in('Reminders')} >> button:text-is('Done')")
    looked.told("it reminds no more")
    looked.tab.wait_for_selector(f"{_in('Reminders')} .chip:text-is('done')")
    assert world.engine.intent_list()["intents"] == []
    looked.tab.click(f"{_in('Reminders')} >> button:text-is('Delete')")
    looked.shows(_in("Reminders"), "No reminder waits")
    assert world.engine.intent_list(every=True)["intents"] == []


def test_a_lesson_is_kept_found_changed_and_put_away(looked: Looked, world: World) -> None:
    """Else who meets an old fault again would not find on the page what helped the last time."""
    looked.go("byhand", _in("Lessons"))
    looked.tab.click("text=New lesson…")
    _save(looked, symptom="The lock gate jams with E47.", fix="Grease the hinge.")
    looked.shows(_in("Lessons"), "Grease the hinge.")
    looked.tab.fill(f"{_in('Lessons')} input[type=search]", "gate jams E47")
    looked.shows(f"{_in('Lessons')} li", "Grease the hinge.")
    looked.tab.click(f"{_in('Lessons')} >> text=Edit…")
    _save(looked, cause="The hinge was dry.")
    looked.shows(_in("Lessons"), "The hinge was dry.")
    (lesson,) = world.engine.lessons(query="gate jams E47", k=5)["lessons"]
    assert (lesson["fix"], lesson["cause"]) == ("Grease the hinge.", "The hinge was dry.")
    looked.tab.click(f"{_in('Lessons')} >> button:text-is('Archive')")
    looked.told("Put away")
    looked.shows(f"{_in('Lessons')} .chip", "archived")
    assert world.engine.lessons(query="gate jams E47", k=5)["lessons"][0]["archived"]
    assert world.engine.lessons(k=5)["lessons"] == []
    looked.tab.click(f"{_in('Lessons')} >> button:text-is('Bring back')")
    looked.told("Brought back")
    assert len(world.engine.lessons(k=5)["lessons"]) == 1


def test_memories_are_related_and_parted(looked: Looked, world: World) -> None:
    """Else what hangs together could be said by agents alone."""
    one, other = world.memory("pier 0"), world.memory("pier 1")
    assert one is not None
    assert other is not None
    looked.go(f"memories/{one['id']}", "article")
    looked.tab.click("article >> text=Relate…")
    looked.tab.click("dialog button[type=submit]")
    looked.shows("dialog [role=alert]", "Find the other memory first")
    looked.tab.fill("dialog input[type=search]", other["text"])
    looked.tab.keyboard.press("Enter")
    looked.tab.check(f"dialog input[value='{other['id']}']")
    looked.tab.select_option("dialog select", "evolved_from")
    looked.tab.click("dialog button[type=submit]")
    looked.tab.wait_for_selector("article .chip:text-is('evolved from')")
    kinds = [r["kind"] for r in world.engine.relations(id=one["id"])["relations"] if r["id"] == other["id"]]
    assert "evolved_from" in kinds
    looked.tab.click("article >> button:text-is('Part')")
    looked.told("no longer hang together")
    looked.tab.wait_for_selector("article:not(:has(.chip:text-is('evolved from')))")
    assert "evolved_from" not in {r["kind"] for r in world.engine.relations(id=one["id"])["relations"]}


def test_a_file_tells_what_changed_when_and_former_words_can_be_forgotten(
    looked: Looked, world: World
) -> None:
    """Else nobody could see that a rule was there last week; or its words would stay although the person wants them gone."""
    looked.go("rules", ".row")
    looked.tab.click("details.lately summary")
    looked.shows("details.lately", GONE_RULE)
    looked.tab.click(".row:has-text('CLAUDE.md')")
    looked.shows("article li[data-what=removed]", GONE_RULE)
    looked.tab.wait_for_selector("article li[data-what=read]")
    looked.tab.click("article >> text=Forget these words…")
    looked.tab.click("dialog button[type=submit]")
    looked.told("Forgotten")
    looked.shows("article li[data-what=removed]", "these words were forgotten")
    assert GONE_RULE not in str(world.engine.rules_history(everywhere=True))
