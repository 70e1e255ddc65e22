// Libra for OpenClaw 2026.9 and later: both slots, one connection, no build, no dependency.

import { Connection, place } from "./connection.js";
import { contextEngine } from "./engine.js";
import { memoryCapability } from "./memory.js";

const REMEMBER_MS = 5_000;

/** The host's SDK, as far as it is there: a plugin that is loaded without it still works. */
async function sdk() {
  try {
    return await import("openclaw/plugin-sdk/core");
  } catch {
    return {};
  }
}

export default {
  id: "libra",
  name: "Libra",
  description: "Long-term memory from the Libra that runs on this machine.",
  kind: ["memory", "context-engine"],

  register(api) {
    const given = api.pluginConfig ?? {};
    const settings = {
      share: given.share ?? 0.25,
      maxTokens: given.maxTokens ?? 4_000,
      deadlineMs: given.deadlineMs ?? 1_500,
    };
    const libra = new Connection(place(given.socket));
    const log = (text) => api.logger?.debug?.(`libra: ${text}`);

    api.registerContextEngine("libra", async ({ workspaceDir } = {}) => {
      const core = await sdk();
      const host = {
        log,
        memoryPrompt(asked) {
          try {
            return core.buildMemorySystemPromptAddition?.({
              availableTools: asked.availableTools ?? new Set(),
              citationsMode: asked.citationsMode,
              agentSessionKey: asked.sessionKey,
            });
          } catch {
            return undefined;
          }
        },
        delegate: async (asked) => await core.delegateCompactionToRuntime?.(asked),
      };
      return contextEngine(libra, settings, host, workspaceDir);
    });

    const cwdOf = (cfg, agentId) => cfg?.agents?.entries?.[agentId]?.workspace ?? cfg?.agents?.defaults?.workspace;
    api.registerMemoryCapability?.(memoryCapability(libra, cwdOf, log));

    api.registerTool?.({
      name: "libra_remember",
      label: "Remember",
      description:
        "Keep a fact, decision or piece of context for later sessions, as one sentence that is understandable by itself. Never a secret.",
      parameters: {
        type: "object",
        additionalProperties: false,
        required: ["text"],
        properties: { text: { type: "string", description: "The statement." } },
      },
      async execute(_id, { text }) {
        try {
          const done = await libra.call("remember", { who: { host: "openclaw" }, origin: "agent", text }, REMEMBER_MS);
          return { content: [{ type: "text", text: `${done.outcome}: ${done.text ?? ""}` }], details: done };
        } catch (error) {
          return { content: [{ type: "text", text: `not kept: ${error.message}` }], details: {} };
        }
      },
    });

    api.on?.("gateway_stop", () => libra.close());
  },
};
