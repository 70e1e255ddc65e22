// Memories: search as the agents would, look at what is kept, mend it, and five a day that are least certain.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { longList } from "../list.js";
import { panes } from "../panes.js";
import { chip, choice, complain, field, meter } from "../parts.js";
import { scopesInView, who, whomFields } from "../whom.js";
import { decimals, onDay, sourceLine } from "../words.js";
import { detail } from "./memory.js";
import { drawInbox } from "./inbox.js";

const TYPES = ["decision", "instruction", "preference", "identity", "context", "todo", "fact", "entity", "session"];
const PAGE = 200;
const HITS = 100;
const ROW = 92;
const WAIT_MS = 200;
const STATES = [
  ["active", "in use", () => true],
  ["all", "in use and archive", () => true],
  ["archived", "archived", (item) => item.archived && !item.superseded],
  ["superseded", "superseded", (item) => item.superseded],
  ["pinned", "pinned", (item) => item.pinned],
  ["expiring", "expiring", (item) => item.expires && !item.archived],
];
const IN_ARCHIVE = new Set(["all", "archived", "superseded"]);

export async function show(body, rest) {
  const asked = { query: "", type: "", scope: "", state: "active", sort: "newest", kind: "memory" };
  const many = h("p.count", { role: "status" });
  const list = longList({ label: "Memories", rowHeight: ROW, row, open: (item) => { location.hash = `memories/${item.id}`; }, none: "Nothing is kept that fits." });
  const search = h("input", { type: "search", placeholder: "Search as an agent would…", autocomplete: "off", spellcheck: "false" });
  const beside = panes([], "Choose a memory to see where it comes from, how sure it is, and what became of it.", () => {
    if (location.hash !== "#memories") history.replaceState(null, "", "#memories");
  });
  const hits = new Map();
  let running = new AbortController();
  let timer = 0;

  async function load() {
    running.abort();
    const mine = new AbortController();
    running = mine;
    const common = {
      who: who(), types: asked.type ? [asked.type] : undefined, scopes: asked.scope ? [asked.scope] : undefined,
      archive: IN_ARCHIVE.has(asked.state), kinds: [asked.kind],
    };
    try {
      const fits = STATES.find(([state]) => state === asked.state)[2];
      hits.clear();
      if (asked.query) {
        const found = await call("search", { ...common, query: asked.query, k: HITS, explain: true }, { signal: mine.signal });
        fill(many, found.hits.length === HITS ? `the best ${HITS}` : `${found.hits.length} found`, found.degraded.length ? ` (${found.degraded.join("; ")})` : "");
        for (const hit of found.hits) hits.set(hit.id, hit);
        list.show(found.hits.filter(asked.state === "archived" ? (hit) => hit.archived : () => true));
        return;
      }
      const sort = asked.kind === "memory" || ["newest", "oldest"].includes(asked.sort) ? asked.sort : "newest";
      let page = await call("list", { ...common, k: PAGE, sort }, { signal: mine.signal });
      // A page may hold nothing of the state that is asked for: then the next one is looked at.
      const shown = async () => {
        for (;;) {
          const items = page.items.filter(fits);
          if (items.length || !page.next) return items;
          page = await call("list", { ...common, k: PAGE, sort, after: page.next }, { signal: mine.signal });
        }
      };
      const first = await shown();
      fill(many, page.next ? `the first ${first.length}, more as you scroll` : `${first.length} shown`);
      list.show(first, {
        next: page.next ? async () => {
          if (!page.next) return [];
          page = await call("list", { ...common, k: PAGE, sort, after: page.next }, { signal: mine.signal });
          return shown();
        } : null,
      });
    } catch (error) {
      complain(error);
    }
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(load, WAIT_MS);
  };
  const set = (name) => (value) => {
    asked[name] = value;
    load();
  };
  search.addEventListener("input", () => {
    asked.query = search.value.trim();
    soon();
  });
  const bar = h("div.bar", { role: "search" },
    field("Search", search),
    choice("Kind", [["memory", "memories"], ["turn", "turns"], ["summary", "summaries"], ["guidance", "guidance"], ["lore", "notes"]], "memory", set("kind")),
    choice("Type", [["", "every type"], ...TYPES], "", set("type")),
    choice("State", STATES.map(([state, words]) => [state, words]), "active", set("state")),
    choice("Scope", [["", "every scope"], ...await scopesInView()], "", set("scope")),
    choice("Order", [["newest", "newest first"], ["oldest", "oldest first"], ["confidence", "surest first"], ["priority", "most important first"]], "newest", set("sort")),
    await whomFields(load));
  const inbox = h("div", {});
  const left = beside.element.querySelector(".left");
  fill(left, many, list.element);
  fill(body, inbox, bar, beside.element);
  const look = () => drawInbox(inbox, who(), () => { look(); load(); }).catch(complain);

  async function go([id]) {
    if (!id) return;
    try {
      beside.open(await detail(id, who(), changed, hits.get(id)), { focus: true });
    } catch (error) {
      complain(error);
    }
  }

  function changed(id, how) {
    if (how === "gone") {
      list.refresh((item) => item.id === id, null);
      beside.close();
    } else {
      load();
      look();
      if (how) location.hash = `memories/${how}`;
      else go([id]);
    }
  }

  await Promise.all([load(), look()]);
  await go(rest);
  return { go, leave: () => running.abort() };
}

function row(item) {
  const sure = item.confidence ?? null;
  return [
    h("p.text", {}, item.text),
    h("small", {},
      chip(item.type ?? item.kind, "type"),
      item.pinned && chip("pinned"), item.superseded && chip("superseded", "old"), item.archived && chip("archived", "old"),
      h("span", {}, onDay(item.ts)), h("span", {}, sourceLine(item.source)),
      typeof item.score === "number" && h("span.score", { title: "How near it is" }, decimals(item.score, 3)),
      sure !== null && h("span.sure", {}, meter(sure, "certainty"))),
  ];
}
