// Small parts that several views use: notices, dialogs, chips, tables of facts.

import { fill, h, uid } from "./dom.js";
import { decimals, exactly, since } from "./words.js";

let gone = 0;

/** Say something for a few seconds, aloud too; with an action that takes it back. */
export function tell(text, action = null) {
  const place = document.getElementById("told");
  clearTimeout(gone);
  fill(
    place,
    h("p", {}, text),
    action && h("button.quiet", { type: "button", onclick: () => { fill(place); Promise.resolve(action.run()).catch(complain); } }, action.label),
    h("button.quiet", { type: "button", "aria-label": "Close this message", onclick: () => fill(place) }, "✕"),
  );
  gone = setTimeout(() => fill(place), action ? 12000 : 6000);
}

/** Say what went wrong, with what can be done about it. */
export function complain(error) {
  if (error.name === "AbortError") return;
  tell(wrongWords(error));
}

const wrongWords = (error) => (error.hint ? `${error.message} (${error.hint})` : error.message);

/** Run something that may fail, with its button at rest meanwhile. */
export async function busy(button, work) {
  if (button) button.disabled = true;
  try {
    return await work();
  } catch (error) {
    complain(error);
    return undefined;
  } finally {
    if (button) button.disabled = false;
  }
}

export const chip = (text, kind = "") => h(`span.chip${kind ? `.${kind}` : ""}`, {}, text);

export const when = (ms) => (typeof ms === "number" ? h("time", { datetime: new Date(ms).toISOString(), title: exactly(ms) }, since(ms)) : "never");

/** A list of names and values; pairs without a value are left out. */
export function facts(...pairs) {
  const rows = pairs.filter((pair) => pair && pair[1] !== null && pair[1] !== undefined && pair[1] !== "");
  return h("dl.facts", {}, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A table; the first cell of a row is its head. */
export function table(heads, rows, label) {
  return h(
    "div.scroll", { tabindex: "0", role: "region", "aria-label": `${label}, as a table` },
    h("table", {},
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, rows.map(([first, ...rest]) => h("tr", {}, h("th", { scope: "row" }, first), rest.map((cell) => h("td", {}, cell)))))),
  );
}

export function card(title, ...content) {
  const id = uid("card");
  return h("section.card", { "aria-labelledby": id }, h("h2", { id }, title), content);
}

/** Words with some of them between backticks: those as code. */
export const marked = (text) => text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));

export const empty = (text) => h("p.empty", {}, text);

export function button(label, run, kind = "") {
  const made = h(`button${kind ? `.${kind}` : ""}`, { type: "button" }, label);
  made.addEventListener("click", () => busy(made, run));
  return made;
}

/** A field with its label. */
export function field(label, input, hint = "") {
  const id = input.id || uid("field");
  input.id = id;
  const told = hint ? h("small", { id: `${id}-hint` }, hint) : null;
  if (told) input.setAttribute("aria-describedby", told.id);
  return h("div.field", {}, h("label", { for: id }, label), input, told);
}

/** Say at a field what is wrong with what stands in it, aloud too; without words, or with the next key, that is taken back. */
export function fault(input, words = "") {
  input.id ||= uid("field");
  const id = `${input.id}-fault`;
  const told = (input.getAttribute("aria-describedby") ?? "").split(" ").filter((one) => one && one !== id);
  document.getElementById(id)?.remove();
  if (words) {
    const said = h("p.fault", { id, role: "alert" }, words);
    const box = input.closest(".value, .field");
    if (box) box.append(said);
    else input.after(said);
    told.push(id);
    input.setAttribute("aria-invalid", "true");
    input.addEventListener("input", () => fault(input), { once: true });
  } else input.removeAttribute("aria-invalid");
  if (told.length) input.setAttribute("aria-describedby", told.join(" "));
  else input.removeAttribute("aria-describedby");
}

/** A choice of one; options are [value, label] or words. */
export function choice(label, options, value, onchange) {
  const input = h("select", { onchange: (event) => onchange?.(event.target.value) },
    options.map((option) => {
      const [key, words] = Array.isArray(option) ? option : [option, option];
      return h("option", { value: key, selected: key === value }, words);
    }));
  return field(label, input);
}

/**
 * Ask something in a dialog; the promise gives what "done" returns for the form, or undefined if the person turned back.
 * What "done" (or its promise) throws is shown, and the dialog stays with what was typed.
 * @param {{title: string, text?: *, body?: *, yes: string, danger?: boolean, done?: (form: HTMLFormElement) => *}} asked
 */
export function ask({ title, text = null, body = null, yes, danger = false, done = () => true }) {
  return new Promise((resolve) => {
    const id = uid("dialog");
    const trouble = h("p.reasons", { role: "alert", hidden: true });
    const form = h("form", { method: "dialog" },
      h("h2", { id }, title),
      text && h("p", {}, text),
      body,
      trouble,
      h("div.buttons", {},
        h("button.quiet", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h(`button${danger ? ".danger" : ".main"}`, { type: "submit" }, yes)));
    const dialog = h("dialog", { "aria-labelledby": id }, form);
    let answer;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const yesButton = form.querySelector("[type=submit]");
      yesButton.disabled = true;
      try {
        answer = await done(form);
        dialog.close();
      } catch (error) {
        const at = error.where && form.elements.namedItem(error.where);
        trouble.hidden = Boolean(at?.closest);
        if (at?.closest) {
          fault(at, wrongWords(error));
          at.focus();
        } else fill(trouble, wrongWords(error));
      } finally {
        yesButton.disabled = false;
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector("textarea, input, select")?.focus();
  });
}

/** The parts of a score, the largest first. */
export function scoreParts(why) {
  const named = Object.entries(why ?? {}).filter(([, v]) => typeof v === "number" && v !== 0);
  return named.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).map(([name, v]) => `${name.replaceAll("_", " ")} ${decimals(v, 3)}`).join(" · ");
}

/** A value between 0 and 1 as a bar with its number. */
export function meter(value, label) {
  const share = Math.max(0, Math.min(1, value ?? 0));
  return h("span.meter", { role: "img", "aria-label": `${label}: ${Math.round(share * 100)} %` },
    h("span", { style: { width: `${share * 100}%` } }));
}
