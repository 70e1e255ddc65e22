"""The page for who hears it, who uses keys alone, who sees little contrast, whom motion makes ill, and who has a small screen."""

from __future__ import annotations

import pytest

from tests.page.conftest import Looked, Tabs, World

CHOSEN = {
    "now": ("svg.plot", None),
    "memories": (".row", ".row >> nth=0"),
    "receipts": (".row", ".row >> nth=0"),
    "rules": (".row", ".row:has-text('CLAUDE.md')"),
    "byhand": ("section.card", None),
    "sessions": (".row", ".row >> nth=1"),
    "try": ("form", None),
    "settings": ("details.section", None),
}
"""Each view with what has to be there, and what is chosen in it."""

FAINT = """
() => {
  const rgba = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a } };
  const light = ({ r, g, b }) => [r, g, b].map(c => { const s = c / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4 })
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const found = rgba(getComputedStyle(e).backgroundColor);
      if (found.a === 1) return found;
    }
    return { r: 255, g: 255, b: 255, a: 1 };
  };
  const out = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const style = getComputedStyle(e);
    if (!own || !e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) || e.closest("svg, [aria-disabled=true], :disabled, .unseen, .skip")) continue;
    const size = parseFloat(style.fontSize);
    if (size === 0) continue;
    const [a, b] = [light(rgba(style.color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) out.push(`${ratio.toFixed(2)} ${e.outerHTML.slice(0, 80)}`);
  }
  return out;
}
"""
"""Texts with less contrast than WCAG 2.2 asks for (1.4.3: 4.5, large ones 3)."""

WRONG = """
() => {
  const out = [];
  const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
  out.push(...ids.filter((id, at) => ids.indexOf(id) !== at).map(id => `twice: ${id}`));
  for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-activedescendant"])
    for (const e of document.querySelectorAll(`[${name}]`))
      for (const id of e.getAttribute(name).split(" ")) if (!document.getElementById(id)) out.push(`${name} of nothing: ${e.outerHTML.slice(0, 80)}`);
  let level = 0;
  for (const head of document.querySelectorAll("h1, h2, h3, h4")) {
    const now = Number(head.tagName[1]);
    if (now > level + 1) out.push(`h${level} then ${head.outerHTML.slice(0, 80)}`);
    level = now;
  }
  for (const cell of document.querySelectorAll("th")) if (!cell.textContent.trim()) out.push("a head of a table without words");
  for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) out.push(`out of order: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll("button, a, input, select, textarea, summary, [role]")) {
    const name = e.getAttribute("aria-label") ?? (e.labels?.length ? [...e.labels].map(l => l.textContent).join("") : e.hasAttribute("aria-labelledby") ? "named" : e.innerText ?? e.textContent);
    const says = ["status", "alert", "none"].includes(e.getAttribute("role"));
    if (!says && e.checkVisibility() && !name?.trim()) out.push(`without a name: ${e.outerHTML.slice(0, 80)}`);
  }
  if (document.querySelectorAll("main, [role=main]").length !== 1) out.push("not one main part");
  const marks = [...document.querySelectorAll("nav, [role=region], section[aria-label], section[aria-labelledby]")]
    .map(e => e.getAttribute("aria-label") ?? document.getElementById(e.getAttribute("aria-labelledby") ?? "")?.textContent ?? "");
  out.push(...marks.filter((name, at) => marks.indexOf(name) !== at).map(name => `two parts are called ${name}`));
  return out;
}
"""
"""Ids, references, headings, heads of tables, order, names and parts that would mislead who hears the page."""


def _chosen(page: Looked, view: str) -> None:
    """Show a view, with something chosen in it."""
    wait, click = CHOSEN[view]
    page.go(view, wait)
    if click is not None:
        page.tab.click(click)
        page.tab.wait_for_selector("article")
    if view == "settings":
        page.tab.evaluate("document.querySelector('details.section').open = true")
        page.tab.wait_for_selector(".setting")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_and_every_thing_has_its_name(
    open_tab: Tabs, world: World, scheme: str
) -> None:
    """Else who sees little could not read it, and who hears it would be told "button"."""
    page = open_tab(color_scheme=scheme)
    for view in CHOSEN:
        _chosen(page, view)
        assert (view, page.tab.evaluate(FAINT)) == (view, [])
        assert (view, page.tab.evaluate(WRONG)) == (view, [])


def test_on_a_small_screen_nothing_is_cut_and_all_keeps_its_name(open_tab: Tabs, world: World) -> None:
    """Else on a phone a person would push the page from side to side, and an icon without its word would be nameless."""
    page = open_tab(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    for view in CHOSEN:
        _chosen(page, view)
        wide = page.tab.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert (view, wide) == (view, 0)
        assert (view, page.tab.evaluate(WRONG)) == (view, [])
        moving = page.tab.evaluate(
            "document.getAnimations().length + [...document.querySelectorAll('*')].filter(e => getComputedStyle(e).transitionDuration !== '0s').length"
        )
        assert (view, moving) == (view, 0)


def test_tab_goes_through_in_order_and_is_seen(looked: Looked) -> None:
    """Else who uses keys alone would not know where they are."""
    looked.go("settings", "details.section")
    looked.tab.evaluate("document.activeElement.blur(); window.last = null")
    looked.tab.focus(".skip")
    for _ in range(16):
        looked.tab.keyboard.press("Tab")
        told = looked.tab.evaluate(
            "(() => { const e = document.activeElement, style = getComputedStyle(e);"
            " const after = !window.last || !!(window.last.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING);"
            " window.last = e; return [after, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, e.outerHTML.slice(0, 80)] })()"
        )
        assert told[:2] == [True, True], told[2]
