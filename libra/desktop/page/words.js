// Numbers, times and names as a person reads them.

const number = new Intl.NumberFormat("en");
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const moment = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const whole = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "medium", hourCycle: "h23" });
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export const count = (n) => number.format(Math.round(n ?? 0));
export const decimals = (x, places = 2) => (typeof x === "number" ? x.toFixed(places) : "–");
export const percent = (x) => (typeof x === "number" ? `${Math.round(100 * x)} %` : "–");
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
export const onDay = (ms) => day.format(new Date(ms));
export const atTime = (ms) => moment.format(new Date(ms));
export const exactly = (ms) => whole.format(new Date(ms));

const STEPS = [["year", 31536e6], ["month", 2592e6], ["day", 864e5], ["hour", 36e5], ["minute", 6e4]];

/** "3 days ago"; days are of 24 hours. */
export function since(ms, now = Date.now()) {
  if (typeof ms !== "number") return "never";
  const past = ms - now;
  for (const [unit, step] of STEPS) {
    if (Math.abs(past) >= step) return ago.format(Math.trunc(past / step), unit);
  }
  return "just now";
}

export function bytes(n) {
  const steps = ["B", "KB", "MB", "GB", "TB"];
  let at = 0;
  let left = n ?? 0;
  while (left >= 1000 && at < steps.length - 1) [left, at] = [left / 1000, at + 1];
  return `${left >= 100 || at === 0 ? Math.round(left) : left.toFixed(1)} ${steps[at]}`;
}

export const duration = (ms) => (ms >= 1000 ? `${decimals(ms / 1000, 1)} s` : `${decimals(ms, ms < 10 ? 1 : 0)} ms`);

/** The last part of a path. */
export const fileName = (path) => String(path).split(/[\\/]/).pop();

/** Where something stands: "CLAUDE.md:12", or the session it was said in. */
export function sourceLine(source) {
  if (!source) return "";
  if (source.path) return source.line ? `${fileName(source.path)}:${source.line}` : fileName(source.path);
  return source.session ? shortSession(source.session) : "";
}

/** "claude-code:7c0f2b9a…" for a session's long key. */
export function shortSession(key) {
  const [host, ...rest] = String(key ?? "").split(":");
  if (!rest.length) return host;
  const id = rest.join(":");
  return `${host}:${id.length > 12 ? `${id.slice(0, 8)}…` : id}`;
}

const plain = (n) => (Number.isInteger(n) ? number.format(n) : String(n));
const tenths = (n, one) => `${plain(Math.round(n * 10) / 10)} ${n === 1 ? one : `${one}s`}`;
const time = (ms) => (ms >= 864e5 ? tenths(ms / 864e5, "day") : ms >= 36e5 ? tenths(ms / 36e5, "hour") : tenths(ms / 6e4, "minute"));
const LARGE = { bytes: [1000, bytes], ms: [60_000, time], s: [60, (s) => time(s * 1000)] };

/** A number of a setting with its unit, and in words where the number alone says little: "1,800,000 ms (30 minutes)". */
export function amount(n, unit = "") {
  const digits = `${plain(n)}${unit ? ` ${unit}` : ""}`;
  const [least, inWords] = LARGE[unit] ?? [Infinity];
  return n >= least ? `${digits} (${inWords(n)})` : digits;
}
