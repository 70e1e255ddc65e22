// Settings: every key with its value, default and effect; checked here as it is typed in, and by Libra before anything is written.

import { call } from "../api.js";
import { fill, h, uid } from "../dom.js";
import { busy, chip, empty, fault, field, marked, tell } from "../parts.js";
import { amount, plural } from "../words.js";

export async function show(body) {
  const search = h("input", { type: "search", placeholder: "budget, tail, backup…", autocomplete: "off" });
  const only = h("input", { type: "checkbox" });
  const told = h("div", { role: "status" });
  const out = h("div", {});
  let listed = await call("settings");

  function draw() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (key, section) => words.every((word) => `${key.key} ${key.effect} ${section.doc}`.toLowerCase().includes(word)) && (!only.checked || changed(key));
    const shown = listed.sections.map((section) => [section, section.keys.filter((key) => fits(key, section))]).filter(([, keys]) => keys.length);
    fill(out, shown.length ? shown.map(([section, keys]) => sectionOf(section, keys, words.length > 0 || only.checked)) : empty("No setting fits."));
    fill(told, listed.waiting.length ? h("p.reasons", {}, `${plural(listed.waiting.length, "change")} will hold when Libra is started next: ${listed.waiting.join(", ")}.`) : "");
  }

  function sectionOf(section, keys, open) {
    const box = h("details.card.section", { open, "data-section": section.name },
      h("summary", {}, h("strong", {}, section.name), " ", h("small", {}, section.doc), keys.some(changed) ? [" ", chip("changed", "type")] : ""));
    // The keys of a section come when it is opened: all of them at once would be a thousand elements that nobody looks at.
    const add = () => { if (box.open && box.childElementCount === 1) box.append(...keys.map(line)); };
    box.addEventListener("toggle", add);
    add();
    return box;
  }

  function line(key) {
    const id = uid("setting");
    const about = h("div", {}, h("code", {}, key.key), changed(key) ? chip("changed", "type") : "", h("div", { id: `${id}-about` }, h("p", {}, marked(key.effect)), h("small", {}, limits(key))));
    if (key.kind === "own") return h("div.setting", {}, about, own(key));
    const input = inputOf(key);
    const save = h("button", { type: "submit" }, "Save");
    const back = changed(key) && h("button.quiet", { type: "button", onclick: () => set(key, input, null, back) }, "Default");
    for (const one of [save, back]) if (one) one.setAttribute("aria-label", `${one.textContent}: ${key.key}`);
    input.id = id;
    input.setAttribute("aria-label", key.key);
    input.setAttribute("aria-describedby", `${id}-about`);
    const check = () => {
      const wrong = wrongIn(key, input);
      fault(input, wrong);
      return !wrong;
    };
    input.addEventListener("change", check);
    return h("form.setting", {
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        if (check()) set(key, input, valueOf(key, input), save);
        else input.focus();
      },
    }, about, h("div.value", {}, input, save, back));
  }

  const own = (key) => h("div.own", {},
    key.value === null ? h("small", {}, "not set") : typeof key.value === "string" ? h("code", {}, key.value) : h("pre.exact", { tabindex: "0", "aria-label": key.key }, JSON.stringify(key.value, null, 1)),
    h("small", {}, "Changed in the file only."));

  const set = (key, input, value, at) => busy(at, async () => {
    let done;
    try {
      done = await call("set_setting", { key: key.key, value: value ?? undefined });
    } catch (error) {
      if (error.reason === "away") throw error;
      // What the field is about is said by the field.
      const words = error.message.replace(`${key.key}: `, "");
      fault(input, `${words[0].toUpperCase()}${words.slice(1)}${error.hint ? ` (${error.hint})` : ""}.`);
      input.focus();
      return;
    }
    listed = await call("settings");
    const open = [...out.querySelectorAll("details[open]")].map((box) => box.dataset.section);
    draw();
    for (const box of out.querySelectorAll("details")) box.open ||= open.includes(box.dataset.section);
    tell(`${value === null ? `${key.key} has its default again` : `${key.key} is ${said(done.value, key.unit)}`}, from the next start on. It reaches ${done.reach}.`);
    // The line was drawn anew: whoever goes by keyboard is still at it. A section that was opened just now has its lines in a moment.
    setTimeout(() => out.querySelector(`[aria-label="${key.key}"]`)?.focus());
  });

  search.addEventListener("input", draw);
  only.addEventListener("change", draw);
  fill(body,
    h("p", {}, h("small", {}, "They stand in ", h("code", {}, listed.file), ". What Libra would not start with is not written; changes hold from the next start on.")),
    h("div.bar", { role: "search" }, field("Search", search), field("Changed only", only)), told, out);
  draw();
}

const changed = (key) => JSON.stringify(key.value) !== JSON.stringify(key.default);
const NONE = "none";

/** A value as a person reads it, with what it is counted in. */
function said(value, unit) {
  if (value === null || value === undefined) return NONE;
  if (Array.isArray(value)) return value.length ? value.join(", ") : NONE;
  if (typeof value !== "number") return typeof value === "string" ? `“${value}”` : String(value);
  return amount(value, unit);
}

const limits = (key) => [`default ${said(key.default, key.unit)}`, "least" in key ? `, ${amount(key.least, key.unit)} to ${amount(key.most, key.unit)}` : "",
  key.kind === "whole" ? ", whole" : "", key.choices ? `, of ${key.choices.join(", ")}` : ""].join("");

function inputOf(key) {
  if (key.kind === "flag") return h("select", {}, ["true", "false"].map((word) => h("option", { value: word, selected: String(key.value) === word }, word === "true" ? "yes" : "no")));
  if (key.kind === "texts") return h("textarea", { rows: Math.min(7, Math.max(2, (key.value ?? []).length)), placeholder: "one a line", value: (key.value ?? []).join("\n") });
  if (key.kind === "text" && key.choices) return h("select", {}, key.choices.map((word) => h("option", { value: word, selected: key.value === word }, word)));
  if (key.kind === "text") return h("input", { type: "text", value: key.value ?? "", placeholder: key.optional ? NONE : "" });
  return h("input", { type: "number", step: key.kind === "whole" ? "1" : "any", min: key.least, max: key.most, value: key.value ?? "", placeholder: key.optional ? NONE : "" });
}

/** What is wrong with what was typed in, in words; nothing if Libra may be asked. */
function wrongIn(key, input) {
  const bounds = "least" in key ? ` from ${amount(key.least, key.unit)} to ${amount(key.most, key.unit)}` : "";
  if (key.kind === "whole" || key.kind === "number") {
    const number = Number(input.value);
    const fits = !input.validity.badInput && (input.value === "" ? key.optional : Number.isFinite(number) && (key.kind !== "whole" || Number.isInteger(number)) && number >= (key.least ?? -Infinity) && number <= (key.most ?? Infinity));
    return fits ? "" : `Expected a ${key.kind === "whole" ? "whole number" : "number"}${bounds}.`;
  }
  if (key.kind === "texts" && key.choices) {
    const strange = valueOf(key, input)?.filter((word) => !key.choices.includes(word)) ?? [];
    return strange.length ? `“${strange[0]}” is none of ${key.choices.join(", ")}.` : "";
  }
  return "";
}

function valueOf(key, input) {
  if (key.kind === "flag") return input.value === "true";
  if (key.kind === "texts") {
    const texts = input.value.split("\n").map((text) => text.trim()).filter(Boolean);
    return texts.length || !key.optional ? texts : null;
  }
  if (key.kind === "text") return input.value.trim() === "" && key.optional ? null : input.value.trim();
  return input.value === "" ? null : Number(input.value);
}
