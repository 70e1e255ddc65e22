// What a status means to a person: the same words as the tray's.

const SAYS = [
  [(s) => s.degraded?.some((reason) => reason.startsWith("store:")), "bad", "Error"],
  [(s) => !s.ready, "busy", "Starting"],
  [(s) => s.paused, "rest", "Paused"],
  [(s) => s.degraded?.length, "warn", "Degraded"],
  [(s) => s.queue?.waiting || s.sources?.progress?.busy, "busy", "Working"],
];

/** Return [light, word]. */
export const stateOf = (status) => SAYS.find(([holds]) => holds(status))?.slice(1) ?? ["good", "Watching"];
