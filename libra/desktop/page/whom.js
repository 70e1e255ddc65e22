// As whom the memory is asked: what one agent in one project would see. The person's own view without a choice.

import { call } from "./api.js";
import { choice } from "./parts.js";
import { fileName } from "./words.js";

const chosen = { agent: "", project: "" };

/** The "who" of a call. */
export const who = () => Object.fromEntries(Object.entries(chosen).filter(([, value]) => value));

/** The scopes that are in view, for a filter. */
export const scopesInView = async () => Object.keys((await call("stats", { who: who() })).scopes);

/** Fields to choose agent and project; "changed" is called after a change. */
export async function whomFields(changed) {
  const [stats, status] = await Promise.all([call("stats"), call("status", {}, { poll: true })]);
  const scopes = Object.keys(status.scopes ?? {});
  const named = (kind) => scopes.filter((s) => s.startsWith(`${kind}:`)).map((s) => s.slice(kind.length + 1));
  const agents = [...new Set([...Object.keys(stats.agents), ...named("agent")])].sort();
  const projects = [...new Set([...Object.keys(stats.projects), ...named("project")])].sort();
  const set = (name) => (value) => {
    chosen[name] = value;
    changed();
  };
  return [
    choice("As agent", [["", "you"], ...agents], chosen.agent, set("agent")),
    choice("In project", [["", "none"], ...projects.map((p) => [p, projectName(p)])], chosen.project, set("project")),
  ];
}

export const projectName = (key) => fileName(key).replace(/\.git$/, "") || key;

