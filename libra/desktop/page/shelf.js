// A card that lists things of one kind: each can be changed and taken away, and others added.

import { call } from "./api.js";
import { fill, h, uid } from "./dom.js";
import { pager } from "./pager.js";
import { ask, button, complain, empty, field, tell } from "./parts.js";

const WAIT_MS = 200;
const PAGE = 50;

/**
 * Return {element, draw}.
 * @param {{title: string, about: string, none: string, one?: string, wide?: boolean, search?: string, always?: boolean,
 *   load: (query: string) => Promise<object[]>, row: (item: object) => *,
 *   form?: (item?: object) => *, save?: (form: HTMLFormElement, item?: object) => Promise<object>,
 *   remove?: (item: object) => Promise<object>, more?: (item: object, again: () => Promise<void>) => *, away?: string, gone?: string}} how
 *   "one" names one of them; "search" is the label of a field whose words "load" gets, there from the first page too if "always"; "more" gives further buttons; "away" and
 *   "gone" say what taking one away is called.
 */
export function shelf({ title, about, none, one = "", wide = false, search = "", always = true, load, row, form, save, remove, more, away = "Delete", gone = "Deleted" }) {
  const id = uid("shelf");
  const place = h("div", {});
  const words = search ? h("input", { type: "search", autocomplete: "off" }) : null;
  const find = words && field(search, words);
  let timer = 0;
  let newest = 0;

  async function draw() {
    const mine = (newest += 1);
    try {
      const items = await load(words?.value.trim() ?? "");
      if (mine !== newest) return;
      if (find) find.hidden = !always && items.length <= PAGE && !words.value;
      if (!items.length) return void fill(place, empty(words?.value.trim() ? "Nothing fits." : none));
      const lines = h("ul.plain.shelf", {});
      const show = (first) => fill(lines, items.slice(first, first + PAGE).map(line));
      show(0);
      fill(place, pager({ of: items.length, size: PAGE, one: title.toLowerCase(), draw: show }).element, lines);
    } catch (error) {
      complain(error);
    }
  }

  const done = async (text, answer) => {
    tell(text, answer?.journal_id ? { label: "Undo", run: () => call("undo", { journal_id: answer.journal_id }).then(draw, complain) } : null);
    await draw();
  };
  const edit = async (item) => {
    const answer = await ask({ title: item ? `Change this ${one}` : `A new ${one}`, yes: "Save", body: form(item), done: (filled) => save(filled, item) });
    if (answer) await done("Saved.", answer);
  };
  const line = (item) => {
    const told = h("div", { id: uid("told") }, row(item));
    const buttons = h("div.buttons", {},
      form && !item.archived && button("Edit…", () => edit(item), "small"), more?.(item, draw),
      remove && !item.archived && button(away, async () => done(`${gone}.`, await remove(item)), "small"));
    // Every line has the same buttons: who hears them is told whose they are.
    for (const one of buttons.children) one.setAttribute("aria-describedby", told.id);
    return h("li", {}, told, buttons.children.length > 0 && buttons);
  };

  words?.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, WAIT_MS);
  });
  const element = h(`section.card${wide ? ".wide" : ""}`, { "aria-labelledby": id },
    h("div.heading", {}, h("h2", { id }, title), form && button(`New ${one}…`, () => edit(), "small")),
    h("p", {}, h("small", {}, about)), find, place);
  return { element, draw };
}
