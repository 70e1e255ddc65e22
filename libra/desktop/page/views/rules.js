// Rules: every instruction file line by line, and what the rule doctor says of them.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { longList } from "../list.js";
import { pager } from "../pager.js";
import { panes } from "../panes.js";
import { ask, button, chip, empty, facts, tell, when } from "../parts.js";
import { count, exactly, fileName, plural } from "../words.js";

const WORDS = {
  contradiction: "These two may contradict each other", duplicate: "These two may say the same", over_budget: "More hard rules than are reserved",
  long: "A very long rule", unreadable: "This file cannot be read", missing_once: "This file was not found at the last look", gone: "This file is gone; its rules no longer hold",
};

const LATELY = 12;
const LINES = 100;
const FOUND = 50;
const CHANGES = 100;
const FATES = { added: "added", removed: "removed", changed: "worded otherwise", became: "became", read: "read for the first time", gone: "gone: its lines hold no longer", back: "there again" };

export async function show(body, rest) {
  const [book, changes] = await Promise.all([call("rulebook", { everywhere: true, show: "documents" }), call("rules_history", { everywhere: true, k: LATELY })]);
  const files = book.documents.filter((doc) => doc.instructions);
  const tiers = (tier) => files.reduce((sum, doc) => sum + doc.nodes.filter((node) => node.tier === tier).length, 0);
  const many = h("p.count", {}, `${plural(files.length, "file")}, ${plural(tiers("hard"), "hard rule")}, ${count(tiers("soft"))} soft, ${count(tiers("lore"))} of lore`);
  const list = longList({ label: "Instruction files", rowHeight: 82, row: (doc) => row(doc, book.limit_tokens), open: (doc) => { location.hash = `rules/${encodeURIComponent(doc.path)}`; }, none: "No instruction files are known yet." });
  const beside = panes([many, list.element], "Choose a file to see what became of each line.", () => history.replaceState(null, "", "#rules"));
  // The doctor reads every rule of every file: nobody waits for it to see their files.
  const doctors = h("div", {}, h("details.card.doctor", {}, h("summary", {}, "The rule doctor is looking…")));
  call("rulebook", { everywhere: true, show: "findings" }).then(({ findings }) => fill(doctors, doctor(findings)), (error) => fill(doctors, h("p.reasons", {}, `The rule doctor could not look: ${error.message}`)));
  fill(body, doctors, lately(changes.items), beside.element);
  list.show(files);

  async function go([path]) {
    const doc = files.find((file) => file.path === path);
    if (doc) beside.open(detail(doc, book.limit_tokens));
    else if (path) beside.open(h("article", { "aria-label": `Rules of ${fileName(path)}` }, h("h2", {}, fileName(path)), empty("None of its lines hold today."), changesOf(path)));
  }
  await go(rest);
  return { go };
}

function row(doc, limit) {
  return [
    h("p.text.one", {}, fileName(doc.path)),
    h("small", {}, h("span", {}, doc.path)),
    h("small", {}, chip(doc.scope), h("span", {}, `hard ${count(doc.tokens.hard)}, soft ${count(doc.tokens.soft)}, lore ${count(doc.tokens.lore)} tokens`),
      doc.degraded && chip("over budget", "warn"), doc.state !== "present" && chip(doc.state, "warn"), doc.tokens.hard > limit && !doc.degraded && chip("over budget", "warn")),
  ];
}

function doctor(findings) {
  const box = h("details.card.doctor", { open: findings.length > 0 && findings.length <= 6 },
    h("summary", {}, findings.length ? `The rule doctor found ${plural(findings.length, "thing")} to look at` : "The rule doctor found nothing to look at"));
  const line = (found) => h("li", {},
    h("p.item", {}, chip(found.kind.replaceAll("_", " "), found.kind), " ", WORDS[found.kind] ?? found.kind,
      found.tokens ? h("small", {}, ` (${plural(found.tokens, "token")}${found.limit_tokens ? ` of ${count(found.limit_tokens)}` : ""})`) : ""),
    found.path && h("p.said", {}, place({ path: found.path })),
    found.rules?.map((rule) => h("p.said", {}, place(rule), " ", rule.text)));
  const items = h("ul.plain", {});
  const draw = (first) => fill(items, findings.slice(first, first + FOUND).map(line));
  draw(0);
  box.append(pager({ of: findings.length, size: FOUND, one: "findings", draw }).element,
    findings.length ? items : empty("No contradictions, no duplicates, no file over its budget."));
  return box;
}

const place = (rule) => h("a", { href: `#rules/${encodeURIComponent(rule.path)}` }, h("code", {}, `${fileName(rule.path)}${rule.lines ? `:${rule.lines[0]}` : ""}`));

/** The last changes of all files. */
function lately(items) {
  return h("details.card.lately", {},
    h("summary", {}, "What changed lately ", h("small", {}, items.length ? when(items[0].at) : "nothing yet")),
    items.length ? h("ul.plain", {}, items.map((change) => h("li", {}, place({ path: change.path, lines: change.lines }), " ", fate(change)))) : empty("From now on it is noted here when a line is added, removed, worded otherwise, or taken in another way."));
}

/** What became of a line or a file, in words, with the words that it lost and got. */
function fate(change) {
  return [
    change.was && change.what !== "added" ? [chip(change.was, change.was), " → "] : "",
    change.tier && h("span", {}, chip(change.tier, change.tier), " "),
    h("span", {}, change.what === "became" ? "taken in another way" : FATES[change.what], ", "), when(change.at),
    change.what === "removed" && change.since ? h("small", {}, ` (it stood there from ${exactly(change.since)})`) : "",
    change.before && h("p.said", {}, h("del", {}, change.before)),
    change.text ? h("p.said", {}, h(change.what === "removed" ? "del" : "span", {}, change.text)) : change.rule ? h("p.said", {}, h("em", {}, "(these words were forgotten)")) : null,
  ];
}

/** As whom a file's former lines can be forgotten: somebody in its project, or its agent. */
const whoOf = (scope) => {
  const [kind, ...name] = scope.split(":");
  return kind === "project" || kind === "agent" ? { [kind]: name.join(":") } : {};
};

/** What became of one file's lines, page by page, the newest first. */
function changesOf(path) {
  const list = h("ol.line", {});
  const box = h("section", {}, h("h3", {}, "What changed when"), list);
  async function add(after) {
    const page = await call("rules_history", { path, everywhere: true, k: CHANGES, after });
    list.append(...page.items.map((change) => h("li", { "data-what": change.what }, change.lines ? h("small", {}, `line ${change.lines[0]} `) : "", fate(change), forgettable(change) && button("Forget these words…", () => forget(change), "small"))));
    if (!list.childElementCount) box.append(empty("Nothing since Libra began to note it."));
    if (page.next) {
      const more = button("Show more", async () => {
        await add(page.next);
        more.remove();
      });
      box.append(more);
    }
  }
  async function forget(change) {
    const yes = await ask({ title: "Forget these words for good?", text: change.before || change.text, yes: "Forget", danger: true });
    if (!yes) return;
    await call("forget", { who: whoOf(change.scope), id: change.rule });
    tell("Forgotten: that a line changed stays, its words do not.");
    list.replaceChildren();
    await add();
  }
  add().catch((error) => box.append(empty(error.message)));
  return box;
}

/** Words that stand in no file any more. */
const forgettable = (change) => change.before || (change.what === "removed" && change.text);

function detail(doc, limit) {
  const newest = [...doc.nodes].sort((a, b) => b.since - a.since)[0];
  return h("article", { "aria-label": `Rules of ${fileName(doc.path)}` },
    h("h2", {}, fileName(doc.path)),
    facts(
      ["File", h("code", {}, doc.path)], ["For", doc.scope], ["Read by", doc.host], ["State", [doc.state, ", since ", when(doc.since)]],
      ["Changed", doc.changed ? exactly(doc.changed) : null], ["Newest line", newest ? [when(newest.since)] : null],
      ["Hard rules", `${count(doc.tokens.hard)} of ${count(limit)} tokens reserved for all`], ["Imported by", doc.imported_by],
    ),
    linesOf(doc.nodes),
    changesOf(doc.path));
}

/** A file's lines as a table; of a very long file a part at a time, so that the page does not freeze. */
function linesOf(nodes) {
  const rows = h("tbody", {});
  const row = (node, at) => h("tr", {},
    h("td", {}, node.lines[0] === node.lines[1] ? node.lines[0] : `${node.lines[0]}–${node.lines[1]}`),
    h("td", {}, chip(node.tier, node.tier)), h("td", {}, node.tokens), h("td", {}, when(node.since)),
    h("td.said", {}, heading(node, nodes[at - 1]), node.text, node.modalities.length ? h("small", {}, ` ${node.modalities.join(", ")}`) : ""));
  const draw = (first) => fill(rows, nodes.slice(first, first + LINES).map((node, at) => row(node, first + at)));
  draw(0);
  return h("div", {}, pager({ of: nodes.length, size: LINES, one: "blocks", draw }).element, h("table.lines", {},
    h("thead", {}, h("tr", {}, ["line", "became", "tokens", "since", "words"].map((head) => h("th", { scope: "col" }, head)))), rows));
}

/** The titles above a line, where they differ from those of the line before. */
function heading(node, before) {
  const own = node.heading.join(" › ");
  return own && own !== before?.heading.join(" › ") ? h("small.heading", {}, own) : null;
}
