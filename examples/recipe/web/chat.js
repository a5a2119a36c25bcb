// The conversation. Messages keep their elements, and an element is written again only when its
// message is another object than before (reducer.js).

import { byId, h, setText } from "./dom.js";
import { markdown } from "./markdown.js";
import { QuestionCard, ToolCard } from "./card.js";

export class Chat {
  #log = byId("log");
  #shown = new Map(); // message id → {element, message, results…}
  #asked = new Map(); // question id → card, of questions that belong to no call
  #on;

  /** on: as QuestionView has it. */
  constructor(on) {
    this.#on = on;
  }

  /**
   * Draws the messages and what the agent waits for. `moved` and `said` say in words what the state
   * did during a call, and the person to it, by call id.
   */
  render(messages, { running, moved, abandoned, said, questions }) {
    const stay = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 60;
    const results = new Map(messages.filter((m) => m.role === "tool").map((m) => [m.toolCallId, m]));
    const calls = new Set(messages.flatMap((m) => m.toolCalls ?? []).map((call) => call.id));
    const asks = new Map(questions.filter((one) => calls.has(one.callId)).map((one) => [one.callId, one]));
    const elements = [];
    const drawn = new Set();
    for (const message of messages) {
      // A result is part of its call's card, if there is one. Instructions are not conversation.
      if (message.role === "tool" && calls.has(message.toolCallId)) continue;
      if (message.role === "system" || message.role === "developer" || drawn.has(message.id)) continue;
      drawn.add(message.id);
      let view = this.#shown.get(message.id);
      if (view?.role !== message.role) {
        view?.element.remove();
        this.#shown.set(message.id, (view = new MessageView(message, this.#on)));
      }
      view.write(message, { results, running, moved, abandoned, said, asks });
      elements.push(view.element);
    }
    for (const [id, view] of this.#shown) {
      if (drawn.has(id)) continue;
      view.element.remove();
      this.#shown.delete(id);
    }
    elements.push(...this.#others(questions.filter((one) => !calls.has(one.callId))));
    elements.forEach((element, i) => {
      const next = i === 0 ? this.#log.firstElementChild : elements[i - 1].nextElementSibling;
      if (next !== element) this.#log.insertBefore(element, next);
    });
    if (stay) this.#log.scrollTop = this.#log.scrollHeight;
  }

  #others(questions) {
    for (const [id, card] of this.#asked) {
      if (questions.some((one) => one.id === id)) continue;
      card.element.remove();
      this.#asked.delete(id);
    }
    return questions.map((question) => {
      if (!this.#asked.has(question.id)) this.#asked.set(question.id, new QuestionCard(this.#on));
      const card = this.#asked.get(question.id);
      card.write(question);
      return card.element;
    });
  }

  /** Puts the cursor on the first question without an answer; returns whether there is one. */
  focusQuestion() {
    const open = [...this.#log.querySelectorAll(".question")].find((one) => one.querySelector("button:not([data-act=change])"));
    const target = open?.querySelector("input, textarea, select, button");
    if (!target) return false;
    open.scrollIntoView({ block: "nearest" });
    target.focus();
    return true;
  }

  toEnd() {
    this.#log.scrollTop = this.#log.scrollHeight;
  }
}

const WHO = { user: "You", assistant: "Agent", reasoning: "Agent, thinking", tool: "Result", activity: "Activity" };

class MessageView {
  #text = null;
  #cards = new Map();

  #on;

  constructor({ role }, on) {
    this.#on = on;
    this.role = role;
    this.body = h("div", { class: "body" });
    const who = WHO[role] ?? role;
    if (role === "reasoning" || role === "activity") {
      this.element = h("details", { class: `message ${role}` }, h("summary", {}, who), this.body);
    } else {
      this.element = h("article", { class: `message ${role}` }, h("h3", { class: "who" }, who), this.body);
    }
    this.cards = h("div", { class: "cards" });
    if (role === "assistant") this.element.append(this.cards);
  }

  write(message, context) {
    const text = content(message);
    if (text !== this.#text) {
      this.#text = text;
      if (this.role === "assistant") this.body.replaceChildren(...markdown(text));
      else setText(this.body, text);
      this.body.hidden = text === "";
    }
    if (this.role !== "assistant") return;
    for (const call of message.toolCalls ?? []) {
      let card = this.#cards.get(call.id);
      if (!card) {
        this.#cards.set(call.id, (card = new ToolCard(this.#on)));
        this.cards.append(card.element);
      }
      card.write(call, context.results.get(call.id), {
        running: context.running && !context.abandoned.has(call.id),
        moved: context.moved.get(call.id),
        said: context.said.get(call.id),
        question: context.asks.get(call.id),
      });
    }
    this.element.hidden = text === "" && this.#cards.size === 0;
  }
}

// content is the text of a message; parts that are no text are named.
function content(message) {
  if (typeof message.content === "string") return message.content;
  if (Array.isArray(message.content)) {
    return message.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  }
  return message.content === undefined ? "" : JSON.stringify(message.content, null, 2);
}
