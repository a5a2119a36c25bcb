// What the inspector knows about events, without a page: kinds, sizes, sentences.

const encoder = new TextEncoder();

/** The kinds that the inspector filters by. */
export const KINDS = ["run", "state", "text", "tools", "reasoning", "other"];

export function kindOf(type) {
  if (type.startsWith("RUN_") || type.startsWith("STEP_") || type.startsWith("SUBAGENT_")) return "run";
  if (type.startsWith("STATE_")) return "state";
  if (type.startsWith("TEXT_") || type === "MESSAGES_SNAPSHOT") return "text";
  if (type.startsWith("TOOL_")) return "tools";
  return type.startsWith("REASONING_") ? "reasoning" : "other";
}

/** What each type means: the page is where somebody sees the protocol for the first time. */
export const MEANING = {
  RUN_STARTED: "The agent has taken the request. Always the first event.",
  RUN_FINISHED: "The agent is done, or waits for a person: then its outcome says what it asks. Exactly one of RUN_FINISHED and RUN_ERROR ends a run.",
  RUN_ERROR: "The agent gave up. What had arrived before is still valid.",
  STEP_STARTED: "A named part of the work begins.",
  STEP_FINISHED: "A named part of the work is done.",
  STATE_SNAPSHOT: "The whole shared document. The page replaces its copy.",
  STATE_DELTA: "A JSON Patch (RFC 6902) against the document that the page has. All of it applies, or none.",
  MESSAGES_SNAPSHOT: "The whole conversation as the agent has it.",
  TEXT_MESSAGE_START: "A message opens. Its id is used by all its pieces.",
  TEXT_MESSAGE_CONTENT: "The next piece of a message.",
  TEXT_MESSAGE_END: "The message is whole.",
  TEXT_MESSAGE_CHUNK: "A piece of a message that opens and closes by itself.",
  TOOL_CALL_START: "The model calls a tool. Its arguments follow in pieces.",
  TOOL_CALL_ARGS: "The next piece of the arguments, which are JSON once whole.",
  TOOL_CALL_END: "The call is whole.",
  TOOL_CALL_CHUNK: "A piece of a call that opens and closes by itself.",
  TOOL_CALL_RESULT: "What the tool gave back; the model reads it next.",
  REASONING_START: "The model begins to think.",
  REASONING_MESSAGE_CONTENT: "A piece of what it thinks.",
  REASONING_END: "It has thought.",
  ACTIVITY_SNAPSHOT: "Something the agent shows beside the conversation.",
  ACTIVITY_DELTA: "A JSON Patch against an activity.",
  CUSTOM: "An event of the application's own.",
  RAW: "An event of the model's provider, passed on as it is.",
};

/** A patch operation as a line: {sign, path, text}. */
export function describe(op) {
  const path = spoken(op?.path);
  const from = spoken(op?.from);
  const value = short(op?.value);
  switch (op?.op) {
    case "add":
      return { sign: "+", path, text: value };
    case "remove":
      return { sign: "−", path, text: "" };
    case "replace":
      return { sign: "~", path, text: value };
    case "move":
      return { sign: "→", path, text: `from ${from}` };
    case "copy":
      return { sign: "⧉", path, text: `from ${from}` };
    case "test":
      return { sign: "=", path, text: value };
    default:
      return { sign: "?", path, text: String(op?.op) };
  }
}

// spoken turns /recipe/steps/- into "recipe › steps › (end)".
function spoken(pointer) {
  if (!pointer) return "(the document)";
  const unescape = (token) => (token === "-" ? "(end)" : token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return String(pointer).replace(/^\//, "").split("/").map(unescape).join(" › ");
}

function short(value, limit = 90) {
  const text = JSON.stringify(value) ?? "";
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** An event in a line. */
export function summary(event) {
  switch (event.type) {
    case "STATE_DELTA": {
      const ops = Array.isArray(event.delta) ? event.delta : [];
      const { sign, path, text } = describe(ops[0]);
      const first = ops.length > 0 ? `${sign} ${path} ${text}`.trim() : "no change";
      return ops.length > 1 ? `${first}, and ${ops.length - 1} more` : first;
    }
    case "STATE_SNAPSHOT":
      return short(event.snapshot, 120);
    case "MESSAGES_SNAPSHOT":
      return `${event.messages?.length ?? 0} messages`;
    case "RUN_FINISHED":
      return outcome(event.outcome ?? {});
    case "RUN_ERROR":
      return [event.code, event.message].filter(Boolean).join(": ");
    case "TOOL_CALL_START":
      return String(event.toolCallName);
    case "TOOL_CALL_RESULT":
      return short(event.content);
    case "STEP_STARTED":
    case "STEP_FINISHED":
      return String(event.stepName);
    case "CUSTOM":
      return `${event.name} ${short(event.value)}`;
    default:
      return typeof event.delta === "string" ? JSON.stringify(event.delta) : "";
  }
}

function outcome({ type, interrupts = [], pendingToolCallIds = [] }) {
  if (type === "interrupt") return `asks: ${interrupts.map((one) => one.message ?? one.reason).join(" ")}`;
  if (pendingToolCallIds.length > 0) return `waits for the result of ${pendingToolCallIds.length} call(s) of this page`;
  return "";
}

/** The bytes of the frame that carries an event. */
export function frameSize(event) {
  return encoder.encode(`data: ${JSON.stringify(event)}\n\n`).length;
}

/** 980 → "980 B", 12345 → "12.1 KB". */
export function bytes(n) {
  return n < 1000 ? `${n} B` : `${(n / 1024).toFixed(1)} KB`;
}

/** Milliseconds since the start, as "+0.42 s". */
export function since(ms) {
  return `+${(ms / 1000).toFixed(2)} s`;
}

/**
 * The record of one run: its events, the states that it went through (the first is what it began
 * with), and what the state has cost on the wire.
 */
export class Trace {
  events = []; // {event, bytes, at, kind, problem}
  states; // {doc, index}: index of the event that made it, −1 for the start
  bytes = 0; // of all events
  sent = 0; // of the state events
  whole = 0; // of the same, if each had been a snapshot
  snapshots = 0;
  deltas = 0;

  constructor(label, doc) {
    this.label = label;
    this.states = [{ doc, index: -1 }];
  }

  /** Adds an event: its size in bytes, milliseconds since the start, the state it led to. */
  add(event, size, at, doc, problem) {
    const entry = { event, bytes: size, at, kind: kindOf(event.type), problem };
    this.events.push(entry);
    this.bytes += size;
    if (entry.kind === "state") {
      this[event.type === "STATE_DELTA" ? "deltas" : "snapshots"]++;
      this.sent += size;
      this.whole += event.type === "STATE_DELTA" ? frameSize({ type: "STATE_SNAPSHOT", snapshot: doc }) : size;
    }
    if (doc !== this.states.at(-1).doc) this.states.push({ doc, index: this.events.length - 1 });
    return entry;
  }

  /** What deltas saved, in a sentence. */
  savings() {
    const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
    if (this.snapshots + this.deltas === 0) return "No state has been sent yet.";
    const parts = `${count(this.snapshots, "snapshot")} and ${count(this.deltas, "delta")}`;
    const saved = this.whole - this.sent;
    const verdict =
      saved > 0
        ? `snapshots alone would be ${bytes(this.whole)}, so deltas saved ${bytes(saved)} (${Math.round((100 * saved) / this.whole)} %)`
        : `snapshots alone would be ${bytes(this.whole)}`;
    return `State on the wire: ${bytes(this.sent)} in ${parts}; ${verdict}.`;
  }
}
