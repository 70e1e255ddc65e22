// An assembled context: its bar, its text, each thing in it and each thing left out. Used for receipts and for trials.

import { call } from "../api.js";
import { h } from "../dom.js";
import { ask, button, chip, empty, field, scoreParts, tell } from "../parts.js";
import { TIERS } from "../tiers.js";
import { count, decimals, plural, sourceLine } from "../words.js";

const RECORDS = ["memory", "turn", "guidance", "summary"];
/** How the place of rules begins that were set by name (libra/store/documents.py). */
const BY_HAND = "libra:";

/**
 * One thing of a context.
 * @param {object} item As "receipt" and "assemble" tell it.
 * @param {{who: object, places?: string[], changed?: () => void}} how Without "places" nothing can be done to it here.
 */
export function thing(item, { who, places = null, changed = () => {} }) {
  const path = item.source?.path;
  const line = path?.startsWith(BY_HAND) || item.source?.name ? h("a", { href: "#byhand" }, "set by you") : path ? h("code", {}, `${path}${item.source.line ? `:${item.source.line}` : ""}`) : sourceLine(item.source);
  const told = item.gone ? h("em", {}, "This is no longer kept.") : item.text ?? "";
  const answer = !places || item.gone ? null : item.kind === "card" || item.kind === "intent" || path?.startsWith(BY_HAND) ? setByHand
    : item.kind === "directive" || item.kind === "lore" ? () => inFile(item) : () => wrong(item, who, places, changed);
  return h("li", {},
    h("p.item", {}, chip(item.tier, item.tier), " ", chip(item.type ?? item.kind ?? ""), " ",
      h("small", {}, plural(item.tokens, "token"), typeof item.score === "number" ? ` · score ${decimals(item.score, 3)}` : "", item.outcome ? ` · ${item.outcome}` : "",
        item.left_out ? [" · ", chip(item.left_out, "warn")] : "", item.in_prompt ? " · in the prompt already" : "", item.never ? [" · ", chip(`never in ${item.never.join(", ")}`, "warn")] : "")),
    h("p.said", {}, RECORDS.includes(item.kind) && !item.gone ? h("a", { href: `#memories/${item.id}` }, told) : told),
    h("small", {}, line, item.why?.reason ? ` · ${item.why.reason}` : "", scoreParts(item.why) && h("span.why", {}, scoreParts(item.why))),
    answer && button("Wrong…", answer, "small"));
}

/** What was set by name is changed where it was set. */
async function setByHand() {
  const go = await ask({ title: "This was set by you", text: "Rules, people and reminders of your own are changed and taken away under “Set by you”.", yes: "Go there" });
  if (go) location.hash = "byhand";
}

/** What stands in a file is changed there, by whoever owns it: say where, and help to get there. */
async function inFile(item) {
  const { path, line } = item.source ?? {};
  const place = h("input", { type: "text", readonly: true, value: `${path}${line ? `:${line}` : ""}` });
  const copy = button("Copy the path", async () => {
    place.select();
    await navigator.clipboard.writeText(path);
    tell("Copied.");
  });
  const go = await ask({
    title: "This stands in a file", yes: "Show its lines here",
    text: `${item.kind === "directive" ? "It is a rule of that file" : "It is a note of that file"}: Libra gives it as it stands there, and reads the file again as soon as it is changed. Change or delete the line there.`,
    body: [h("blockquote.said", {}, item.text), field("File and line", place), copy],
  });
  if (go) location.hash = `rules/${encodeURIComponent(path)}`;
}

/** Ask what is wrong with a thing, and do what follows. */
async function wrong(item, who, places, changed) {
  const memory = item.kind === "memory";
  const options = [
    ...(memory ? [["correct", "It is not true: put what is right in its place"]] : []),
    ["never", "It does not belong here: never show it here again"],
    ["forget", "It should not be kept at all: forget it for good"],
  ];
  const id = `wrong-${item.id}`;
  const choice = h("fieldset", {}, h("legend", {}, "What is wrong with it?"),
    options.map(([value, label], at) => h("label.option", {}, h("input", { type: "radio", name: "what", value, checked: at === 0 }), " ", label)));
  const text = h("textarea", { name: "text", rows: 3, id, value: item.text });
  const where = h("select", { name: "place" }, places.map((place) => h("option", { value: place }, place)));
  const done = await ask({
    title: "Wrong", text: item.text, yes: "Do it", danger: true,
    body: [choice, memory && field("What is right (for a correction)", text), field("Where (for never here)", where)],
    done: (form) => ({ what: form.elements.what.value, text: form.elements.text?.value.trim(), place: form.elements.place.value }),
  });
  if (!done) return;
  if (done.what === "correct") {
    await call("correct", { who, id: item.id, text: done.text, origin: "owner" });
    tell("Corrected: the earlier words stay in its history.");
  } else if (done.what === "never") {
    await call("never", { who, id: item.id, place: done.place });
    tell(`Never again in ${done.place}.`, { label: "Undo", run: () => call("allow", { who, id: item.id, place: done.place }).then(changed) });
  } else {
    const gone = await call("forget", { who, id: item.id });
    tell(`Forgotten: ${plural(gone.forgotten, "record")}.`);
  }
  changed();
}

/** A bar of the tokens by tier within the budget. */
export function budgetBar(tiers, tokens, budget) {
  const whole = Math.max(budget, tokens, 1);
  return h("div.budget", { role: "img", "aria-label": `${count(tokens)} of ${count(budget)} tokens: ${TIERS.filter(([t]) => tiers[t]).map(([t, name]) => `${name} ${count(tiers[t])}`).join(", ")}` },
    TIERS.filter(([tier]) => tiers[tier]).map(([tier, name]) => h(`span.k-${tier}`, { title: `${name}: ${plural(tiers[tier], "token")}`, style: { width: `${(100 * tiers[tier]) / whole}%` } })));
}

export function things(title, items, how, none = "") {
  if (!items?.length) return none ? h("section", {}, h("h3", {}, title), empty(none)) : null;
  return h("section", {}, h("h3", {}, `${title} (${items.length})`), h("ul.plain", {}, items.map((item) => thing(item, how))));
}

export const legend = () => h("p.legend", {}, TIERS.map(([tier, name]) => h("span", {}, h(`i.k-${tier}`), name)));
