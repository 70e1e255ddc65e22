// One connection to the running Libra, held by the plugin: newline-delimited JSON-RPC with a deadline on each call.
//
// While nobody listens, calls fail at once and a new try is made no sooner than the back-off says, so that an agent never
// waits for a Libra that is away. The socket does not keep the process alive.

import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const STEPS = 10;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_LINE = 64 * 1024 * 1024;
const LONGEST_NAME = 100; // bytes of a socket's address

export class Away extends Error {}

/** Where the app listens: the same rule as libra/ground/paths.py. */
export function place(named, env = process.env, platform = process.platform) {
  const given = named || env.LIBRA_SOCKET;
  if (given) return given;
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime && platform !== "win32" && fs.existsSync(runtime)) return path.join(runtime, "libra", "libra.sock");
  return path.join(env.LIBRA_DATA_DIR || dataFolder(env, platform), "run", "libra.sock");
}

function dataFolder(env, platform) {
  const home = os.homedir();
  if (platform === "win32") return path.join(env.LOCALAPPDATA || path.join(home, "AppData", "Local"), "libra");
  if (platform === "darwin") return path.join(home, "Library", "Application Support", "libra");
  return path.join(env.XDG_DATA_HOME || path.join(home, ".local", "share"), "libra");
}

export class Connection {
  #where;
  #socket = null;
  #opening = null;
  #rest = "";
  #decoder = new TextDecoder();
  #last = 0;
  #waiting = new Map();
  #notBefore = 0;
  #wait = FIRST_WAIT_MS;
  #closed = false;

  constructor(where) {
    this.#where = where;
  }

  /** Carry out a method; rejects with Away when there is nobody, with Error when Libra refuses or is late. */
  async call(method, params, deadlineMs) {
    const end = Date.now() + deadlineMs;
    const socket = await this.#opened(deadlineMs);
    return await this.#ask(socket, method, params, Math.max(1, end - Date.now()));
  }

  close() {
    this.#closed = true;
    this.#lose(this.#socket, new Away("closed"));
  }

  #ask(socket, method, params, deadlineMs) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      // In steps: a host that was busy with itself finds the answer that has come meanwhile before the time is over.
      const asked = { resolve, reject, timer: null };
      let steps = STEPS;
      const step = () => {
        if (steps-- > 0) {
          asked.timer = setTimeout(step, deadlineMs / STEPS);
          return;
        }
        this.#waiting.delete(id);
        reject(new Error(`libra did not answer ${method} in time`));
      };
      step();
      this.#waiting.set(id, asked);
      socket.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    });
  }

  async #opened(deadlineMs) {
    if (this.#closed) throw new Away("closed");
    if (this.#socket) return this.#socket;
    if (Date.now() < this.#notBefore) throw new Away("libra is away");
    this.#opening ??= this.#open(deadlineMs).finally(() => (this.#opening = null));
    return await this.#opening;
  }

  async #open(deadlineMs) {
    try {
      const { target, token } = this.#target();
      const socket = await connected(target, deadlineMs);
      socket.unref();
      socket.on("data", (chunk) => this.#take(socket, chunk));
      socket.on("error", () => this.#lose(socket, new Away("the connection broke")));
      socket.on("close", () => this.#lose(socket, new Away("libra ended the connection")));
      if (token) await this.#ask(socket, "authenticate", { token }, deadlineMs);
      this.#socket = socket;
      this.#wait = FIRST_WAIT_MS;
      return socket;
    } catch (error) {
      this.#notBefore = Date.now() + this.#wait;
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
      throw error instanceof Away ? error : new Away(`libra is away (${error.code ?? error.message})`);
    }
  }

  #target() {
    if (process.platform !== "win32") {
      // A name that is too long is reached by way of the folder's descriptor, where the system has such names.
      if (Buffer.byteLength(this.#where) <= LONGEST_NAME || process.platform !== "linux") return { target: { path: this.#where } };
      const folder = fs.openSync(path.dirname(this.#where), fs.constants.O_RDONLY);
      return { target: { path: `/proc/self/fd/${folder}/${path.basename(this.#where)}`, folder } };
    }
    const file = path.join(path.dirname(this.#where), "endpoint.json");
    const found = JSON.parse(fs.readFileSync(file, "utf8"));
    return { target: { host: "127.0.0.1", port: found.port }, token: found.token };
  }

  #take(socket, chunk) {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop();
    if (this.#rest.length > LONGEST_LINE) return socket.destroy();
    for (const line of lines) {
      let message;
      try {
        message = JSON.parse(line);
      } catch {
        continue;
      }
      const asked = this.#waiting.get(message?.id);
      if (!asked) continue;
      this.#waiting.delete(message.id);
      clearTimeout(asked.timer);
      if (message.error) asked.reject(new Error(message.error.message ?? "libra refused"));
      else asked.resolve(message.result);
    }
  }

  #lose(socket, why) {
    if (!socket) return;
    socket.destroy();
    if (this.#socket === socket) {
      this.#socket = null;
      this.#rest = "";
      this.#decoder = new TextDecoder();
    }
    for (const [id, asked] of this.#waiting) {
      clearTimeout(asked.timer);
      asked.reject(why);
      this.#waiting.delete(id);
    }
  }
}

function connected(target, deadlineMs) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(target);
    const timer = setTimeout(() => socket.destroy(new Away("connecting took too long")), deadlineMs);
    const settle = () => {
      clearTimeout(timer);
      if (target.folder !== undefined) fs.closeSync(target.folder);
    };
    socket.once("connect", () => {
      settle();
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (error) => {
      settle();
      reject(error);
    });
  });
}
