// Pages of what is too long to stand at once: a few buttons, and where one is.

import { fill, h } from "./dom.js";
import { busy } from "./parts.js";
import { count } from "./words.js";

/**
 * Return {element, go}: "go" shows the page on which a thing stands; element is empty while one page is enough.
 * @param {{of: number, size: number, one: string, draw: (first: number) => *, first?: number}} how
 *   "of" things are there, "size" stand on a page, "one" names them ("turns"); "draw" shows the page that begins with a thing, counted from 0.
 */
export function pager({ of, size, one, draw, first = 0 }) {
  const told = h("span", { role: "status" });
  const last = Math.max(0, Math.floor((of - 1) / size) * size);
  let at = first;
  const to = { first: ["« First", () => 0], back: ["‹ Back", () => at - size], next: ["Next ›", () => at + size], last: ["Last »", () => last] };
  const buttons = Object.fromEntries(Object.entries(to).map(([name, [label, place]]) => {
    const made = h("button.small", { type: "button", "data-to": name }, label);
    made.addEventListener("click", () => busy(null, async () => { await go(place()); }));
    return [name, made];
  }));
  const element = of > size ? h("nav.pager", { "aria-label": `Pages of ${one}` }, buttons.first, buttons.back, told, buttons.next, buttons.last) : h("div", {});

  function say() {
    fill(told, `${one} ${count(at + 1)} to ${count(Math.min(of, at + size))} of ${count(of)}`);
    // Not "disabled": whoever has just pressed one by keyboard would be thrown out of it.
    for (const [names, ended] of [[["first", "back"], at <= 0], [["next", "last"], at >= last]]) for (const name of names) buttons[name].setAttribute("aria-disabled", String(ended));
  }

  async function go(place) {
    const page = Math.min(last, Math.max(0, Math.floor(place / size) * size));
    if (page === at) return;
    await draw(page);
    at = page;
    say();
  }

  say();
  return { element, go };
}
