// Now: is it working, what was learnt, what was injected, and the figures as drawings.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { button, card, chip, empty, facts, table, tell, when } from "../parts.js";
import { lines, stacked } from "../plot.js";
import { stateOf } from "../state.js";
import { TIERS } from "../tiers.js";
import { atTime, bytes, count, duration, onDay, plural, shortSession, sourceLine } from "../words.js";

const RECENT = 8;
const CONTEXTS = 60;

export async function show(body) {
  const place = () => h("div", {});
  const [working, kept, learnt, injected, agents, grown, tokens, speed, rate] = Array.from({ length: 9 }, place);
  fill(body, h("div.cards", {},
    card("Is it working?", working), card("Kept", kept),
    card("Learnt last", learnt), card("Injected last", injected),
    card("Memories over time", grown), card("Tokens of each context, by tier", tokens),
    card("Time of each context", speed), card("What summaries cost: rate and distortion", rate),
    wide(card("Agents", agents))));
  let mark = "";
  let gone = false;

  async function look(status) {
    drawState(working, status, refresh);
    drawKept(kept, status);
    const now = `${status.counts.memory} ${status.last_learnt} ${status.last_injected?.receipt_id}`;
    if (now === mark || gone) return;
    mark = now;
    const [recent, figures] = await Promise.all([
      call("recent", { k: RECENT }, { poll: true }), call("timeline", { k: CONTEXTS }, { poll: true }),
    ]);
    if (gone) return;
    fill(learnt, recent.items.length ? h("ul.plain", {}, recent.items.map(learntItem)) : empty("Nothing yet. Talk to your agents; Libra listens."));
    drawInjected(injected, figures.contexts);
    drawGrown(grown, figures.memories);
    drawTokens(tokens, figures.contexts);
    drawSpeed(speed, figures.contexts);
    drawAgents(agents, figures.agents);
    drawRate(rate, await call("compaction_report", { k: 20 }, { poll: true }));
  }

  const refresh = async () => look(await call("status"));
  await refresh();
  return { look, leave: () => { gone = true; } };
}

function wide(section) {
  section.classList.add("wide");
  return section;
}

function learntItem(item) {
  return h("li", {},
    h("a.text", { href: `#memories/${item.id}` }, item.text),
    h("small", {}, chip(item.type ?? item.kind, "type"), " ", when(item.learnt), sourceLine(item.source) && ` · ${sourceLine(item.source)}`));
}

function drawState(place, status, refresh) {
  const [kind, word] = stateOf(status);
  const reasons = status.degraded ?? [];
  const pauses = status.paused
    ? [button("Resume", async () => { await call("resume"); await refresh(); }, "main")]
    : [["Pause for 15 minutes", 900], ["Pause until resumed", undefined]].map(([label, seconds]) =>
      button(label, async () => { await call("pause", { seconds }); tell("Paused. Questions are still answered."); await refresh(); }));
  const { canary } = status;
  fill(place,
    h("p.big", {}, h(`i.light.${kind}`, { "aria-hidden": "true" }), word),
    reasons.length ? h("ul.reasons", {}, reasons.map((reason) => h("li", {}, reason))) : h("p", {}, "Turns are stored, searched and put into prompts."),
    facts(
      ["Model", `${status.model.profile}, ${status.model.provider ?? status.model.state}`],
      ["Waiting", status.queue.waiting ? plural(status.queue.waiting, "turn or text", "turns and texts") : "nothing"],
      ["Trial run", canary ? trial(canary) : null],
      ["Learnt last", when(status.last_learnt)],
      ["Injected last", status.last_injected ? [when(status.last_injected.ts), `, ${plural(status.last_injected.tokens, "token")}`] : "never"],
      ["Today", status.today ? `${plural(status.today.injections, "context")}, ${plural(status.today.tokens, "token")}${status.today.saved_tokens ? `, ${count(status.today.saved_tokens)} saved by summaries` : ""}` : null],
      ["Version", `${status.version}, schema ${status.schema}`],
    ),
    h("div.buttons", {}, pauses));
}

/** How the last made-up turn fared that went the whole way from a file to a prompt. */
function trial({ ok, ts, step, reason }) {
  if (ok === null || ok === undefined) return "none yet: it comes when nothing else is to be done";
  return [ok ? "a made-up turn went from a file to a prompt, " : `failed at “${step}” (${reason}), `, when(ts)];
}

function drawKept(place, status) {
  const c = status.counts;
  const hosts = Object.entries(status.sources?.hosts ?? {});
  fill(place,
    h("div.figures", {},
      [["memories", c.memory], ["turns", c.turn], ["sessions", c.session], ["summaries", c.summary], ["rules", c.directive], ["files read", c.document]]
        .map(([name, n]) => h("div", {}, h("strong", {}, count(n)), h("span", {}, name)))),
    facts(
      ["In the archive", c.archived ? count(c.archived) : null],
      ["Forgotten", c.tombstone ? `${count(c.tombstone)}, kept out ${plural(c.tombstone_hits, "time")} since` : null],
      ["Reads", hosts.length ? hosts.map(([name]) => name).join(", ") : null],
      ["On disk", bytes(Object.values(status.sizes).filter((n) => typeof n === "number").reduce((a, b) => a + b, 0))],
    ));
}

function drawInjected(place, contexts) {
  if (!contexts.length) return fill(place, empty("No agent has asked in the last 14 days."));
  return fill(place, h("ul.plain", {}, contexts.slice(-RECENT).reverse().map((c) => h("li", {},
    h("a.text", { href: `#receipts/${c.id}` }, `${plural(c.items, "thing")} in ${plural(c.tokens, "token")} for ${c.host ?? c.agent ?? "an agent"}`),
    h("small", {}, when(c.at), c.session ? ` · ${shortSession(c.session)}` : "", typeof c.took_ms === "number" ? ` · ${duration(c.took_ms)}` : "",
      c.degraded.length ? [" · ", chip("degraded", "warn")] : "")))));
}

function drawGrown(place, days) {
  if (!days.length) return fill(place, empty("No memories yet."));
  let sum = 0;
  const points = [];
  for (const { day, memories } of days) {
    sum += memories;
    if (points.at(-1)?.[0] === day) points.at(-1)[1] = sum;
    else points.push([day, sum]);
  }
  return fill(place, lines({
    title: `Memories that hold, by the day they were said: ${count(sum)} in all`, series: [{ name: "memories", kind: "recall", points }],
    xLabel: "said on", yLabel: "memories", say: count, sayX: onDay, dots: points.length < 40,
  }));
}

function drawTokens(place, contexts) {
  if (!contexts.length) return fill(place, empty("No contexts yet."));
  return fill(place, stacked({
    title: `Tokens of the last ${plural(contexts.length, "context")} by tier`, kinds: TIERS, xLabel: "context", yLabel: "tokens", say: count,
    bars: contexts.map((c) => ({ label: atTime(c.at), parts: c.tiers, note: `budget ${count(c.budget)}` })),
  }));
}

function drawSpeed(place, contexts) {
  const timed = contexts.filter((c) => typeof c.took_ms === "number");
  if (!timed.length) return fill(place, empty("No contexts yet."));
  const sorted = timed.map((c) => c.took_ms).sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return fill(place, lines({
    title: `Time of the last ${plural(timed.length, "context")}: half within ${duration(at(0.5))}, 95 % within ${duration(at(0.95))}`,
    series: [{ name: "time", kind: "tail", points: timed.map((c, i) => [i + 1, c.took_ms, `${atTime(c.at)}: ${duration(c.took_ms)}`]) }],
    xLabel: "context", yLabel: "ms", say: (v) => count(v), sayX: (v) => count(v), dots: true,
  }), h("p", {}, h("small", {}, `half within ${duration(at(0.5))}, 95 % within ${duration(at(0.95))}`)));
}

function drawRate(place, report) {
  const kinds = ["recall", "tail", "guidance", "soft", "hard"];
  const shown = report.sessions.filter((s) => s.levels.length).slice(0, kinds.length);
  if (!shown.length) return fill(place, empty("No session has been summarised yet."));
  const series = shown.map((session, i) => ({
    name: shortSession(session.session), kind: kinds[i],
    points: session.levels.map((level) => [level.tokens, level.distortion ?? level.distance ?? 0, `${shortSession(session.session)}, level ${level.level}: ${plural(level.tokens, "token")}`]).sort((a, b) => a[0] - b[0]),
  }));
  return fill(place, lines({
    title: "Tokens of each level of summaries against the distance in meaning from what they stand for", series,
    xLabel: "tokens", yLabel: "distortion", say: (v) => v.toFixed(2), sayX: count, dots: true,
  }));
}

function drawAgents(place, agents) {
  if (!agents.length) return fill(place, empty("No agent has said anything yet."));
  return fill(place, table(["agent", "sessions", "last heard", "contexts (14 days)", "tokens given", "mean time"],
    agents.map((a) => [a.name, count(a.sessions), when(a.last), count(a.contexts), count(a.tokens), a.took_ms ? duration(a.took_ms) : "–"]), "Agents"));
}

