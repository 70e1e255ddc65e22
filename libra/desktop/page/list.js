// A list that may be very long: only the rows in sight exist, and further pages come as they are scrolled to.

import { fill, h, uid } from "./dom.js";

const SPARE = 6; // rows beyond the edges, so that scrolling shows none of them missing

/**
 * Return {element, show, refresh, choose}.
 * @param {{label: string, rowHeight: number, row: (item: object) => Node[], open: (item: object, index: number) => void,
 *   more?: () => Promise<object[]>, none: string}} how
 *   "more" gives the next page, an empty one at the end.
 */
export function longList({ label, rowHeight, row, open, more = null, none }) {
  const id = uid("list");
  const inner = h("div.rows", {});
  const element = h("div.list", { id, role: "listbox", tabindex: "0", "aria-label": label }, inner);
  element.style.setProperty("--row", `${rowHeight}px`);
  let items = [];
  let total = null;
  let chosen = -1;
  let loading = false;
  let whole = more === null;
  let drawn = new Map();

  function draw() {
    inner.style.height = `${items.length * rowHeight}px`;
    if (!items.length) {
      drawn = new Map();
      fill(inner, whole && !loading ? h("p.empty", {}, none) : null);
      if (!whole) load();
      return;
    }
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - SPARE);
    const last = Math.min(items.length, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + SPARE);
    const next = new Map();
    for (let at = first; at < last; at += 1) next.set(at, drawn.get(at) ?? made(at));
    for (const [at, node] of drawn) if (!next.has(at)) node.remove();
    for (const [at, node] of next) if (!drawn.has(at) || !node.isConnected) inner.append(node);
    drawn = next;
    if (!whole && last >= items.length - SPARE * 4) load();
  }

  function made(at) {
    const node = h("div.row", {
      id: `${id}-${at}`, role: "option", "aria-posinset": at + 1, "aria-setsize": total ?? (whole ? items.length : -1),
      "aria-selected": String(at === chosen), onclick: () => choose(at, true),
    }, row(items[at]));
    node.style.transform = `translateY(${at * rowHeight}px)`;
    return node;
  }

  async function load() {
    if (loading || whole) return;
    loading = true;
    const asked = more;
    try {
      const page = await asked();
      if (asked !== more) return;
      items.push(...page);
      whole = page.length === 0;
    } catch {
      whole = true;
    } finally {
      if (asked === more) {
        loading = false;
        draw();
      }
    }
  }

  function choose(at, opens = false) {
    if (at < 0 || at >= items.length) return;
    drawn.get(chosen)?.setAttribute("aria-selected", "false");
    chosen = at;
    const top = at * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top + rowHeight - element.clientHeight;
    draw();
    drawn.get(at)?.setAttribute("aria-selected", "true");
    element.setAttribute("aria-activedescendant", `${id}-${at}`);
    if (opens) open(items[at], at);
  }

  const page = () => Math.max(1, Math.floor(element.clientHeight / rowHeight) - 1);
  const keys = {
    ArrowDown: () => chosen + 1, ArrowUp: () => Math.max(0, chosen - 1), Home: () => 0, End: () => items.length - 1,
    PageDown: () => Math.min(items.length - 1, chosen + page()), PageUp: () => Math.max(0, chosen - page()),
  };
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && chosen >= 0) open(items[chosen], chosen);
    else if (keys[event.key]) choose(keys[event.key]());
    else return;
    event.preventDefault();
  });
  element.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(element);

  return {
    element,
    choose,
    /** Show another list from its beginning. */
    show(first, { next = null, of = null } = {}) {
      items = [...first];
      more = next;
      whole = next === null;
      loading = false;
      total = of;
      chosen = -1;
      element.removeAttribute("aria-activedescendant");
      element.scrollTop = 0;
      drawn = new Map();
      fill(inner);
      draw();
    },
    /** Draw anew what changed: all rows, or take out or replace the one that "same" finds. */
    refresh(same = null, item = undefined) {
      const at = same ? items.findIndex(same) : -1;
      if (at >= 0 && item === null) items.splice(at, 1);
      else if (at >= 0 && item) items[at] = item;
      drawn = new Map();
      fill(inner);
      draw();
    },
    get size() {
      return items.length;
    },
  };
}
