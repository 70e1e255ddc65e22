// A list beside what is chosen in it; on a narrow screen one or the other.

import { fill, h } from "./dom.js";

/** Return {element, open, close}: "left" holds the list, "open" shows something beside it, with focus if asked. */
export function panes(left, none, onclose = () => {}) {
  const right = h("section.beside", { "aria-label": "What is chosen", tabindex: "-1" });
  const element = h("div.panes", {}, h("div.left", {}, left), right);
  let before = null;

  function close() {
    element.classList.remove("opened");
    fill(right, h("p.empty", {}, none));
    onclose();
    before?.focus();
  }

  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && element.classList.contains("opened") && !document.querySelector("dialog[open]")) close();
  });
  fill(right, h("p.empty", {}, none));
  return {
    element,
    close,
    open(content, { focus = true } = {}) {
      before = element.querySelector(".list");
      element.classList.add("opened");
      fill(right, h("button.back.quiet", { type: "button", onclick: close }, "‹ Back to the list"), content);
      right.scrollTop = 0;
      if (!focus) return;
      right.focus({ preventScroll: true });
      if (getComputedStyle(element.firstElementChild).display === "none") right.scrollIntoView();
    },
  };
}
