// What survives a reload: the thread, its messages, the document, what the agent waits for, and which
// agent of the server was chosen. An agent that a link chose has a store of its own, so that it is not
// told what was said to this one.

import { isObject } from "./recipe.js";

const VERSION = 1;

export class Store {
  #key;
  constructor(agent) {
    this.#key = `aguistate.recipe ${agent}`;
  }

  /** What was saved, or null: nothing, or nothing that this page can read. */
  load() {
    try {
      const saved = JSON.parse(localStorage.getItem(this.#key));
      const whole =
        isObject(saved) &&
        saved.version === VERSION &&
        typeof saved.threadId === "string" &&
        Array.isArray(saved.messages) &&
        saved.messages.every((message) => isObject(message) && typeof message.id === "string") &&
        Object.hasOwn(saved, "doc");
      return whole ? saved : null;
    } catch {
      return null; // storage is off, or somebody else wrote there
    }
  }

  /** Saves `{threadId, messages, doc, …}`; returns whether it could. */
  save(saved) {
    try {
      localStorage.setItem(this.#key, JSON.stringify({ version: VERSION, ...saved }));
      return true;
    } catch {
      return false; // full or forbidden: the page works, it only forgets
    }
  }
}
