// One run of an AG-UI agent: a POST, and the events of its answer.

import { frames } from "./sse.js";

/**
 * Why a run has no good end. `kind` is one of
 *   "network"   nobody answered, or the line broke before the first byte,
 *   "http"      an answer that is no stream (`status`, and what its body says),
 *   "cut"       the stream ended without RUN_FINISHED or RUN_ERROR,
 *   "protocol"  something in the stream is no event,
 *   "run"       the agent itself said RUN_ERROR (`code`),
 *   "page"      this page has a fault.
 * `message` is a sentence for people, `detail` what the other side said.
 */
export class RunError extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    this.name = "RunError";
    this.kind = kind;
    Object.assign(this, more);
  }
}

/**
 * The body of the request. Call it when sending, not before: what it is given is what the agent
 * works on, and the form may have changed since anything else was computed. Activities are the
 * client's own and stay here.
 */
export function runInput({ threadId, runId, state, messages, tools = [], context = [], resume }) {
  return {
    threadId,
    runId,
    protocolVersion: "1.0",
    state,
    messages: messages.filter((message) => message.role !== "activity"),
    tools,
    context,
    forwardedProps: {},
    ...(resume ? { resume } : {}),
  };
}

/**
 * Sends the input and calls onEvent(event, bytes) for each event, in order. Returns the terminal
 * RUN_FINISHED, or null when the signal stopped the run (the connection is closed, which tells the
 * agent). Anything else is thrown as a RunError; what onEvent throws is passed on and ends the run.
 * What comes behind the terminal event is not read.
 */
export async function run(url, input, { signal, onEvent }) {
  try {
    const response = await post(url, input, signal);
    for await (const { event, bytes } of events(response.body)) {
      // A stop wins over what is still in the buffer: nobody wants a change after they said stop.
      if (signal.aborted) return null;
      onEvent(event, bytes);
      if (event.type === "RUN_FINISHED") return event;
      if (event.type === "RUN_ERROR") {
        throw new RunError("run", "The agent stopped with an error.", {
          detail: typeof event.message === "string" ? event.message : "",
          code: event.code,
        });
      }
    }
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
  if (signal.aborted) return null;
  throw cut();
}

async function* events(body) {
  try {
    for await (const frame of frames(body)) yield { event: parse(frame), bytes: frame.bytes };
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw error instanceof RangeError ? notAnEvent(error.message) : cut(error); // too long, or the line broke
  }
}

async function post(url, input, signal) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify(input),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RunError("network", "The agent could not be reached.", {
      detail: `Is its server running? (${new URL(url, location.href).host})`,
      cause: error,
    });
  }
  if (!response.ok) {
    const who = response.status < 500 ? "The agent did not accept the request" : "The agent's server failed";
    throw new RunError("http", `${who} (${response.status}).`, {
      status: response.status,
      detail: await said(response),
    });
  }
  const type = response.headers.get("Content-Type");
  if (!response.body || response.status === 204 || (type !== null && !/^text\/event-stream\s*(;|$)/i.test(type.trim()))) {
    await response.body?.cancel();
    throw new RunError("http", "Something answered, but it is no AG-UI agent.", {
      status: response.status,
      detail: `It sent ${type ?? "nothing"} where text/event-stream was expected.`,
    });
  }
  return response;
}

// said finds the sentence in the body of an error. Only JSON is searched: the page of a proxy is no
// sentence.
async function said(response) {
  if (!/json/i.test(response.headers.get("Content-Type") ?? "")) return response.statusText;
  try {
    const body = JSON.parse(await response.text());
    const inner = body?.error ?? body;
    const text = [inner?.message, inner?.detail, inner].find((part) => typeof part === "string") ?? "";
    const where = [inner?.path, inner?.pointer, body?.path].find((part) => typeof part === "string");
    return (where && !text.includes(where) ? `${text} (at ${where})` : text).slice(0, 500);
  } catch {
    return response.statusText;
  }
}

function parse(frame) {
  let event;
  try {
    event = JSON.parse(frame.data);
  } catch {
    // Half an event at the end of the body is a broken line, not a bad agent.
    throw frame.unfinished ? cut() : notAnEvent(frame.data);
  }
  if (event === null || typeof event !== "object" || typeof event.type !== "string" || event.type === "") {
    throw notAnEvent(frame.data);
  }
  return event;
}

function notAnEvent(data) {
  return new RunError("protocol", "The agent sent something that is no AG-UI event.", { detail: data.slice(0, 200) });
}

function cut(cause) {
  return new RunError("cut", "The connection ended before the agent had finished.", {
    detail: "What had arrived is kept.",
    cause,
  });
}
