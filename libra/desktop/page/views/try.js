// Try it: a question and a budget, and the context that an agent would get.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { busy, field } from "../parts.js";
import { who, whomFields } from "../whom.js";
import { count, duration } from "../words.js";
import { budgetBar, legend, things } from "./context.js";

export async function show(body) {
  const out = h("div", { "aria-live": "polite" });
  const query = h("input", { type: "search", name: "query", required: true, placeholder: "What an agent is about to be asked", autocomplete: "off" });
  const budget = h("input", { type: "number", name: "budget", min: 0, max: 1000000, step: 100, value: 2000, required: true });
  const go = h("button.main", { type: "submit" }, "Assemble");
  const form = h("form.bar", {}, field("Question", query), field("Budget in tokens", budget), await whomFields(() => {}), go);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    busy(go, async () => {
      const began = performance.now();
      const as = who();
      const got = await call("assemble", { who: as, query: query.value, budget_tokens: Number(budget.value), explain: true, trial: true });
      draw(out, got, as, performance.now() - began);
    });
  });
  fill(body, form, out);
  query.focus();
}

function draw(out, got, as, took) {
  const tiers = {};
  for (const item of got.items) if (!item.in_prompt) tiers[item.tier] = (tiers[item.tier] ?? 0) + item.tokens;
  fill(out,
    h("div.cards", {},
      h("section.card", {}, h("h2", {}, `${count(got.tokens)} of ${count(got.budget_tokens)} tokens in ${duration(took)}`),
        budgetBar(tiers, got.tokens, got.budget_tokens), legend(),
        got.skipped_reason && h("p", {}, `Nothing was recalled: ${got.skipped_reason}.`),
        got.degraded.length > 0 && h("ul.reasons", {}, got.degraded.map((reason) => h("li", {}, reason))),
        h("pre.exact", { tabindex: "0", "aria-label": "The context" }, got.text || "(nothing to add)")),
      h("section.card", {}, things("In it", got.items, { who: as }, "Nothing."), things("Left out", got.left_out, { who: as }))));
}
