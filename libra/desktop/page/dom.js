// Elements are built here and nowhere else, and whatever was said becomes a text node: it can never be markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return a new element.
 * @param {string} tag Its name, with classes behind dots: "button.quiet".
 * @param {object} props Attributes; "on…" are listeners, "style" is an object, false and null leave an attribute out.
 * @param {...*} children Elements, texts, lists of them; null and false are left out.
 */
export function h(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  return filled(element, props, children);
}

/** The same for a part of a drawing. */
export function svg(tag, props = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/** Append children to an element. */
export function add(element, children) {
  for (const child of Array.isArray(children) ? children.flat(Infinity) : [children]) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Put children in the place of what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

let count = 0;
/** Return an id that no other element of the page has. */
export const uid = (word) => `${word}-${(count += 1)}`;
