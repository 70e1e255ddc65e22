// Drawings of numbers: a frame with axes, and lines, stacked bars or dots in it. Each has its numbers as a table beside it.

import { h, svg } from "./dom.js";
import { table } from "./parts.js";

// On a narrow screen a drawing has fewer points across, so that its words are not smaller than others.
const NARROW = matchMedia("(max-width: 860px)").matches;
const WIDTH = NARROW ? 360 : 640;
const HEIGHT = 220;
const EDGE = { left: 62, right: 12, top: 12, bottom: 34 };
const INNER = { width: WIDTH - EDGE.left - EDGE.right, height: HEIGHT - EDGE.top - EDGE.bottom };
const ACROSS = NARROW ? 2 : 4;

/** About "n" round numbers from 0 or "low" to at least "high". */
export function ticks(low, high, n = 4) {
  if (!(high > low)) return [low, low + 1];
  const rough = (high - low) / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999) ?? 10 * power;
  const out = [];
  for (let v = Math.floor(low / step) * step; v < high + step * 0.999; v += step) out.push(Number(v.toPrecision(12)));
  return out;
}

const scale = (from, to, length) => (v) => ((v - from) / (to - from || 1)) * length;

function frame({ title, xs, ys, xLabel, yLabel, say, sayX }) {
  const x = scale(xs[0], xs.at(-1), INNER.width);
  const y = (v) => INNER.height - scale(ys[0], ys.at(-1), INNER.height)(v);
  const inner = svg("g", { transform: `translate(${EDGE.left} ${EDGE.top})` });
  for (const v of ys) {
    inner.append(
      svg("line", { class: "grid", x1: 0, x2: INNER.width, y1: y(v), y2: y(v) }),
      svg("text", { class: "tick", x: -8, y: y(v), "text-anchor": "end", "dominant-baseline": "middle" }, say(v)),
    );
  }
  for (const v of xs) {
    const anchor = v === xs[0] ? "start" : v === xs.at(-1) ? "end" : "middle";
    inner.append(svg("text", { class: "tick", x: x(v), y: INNER.height + 16, "text-anchor": anchor }, sayX(v)));
  }
  const drawing = svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title },
    inner,
    svg("text", { class: "axis", x: EDGE.left + INNER.width / 2, y: HEIGHT - 3, "text-anchor": "middle" }, xLabel),
    svg("text", { class: "axis", x: 12, y: EDGE.top + INNER.height / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${EDGE.top + INNER.height / 2})` }, yLabel));
  return { drawing, inner, x, y };
}

function figure(drawing, legend, { heads, rows }, label) {
  const box = h("details.numbers", {}, h("summary", {}, "As numbers"));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(table(heads, rows, label));
  });
  return h("figure", {}, drawing,
    legend.length > 1 && h("figcaption.legend", {}, legend.map(([name, kind]) => h("span", {}, h(`i.k-${kind}`), name))), box);
}

/**
 * Lines over time or another number.
 * @param {{title: string, series: {name: string, kind: string, points: [number, number][]}[], xLabel: string, yLabel: string,
 *   say?: (v: number) => string, sayX?: (v: number) => string, low?: number, dots?: boolean, xs?: number[]}} data
 */
export function lines({ title, series, xLabel, yLabel, say = String, sayX = String, low = 0, dots = false, xs = null }) {
  const all = series.flatMap((s) => s.points);
  const ex = all.map((p) => p[0]);
  const across = xs ?? spread(Math.min(...ex), Math.max(...ex), ACROSS);
  const f = frame({ title, xs: across, ys: ticks(low, Math.max(...all.map((p) => p[1]), low + 1e-9)), xLabel, yLabel, say, sayX });
  for (const s of series) {
    const path = s.points.map(([a, b], i) => `${i ? "L" : "M"}${f.x(a).toFixed(1)} ${f.y(b).toFixed(1)}`).join("");
    if (s.points.length > 1) f.inner.append(svg("path", { class: `line k-${s.kind}`, d: path }));
    if (dots || s.points.length === 1) {
      f.inner.append(...s.points.map(([a, b, note]) => svg("circle", { class: `dot k-${s.kind}`, cx: f.x(a), cy: f.y(b), r: 3.5 },
        svg("title", {}, note ?? `${s.name}: ${sayX(a)}, ${say(b)}`))));
    }
  }
  const rows = series.flatMap((s) => s.points.map(([a, b]) => [sayX(a), s.name, say(b)]));
  return figure(f.drawing, series.map((s) => [s.name, s.kind]), { heads: [xLabel, "What", yLabel], rows }, title);
}

/**
 * Bars side by side, each of parts on top of each other.
 * @param {{title: string, bars: {label: string, parts: Record<string, number>, note?: string, limit?: number}[],
 *   kinds: [string, string][], xLabel: string, yLabel: string, say?: (v: number) => string}} data "kinds" are [part, name].
 */
export function stacked({ title, bars, kinds, xLabel, yLabel, say = String }) {
  const sums = bars.map((bar) => kinds.reduce((sum, [kind]) => sum + (bar.parts[kind] ?? 0), 0));
  const f = frame({ title, xs: [0, bars.length], ys: ticks(0, Math.max(...sums, 1)), xLabel, yLabel, say, sayX: (v) => (bars[Math.min(v, bars.length - 1)]?.label ?? "") });
  const width = INNER.width / bars.length;
  bars.forEach((bar, at) => {
    let below = 0;
    const group = svg("g", {}, svg("title", {}, [bar.label, ...kinds.filter(([k]) => bar.parts[k]).map(([k, name]) => `${name} ${say(bar.parts[k])}`), bar.note].filter(Boolean).join(" · ")));
    for (const [kind] of kinds) {
      const n = bar.parts[kind] ?? 0;
      if (n <= 0) continue;
      group.append(svg("rect", { class: `bar k-${kind}`, x: at * width + width * 0.1, width: Math.max(width * 0.8, 0.5), y: f.y(below + n), height: Math.max(f.y(below) - f.y(below + n), 0) }));
      below += n;
    }
    f.inner.append(group);
  });
  const rows = bars.map((bar, at) => [bar.label, ...kinds.map(([kind]) => say(bar.parts[kind] ?? 0)), say(sums[at])]);
  return figure(f.drawing, kinds.map(([kind, name]) => [name, kind]), { heads: [xLabel, ...kinds.map(([, name]) => name), "All"], rows }, title);
}

/** "n" + 1 numbers at equal distances. */
export function spread(low, high, n) {
  return high > low ? Array.from({ length: n + 1 }, (_, i) => low + ((high - low) * i) / n) : [low, low + 1];
}
