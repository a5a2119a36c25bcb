// What an agent waits for a person to answer: it ends its run with the outcome "interrupt", and the
// next run brings the answers to all of it at once, as `resume`.

import { isObject } from "./recipe.js";

/** The answers of a person to the interrupts of one run. */
export class Interrupts {
  #all;
  #entries = new Map(); // interrupt id → {status, payload, metadata} of a resume entry

  constructor(interrupts = []) {
    this.#all = Array.isArray(interrupts) ? interrupts.filter((one) => isObject(one) && typeof one.id === "string") : [];
  }

  /** The interrupts that this run or an earlier one left. */
  get all() {
    return this.#all;
  }

  entry(id) {
    return this.#entries.get(id);
  }

  /** Notes an answer, to be sent when all have one: `approve()`, `deny()`, `respond()` or `cancel()`. */
  answer(id, entry) {
    if (!this.#all.some((one) => one.id === id)) throw new TypeError(`no such interrupt: ${id}`);
    this.#entries.set(id, entry);
  }

  /** Takes an answer back; without an id, all of them. */
  reopen(id) {
    if (id === undefined) this.#entries.clear();
    else this.#entries.delete(id);
  }

  /** The `resume` of the next run, or undefined when nothing was asked. Throws while one is open. */
  resume() {
    if (this.#all.length === 0) return undefined;
    return this.#all.map(({ id }) => {
      const entry = this.#entries.get(id);
      if (!entry) throw new TypeError(`interrupt ${id} has no answer`);
      return { interruptId: id, ...entry };
    });
  }

  /** Forgets interrupts whose call has its result: they were answered, however the run went on. */
  settle(messages) {
    const answered = new Set(messages.filter((m) => m.role === "tool").map((m) => m.toolCallId));
    this.#all = this.#all.filter((one) => !one.toolCallId || !answered.has(one.toolCallId));
  }
}

/** "approval": yes, no, yes with other arguments. "input": whatever the schema asks for. */
export function kindOf({ responseSchema }) {
  return responseSchema?.properties?.approved?.type === "boolean" ? "approval" : "input";
}

/** Whether an approval may bring other arguments, or a reason. */
export const takes = (interrupt, member) => isObject(interrupt.responseSchema?.properties?.[member]);

/** Whether it is too late for an answer. What is no date never expires. */
export function expired({ expiresAt }, now = Date.now()) {
  return now >= Date.parse(expiresAt); // false for NaN
}

export const approve = (changed) => resolved({ approved: true, ...(changed ? { arguments: changed } : {}) });
export const deny = (reason) => resolved({ approved: false, ...(reason ? { reason } : {}) });
export const respond = (payload) => resolved(payload);
export const cancel = () => ({ status: "cancelled" });

const resolved = (payload) => ({ status: "resolved", ...(payload === undefined ? {} : { payload }) });

/** An answer in words. */
export function inWords({ status, payload }, kind) {
  if (status === "cancelled") return "You left this unanswered.";
  if (kind === "approval") {
    if (payload.approved) return payload.arguments ? "You approved this with changes." : "You approved this.";
    return payload.reason ? `You said no: ${payload.reason}` : "You said no.";
  }
  if (payload === undefined) return "You agreed.";
  const values = isObject(payload) ? Object.values(payload) : [payload];
  return `You answered: ${values.map((v) => (typeof v === "string" ? v : JSON.stringify(v))).join(", ")}`;
}

// What went wrong with an answer, and what helps: "ask" the agent again, "change" the answer, go "on".
const REFUSALS = {
  INTERRUPT_UNKNOWN: ["The agent does not know this question any more. Its server may have started anew.", "ask"],
  INTERRUPT_EXPIRED: ["The answer came too late for the agent.", "ask"],
  INTERRUPT_PARTIAL: ["The agent wants all its questions answered at once.", "change"],
  INTERRUPT_PAYLOAD: ["The agent wants another kind of answer.", "change"],
  INTERRUPT_PENDING: ["The agent still waits for the answer to an earlier question.", "on"],
};

/** The refusal of an answer in plain words, `{words, help}`; null for any other error. */
export function refusal({ code }) {
  if (!Object.hasOwn(REFUSALS, code ?? "")) return null;
  const [words, help] = REFUSALS[code];
  return { words, help };
}
