// Every datum of this page is the answer of a verb of the Libra on this machine.

export class Failed extends Error {
  /** @param {{message: string, reason?: string, hint?: string, where?: string}} error What the verb says. */
  constructor(error) {
    super(error.message);
    Object.assign(this, { reason: error.reason, hint: error.hint, where: error.where });
  }
}

export const ended = new EventTarget();

/**
 * Carry out a verb and return its result.
 * @param {string} verb Its name.
 * @param {object} params Its parameters; undefined ones are left out.
 * @param {{poll?: boolean, signal?: AbortSignal}} how "poll": a look that no person asked for keeps no port open.
 */
export async function call(verb, params = {}, how = {}) {
  let response;
  try {
    response = await fetch(`api/${verb}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(how.poll ? { "X-Libra-Poll": "1" } : {}) },
      body: JSON.stringify(params),
      signal: how.signal,
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    over();
    throw new Failed({ message: "Libra does not answer.", reason: "away", hint: "Open the page anew: libra open" });
  }
  if (response.status === 401) over();
  if (!response.ok) throw new Failed({ message: (await response.text()).trim() || response.statusText, reason: "refused" });
  const answer = await response.json();
  if (answer.error) throw new Failed(answer.error);
  return answer.result;
}

function over() {
  ended.dispatchEvent(new Event("ended"));
}
