// The review of the day: the few memories that Libra is least sure of.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { ask, button, chip, field, meter, tell } from "../parts.js";
import { onDay, percent, plural } from "../words.js";

/** Draw the inbox; "changed" is called after each decision. */
export async function drawInbox(place, who, changed) {
  const { items, done, of } = await call("review", { who });
  if (!items.length) return fill(place);
  const mine = { who, origin: "owner" };
  const open = place.querySelector("details")?.open ?? false;
  const decided = (words, answer) => {
    tell(words, answer?.journal_id ? { label: "Undo", run: () => call("undo", { who, journal_id: answer.journal_id }).then(changed) } : null);
    changed();
  };
  const line = (item) => h("li", {},
    h("a.text", { href: `#memories/${item.id}` }, item.text),
    h("small", {}, chip(item.type, "type"), " ", onDay(item.ts), " · ", meter(item.confidence, "certainty"), ` ${percent(item.confidence)} certain`),
    h("div.buttons", {},
      button("Right", async () => decided("Confirmed.", await call("confirm", { ...mine, id: item.id })), "small"),
      button("Correct…", async () => {
        const answer = await ask({
          title: "What is right instead?", yes: "Correct", body: field("In your words", h("textarea", { name: "text", rows: 4, required: true, value: item.text })),
          done: (form) => call("correct", { ...mine, id: item.id, text: form.elements.text.value.trim() }),
        });
        if (answer) decided("Corrected.", answer);
      }, "small"),
      button("Archive", async () => decided("Archived.", await call("archive", { ...mine, ids: [item.id] })), "small"),
      button("Forget…", async () => {
        const yes = await ask({ title: "Forget this for good?", text: item.text, yes: "Forget", danger: true });
        if (!yes) return;
        const gone = await call("forget", { who, id: item.id });
        decided(`Forgotten: ${plural(gone.forgotten, "record")}.`);
      }, "small")));
  return fill(place, h("details.card.inbox", { open },
    h("summary", {}, `To review today: ${items.length}`, h("small", {}, ` the least certain, ${done} of ${of} done`)),
    h("ul.plain", {}, items.map(line))));
}
