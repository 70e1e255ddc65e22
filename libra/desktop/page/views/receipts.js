// Receipts: everything that was put into prompts, word for word while it is remembered, and what was left out.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { longList } from "../list.js";
import { panes } from "../panes.js";
import { chip, complain, facts, when } from "../parts.js";
import { atTime, count, duration, exactly, plural, shortSession } from "../words.js";
import { budgetBar, legend, things } from "./context.js";

const PAGE = 100;

export async function show(body, rest) {
  const many = h("p.count", { role: "status" });
  const known = new Map();
  const list = longList({ label: "Receipts", rowHeight: 76, row, open: (item) => { location.hash = `receipts/${item.id}`; }, none: "Nothing was put into a prompt in the last 14 days." });
  const beside = panes([many, list.element], "Choose a receipt to read what an agent was told.", () => history.replaceState(null, "", "#receipts"));
  fill(body, h("p", {}, h("small", {}, "Kept for 14 days. The very text and the question are kept in memory only, until something is forgotten or Libra ends.")), beside.element);

  const note = (page) => {
    for (const item of page.items) known.set(item.id, item);
    return page.items;
  };
  let page = await call("receipts", { k: PAGE });
  fill(many, page.next ? `the last ${PAGE}, more as you scroll` : `${page.items.length} shown`);
  list.show(note(page), {
    next: page.next ? async () => {
      if (!page.next) return [];
      page = await call("receipts", { k: PAGE, after: page.next });
      return note(page);
    } : null,
  });

  async function go([id]) {
    if (!id) return;
    try {
      const line = known.get(id);
      const who = line ? whoOf(line) : {};
      const found = await call("receipt", { id, who });
      beside.open(detail(found, () => go([id])));
    } catch (error) {
      complain(error);
    }
  }
  await go(rest);
  return { go };
}

/** As whom the prompt was made, so that its items can be seen. */
const whoOf = (item) => Object.fromEntries(["agent", "project", "host"].filter((name) => item[name]).map((name) => [name, item[name]]));

function row(item) {
  return [
    h("p.text.one", {}, `${item.host ?? item.agent ?? "an agent"}${item.session ? `, ${shortSession(item.session)}` : ""}`),
    budgetBar(item.tiers, item.tokens, item.budget),
    h("small", {}, h("span", {}, atTime(item.at)), h("span", {}, `${count(item.tokens)} of ${count(item.budget)} tokens`), h("span", {}, plural(item.items, "thing")), item.degraded.length > 0 && chip("degraded", "warn")),
  ];
}

function detail(found, changed) {
  const who = whoOf(found);
  const places = [["project", found.project], ["agent", found.agent], ["host", found.host], ["session", found.session]].filter(([, name]) => name).map(([kind, name]) => `${kind}:${name}`);
  const how = { who, places, changed };
  return h("article", { "aria-label": "Receipt" },
    h("h2", {}, `${plural(found.tokens, "token")} for ${found.host ?? found.agent ?? "an agent"}`),
    budgetBar(found.tiers, found.tokens, found.budget), legend(),
    found.degraded.length > 0 && h("ul.reasons", {}, found.degraded.map((reason) => h("li", {}, reason))),
    facts(
      ["When", [when(found.at), ` (${exactly(found.at)})`]],
      ["Session", found.session ? h("a", { href: `#sessions/${encodeURIComponent(found.session)}` }, found.session) : null],
      ["Agent", found.agent], ["Project", found.project],
      ["Budget", `${count(found.tokens)} of ${count(found.budget)} tokens`],
      ["Took", typeof found.took_ms === "number" ? duration(found.took_ms) : null],
      ["Asked", found.query ? h("q", {}, found.query) : null],
    ),
    h("section", {}, h("h3", {}, "The text"), typeof found.text === "string"
      ? h("pre.exact", { tabindex: "0", "aria-label": "The text as the agent got it" }, found.text || "(nothing was added)")
      : h("p.empty", {}, "The text itself is no longer in memory. Below are its items with their words as they are today.")),
    things("In it", found.items, how, "Nothing."),
    things("Left out", found.left_out, how));
}
