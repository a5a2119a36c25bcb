// A tool call as a card: its arguments as they are written, its result, and what the state did
// meanwhile. A card has room for actions: an approval, or a tool that runs in the browser, puts its
// buttons there.

import { h, setText } from "./dom.js";
import { sentence } from "./difference.js";

export class ToolCard {
  constructor() {
    this.name = h("span", { class: "card-name" });
    this.status = h("span", { class: "card-status" });
    this.args = h("dl", { class: "card-args" });
    this.raw = h("pre", { class: "card-raw", hidden: true });
    this.moved = h("p", { class: "card-moved", hidden: true });
    this.result = h("p", { class: "card-result", hidden: true });
    this.actions = h("div", { class: "card-actions" });
    this.element = h(
      "section",
      { class: "card", "aria-label": "Tool call" },
      h("header", {}, this.name, this.status),
      this.args,
      this.raw,
      this.moved,
      this.result,
      this.actions,
    );
  }

  write(call, result, { running, moved }) {
    setText(this.name, call.function.name);
    const state = result ? (result.error ? "failed" : "done") : running ? "working" : "unanswered";
    this.element.dataset.state = state;
    setText(this.status, { done: "done", failed: "failed", working: "working…", unanswered: "no answer" }[state]);
    this.#writeArguments(call.function.arguments);
    this.moved.hidden = !moved?.length;
    // Where several calls are open at once, the stream does not say which of them moved the state.
    if (moved?.length) setText(this.moved, `While it ran: ${sentence(moved)}.`);
    this.result.hidden = !result;
    if (result) {
      const text = typeof result.content === "string" ? result.content : JSON.stringify(result.content);
      setText(this.result, result.error || text || "(an empty result)");
    }
  }

  // Arguments stream as pieces of JSON: until they are whole they are shown as they come.
  #writeArguments(text) {
    if (text === this.text) return;
    this.text = text;
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    const whole = value !== null && typeof value === "object" && !Array.isArray(value);
    this.args.hidden = !whole;
    this.raw.hidden = whole || text === "";
    if (!whole) return setText(this.raw, text);
    this.args.replaceChildren(
      ...Object.entries(value).flatMap(([key, item]) => [
        h("dt", {}, key),
        h("dd", {}, typeof item === "string" ? item : JSON.stringify(item)),
      ]),
    );
  }
}
