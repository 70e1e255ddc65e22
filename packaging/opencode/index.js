// Libra for opencode: rules and recall beside the conversation, in the system prompt.
//
// opencode hands over each message of the person before it asks the model, and the system prompt each time that it asks.
// What a prompt recalls is looked for once, however often the tool loop comes by. If Libra is away nothing is added.

import fs from "node:fs";

import { Connection, place } from "./connection.js";

const DEADLINE_MS = 2_500;
const ASSEMBLE_MS = 1_200;
const RULES_TOKENS = 2_400;
const PROMPT_TOKENS = 1_500;
const SESSIONS = 64;

function settings() {
  try {
    return JSON.parse(fs.readFileSync(new URL("./settings.json", import.meta.url), "utf8"));
  } catch {
    return {};
  }
}

export const Libra = async ({ directory }) => {
  const libra = new Connection(place(settings().socket));
  const asked = new Map(); // session → what its latest prompt was given, as a promise

  async function part(session, name, params) {
    const who = { host: "opencode", session, cwd: directory };
    try {
      const answer = await libra.call("assemble", { who, deadline_ms: ASSEMBLE_MS, ...params }, DEADLINE_MS);
      return answer[name] ?? "";
    } catch {
      return "";
    }
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const query = (parts ?? [])
        .filter((p) => p.type === "text" && !p.synthetic)
        .map((p) => p.text)
        .join("\n");
      if (!sessionID || !query.trim()) return;
      const rules = part(sessionID, "stable", {
        query: "",
        budget_tokens: RULES_TOKENS,
        have: ["own_files", "guidance", "tail", "recall"],
      });
      const recall = part(sessionID, "volatile", { query, budget_tokens: PROMPT_TOKENS, have: ["hard", "soft", "tail"] });
      asked.delete(sessionID);
      asked.set(sessionID, Promise.all([rules, recall]));
      if (asked.size > SESSIONS) asked.delete(asked.keys().next().value);
    },

    // The stable part before the volatile one: what changes with each prompt stands last (prompt caches).
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      for (const text of (await asked.get(sessionID)) ?? []) {
        if (text.trim()) output.system.push(text);
      }
    },
  };
};
