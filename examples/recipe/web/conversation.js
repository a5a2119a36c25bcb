// One thread: its messages, what goes to the agent of them, and one run at a time.

import { RunError, run, runInput } from "./agent.js";
import { difference } from "./difference.js";
import { newId } from "./dom.js";
import { Mirror } from "./reducer.js";

export class Conversation {
  /** Ids of calls that will never be answered: their run was stopped, or failed. */
  abandoned = new Set();
  /** In words, what the state did during each call: call id → ["title", …]. */
  moved = new Map();
  messages = [];
  threadId = newId();
  #abort = null;
  #checkpoint = null; // the messages as the last run was asked for them

  constructor(url) {
    this.url = url;
  }

  get running() {
    return this.#abort !== null;
  }

  /** Takes up a thread that was saved. */
  restore({ threadId, messages, abandoned }) {
    this.threadId = threadId;
    this.messages = messages;
    this.abandoned = new Set(Array.isArray(abandoned) ? abandoned : []);
  }

  /** What a reload needs. Calls of a run that the reload cuts off will not be answered either. */
  saved() {
    const cut = this.running ? unanswered(this.messages) : [];
    return { threadId: this.threadId, messages: this.messages, abandoned: [...this.abandoned, ...cut] };
  }

  say(text) {
    this.messages = [...this.messages, { id: newId(), role: "user", content: text }];
  }

  /** Before a retry: forgets what the run that failed had begun to say. */
  rewind() {
    if (this.#checkpoint) this.messages = this.#checkpoint;
  }

  stop() {
    this.#abort?.abort();
  }

  /**
   * Runs the agent on the messages and this state. `onEvent({event, bytes, mirror, problem})` is
   * called when the event has been folded in. Returns {kind: "finished", interrupts},
   * {kind: "stopped"} or {kind: "failed", error}: never throws for what the other side does.
   */
  async run(state, onEvent) {
    const abort = (this.#abort = new AbortController());
    this.#checkpoint = this.messages;
    const mirror = new Mirror(state, this.messages);
    const open = new Map(); // calls without a result → the state when they began
    let result;
    try {
      const input = runInput({ threadId: this.threadId, runId: newId(), state, messages: this.outgoing() });
      const end = await run(this.url, input, {
        signal: abort.signal,
        onEvent: (event, bytes) => {
          const problem = fold(mirror, event);
          this.messages = mirror.messages;
          this.#watch(event, mirror.state, open);
          onEvent({ event, bytes, mirror, problem });
        },
      });
      result = end ? { kind: "finished", interrupts: mirror.interrupts } : { kind: "stopped" };
    } catch (error) {
      if (!(error instanceof RunError)) {
        console.error(error);
        error = new RunError("page", "Something on this page went wrong.", { detail: error.message });
      }
      result = { kind: "failed", error };
    }
    if (this.#abort === abort) this.#abort = null;
    if (result.kind !== "finished") for (const id of unanswered(this.messages)) this.abandoned.add(id);
    return result;
  }

  /**
   * The messages as the agent gets them: without calls whose arguments may be half written and that
   * nobody will answer, since models refuse such a history, and without messages that say nothing.
   */
  outgoing() {
    return this.messages.flatMap((message) => {
      if (message.role === "tool") return this.abandoned.has(message.toolCallId) ? [] : [message];
      if (message.role !== "assistant") return [message];
      const { toolCalls, ...rest } = message;
      const kept = (toolCalls ?? []).filter((call) => !this.abandoned.has(call.id));
      if (kept.length > 0) return [{ ...rest, toolCalls: kept }];
      return rest.content ? [rest] : [];
    });
  }

  #watch(event, state, open) {
    if (event.type === "TOOL_CALL_START") open.set(event.toolCallId, state);
    if (event.type.startsWith("STATE_")) {
      for (const [id, before] of open) this.moved.set(id, difference(before, state));
    }
    if (event.type === "TOOL_CALL_RESULT") open.delete(event.toolCallId);
  }
}

// fold tells an event of a known type in a shape that nobody could use from a fault of the page.
function fold(mirror, event) {
  try {
    return mirror.apply(event);
  } catch (cause) {
    throw new RunError("protocol", "The agent sent an event that makes no sense.", {
      detail: `${event.type}: ${cause.message}`,
      cause,
    });
  }
}

function unanswered(messages) {
  const answered = new Set(messages.filter((m) => m.role === "tool").map((m) => m.toolCallId));
  return messages.flatMap((m) => m.toolCalls ?? []).map((call) => call.id).filter((id) => !answered.has(id));
}
