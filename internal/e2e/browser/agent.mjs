// A small AG-UI server for the page's own tests. It serves the page's files as web.go does, and an
// /agent (and a second one, /tools) whose answers the test writes, event by event: nothing waits for
// time to pass.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { once } from "node:events";
import { extname } from "node:path";
import { EventEncoder } from "@ag-ui/encoder";

const web = new URL("../../../examples/recipe/web/", import.meta.url);
const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

export async function serve({ info = null } = {}) {
  const policy = (await readFile(new URL("policy.txt", web), "utf8")).trim();
  const arrived = []; // runs that no test has taken yet
  const waiting = []; // tests that wait for one
  const answers = []; // answers other than a stream, for the next requests
  const runs = new Set();

  const server = createServer(async (req, res) => {
    const url = new URL(req.url, "http://localhost");
    res.setHeader("Access-Control-Allow-Origin", "*");
    res.setHeader("Access-Control-Allow-Headers", "*");
    if (req.method === "OPTIONS") return res.writeHead(204).end();
    if (["/agent", "/tools"].includes(url.pathname) && req.method === "POST") {
      const chunks = [];
      for await (const chunk of req) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      const answer = answers.shift();
      if (answer) return res.writeHead(answer.status, answer.headers).end(answer.body);
      const run = new Run(body, req, res);
      runs.add(run);
      if (waiting.length > 0) waiting.shift()(run);
      else arrived.push(run);
      return;
    }
    if (url.pathname === "/info" && info) {
      return res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(info));
    }
    const name = url.pathname === "/" ? "index.html" : url.pathname.slice(1);
    const type = types[extname(name)];
    if (!type || name.includes("/")) return res.writeHead(404).end();
    let data;
    try {
      data = await readFile(new URL(name, web));
    } catch {
      return res.writeHead(404).end();
    }
    const other = url.searchParams.get("agent");
    res.setHeader("Content-Security-Policy", policy.replace("{agent}", other ? ` ${new URL(other, url).origin}` : ""));
    res.writeHead(200, { "Content-Type": type }).end(data);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The next run that a page starts. */
    nextRun: () => (arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => waiting.push(resolve))),
    /** Runs that have arrived and were not asked for. */
    untaken: () => arrived.length,
    /** Answers the next request with something that is no stream. */
    answerNext: (answer) => answers.push(answer),
    async close() {
      for (const run of runs) run.cut();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** One request, and what the test writes to it. */
class Run {
  #encoder = new EventEncoder();
  #res;
  constructor(body, req, res) {
    this.body = body;
    this.input = JSON.parse(body);
    this.path = req.url;
    this.headers = req.headers;
    this.#res = res;
    /** Resolves when the page has closed the connection. */
    this.gone = once(res, "close");
    res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
    res.flushHeaders();
  }

  /** Sends events in one write. */
  send(...events) {
    return this.raw(events.map((event) => this.#encoder.encode(event)).join(""));
  }

  encode(event) {
    return this.#encoder.encode(event);
  }

  /** Sends bytes; resolves when they have been handed to the system. */
  raw(bytes) {
    return new Promise((resolve) => this.#res.write(bytes, resolve));
  }

  start() {
    const { threadId, runId } = this.input;
    return this.send({ type: "RUN_STARTED", threadId, runId });
  }

  /** The good end. */
  async finish(more = {}) {
    const { threadId, runId } = this.input;
    await this.send({ type: "RUN_FINISHED", threadId, runId, ...more });
    this.end();
  }

  end() {
    this.#res.end();
  }

  /** The line breaks. */
  cut() {
    this.#res.destroy();
  }

  snapshot(snapshot) {
    return this.send({ type: "STATE_SNAPSHOT", snapshot });
  }

  delta(...delta) {
    return this.send({ type: "STATE_DELTA", delta });
  }

  /** A whole call, as a model makes it; args are a value or the JSON of one. */
  call(parentMessageId, toolCallId, toolCallName, args = {}) {
    return this.send(
      { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: typeof args === "string" ? args : JSON.stringify(args) },
      { type: "TOOL_CALL_END", toolCallId },
    );
  }

  result(toolCallId, content) {
    return this.send({ type: "TOOL_CALL_RESULT", toolCallId, messageId: `result-${toolCallId}`, content });
  }

  /** The end that asks. */
  interrupt(...interrupts) {
    return this.finish({ outcome: { type: "interrupt", interrupts } });
  }

  /** The end that refuses. */
  async fail(code, message) {
    await this.send({ type: "RUN_ERROR", message, code });
    this.end();
  }

  text(messageId, ...deltas) {
    return this.send(
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
      { type: "TEXT_MESSAGE_END", messageId },
    );
  }
}

export const op = {
  add: (path, value) => ({ op: "add", path, value }),
  replace: (path, value) => ({ op: "replace", path, value }),
  remove: (path) => ({ op: "remove", path }),
  move: (from, path) => ({ op: "move", from, path }),
};

/** An interrupt for a call that needs approval. */
export const approval = (id, toolCallId, message, more = {}) => ({
  id,
  reason: "tool_approval",
  message,
  toolCallId,
  responseSchema: {
    type: "object",
    properties: { approved: { type: "boolean" }, arguments: { type: "object" }, reason: { type: "string" } },
    required: ["approved"],
  },
  ...more,
});

/** A recipe with a few things in it. */
export function soup() {
  return {
    recipe: {
      title: "Leek soup",
      skill_level: "Beginner",
      cooking_time: "30 min",
      special_preferences: ["Vegetarian"],
      ingredients: [
        { icon: "🥬", name: "Leek", amount: "3" },
        { icon: "🥔", name: "Potatoes", amount: "400 g" },
        { icon: "🧈", name: "Butter", amount: "30 g" },
      ],
      instructions: ["Slice the leeks.", "Cook all of it.", "Blend, and season."],
    },
    kept: { by: "nobody", n: [1, 2] },
  };
}
