// One thread: its messages, what goes to the agent of them, one run at a time, and what the agent
// waits for in between.

import { RunError, run, runInput } from "./agent.js";
import { difference } from "./difference.js";
import { newId } from "./dom.js";
import { Interrupts, inWords, kindOf } from "./interrupts.js";
import { Mirror } from "./reducer.js";
import { confirmation, unanswered, waiting, withResult } from "./tools.js";

export class Conversation {
  /** Ids of calls that will never be answered: their run was stopped, or failed. */
  abandoned = new Set();
  /** In words, what the state did during each call: call id → ["title", …]. */
  moved = new Map();
  /** In words, what the person said to a call that waited for them: call id → "You approved this." */
  said = new Map();
  messages = [];
  /** Whether the last run was stopped, failed, or cut off by a reload: it can be tried again. */
  unfinished = false;
  threadId = newId();
  #abort = null;
  #checkpoint = null; // the messages as the last run was asked for them
  #interrupts = new Interrupts();

  constructor(url) {
    this.url = url;
  }

  get running() {
    return this.#abort !== null;
  }

  /** Takes up a thread that was saved. */
  restore({ threadId, messages, abandoned, interrupts, said, begun }) {
    this.threadId = threadId;
    this.messages = messages;
    this.unfinished = Number.isInteger(begun) && begun > 0;
    if (this.unfinished) this.#checkpoint = messages.slice(0, begun);
    this.abandoned = new Set(Array.isArray(abandoned) ? abandoned : []);
    this.said = new Map(Array.isArray(said) ? said.filter(Array.isArray) : []);
    this.#interrupts = new Interrupts(interrupts);
    this.#interrupts.settle(messages);
  }

  /**
   * What a reload needs. Calls of a run that the reload cuts off will not be answered either; what
   * the agent waits for is asked again, since an answer may not have arrived.
   */
  saved() {
    const messages = this.running ? this.#asAsked() : this.messages;
    const cut = this.running ? this.#left(messages) : [];
    return {
      threadId: this.threadId,
      messages,
      abandoned: [...this.abandoned, ...cut],
      interrupts: this.#interrupts.all,
      said: [...this.said],
      begun: this.unfinished ? this.#checkpoint.length : undefined,
    };
  }

  say(text) {
    this.messages = [...this.messages, { id: newId(), role: "user", content: text }];
  }

  /**
   * Before a retry: forgets what the run that failed had begun to say. What its tools have done
   * stays, with their results: a retry must not do it twice.
   */
  rewind() {
    if (!this.#checkpoint) return;
    const before = new Set(this.#checkpoint.map((message) => message.id));
    const last = this.messages.findLastIndex((m) => m.role === "tool" && !before.has(m.id));
    this.messages = last < 0 ? this.#checkpoint : this.messages.slice(0, last + 1);
  }

  stop() {
    this.#abort?.abort();
  }

  /** What waits for the person's answer, none while a run goes on: see QuestionView for the shape. */
  questions() {
    if (this.running) return [];
    const calls = new Map(this.messages.flatMap((m) => m.toolCalls ?? []).map((call) => [call.id, call]));
    const own = waiting(this.messages, this.abandoned).map((call) => ({
      id: call.id,
      callId: call.id,
      kind: "confirm",
      text: confirmation(call),
    }));
    const asked = this.#interrupts.all.map((interrupt) => ({
      id: interrupt.id,
      callId: interrupt.toolCallId,
      kind: kindOf(interrupt),
      text: interrupt.message || interrupt.reason || "The agent waits for your answer.",
      interrupt,
      call: calls.get(interrupt.toolCallId),
      entry: this.#interrupts.entry(interrupt.id),
    }));
    return [...own, ...asked];
  }

  /** Takes an answer to a question. Returns whether all have theirs, so that the next run can go. */
  answer(id, answer) {
    const question = this.questions().find((one) => one.id === id);
    if (question.kind === "confirm") {
      const content = JSON.stringify({ confirmed: answer });
      this.messages = withResult(this.messages, { id: newId(), toolCallId: id, content });
      this.said.set(id, answer ? "You said yes." : "You said no.");
    } else {
      this.#interrupts.answer(id, answer);
    }
    return this.questions().every((one) => one.entry);
  }

  /** Takes an answer back, or all of them. */
  reopen(id) {
    this.#interrupts.reopen(id);
  }

  /** Gives up what the agent waits for: the calls are not answered, and not sent again. */
  drop() {
    for (const { callId } of this.questions()) {
      if (!callId) continue;
      this.abandoned.add(callId);
      this.said.delete(callId);
    }
    this.unfinished = false;
    this.#interrupts = new Interrupts();
  }

  /**
   * Runs the agent on the messages, this state and these tools of the page, and sends the answers
   * to what it waits for. `onEvent({event, bytes, mirror, problem})` is called when the event has
   * been folded in. Returns {kind: "finished"}, {kind: "stopped"} or {kind: "failed", error}: never
   * throws for what the other side does.
   */
  async run(state, tools, onEvent) {
    const resume = this.#interrupts.resume();
    const abort = (this.#abort = new AbortController());
    this.#checkpoint = this.messages;
    this.unfinished = true;
    const mirror = new Mirror(state, this.messages);
    const open = new Map(); // calls without a result → the state when they began
    // Calls that go on in this run do not start in it.
    for (const { toolCallId } of this.#interrupts.all) if (toolCallId) open.set(toolCallId, state);
    this.#tell();
    let result;
    try {
      const input = runInput({ threadId: this.threadId, runId: newId(), state, messages: this.outgoing(), tools, resume });
      const end = await run(this.url, input, {
        signal: abort.signal,
        onEvent: (event, bytes) => {
          const problem = fold(mirror, event);
          this.messages = mirror.messages;
          this.#watch(event, mirror.state, open);
          onEvent({ event, bytes, mirror, problem });
        },
      });
      result = { kind: end ? "finished" : "stopped" };
    } catch (error) {
      if (!(error instanceof RunError)) {
        console.error(error);
        error = new RunError("page", "Something on this page went wrong.", { detail: error.message });
      }
      result = { kind: "failed", error };
    }
    if (this.#abort === abort) this.#abort = null;
    // What has no result has not run, and moved nothing: others did, beside it.
    for (const id of open.keys()) this.moved.delete(id);
    if (result.kind === "finished") {
      this.unfinished = false;
      this.#interrupts = new Interrupts(mirror.interrupts);
    } else {
      this.messages = this.#asAsked();
      for (const id of this.#left(this.messages)) this.abandoned.add(id);
      this.#interrupts.settle(this.messages);
      for (const { toolCallId } of this.#interrupts.all) this.said.delete(toolCallId);
    }
    return result;
  }

  // #tell puts into words what is being answered, for the cards.
  #tell() {
    for (const interrupt of this.#interrupts.all) {
      if (interrupt.toolCallId) this.said.set(interrupt.toolCallId, inWords(this.#interrupts.entry(interrupt.id), kindOf(interrupt)));
    }
  }

  // #left are the calls that a run which ends now leaves without a result for good.
  #left(messages) {
    const asked = new Set(this.#interrupts.all.map((one) => one.toolCallId));
    return unanswered(messages).filter((id) => !asked.has(id));
  }

  // #asAsked are the messages with the calls that still wait for a person as the agent made them: it
  // takes an answer to nothing else, and edited arguments may have arrived before the run broke off.
  #asAsked() {
    const asked = new Set(this.#interrupts.all.map((one) => one.toolCallId));
    if (asked.size === 0) return this.messages;
    const open = new Set(unanswered(this.messages));
    const before = new Map(this.#checkpoint.flatMap((m) => m.toolCalls ?? []).map((call) => [call.id, call]));
    const original = (call) => (asked.has(call.id) && open.has(call.id) ? (before.get(call.id) ?? call) : call);
    return this.messages.map((m) => (m.toolCalls ? { ...m, toolCalls: m.toolCalls.map(original) } : m));
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
