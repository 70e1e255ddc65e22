// Sessions: what was said, and the graph of summaries over it, folded and unfolded.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { longList } from "../list.js";
import { pager } from "../pager.js";
import { panes } from "../panes.js";
import { ask, busy, button, chip, complain, empty, facts, tell, when } from "../parts.js";
import { projectName } from "../whom.js";
import { atTime, count, decimals, exactly, percent, plural, shortSession } from "../words.js";

const PAGE = 100;
const TURNS = 100;
const LEAF = 90;
const TOPS = 50;
const UNFOLDED = 60;

export async function show(body, rest) {
  const many = h("p.count", { role: "status" });
  const list = longList({ label: "Sessions", rowHeight: 78, row, open: (item) => { location.hash = `sessions/${encodeURIComponent(item.key)}`; }, none: "No session is known yet." });
  const beside = panes([many, list.element], "Choose a session to read it and what became of it.", () => history.replaceState(null, "", "#sessions"));
  fill(body, beside.element);
  let page = await call("sessions", { k: PAGE });
  fill(many, page.next ? `the last ${PAGE}, more as you scroll` : `${page.items.length} shown`);
  list.show(page.items, {
    next: page.next ? async () => {
      if (!page.next) return [];
      page = await call("sessions", { k: PAGE, after: page.next });
      return page.items;
    } : null,
  });

  async function go([key]) {
    if (!key) return;
    try {
      beside.open(detail(await call("session", { session: key, k: TURNS }), () => go([key])));
    } catch (error) {
      complain(error);
    }
  }
  await go(rest);
  return { go };
}

function row(item) {
  return [
    h("p.text.one", {}, `${item.host ?? item.agent ?? "session"}${item.project ? ` in ${projectName(item.project)}` : ""}`),
    h("small", {}, h("span", {}, shortSession(item.key)), item.kind !== "main" && chip(item.kind), item.parent && chip("goes on from another"), item.gone && chip("gone at its host", "old")),
    h("small", {}, h("span", {}, item.last ? atTime(item.last) : "empty"), h("span", {}, plural(item.turns, "turn")), h("span", {}, `${count(item.memories)} learnt`), item.summaries > 0 && h("span", {}, `${plural(item.summaries, "summary", "summaries")}`)),
  ];
}

function detail(found, again) {
  const s = found.session;
  const who = { session: s.key, ...(s.host ? { host: s.host } : {}) };
  const turns = h("ol.turns", {});
  const shown = new Map();
  const put = (page) => {
    shown.clear();
    fill(turns, page.turns.map((turn) => {
      const node = turnOf(turn);
      shown.set(turn.id, node);
      return node;
    }));
  };
  put(found);
  const pages = pager({
    of: found.of, size: TURNS, one: "turns", draw: async (first) => {
      put(await call("session", { session: s.key, first, k: TURNS }));
      turns.closest(".beside")?.querySelector(".turns-head")?.scrollIntoView({ block: "start" });
    },
  });
  /** Show a turn, on whichever page it stands. */
  async function find(id) {
    if (!shown.has(id)) {
      const { first } = await call("session", { session: s.key, turn: id, k: TURNS });
      await pages.go(first);
    }
    shown.get(id).scrollIntoView({ block: "center" });
    shown.get(id).focus();
  }
  return h("article", { "aria-label": "Session" },
    h("h2", {}, `${s.host ?? s.agent ?? "Session"}${s.project ? ` in ${projectName(s.project)}` : ""}`),
    facts(
      ["Session", h("code", {}, s.key)], ["Project", s.project], ["Folder", s.cwd ? h("code", {}, s.cwd) : null],
      ["From", s.first ? exactly(s.first) : null], ["To", s.last ? exactly(s.last) : null],
      ["Goes on from", s.parent ? h("a", { href: `#sessions/${encodeURIComponent(s.parent)}` }, shortSession(s.parent)) : null],
      ["Said", `${plural(s.turns, "turn")}, ${plural(s.tokens, "token")}`],
      ["Covered by summaries", s.turns ? `${count(s.covered)} (${percent(s.covered / s.turns)})` : null],
      ["Learnt", plural(s.memories, "memory", "memories")],
      ["Gone at its host", s.gone ? when(s.gone) : null],
    ),
    h("div.buttons", {},
      button("Compact now", async () => {
        const done = await call("compact", { who, force: true });
        tell(done.did_compact ? `${plural(done.summaries.length, "summary", "summaries")} made.` : `Nothing to do: ${done.reason ?? "it is short enough"}.`);
        again();
      }),
      button("Off the record…", async () => {
        const would = await call("off_record", { who, session: s.key, dry_run: true });
        const yes = await ask({ title: "Forget this session?", yes: "Forget", danger: true, text: `${plural(would.would_forget, "record")} will be deleted and not learnt again. What was known before stays. This cannot be undone.` });
        if (!yes) return;
        const gone = await call("off_record", { who, session: s.key });
        tell(`Forgotten: ${plural(gone.forgotten, "record")}.`);
        again();
      }, "danger")),
    graph(found.nodes, who, find),
    h("section", {}, h("h3.turns-head", {}, "Turns"), pages.element, found.of ? turns : empty("Nothing of it is kept.")));
}

function turnOf(turn) {
  return h(`li.turn.of-${turn.role === "user" ? "user" : "other"}`, { tabindex: "-1", "data-id": turn.id },
    h("small", {}, h("strong", {}, turn.speaker ?? turn.role ?? "somebody"), " ", when(turn.ts), turn.path ? h("code", {}, ` ${turn.path.split(/[\\/]/).pop()}:${turn.line ?? ""}`) : "",
      turn.covered && chip("covered"), turn.memories.map((id) => h("a", { href: `#memories/${id}` }, chip("learnt", "type")))),
    h("p.words", {}, turn.text || "(these words were purged; the summary stays)", turn.cut ? h("a", { href: `#memories/${turn.id}` }, " … all of it") : ""));
}

/** The beginning of a turn. */
const cut = (text) => text && text.length > LEAF ? `${text.slice(0, LEAF).trimEnd()}…` : text;

/** The summaries as a tree that opens level by level; the leaves lead to the turns. */
function graph(nodes, who, find) {
  if (!nodes.length) return h("section", {}, h("h3", {}, "Summaries"), empty("None yet: it is short, or still being talked."));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const under = new Set(nodes.flatMap((node) => node.children));
  const tops = nodes.filter((node) => !under.has(node.id));
  const opened = new WeakMap();

  function branch(node) {
    const inner = h("ul.tree", {});
    const box = h("details", {}, h("summary", {},
      h("span.level", {}, `L${node.level}`), " ", h("span.words", {}, node.text), " ",
      h("small", {}, `${count(node.tokens_in)} → ${plural(node.tokens, "token")}, ${node.method}, near ${decimals(node.align)}, covers ${decimals(node.cover)}, identifiers ${percent(node.identifiers_kept)}`)), inner);
    /** Make what is under it, once. */
    opened.set(box, async () => {
      opened.set(box, async () => {});
      const turns = node.children.some((id) => !byId.has(id)) ? await wordsUnder(node.id) : new Map();
      inner.append(...node.children.map((id) => h("li", {}, byId.has(id) ? branch(byId.get(id)) : leaf(id, turns.get(id)))));
    });
    box.addEventListener("toggle", () => { if (box.open) busy(null, opened.get(box)); });
    return box;
  }

  /** The words of the turns under a summary, by id. */
  async function wordsUnder(id) {
    const { items } = await call("expand", { who, id, depth: 1 });
    return new Map(items.map((item) => [item.id, item.text]));
  }

  const leaf = (id, words) => button(cut(words) ?? `a turn (${id.slice(0, 8)})`, () => find(id), "leaf");
  const all = h("div", {});
  const pages = pager({ of: tops.length, size: TOPS, one: "summaries", draw: (first) => fill(all, tops.slice(first, first + TOPS).map(branch)) });
  fill(all, tops.slice(0, TOPS).map(branch));

  /** Open level after level, but not so much that nobody could read it. */
  async function unfold() {
    let left = UNFOLDED;
    for (const box of all.getElementsByTagName("details")) {
      if (left === 0) return tell(`The first ${UNFOLDED} are unfolded. Open the others one by one.`);
      left -= 1;
      await opened.get(box)();
      box.open = true;
    }
    return undefined;
  }
  const foldAll = () => { for (const box of all.querySelectorAll("details[open]")) box.open = false; };
  return h("section", {}, h("h3", {}, `Summaries (${count(nodes.length)})`), h("div.buttons", {}, button("Unfold all", unfold, "small"), button("Fold all", foldAll, "small")), pages.element, all);
}
