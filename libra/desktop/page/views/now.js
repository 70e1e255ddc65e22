// Now: is it working, what was learnt, what was injected.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { button, card, chip, empty, facts, tell, when } from "../parts.js";
import { stateOf } from "../state.js";
import { bytes, count, plural, sourceLine } from "../words.js";

const RECENT = 12;

export async function show(body) {
  const working = h("div", {});
  const learnt = h("div", {});
  const kept = h("div", {});
  fill(body, h("div.cards", {}, card("Is it working?", working), card("Kept", kept), card("Learnt last", learnt)));
  let mark = "";

  async function look(status) {
    drawState(working, status, refresh);
    drawKept(kept, status);
    const now = `${status.counts.memory} ${status.last_learnt}`;
    if (now === mark) return;
    mark = now;
    const { items } = await call("recent", { k: RECENT }, { poll: true });
    fill(learnt, items.length ? h("ul.plain", {}, items.map(learntItem)) : empty("Nothing yet. Talk to your agents; Libra listens."));
  }

  const refresh = async () => look(await call("status"));
  await refresh();
  return { look };
}

function learntItem(item) {
  return h("li", {},
    h("a.text", { href: `#memories/${item.id}` }, item.text),
    h("small", {}, chip(item.type ?? item.kind, "type"), " ", when(item.learnt), " · ", sourceLine(item.source)));
}

function drawState(place, status, refresh) {
  const [kind, word] = stateOf(status);
  const reasons = status.degraded ?? [];
  const pauses = status.paused
    ? [button("Resume", async () => { await call("resume"); await refresh(); }, "main")]
    : [["Pause for 15 minutes", 900], ["Pause until resumed", undefined]].map(([label, seconds]) =>
      button(label, async () => { await call("pause", { seconds }); tell("Paused. Questions are still answered."); await refresh(); }));
  fill(place,
    h("p.big", {}, h(`i.light.${kind}`, { "aria-hidden": "true" }), word),
    reasons.length ? h("ul.reasons", {}, reasons.map((reason) => h("li", {}, reason))) : h("p", {}, "Turns are stored, searched and put into prompts."),
    facts(
      ["Model", `${status.model.profile}, ${status.model.provider ?? status.model.state}`],
      ["Waiting", status.queue.waiting ? plural(status.queue.waiting, "turn or text", "turns and texts") : "nothing"],
      ["Learnt last", when(status.last_learnt)],
      ["Injected last", status.last_injected ? [when(status.last_injected.ts), `, ${plural(status.last_injected.tokens, "token")}`] : "never"],
      ["Version", `${status.version}, schema ${status.schema}`],
    ),
    h("div.buttons", {}, pauses));
}

function drawKept(place, status) {
  const c = status.counts;
  fill(place,
    h("div.figures", {},
      [["memories", c.memory], ["turns", c.turn], ["sessions", c.session], ["summaries", c.summary], ["rules", c.directive], ["instruction files", c.document]]
        .map(([name, n]) => h("div", {}, h("strong", {}, count(n)), h("span", {}, name)))),
    facts(
      ["In the archive", c.archived ? count(c.archived) : null],
      ["Forgotten", c.tombstone ? `${count(c.tombstone)}, kept out ${plural(c.tombstone_hits, "time")} since` : null],
      ["On disk", bytes(Object.values(status.sizes).filter((n) => typeof n === "number").reduce((a, b) => a + b, 0))],
    ));
}
