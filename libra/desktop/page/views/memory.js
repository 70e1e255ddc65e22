// One record with everything that is known of it, and what a person may do with it.

import { call } from "../api.js";
import { add, h } from "../dom.js";
import { ask, busy, button, chip, empty, facts, field, meter, scoreParts, table, tell, when } from "../parts.js";
import { decimals, exactly, percent, plural, shortSession, sourceLine } from "../words.js";

/**
 * Return what is shown of a record.
 * @param {string} id Its id.
 * @param {object} who As whom it is looked at.
 * @param {(id: string, how?: string) => void} changed Told after a change: "gone", or the id of what stands in its place.
 * @param {object | null} hit What the search that found it says of it.
 */
export async function detail(id, who, changed, hit = null) {
  const it = await call("explain", { id, who });
  const memory = it.kind === "memory";
  const box = h("article", { "aria-label": memory ? "Memory" : it.kind },
    h("h2.unseen", {}, memory ? "Memory" : it.kind),
    h("p.words", {}, it.text || "(these words were purged; the summary stays)"),
    h("p", {}, chip(it.type ?? it.kind, "type"), memory && it.active === false && chip(it.valid_to ? "superseded" : "archived", "old"), it.pinned && chip("pinned"),
      it.source?.origin && chip(`words of: ${it.source.origin}`, "warn")));
  add(box, memory ? actions(it, who, changed) : [forgetButton(it, who, changed)]);
  add(box, [
    facts(
      ["Found with", hit?.why ? h("span", {}, `score ${decimals(hit.score, 3)}: `, scoreParts(hit.why)) : null],
      ["Said", [when(it.ts), ` (${exactly(it.ts)})`]],
      ["Source", sourceOf(it)],
      ["Session", it.source?.session ? h("a", { href: `#sessions/${encodeURIComponent(it.source.session)}` }, shortSession(it.source.session)) : null],
      ["Scope", it.scope],
      ["Tokens", it.tokens],
      ["Certain", memory ? [meter(it.confidence.now, "certainty"), ` ${percent(it.confidence.now)}`] : null],
      ["Told", memory ? plural(it.confirmations, "time") : null],
      ["Priority", memory ? `${it.priority} (${it.priority_by ?? "type"})` : null],
      ["Kept until", memory ? (it.expires ? exactly(it.expires) : "for good") : null],
      ["Held", memory && it.valid_from ? `from ${exactly(it.valid_from)}${it.valid_to ? ` to ${exactly(it.valid_to)}` : ""}` : null],
    ),
    memory && section("Why it is kept", gate(it.gate)),
    memory && section("How sure, how old", table(["what", "value"], [
      ["certainty when last told or used", percent(it.confidence.stored)],
      ["days since", decimals(it.confidence.days, 1)],
      ["loss a day", decimals(it.confidence.daily_loss, 4)],
      ["half-life", it.age.half_life_days ? plural(it.age.half_life_days, "day") : "none"],
      ["freshness in the ranking", decimals(it.age.freshness, 3)],
    ], "Certainty and age")),
    memory && it.history.length > 1 && section("History", h("ol.line", {}, it.history.map((past) => h(past.id === it.id ? "li.here" : "li", {},
      h("a", { href: `#memories/${past.id}` }, past.text), " ", h("small", {}, `from ${exactly(past.valid_from)}${past.valid_to ? ` to ${exactly(past.valid_to)}` : ""}`))))),
    memory && it.tellings.length > 0 && section("Told by", h("ul.plain", {}, it.tellings.map((told) => h("li", {},
      h("a", { href: `#memories/${told.id}` }, `${told.speaker ?? told.role ?? "somebody"}, ${exactly(told.ts)}`), " ",
      h("small", {}, told.path ? h("code", {}, `${told.path}${told.line ? `:${told.line}` : ""}`) : shortSession(told.session)))))),
    memory && section("Has to do with", relations(it, who, () => changed(it.id))),
    section(`Prompts it stood in (${it.uses.length})`, it.uses.length ? h("ul.plain", {}, it.uses.map((use) => h("li", {},
      h("a", { href: `#receipts/${use.receipt_id}` }, when(use.at)), " ", h("small", {}, `${shortSession(use.session)}, ${use.outcome}`)))) : empty("None in the last 14 days.")),
    memory && it.journal.length > 0 && section("What was changed", h("ul.plain", {}, it.journal.map((entry) => h("li", {},
      h("span", {}, `${entry.verb} by ${entry.actor}, `), when(entry.at), " ",
      entry.undone ? chip("undone", "old") : button("Undo", async () => {
        await call("undo", { who, journal_id: entry.id });
        tell("Taken back.");
        changed(it.id);
      }, "small")))),
    ),
  ]);
  return box;
}

const RELATED = { related_to: "about the same matter", evolved_from: "came of" };

/** What hangs together with a memory; what was related by hand can be parted again, and others joined to it. */
function relations(it, who, again) {
  const part = (other) => button("Part", async () => {
    const done = await call("unrelate", { who, id: it.id, to: other.id, kind: other.kind });
    tell(done.changed ? "They no longer hang together." : "They did not hang together any more.", done.changed ? { label: "Undo", run: () => call("undo", { who, journal_id: done.journal_id }).then(again) } : null);
    again();
  }, "small");
  return [
    it.relations.length ? h("ul.plain", {}, it.relations.map((other) => h("li", {},
      chip(other.kind.replaceAll("_", " ")), " ", h("a", { href: `#memories/${other.id}` }, other.text), other.kind in RELATED && [" ", part(other)]))) : null,
    button("Relate…", () => relate(it, who, again), "small"),
  ];
}

/** Choose another memory by its words, and say how the two hang together. */
async function relate(it, who, again) {
  const out = h("div", { "aria-live": "polite" });
  const words = h("input", { type: "search", autocomplete: "off", "aria-label": "Words of the other memory" });
  const find = async () => {
    const { hits } = await call("search", { who, query: words.value, k: 8, kinds: ["memory"] });
    const others = hits.filter((hit) => hit.id !== it.id);
    out.replaceChildren(...(others.length ? others.map((hit, at) => h("label.option", {}, h("input", { type: "radio", name: "to", value: hit.id, checked: at === 0 }), ` ${hit.text}`)) : [empty("Nothing found.")]));
  };
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    busy(null, find);
  });
  const kind = h("select", { name: "kind" }, Object.entries(RELATED).map(([value, label]) => h("option", { value }, label)));
  const answer = await ask({
    title: "What does it hang together with?", yes: "Relate", body: [h("div.bar", {}, field("Words of the other memory", words), button("Find", find)), out, field("How", kind)],
    done: (form) => {
      if (!form.elements.to?.value) throw new Error("Find the other memory first.");
      return call("relate", { who, id: it.id, to: form.elements.to.value, kind: form.elements.kind.value });
    },
  });
  if (!answer) return;
  tell(answer.changed ? "Recall brings one with the other from now on." : "They hang together so already.", answer.journal_id ? { label: "Undo", run: () => call("undo", { who, journal_id: answer.journal_id }).then(again) } : null);
  again();
}

/** File and line: its own, or those of the turn that told it first. */
function sourceOf(it) {
  const place = [it.source, ...(it.tellings ?? [])].find((part) => part?.path);
  return place ? h("code", {}, `${place.path}${place.line ? `:${place.line}` : ""}`) : sourceLine(it.source);
}

const SIGNALS = {
  h: "new", r: "said again", d: "a statement", p: "names things", a: "decides", dtech: "structured",
};

function section(title, ...content) {
  return h("section", {}, h("h3", {}, title), content);
}

function gate(seen) {
  if (!seen.terms) return h("p", {}, seen.admitted_by === "remember" || !seen.admitted_by ? "You or an agent asked for it to be kept." : `Admitted by ${seen.admitted_by}.`);
  return [
    h("p", {}, `Score ${decimals(seen.g, 3)} (the threshold is ${decimals(seen.threshold, 3)} today): ${seen.formula}, t = ${decimals(seen.t, 2)}.`),
    table(["signal", "branch", "value", "weight", "part"], seen.terms.map((term) => [`${SIGNALS[term.signal] ?? term.signal} (${term.signal})`, term.branch, decimals(term.value, 3), decimals(term.weight, 2), decimals(term.part, 3)]), "Signals of the gate"),
  ];
}

function actions(it, who, changed) {
  const text = (label) => h("textarea", { name: "text", rows: 4, required: true, "aria-label": label, value: it.text });
  const mine = { who, origin: "owner" };
  const undo = (answer) => answer?.journal_id ? { label: "Undo", run: () => call("undo", { who, journal_id: answer.journal_id }).then(() => changed(it.id)) } : null;
  const done = (words, answer, how) => {
    tell(answer.changed === false ? "Nothing changed: it was so already." : words, undo(answer));
    changed(it.id, how);
  };
  return h("div.buttons", { role: "group", "aria-label": "What to do with it" },
    button("Confirm", async () => done("Confirmed: it is sure from now on.", await call("confirm", { ...mine, id: it.id })), "main"),
    button("Correct", async () => {
      const answer = await ask({
        title: "What is right instead?", text: "The words as they were stay in its history.", body: field("In your words", text("In your words")), yes: "Correct",
        done: (form) => call("correct", { ...mine, id: it.id, text: form.elements.text.value.trim() }),
      });
      if (answer) done("Corrected.", answer, answer.id);
    }),
    button("Edit", async () => {
      const words = (form) => form.elements.text.value.trim();
      const answer = await ask({
        title: "Edit this memory", body: field("Words", text("Words")), yes: "Save",
        done: (form) => words(form) === it.text ? null : call("update", { ...mine, id: it.id, text: words(form) }),
      });
      if (answer) done("Saved.", answer, answer.id);
    }),
    button(it.pinned ? "Unpin" : "Pin", async () => done(it.pinned ? "Unpinned." : "Pinned: before all others, for good.", await call(it.pinned ? "unpin" : "pin", { ...mine, id: it.id }))),
    button("Expire…", async () => {
      const days = await ask({
        title: "How long is it to be kept?", yes: "Keep so long",
        body: field("Days from now", h("input", { type: "number", name: "days", min: 1, max: 36500, value: 30 }), "Empty: for good."), done: (form) => ({ days: Number(form.elements.days.value) || undefined }),
      });
      if (days) done(days.days ? `Kept for ${plural(days.days, "day")}.` : "Kept for good.", await call("extend", { ...mine, id: it.id, ...days }));
    }),
    it.active === false && !it.valid_to
      ? button("Bring back", async () => done("Brought back.", await call("unarchive", { ...mine, ids: [it.id] })))
      : button("Archive", async () => done("Archived: nothing recalls it any more.", await call("archive", { ...mine, ids: [it.id] }))),
    forgetButton(it, who, changed));
}

/** A button that forgets a record for good, after saying what goes with it. */
export function forgetButton(it, who, changed) {
  return button("Forget…", async () => {
    const would = await call("forget", { who, id: it.id, dry_run: true });
    const goes = Object.entries(would.counts).map(([kind, n]) => plural(n, kind, kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`)).join(", ");
    const yes = await ask({
      title: "Forget this for good?", yes: "Forget", danger: true,
      text: `${goes || "Nothing"} will be deleted with all that was made of them, and not learnt again. This cannot be undone.`,
    });
    if (!yes) return;
    const gone = await call("forget", { who, id: it.id });
    tell(`Forgotten: ${plural(gone.forgotten, "record")}.`);
    changed(it.id, "gone");
  }, "danger");
}
