// A tool call as a card: its arguments as they are written, what the person said to it, its result,
// and what the state did meanwhile. Where the call waits for the person, the question stands in it.

import { h, setText } from "./dom.js";
import { sentence } from "./difference.js";
import { isWritten } from "./exact.js";
import { QuestionView } from "./question.js";
import { isObject } from "./recipe.js";
import { partial } from "./tools.js";

const WORDS = { done: "done", failed: "failed", working: "working…", asking: "asks you", unanswered: "no answer" };

export class ToolCard {
  #on;
  #question = null;

  constructor(on) {
    this.#on = on;
    this.name = h("span", { class: "card-name" });
    this.status = h("span", { class: "card-status" });
    this.args = h("dl", { class: "card-args" });
    this.raw = h("pre", { class: "card-raw", hidden: true });
    this.said = h("p", { class: "card-said", hidden: true });
    this.moved = h("p", { class: "card-moved", hidden: true });
    this.result = h("p", { class: "card-result", hidden: true });
    this.actions = h("div", { class: "card-actions" });
    // A group and not a section: a conversation full of landmarks has none.
    this.element = h(
      "div",
      { class: "card", role: "group", "aria-label": "Tool call" },
      h("header", {}, this.name, this.status),
      this.args,
      this.raw,
      this.said,
      this.moved,
      this.result,
      this.actions,
    );
  }

  write(call, result, { running, moved, question, said }) {
    setText(this.name, call.function.name);
    const state = result ? (failure(result) ? "failed" : "done") : question ? "asking" : running ? "working" : "unanswered";
    this.element.dataset.state = state;
    setText(this.status, WORDS[state]);
    this.#writeArguments(call.function.arguments);
    this.said.hidden = !said;
    if (said) setText(this.said, said);
    this.moved.hidden = !moved?.length;
    // Where several calls are open at once, the stream does not say which of them moved the state.
    if (moved?.length) setText(this.moved, `While it ran: ${sentence(moved)}.`);
    this.result.hidden = !result;
    if (result) {
      const text = typeof result.content === "string" ? result.content : JSON.stringify(result.content);
      setText(this.result, result.error || text || "(an empty result)");
    }
    this.#writeQuestion(question);
  }

  #writeQuestion(question) {
    if (!question) {
      this.#question?.element.remove();
      this.#question = null;
      return;
    }
    if (!this.#question) this.actions.append((this.#question = new QuestionView(this.#on)).element);
    this.#question.write(question);
  }

  // Arguments stream as pieces of JSON: they are shown as far as they go.
  #writeArguments(text) {
    if (text === this.text) return;
    this.text = text;
    const value = partial(text);
    this.args.hidden = !value;
    this.raw.hidden = value !== undefined || text === "";
    if (!value) return setText(this.raw, text);
    this.args.replaceChildren(
      ...Object.entries(value).flatMap(([key, item]) => [h("dt", {}, key), h("dd", {}, shown(item))]),
    );
  }
}

/** A question that belongs to no call has a card of its own. */
export class QuestionCard {
  constructor(on) {
    this.view = new QuestionView(on);
    this.element = h("div", { class: "card", role: "group", "aria-label": "Question", "data-state": "asking" }, this.view.element);
  }

  write(question) {
    this.view.write(question);
  }
}

// A result that came in a stream has no member for an error; it begins with the word.
function failure(result) {
  return result.error || (typeof result.content === "string" && result.content.startsWith("Error: "));
}

// shown is a value in a line or two: lists with commas, what is in them as it stands, numbers as they
// were written.
function shown(item, nested = false) {
  if (typeof item === "string") return nested ? item : item || "–";
  if (Array.isArray(item)) return item.map((one) => shown(one, true)).join(", ");
  if (!isObject(item) || isWritten(item)) return JSON.stringify(item);
  if (nested) return Object.values(item).map((one) => shown(one, true)).join(" ");
  return Object.entries(item).map(([key, one]) => `${key}: ${shown(one, Array.isArray(one))}`).join(" · ");
}
