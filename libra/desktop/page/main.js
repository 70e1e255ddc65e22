// The frame: which view is shown, what the state line says, and what happens when the page has ended.

import { call, ended } from "./api.js";
import { fill, h } from "./dom.js";
import { complain } from "./parts.js";
import { stateOf } from "./state.js";

const VIEWS = [
  ["now", "Now"],
  ["memories", "Memories"],
  ["receipts", "Receipts"],
  ["rules", "Rules"],
  ["byhand", "Set by you"],
  ["sessions", "Sessions"],
  ["try", "Try it"],
  ["settings", "Settings"],
];
const LOOK_MS = 5000;

const main = document.getElementById("main");
const nav = document.getElementById("nav");
const state = document.getElementById("state");
let current = null;
let over = false;

const place = () => {
  const [view, ...rest] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return VIEWS.some(([name]) => name === view) ? { view, rest } : { view: "now", rest: [] };
};

async function show() {
  if (over) return;
  const { view, rest } = place();
  const [, title] = VIEWS.find(([name]) => name === view);
  for (const link of nav.children) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  document.title = `${title} · Libra`;
  if (current?.view === view) {
    current.made.go?.(rest);
    return;
  }
  current?.made.leave?.();
  const mine = { view, made: {} };
  current = mine;
  main.className = `view-${view}`;
  const title1 = h("h1", {}, title);
  const body = h("div.body", {});
  fill(main, title1, body);
  try {
    const module = await import(`./views/${view}.js`);
    if (current !== mine) return;
    mine.made = (await module.show(body, rest)) ?? {};
    if (current !== mine) mine.made.leave?.();
  } catch (error) {
    complain(error);
    fill(body, h("p.empty", {}, error.message));
  }
}

async function look() {
  if (over || document.hidden) return;
  try {
    const status = await call("status", {}, { poll: true });
    const [kind, word] = stateOf(status);
    const shown = `${kind} ${word}`;
    if (state.dataset.shown !== shown) {
      state.dataset.shown = shown;
      fill(state, h(`i.light.${kind}`, { "aria-hidden": "true" }), word);
    }
    current?.made.look?.(status);
  } catch (error) {
    if (!over) complain(error);
  }
}

ended.addEventListener("ended", () => {
  if (over) return;
  over = true;
  current?.made.leave?.();
  fill(state, h("i.light.rest", { "aria-hidden": "true" }), "Ended");
  fill(main, h("h1", {}, "This page has ended"),
    h("p", {}, "Its port is closed when nobody has used the page for a while, and when Libra stops. What Libra knows is safe."),
    h("p", {}, "Open it anew from the tray icon, or with ", h("code", {}, "libra open"), "."));
});

fill(nav, VIEWS.map(([name, title], at) => h("a", { href: `#${name}`, "data-view": name, title: `Alt+${at + 1}` }, title)));
addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
});
addEventListener("keydown", (event) => {
  const at = Number(event.key) - 1;
  if (event.altKey && !event.ctrlKey && !event.metaKey && VIEWS[at]) {
    event.preventDefault();
    location.hash = VIEWS[at][0];
  }
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("visibilitychange", look);
show();
look();
setInterval(look, LOOK_MS);
