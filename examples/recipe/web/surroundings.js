// What stands around the recipe and the conversation: notices, suggestions, panes, the announcer.

import { byId, h } from "./dom.js";
import { refusal } from "./interrupts.js";
import { listOf, text } from "./recipe.js";

/** Tells a screen reader, politely. The same words twice are told twice. */
export function say(text) {
  byId("announcer").replaceChildren(h("p", {}, text));
}

/** The line above the composer: at work, stopped, or what went wrong. */
export class Notice {
  #place = byId("notice");

  clear() {
    this.#place.replaceChildren();
  }

  working(step) {
    const words = step ? `The agent is working: ${step}` : "The agent is working";
    this.#show("working", [h("span", { class: "dots", "aria-hidden": "true" }), h("p", {}, words)]);
  }

  stopped(again) {
    this.#show("stopped", [h("p", { class: "words" }, "Stopped. What had arrived is kept."), action("Try again", again)]);
    say("Stopped.");
  }

  /** After a reload: the last run has no end. */
  unfinished(again) {
    this.#show("stopped", [h("p", { class: "words" }, "The agent had not finished. What had arrived is kept."), action("Try again", again)]);
  }

  /**
   * A RunError, and what can be done: `again()` makes the same run once more, `drop(then)` gives up
   * what the agent waits for, and makes the run if then is true.
   */
  failed(error, again, drop) {
    const refused = refusal(error);
    const actions = {
      ask: [action("Ask again", () => drop(true)), action("Drop the question", () => drop(false))],
      change: [action("Drop the question", () => drop(false))],
      on: [action("Go on without it", again)],
    };
    const code = error.code ? h("code", {}, error.code) : null;
    const detail = error.detail ? h("p", { class: "detail" }, error.detail) : null;
    const head = h("p", {}, h("strong", {}, refused?.words ?? error.message), code ? " " : null, code);
    this.#show("failed", [
      h("div", { role: "alert", class: "words" }, head, detail),
      h("div", { class: "notice-tools" }, ...(actions[refused?.help] ?? [action("Try again", again)])),
    ]);
  }

  /** The agent waits for answers; `go()` leads to the first. */
  asking(count, go) {
    const words = count === 1 ? "The agent waits for your answer." : `The agent waits for ${count} answers.`;
    this.#show("asking", [h("p", { class: "words" }, words), action(count === 1 ? "Go to the question" : "Go to the questions", go)]);
  }

  #show(kind, children) {
    this.#place.replaceChildren(h("div", { class: `notice ${kind}` }, ...children));
  }
}

const FIRST = ["Make me a pancake recipe", "A spicy chickpea curry", "A quick pasta for two"];
const NEXT = ["Make it vegetarian", "Double it", "List all the ingredients"];

// For an agent with tools: one for each kind of them.
function forTools(doc) {
  const [first] = listOf(doc, "ingredients").map((one) => text(one?.name)).filter((name) => name.trim() !== "");
  return ["Double it", ...(first ? [`Remove the ${first.toLowerCase()}`] : []), "Start over"];
}

function action(words, onclick) {
  return h("button", { type: "button", class: "again", onclick }, words);
}

/** Things to say, one click away. */
export class Suggestions {
  #shown = "";

  constructor(choose) {
    this.choose = choose;
  }

  show({ first, idle, blank, tools, doc }) {
    const list = blank ? FIRST : tools ? forTools(doc) : NEXT;
    const place = byId("suggestions");
    place.hidden = !idle;
    place.classList.toggle("large", first);
    if (list.join("\n") === this.#shown) return;
    this.#shown = list.join("\n");
    place.scrollLeft = 0;
    place.replaceChildren(
      ...list.map((text) => h("button", { type: "button", class: "suggestion", onclick: () => this.choose(text) }, text)),
    );
  }
}

/** On a narrow screen one of the two sides is seen; the other says when something happened there. */
export class Panes {
  constructor() {
    for (const button of this.#buttons()) button.addEventListener("click", () => this.show(button.value));
    this.show("recipe");
  }

  show(pane) {
    document.body.dataset.pane = pane;
    for (const button of this.#buttons()) {
      button.setAttribute("aria-pressed", String(button.value === pane));
      if (button.value === pane) delete button.dataset.news;
    }
  }

  stir(pane) {
    for (const button of this.#buttons()) {
      if (button.value === pane && document.body.dataset.pane !== pane) button.dataset.news = "";
    }
  }

  #buttons() {
    return byId("panes").querySelectorAll("button");
  }
}

/** Asks in a dialog; resolves to whether the answer was yes. */
export function askFirst(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
