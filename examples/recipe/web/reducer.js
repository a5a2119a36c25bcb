// The mirror: folds AG-UI events into the state and the messages that the agent has as well.
//
// Nothing here is changed in place. Every event that changes something makes new arrays and
// objects around it, so a view can tell by `===` what it has to draw again, and an earlier state
// can be kept by holding on to it.

import { apply } from "./patch.js";

export class Mirror {
  /** True from a delta that did not apply until the next snapshot: we may lack a change. */
  outOfStep = false;
  /** What the agent waits for a person to answer: RUN_FINISHED with outcome "interrupt". */
  interrupts = [];
  #pending = new Map(); // the chunked text, call and reasoning that goes on, by kind and subagent

  constructor(state, messages = []) {
    this.state = state;
    this.messages = messages;
  }

  /**
   * Folds one event. Returns undefined, or a sentence about a change that could not be made: the
   * run goes on, as the protocol has it. Types it does not know change nothing.
   */
  apply(event) {
    switch (event.type) {
      case "STATE_SNAPSHOT":
        this.state = event.snapshot;
        this.outOfStep = false;
        return;
      case "STATE_DELTA":
        try {
          this.state = apply(this.state, event.delta);
        } catch (error) {
          this.outOfStep = true;
          return `A change to the state did not fit: ${error.message}.`;
        }
        return;
      case "TEXT_MESSAGE_START":
        return this.#open(event.messageId, { role: event.role ?? "assistant", ...pick(event, "name") }, event);
      case "TEXT_MESSAGE_CONTENT":
        return this.#append(event.messageId, event);
      case "TEXT_MESSAGE_CHUNK":
        return this.#chunk(event, "messageId", "text", (id) => {
          this.#open(id, { role: event.role ?? "assistant", ...pick(event, "name") }, event);
          this.#append(id, event);
        });
      case "REASONING_MESSAGE_START":
        return this.#open(event.messageId, { role: "reasoning" }, event);
      case "REASONING_MESSAGE_CONTENT":
        return this.#append(event.messageId, event);
      case "REASONING_MESSAGE_CHUNK":
        return this.#chunk(event, "messageId", "reasoning", (id) => {
          this.#open(id, { role: "reasoning" }, event);
          this.#append(id, event);
        });
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
        return this.#update(event.messageId, (message) => described(message, event));
      case "TOOL_CALL_START":
        return this.#call(event.toolCallId, event);
      case "TOOL_CALL_ARGS":
        return this.#arguments(event.toolCallId, event);
      case "TOOL_CALL_CHUNK":
        return this.#chunk(event, "toolCallId", "call", (id) => {
          if (event.toolCallName !== undefined) this.#call(id, event);
          this.#arguments(id, event);
        });
      case "TOOL_CALL_END":
        return this.#updateCall(event.toolCallId, (call) => described(call, event));
      case "TOOL_CALL_RESULT":
        return this.#result(event);
      case "REASONING_ENCRYPTED_VALUE": {
        const seal = (entity) => ({ ...entity, encryptedValue: event.encryptedValue });
        if (event.subtype === "tool-call") this.#updateCall(event.entityId, seal);
        else this.#update(event.entityId, seal);
        return;
      }
      case "ACTIVITY_SNAPSHOT":
        return this.#activity(event);
      case "ACTIVITY_DELTA":
        return this.#activityDelta(event);
      case "MESSAGES_SNAPSHOT":
        return this.#replaceMessages(event);
      case "RUN_STARTED": {
        const known = new Set(this.messages.map((message) => message.id));
        const fresh = (event.input?.messages ?? []).filter((message) => !known.has(message.id));
        if (fresh.length > 0) this.messages = [...this.messages, ...fresh];
        this.#pending.clear();
        return;
      }
      case "RUN_FINISHED":
        this.interrupts = event.outcome?.type === "interrupt" ? event.outcome.interrupts : [];
        return;
    }
  }

  #update(id, change) {
    this.messages = replaced(this.messages, (message) => message.id === id, change);
  }

  #updateCall(id, change) {
    const owns = (message) => message.toolCalls?.some((call) => call.id === id);
    this.messages = replaced(this.messages, owns, (message) => ({
      ...message,
      toolCalls: replaced(message.toolCalls, (call) => call.id === id, change),
    }));
  }

  #find(id) {
    return this.messages.find((message) => message.id === id);
  }

  #open(id, message, event) {
    const known = this.#find(id);
    if (known?.role === "activity") return `The id ${JSON.stringify(id)} belongs to an activity.`;
    if (known) this.#update(id, (old) => described(old, event));
    else {
      const fresh = { id, role: message.role, content: "", ...message, ...pick(event, "subagentRunId") };
      this.messages = [...this.messages, described(fresh, event)];
    }
  }

  #append(id, event) {
    const known = this.#find(id);
    if (!known) return `There is no message ${JSON.stringify(id)} to write to.`;
    if (known.role === "activity") return `The id ${JSON.stringify(id)} belongs to an activity.`;
    const before = typeof known.content === "string" ? known.content : "";
    this.#update(id, (old) => described({ ...old, content: before + (event.delta ?? "") }, event));
  }

  // A chunk names its stream once; those that follow without an id go on with it.
  #chunk(event, key, kind, act) {
    const lane = `${kind} ${event.subagentRunId ?? ""}`;
    const id = event[key] ?? this.#pending.get(lane);
    if (id === undefined) return `A first ${event.type} needs ${key}.`;
    this.#pending.set(lane, id);
    act(id);
  }

  #call(id, event) {
    const name = event.toolCallName;
    if (this.messages.some((message) => message.toolCalls?.some((call) => call.id === id))) {
      return this.#updateCall(id, (call) => described({ ...call, function: { ...call.function, name } }, event));
    }
    const call = described({ id, type: "function", function: { name, arguments: "" } }, event);
    const parent = event.parentMessageId ? this.#find(event.parentMessageId) : undefined;
    if (parent?.role === "assistant") {
      return this.#update(parent.id, (old) => ({ ...old, toolCalls: [...(old.toolCalls ?? []), call] }));
    }
    // Without a parent that could hold it, the call makes its own message.
    const own = event.parentMessageId && !parent ? event.parentMessageId : id;
    this.messages = [
      ...this.messages,
      { id: own, role: "assistant", toolCalls: [call], ...pick(event, "subagentRunId") },
    ];
  }

  #arguments(id, event) {
    this.#updateCall(id, (call) =>
      described(
        { ...call, function: { ...call.function, arguments: call.function.arguments + (event.delta ?? "") } },
        event,
      ),
    );
  }

  // A result stands behind its call, after the results that are there already.
  #result(event) {
    const message = described(
      {
        id: event.messageId,
        role: "tool",
        toolCallId: event.toolCallId,
        content: event.content,
        ...pick(event, "subagentRunId"),
      },
      event,
    );
    const owner = this.messages.findIndex((m) => m.toolCalls?.some((call) => call.id === event.toolCallId));
    let at = owner < 0 ? this.messages.length : owner + 1;
    while (owner >= 0 && this.messages[at]?.role === "tool") at++;
    this.messages = this.messages.toSpliced(at, 0, message);
  }

  #activity(event) {
    const { messageId: id, activityType, content } = event;
    const known = this.#find(id);
    const fresh = { id, role: "activity", activityType, content, ...pick(event, "subagentRunId") };
    if (!known) this.messages = [...this.messages, described(fresh, event)];
    else if (event.replace !== false) {
      const kept = known.role === "activity" ? pick(known, "metadata") : {};
      this.#update(id, () => described({ ...fresh, ...kept }, event));
    } else if (known.role === "activity") this.#update(id, (old) => described(old, event));
  }

  #activityDelta(event) {
    const known = this.#find(event.messageId);
    if (known?.role !== "activity") return;
    let change = {};
    let problem;
    try {
      change = { content: apply(known.content, event.patch), activityType: event.activityType };
    } catch (error) {
      problem = `A change to an activity did not fit: ${error.message}.`;
    }
    this.#update(event.messageId, (old) => described({ ...old, ...change }, event));
    return problem;
  }

  // The snapshot is the new list, but messages keep their places, and what it does not speak of
  // (reasoning, activities) stays when it holds none of that kind.
  #replaceMessages(event) {
    const sent = new Map(event.messages.map((message) => [message.id, message]));
    const holds = (role) => event.messages.some((message) => message.role === role);
    const client = event.metadata?.["@ag-ui/client"];
    const declared = client !== null && typeof client === "object" && Object.hasOwn(client, "authoritativeActivityTypes");
    const types = client?.authoritativeActivityTypes;
    const gone = (message) => {
      if (message.role === "reasoning") return holds("reasoning");
      if (message.role !== "activity") return true;
      if (!declared) return holds("activity");
      return types === null || (Array.isArray(types) && types.includes(message.activityType));
    };
    const known = new Set(this.messages.map((message) => message.id));
    this.messages = [
      ...this.messages.filter((m) => sent.has(m.id) || !gone(m)).map((m) => sent.get(m.id) ?? m),
      ...event.messages.filter((message) => !known.has(message.id)),
    ];
  }
}

function replaced(list, matches, change) {
  const at = list.findIndex(matches);
  return at < 0 ? list : list.with(at, change(list[at]));
}

// Metadata of an event joins that of what it speaks of, key by key.
function described(entity, event) {
  return event.metadata ? { ...entity, metadata: { ...entity.metadata, ...event.metadata } } : entity;
}

function pick(source, key) {
  return source[key] === undefined ? {} : { [key]: source[key] };
}
