// Memories: search as the agents would, look at what is kept, mend it, and five a day that are least certain.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { longList } from "../list.js";
import { panes } from "../panes.js";
import { chip, choice, complain, field, meter } from "../parts.js";
import { who, whomFields } from "../whom.js";
import { decimals, onDay, sourceLine } from "../words.js";
import { detail } from "./memory.js";
import { drawInbox } from "./inbox.js";

const TYPES = ["decision", "instruction", "preference", "identity", "context", "todo", "fact", "entity", "session"];
const PAGE = 200;
const HITS = 100;
const ROW = 92;
const WAIT_MS = 200;

export async function show(body, rest) {
  const asked = { query: "", type: "", scope: "", archive: false, sort: "newest", kind: "memory" };
  const many = h("p.count", { role: "status" });
  const list = longList({ label: "Memories", rowHeight: ROW, row, open: (item) => { location.hash = `memories/${item.id}`; }, none: "Nothing is kept that fits." });
  const search = h("input", { type: "search", placeholder: "Search as an agent would…", autocomplete: "off", spellcheck: "false" });
  const beside = panes([], "Choose a memory to see where it comes from, how sure it is, and what became of it.", () => {
    if (location.hash !== "#memories") history.replaceState(null, "", "#memories");
  });
  let running = new AbortController();
  let timer = 0;

  async function load() {
    running.abort();
    const mine = new AbortController();
    running = mine;
    const common = {
      who: who(), types: asked.type ? [asked.type] : undefined, scopes: asked.scope ? [asked.scope] : undefined,
      archive: asked.archive, kinds: [asked.kind],
    };
    try {
      if (asked.query) {
        const found = await call("search", { ...common, query: asked.query, k: HITS, explain: true }, { signal: mine.signal });
        fill(many, found.hits.length === HITS ? `the best ${HITS}` : `${found.hits.length} found`, found.degraded.length ? ` (${found.degraded.join("; ")})` : "");
        list.show(found.hits);
        return;
      }
      const sort = asked.kind === "memory" || ["newest", "oldest"].includes(asked.sort) ? asked.sort : "newest";
      let page = await call("list", { ...common, k: PAGE, sort }, { signal: mine.signal });
      fill(many, page.next ? `the first ${PAGE}, more as you scroll` : `${page.items.length} shown`);
      list.show(page.items, {
        next: page.next ? async () => {
          if (!page.next) return [];
          page = await call("list", { ...common, k: PAGE, sort, after: page.next });
          return page.items;
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
  const archive = h("input", { type: "checkbox", onchange: (event) => set("archive")(event.target.checked) });
  const bar = h("div.bar", { role: "search" },
    field("Search", search),
    choice("Kind", [["memory", "memories"], ["turn", "turns"], ["summary", "summaries"], ["guidance", "guidance"], ["lore", "notes"]], "memory", set("kind")),
    choice("Type", [["", "every type"], ...TYPES], "", set("type")),
    choice("Order", [["newest", "newest first"], ["oldest", "oldest first"], ["confidence", "surest first"], ["priority", "most important first"]], "newest", set("sort")),
    await whomFields(load),
    field("Archive too", archive));
  const inbox = h("div", {});
  const left = beside.element.querySelector(".left");
  fill(left, many, list.element);
  fill(body, inbox, bar, beside.element);
  const look = () => drawInbox(inbox, who(), () => { look(); load(); }).catch(complain);

  async function go([id]) {
    if (!id) return;
    try {
      beside.open(await detail(id, who(), changed), { focus: true });
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
