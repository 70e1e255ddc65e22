// Settings: every key with its value, default and effect; checked by Libra before anything is written.

import { call } from "../api.js";
import { fill, h } from "../dom.js";
import { busy, chip, empty, field, tell } from "../parts.js";
import { plural } from "../words.js";

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

  const sectionOf = (section, keys, open) => h("details.card.section", { open },
    h("summary", {}, h("strong", {}, section.name), " ", h("small", {}, section.doc), keys.some(changed) ? chip("changed", "type") : ""),
    keys.map(line));

  function line(key) {
    const input = inputOf(key);
    const save = h("button", { type: "submit" }, "Save");
    const back = h("button.quiet", { type: "button", onclick: () => set(key, null, back) }, "Default");
    const form = h("form.setting", { novalidate: true },
      h("div", {}, h("code", {}, key.key), changed(key) ? chip("changed", "type") : "", h("p", {}, key.effect),
        h("small", {}, `default ${said(key.default)}${"least" in key ? `, ${key.least} to ${key.most}` : ""}`)),
      h("div.value", {}, input, save, back));
    input.setAttribute("aria-label", key.key);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      set(key, valueOf(key, input), save);
    });
    return form;
  }

  async function set(key, value, at) {
    await busy(at, async () => {
      const done = await call("set_setting", { key: key.key, value: value ?? undefined });
      listed = await call("settings");
      const open = [...out.querySelectorAll("details")].map((box) => box.open);
      draw();
      out.querySelectorAll("details").forEach((box, i) => { box.open = box.open || open[i]; });
      tell(value === null ? `${key.key} has its default again, from the next start on.` : `${done.key} is ${said(done.value)} from the next start on.`);
    });
  }

  search.addEventListener("input", draw);
  only.addEventListener("change", draw);
  fill(body,
    h("p", {}, h("small", {}, "They stand in ", h("code", {}, listed.file), ". What Libra would not start with is not written; changes hold from the next start on.")),
    h("div.bar", { role: "search" }, field("Search", search), field("Changed only", only)), told, out);
  draw();
}

const changed = (key) => JSON.stringify(key.value) !== JSON.stringify(key.default);
const said = (value) => value === null ? "none" : Array.isArray(value) ? (value.length ? value.join(", ") : "none") : typeof value === "string" ? `“${value}”` : String(value);

function inputOf(key) {
  if (key.kind === "flag") return h("select", {}, ["true", "false"].map((word) => h("option", { value: word, selected: String(key.value) === word }, word)));
  if (key.kind === "texts") return h("textarea", { rows: 2, placeholder: "one a line", value: (key.value ?? []).join("\n") });
  if (key.kind === "text") return h("input", { type: "text", value: key.value ?? "", placeholder: key.optional ? "none" : "" });
  return h("input", { type: "number", step: key.kind === "whole" ? "1" : "any", value: key.value ?? "", placeholder: key.optional ? "none" : "" });
}

function valueOf(key, input) {
  if (key.kind === "flag") return input.value === "true";
  if (key.kind === "texts") return input.value.split("\n").map((text) => text.trim()).filter(Boolean);
  if (key.kind === "text") return input.value === "" && key.optional ? null : input.value;
  if (input.value === "") return key.optional ? null : "";
  return Number(input.value);
}
