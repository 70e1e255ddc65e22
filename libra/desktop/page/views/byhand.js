// Set by you: rules, cards of people, reminders and lessons, each set, changed and taken away here; and what your sessions repeat.

import { call } from "../api.js";
import { h } from "../dom.js";
import { button, chip, field, tell, when } from "../parts.js";
import { shelf } from "../shelf.js";
import { plural, shortSession } from "../words.js";

const MINE = { origin: "owner" };
const LESSONS = 100;

export async function show(body) {
  const shelves = [rules(), cards(), reminders(), lessons(), workflows()];
  body.append(h("div.cards", {}, shelves.map((one) => one.element)));
  await Promise.all(shelves.map((one) => one.draw()));
}

/** Words behind commas, as a list. */
const listOf = (text) => text.split(",").map((word) => word.trim()).filter(Boolean);
const input = (name, value = "", more = {}) => h("input", { type: "text", name, value, maxlength: 200, autocomplete: "off", ...more });
const area = (name, value = "", more = {}) => h("textarea", { name, rows: 3, value, maxlength: 500, ...more });
const whole = (name, value, most) => h("input", { type: "number", name, min: 0, max: most, step: 1, value: value ?? "" });
const number = (form, name) => (form.elements[name].value === "" ? undefined : Number(form.elements[name].value));
const said = (form, name) => form.elements[name].value.trim();
/** A name stays as it is once it is given: under another one it would be another thing. */
const named = (row) => (row ? h("input", { type: "hidden", name: "name", value: row.name }) : field("Name", input("name"), "Short; without one it gets one."));

function rules() {
  const made = shelf({
    title: "Rules", one: "rule", wide: true,
    about: "They stand in every prompt, before what is recalled. Words that no reply may have are for agents that ask before they answer.",
    none: "No rule is set by hand. The rules of your instruction files are under Rules.",
    load: async () => (await call("rule_list")).rules,
    row: (rule) => [h("p.said", {}, rule.text), h("small", {}, h("strong", {}, rule.name), rule.keywords.length ? ` · never in a reply: ${rule.keywords.join(", ")} · instead: “${rule.reply}”` : "", " · ", when(rule.changed))],
    form: (rule) => [
      field("The rule, as an agent should read it", area("text", rule?.text, { required: true })),
      named(rule),
      field("Words that no reply may have", input("keywords", rule?.keywords.join(", "), { maxlength: 4000 }), "Behind commas; looked for whole."),
      field("What to say instead of such a reply", input("reply", rule?.reply, { maxlength: 500 })),
    ],
    save: (form) => call("rule_set", { ...MINE, text: said(form, "text"), name: said(form, "name") || undefined, keywords: listOf(form.elements.keywords.value), reply: said(form, "reply") || undefined }),
    remove: (rule) => call("rule_delete", { ...MINE, name: rule.name }),
  });
  const reply = h("input", { type: "text", autocomplete: "off" });
  const told = h("p", { role: "status" });
  made.element.append(h("details", {}, h("summary", {}, "Hold a reply against them"), h("div.bar", {}, h("div.field.grow", {}, field("A reply", reply)),
    button("Check", async () => {
      const found = await call("rule_check", { text: reply.value });
      told.replaceChildren(found.ok ? "It breaks none." : `It breaks ${found.broken.map((rule) => `“${rule.name}” (${rule.keywords.join(", ")})`).join(" and ")}. Instead: “${found.reply}”`);
    })), told));
  return made;
}

/** A card's facts as lines "name: value", and back; a fact that is no longer there is taken away. */
const factLines = (card) => Object.entries(card?.fields ?? {}).map(([name, value]) => `${name}: ${value}`).join("\n");
function factsOf(text, card) {
  const facts = Object.fromEntries(Object.keys(card?.fields ?? {}).map((name) => [name, null]));
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const at = line.indexOf(":");
    if (at < 1) throw new Error(`“${line.trim()}” needs a name before a colon, such as role: harbour master`);
    facts[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return facts;
}

const cards = () => shelf({
  title: "People", one: "card",
  about: "A few facts under a name, whole in the prompt where the person is spoken of; your own card in every one.",
  none: "No cards yet. Begin with your own.",
  search: "Name begins with", always: false,
  load: async (query) => (await call("card_list", query ? { prefix: query } : {})).cards,
  row: (card) => [h("p.said", {}, h("strong", {}, card.name), " ", card.main && chip("you", "type"), card.aliases.length ? h("small", {}, ` also ${card.aliases.join(", ")}`) : ""),
    h("dl.facts", {}, Object.entries(card.fields).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, String(value), card.by[name] && card.by[name] !== "owner" ? h("small", {}, ` (an agent's words)`) : ""))))],
  form: (card) => [
    card ? named(card) : field("Name", input("name", "", { required: true })),
    field("Facts", area("facts", factLines(card), { rows: 5, maxlength: 4000 }), "One a line, such as role: harbour master"),
    field("Other names", input("aliases", card?.aliases.join(", "), { maxlength: 4000 }), "Behind commas."),
    h("label.option", {}, h("input", { type: "checkbox", name: "main", checked: card?.main ?? false }), " This is my own card"),
  ],
  save: (form, card) => call("card_update", { ...MINE, name: said(form, "name"), fields: factsOf(form.elements.facts.value, card), aliases: listOf(form.elements.aliases.value), main: form.elements.main.checked }),
  remove: (card) => call("card_delete", { ...MINE, name: card.name }),
});

const reminders = () => shelf({
  title: "Reminders", one: "reminder",
  about: "When something comes up in a question, the agent is told what you wanted to be reminded of.",
  none: "No reminder waits.",
  load: async () => (await call("intent_list", { every: true })).intents,
  row: (one) => [h("p.said", {}, one.remind), h("small", {}, h("strong", {}, one.name), ` · when: ${one.when.join(", ")} · `, chip(one.state, one.state === "armed" ? "type" : ""), ` reminded ${one.fired} of ${plural(one.times, "time")}, until `, h("time", {}, new Date(one.expires).toLocaleDateString("en", { dateStyle: "medium" })))],
  form: (one) => [
    field("Remind of", area("remind", one?.remind, { required: true })),
    field("When this comes up", input("when", one?.when.join(", "), { required: true, maxlength: 4000 }), "Words and phrases behind commas; any of them."),
    named(one),
    h("div.bar", {}, field("Times", whole("times", one?.times, 1000)), field("Hours between", whole("hours", one ? one.cooldown_ms / 3_600_000 : undefined, 8760)), field("Days", whole("days", undefined, 36500), "from now on")),
  ],
  save: (form) => call("intent_set", { when: listOf(form.elements.when.value), remind: said(form, "remind"), name: said(form, "name") || undefined, times: number(form, "times"), cooldown_hours: number(form, "hours"), days: number(form, "days") }),
  remove: (one) => call("intent_delete", { name: one.name }),
  more: (one, again) => one.state === "done" ? null : button("Done", async () => {
    const done = await call("intent_done", { name: one.name });
    tell("Done: it reminds no more.", { label: "Undo", run: () => call("undo", { journal_id: done.journal_id }).then(again) });
    await again();
  }, "small"),
});

const PARTS = [["symptom", "What was seen"], ["cause", "Why it was so"], ["fix", "What helped"], ["prevention", "How it does not happen again"]];
const lessonText = (parts) => PARTS.filter(([part]) => parts[part]).map(([part]) => `${part[0].toUpperCase()}${part.slice(1)}: ${parts[part].replace(/\s+/g, " ")}`).join("\n");

const lessons = () => shelf({
  title: "Lessons", one: "lesson", wide: true,
  about: "What went wrong and what helped: found by what is seen, for you and for agents.",
  none: "No lessons yet.",
  search: "What is seen",
  load: async (query) => (await call("lessons", query ? { query, k: LESSONS } : { k: LESSONS })).lessons,
  row: (lesson) => [h("dl.facts", {}, PARTS.filter(([part]) => lesson[part]).map(([part, label]) => h("div", {}, h("dt", {}, label), h("dd", {}, lesson[part])))),
    h("small", {}, lesson.archived && [chip("archived"), " "], when(lesson.ts), " · ", h("a", { href: `#memories/${lesson.id}` }, "as a memory"))],
  form: (lesson) => PARTS.map(([part, label]) => field(label, area(part, lesson?.[part], { rows: 2, maxlength: 400, required: part === "symptom" || part === "fix" }))),
  save: (form, lesson) => {
    const parts = Object.fromEntries(PARTS.map(([part]) => [part, said(form, part) || undefined]));
    return lesson ? call("update", { ...MINE, id: lesson.id, text: lessonText(parts) }) : call("lesson", { ...MINE, ...parts });
  },
  remove: (lesson) => call("archive", { ...MINE, ids: [lesson.id] }), away: "Archive", gone: "Put away: only a search that finds little else shows it",
  more: (lesson, again) => lesson.archived ? button("Bring back", async () => {
    await call("unarchive", { ...MINE, ids: [lesson.id] });
    tell("Brought back.");
    await again();
  }, "small") : null,
});

const workflows = () => shelf({
  title: "Workflows", wide: true,
  about: "Runs of commands that at least three of your sessions repeat: worth a script, or a line in an instruction file.",
  none: "Nothing is repeated often enough.",
  load: async () => (await call("workflows")).workflows,
  row: (flow) => [h("p.said", {}, flow.steps.map((step, at) => [at ? " → " : "", h("code", {}, step)])),
    h("small", {}, plural(flow.sessions, "session"), ", last ", when(flow.last), " in ", h("a", { href: `#sessions/${encodeURIComponent(flow.last_session)}` }, shortSession(flow.last_session)))],
});
