// Sessions: what was said, and the graph of summaries over it, folded and unfolded.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { longList } from "../list.js";
import { panes } from "../panes.js";
import { ask, button, chip, complain, empty, facts, tell, when } from "../parts.js";
import { projectName } from "../whom.js";
import { atTime, count, decimals, exactly, percent, plural, shortSession } from "../words.js";

const PAGE = 100;
const TURNS = 100;
const LEAF = 90;

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
  const add = (page) => turns.append(...page.turns.map((turn) => {
    const node = turnOf(turn);
    shown.set(turn.id, node);
    return node;
  }));
  add(found);
  const more = found.of > found.turns.length && button(`Show more of ${plural(found.of, "turn")}`, async () => {
    const page = await call("session", { session: s.key, first: turns.childElementCount, k: TURNS });
    add(page);
    if (turns.childElementCount >= page.of) more.remove();
  });
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
    graph(found.nodes, (id) => shown.get(id)?.querySelector(".words")?.textContent, async (id) => {
      if (!shown.has(id)) return false;
      shown.get(id).scrollIntoView({ block: "center" });
      shown.get(id).focus();
      return true;
    }),
    h("section", {}, h("h3", {}, "Turns"), found.of ? turns : empty("Nothing of it is kept."), more));
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
function graph(nodes, words, find) {
  if (!nodes.length) return h("section", {}, h("h3", {}, "Summaries"), empty("None yet: it is short, or still being talked."));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const under = new Set(nodes.flatMap((node) => node.children));
  const tops = nodes.filter((node) => !under.has(node.id));
  const branch = (node) => {
    const inner = h("ul.tree", {});
    const box = h("details", {}, h("summary", {},
      h("span.level", {}, `L${node.level}`), " ", h("span.words", {}, node.text), " ",
      h("small", {}, `${count(node.tokens_in)} → ${plural(node.tokens, "token")}, ${node.method}, near ${decimals(node.align)}, covers ${decimals(node.cover)}, identifiers ${percent(node.identifiers_kept)}`)), inner);
    box.addEventListener("toggle", () => {
      if (box.open && !inner.childElementCount) inner.append(...node.children.map((id) => byId.has(id) ? h("li", {}, branch(byId.get(id))) : h("li", {}, leaf(id))));
    });
    return box;
  };
  const leaf = (id) => button(cut(words(id)) ?? `a turn (${id.slice(0, 8)})`, async () => { if (!(await find(id))) location.hash = `memories/${id}`; }, "leaf");
  const all = h("div", {}, tops.map((node) => branch(node)));
  const unfold = (open) => () => {
    for (let level = 0; level < 12; level += 1) for (const box of all.querySelectorAll("details")) box.open = open;
    if (open) setTimeout(() => { for (const box of all.querySelectorAll("details:not([open])")) box.open = true; }, 50);
  };
  return h("section", {}, h("h3", {}, `Summaries (${nodes.length})`), h("div.buttons", {}, button("Unfold all", unfold(true), "small"), button("Fold all", unfold(false), "small")), all);
}
