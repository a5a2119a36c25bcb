// A form field that two write to.

import { mark } from "./dom.js";

/**
 * Binds an input, textarea or select. While it holds the cursor, the other author's value waits and
 * comes when the cursor leaves; if the person types meanwhile, theirs is the value (shared.js has
 * the rule) and what waited is forgotten.
 */
export class Field {
  #waiting = null;

  /** `frame` is what gets marked; oninput(value) is called for each change by the person. */
  constructor(input, frame, oninput) {
    this.input = input;
    this.frame = frame;
    this.shown = input.value;
    this.oninput = oninput;
    input.addEventListener("input", () => this.collect());
    input.addEventListener("change", () => this.collect());
    input.addEventListener("blur", () => {
      const waiting = this.#waiting;
      this.#waiting = null;
      if (waiting) this.write(waiting.value, waiting.by);
    });
  }

  /** Reports what the person changed since the last look, also if no event told of it (autofill). */
  collect() {
    const { value } = this.input;
    if (value === this.shown) return;
    this.shown = value;
    this.#waiting = null;
    this.oninput(value);
    mark(this.frame, "you");
  }

  /** Shows a value. `by` is whom to mark, or null; `force` writes under the cursor as well (undo). */
  write(value, by, force = false) {
    if (value === this.shown) {
      this.#waiting = null;
      return;
    }
    if (!force && this.input === document.activeElement) {
      this.#waiting = { value, by };
      return;
    }
    // A choice the page does not know is shown as what it is, and kept.
    if (this.input.tagName === "SELECT" && ![...this.input.options].some((option) => option.value === value)) {
      this.input.append(new Option(value === "" ? "–" : value, value));
    }
    this.input.value = value;
    this.shown = value;
    fit(this.input);
    if (by) mark(this.frame, by);
  }
}

// fit grows a textarea with its text where CSS (field-sizing) does not.
export function fit(input) {
  if (input.tagName !== "TEXTAREA" || CSS.supports("field-sizing", "content")) return;
  input.style.height = "auto";
  input.style.height = `${input.scrollHeight}px`;
}
