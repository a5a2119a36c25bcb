// What stands around the recipe and the conversation: notices, suggestions, panes, the announcer,
// and who the agent is.

import { byId, h, setText } from "./dom.js";

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
    this.#show("stopped", [h("p", { class: "words" }, "Stopped. What had arrived is kept."), this.#again(again)]);
    say("Stopped.");
  }

  /** A RunError, and what to do to try again. */
  failed(error, again) {
    const code = error.code ? h("code", {}, error.code) : null;
    const detail = error.detail ? h("p", { class: "detail" }, error.detail) : null;
    this.#show("failed", [
      h("div", { role: "alert", class: "words" }, h("p", {}, h("strong", {}, error.message), code ? " " : null, code), detail),
      this.#again(again),
    ]);
  }

  /** The run waits for a person's answer. */
  interrupted(interrupts) {
    const reasons = interrupts.map((one) => h("li", {}, one.message ?? one.reason));
    const head = h("p", {}, "The agent waits for an answer before it goes on:");
    this.#show("stopped", [h("div", { class: "words" }, head, h("ul", {}, ...reasons))]);
  }

  #again(again) {
    return h("button", { type: "button", class: "again", onclick: again }, "Try again");
  }

  #show(kind, children) {
    this.#place.replaceChildren(h("div", { class: `notice ${kind}` }, ...children));
  }
}

const FIRST = ["Make me a pancake recipe", "A spicy chickpea curry", "A quick pasta for two"];
const NEXT = ["Make it vegetarian", "Double it", "List all the ingredients"];

/** Things to say, one click away. */
export class Suggestions {
  #shown = null;

  constructor(choose) {
    this.choose = choose;
  }

  show({ first, idle, blank }) {
    const list = blank ? FIRST : NEXT;
    const place = byId("suggestions");
    place.hidden = !idle;
    place.classList.toggle("large", first);
    if (list === this.#shown) return;
    this.#shown = list;
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

/** Says who answers: another host if a link chose one, and whether the model is a stand-in. */
export async function showAgent(agent) {
  const place = byId("agent");
  if (agent.origin !== location.origin) {
    setText(place, `with the agent at ${agent.host}`);
    return; // whether a stranger has an /info is not ours to ask
  }
  try {
    const response = await fetch(new URL("info", agent), { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    const info = await response.json();
    if (typeof info.model === "string") setText(place, info.standIn ? "with a stand-in model" : `with ${info.model}`);
    byId("stand-in").hidden = info.standIn !== true;
  } catch {
    // A server need not have it, and the page works without.
  }
}
