// The context engine: what Libra knows goes into the system prompt, beside the conversation, which is never touched.
//
// Whatever goes wrong, a turn gets its messages as they were: an engine that throws is set aside by the host for the
// rest of its life.

const CHARS_A_TOKEN = 4;
const COMMIT_MS = 5_000;
const COMPACT_MS = 60_000;
const LONGEST_TOOL_TEXT = 4_000;

/** Who asks, from the host's names of a session: keys are `agent:<agent>:…`. */
export function who(sessionId, sessionKey, cwd) {
  const found = /^agent:([^:]+):/.exec(sessionKey ?? "");
  const out = { host: "openclaw", session: sessionId };
  if (found) out.agent = found[1];
  if (cwd) out.cwd = cwd;
  return out;
}

/** The words of a message's content: a text, or parts of which only texts count. */
export function words(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((part) => part?.type === "text" && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n");
}

const ROLES = { user: "user", assistant: "assistant", toolResult: "tool" };

/** A host's message as Libra takes it, or null when there is nothing in it to keep. */
export function turn(message) {
  const role = ROLES[message?.role];
  let content = role ? words(message.content) : "";
  if (!content.trim()) return null;
  if (role === "tool") content = content.slice(0, LONGEST_TOOL_TEXT);
  const out = { role, content };
  if (Number.isFinite(message.timestamp)) out.ts = message.timestamp;
  // The owner is who the host says it is; somebody else in a group is heard, but makes no rules.
  if (role === "user" && message.__openclaw?.senderIsOwner === false) out.origin = "external";
  return out;
}

function tokensOf(messages) {
  let chars = 0;
  for (const message of messages ?? []) chars += words(message?.content).length;
  return Math.ceil(chars / CHARS_A_TOKEN);
}

/**
 * Make the engine of one turn.
 *
 * @param libra - the plugin's connection
 * @param settings - share, maxTokens, deadlineMs
 * @param host - what the host's SDK gives: memoryPrompt, delegate, log
 * @param cwd - the agent's workspace
 */
export function contextEngine(libra, settings, host, cwd) {
  let shown = null; // one prompt is assembled once, however often the tool loop comes by

  async function added(asked) {
    const key = JSON.stringify([asked.sessionId, asked.prompt ?? ""]);
    if (shown?.key === key) return shown;
    const budget = Math.min(settings.maxTokens, Math.floor((asked.tokenBudget ?? Infinity) * settings.share));
    const answer = await libra.call(
      "assemble",
      {
        who: who(asked.sessionId, asked.sessionKey, cwd),
        query: asked.prompt ?? lastAsked(asked.messages),
        budget_tokens: budget,
        have: ["own_files", "tail"],
        deadline_ms: Math.floor(settings.deadlineMs * 0.8),
      },
      settings.deadlineMs,
    );
    shown = { key, text: answer.text ?? "", tokens: answer.tokens ?? 0 };
    return shown;
  }

  return {
    info: {
      id: "libra",
      name: "Libra",
      version: "0.1.0",
      acceptedHostParams: ["sessionKey", "prompt", "sessionTarget", "runtimeContext", "abortSignal"],
      transcriptSemantics: {
        currentTurnFence: "before-current-turn-entry-v1",
        turnAdvancementIdempotency: "atomic-idempotent-v1",
      },
      ownsCompaction: false,
    },

    async assemble(asked) {
      const out = { messages: asked.messages, estimatedTokens: tokensOf(asked.messages) };
      const parts = [];
      try {
        const found = await added(asked);
        if (found.text.trim()) parts.push(found.text);
        out.estimatedTokens += found.tokens;
      } catch (error) {
        host.log(`no memory for this prompt: ${error.message}`);
      }
      const own = host.memoryPrompt(asked);
      if (own) parts.push(own);
      if (parts.length > 0) out.systemPromptAddition = parts.join("\n\n");
      return out;
    },

    async ingest() {
      return { ingested: false }; // turns come by commitTurn
    },

    /** The accepted turn. The transcript is Libra's second way to it, so that nothing is lost while Libra is away. */
    async commitTurn(done) {
      const turns = done.isHeartbeat ? [] : (done.messages ?? []).map(turn).filter(Boolean);
      if (turns.length === 0) return { status: "committed" };
      try {
        const params = { who: who(done.sessionId, done.sessionKey, cwd), turns };
        if (typeof done.advancementKey === "string") params.request_id = done.advancementKey.slice(0, 200);
        const kept = await libra.call("ingest", params, COMMIT_MS);
        return { status: kept.accepted === 0 ? "duplicate" : "committed" };
      } catch (error) {
        host.log(`a turn was not handed over, the transcript will be read: ${error.message}`);
        return { status: "committed" };
      }
    },

    /** Libra shortens its own history; the conversation is the host's, so the host's own way shortens that. */
    async compact(asked) {
      const before = asked.currentTokenCount ?? 0;
      let own = null;
      try {
        const params = { who: who(asked.sessionId, asked.sessionKey, cwd), force: asked.force === true };
        own = await libra.call("compact", params, COMPACT_MS);
      } catch (error) {
        host.log(`history was not shortened: ${error.message}`);
      }
      try {
        const done = await host.delegate(asked);
        if (done) return done;
      } catch (error) {
        host.log(`the host's own compaction failed: ${error.message}`);
      }
      const result = { tokensBefore: own?.tokens_before ?? before, tokensAfter: own?.tokens_after ?? before };
      return { ok: true, compacted: false, reason: own?.reason ?? "the conversation is the host's", result };
    },
  };
}

function lastAsked(messages) {
  for (let at = (messages?.length ?? 0) - 1; at >= 0; at--) {
    if (messages[at]?.role === "user") return words(messages[at].content);
  }
  return "";
}
