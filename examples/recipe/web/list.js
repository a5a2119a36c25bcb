// A list of rows that keep their elements: a row that moves, or changes, is the same element.

import { arrange, h, mark } from "./dom.js";
import { Field } from "./field.js";
import { cell } from "./recipe.js";

const keyOf = (element) => element?.closest?.("li[data-key]")?.dataset.key ?? null;

/**
 * `kind` says what a row is:
 *   list     the member of the recipe
 *   word     what one row is called: "Ingredient", "Step"
 *   empty()  the value of a new row
 *   fields   [{field, label, tag, class, placeholder}]; field null where a row is one text
 *   first    the index of the field that a new row puts the cursor into
 * `on.edit(change)` returns the key of an added row; `on.say(text)` tells a screen reader.
 */
export class ListView {
  #rows = new Map();
  #keys = [];
  #drawn = false;

  constructor(container, addButton, kind, on) {
    Object.assign(this, { container, addButton, kind, on });
    addButton.addEventListener("click", () => this.#add());
    container.addEventListener("focusin", (event) => on.hold(keyOf(event.target)));
    container.addEventListener("focusout", (event) => on.hold(keyOf(event.relatedTarget)));
  }

  render(rows, by, force) {
    const before = this.#drawn; // what was there when the page opened is nobody's change
    this.#drawn = true;
    const cursor = this.container.contains(document.activeElement) ? keyOf(document.activeElement) : null;
    const at = this.#keys.indexOf(cursor);
    this.#keys = rows.map((row) => row.key);
    const elements = rows.map(({ key, value }, i) => {
      let row = this.#rows.get(key);
      const fresh = !row;
      if (fresh) this.#rows.set(key, (row = this.#make(key)));
      row.fields.forEach((field, j) => field.write(cell(value, this.kind.fields[j].field), fresh ? null : by, force));
      if (fresh && by && before) mark(row.element, by);
      this.#number(row, i);
      return row.element;
    });
    for (const key of this.#rows.keys()) if (!this.#keys.includes(key)) this.#rows.delete(key);
    // A row that goes with the cursor in it (undo) hands it to the row that takes its place. First to
    // the button, since a focused element that is removed draws the list again in the middle of this.
    const bereft = at >= 0 && !this.#keys.includes(cursor);
    if (bereft) this.addButton.focus();
    arrange(this.container, elements);
    if (bereft) this.#rows.get(this.#keys[at] ?? this.#keys.at(-1))?.fields[this.kind.first].input.focus();
  }

  collect() {
    for (const row of this.#rows.values()) for (const field of row.fields) field.collect();
  }

  #make(key) {
    const { kind, on } = this;
    const row = { position: -1, buttons: [] };
    row.element = h("li", { class: "row", "data-key": key });
    row.fields = kind.fields.map((spec) => {
      const input = h(spec.tag, {
        class: spec.class,
        placeholder: spec.placeholder,
        autocomplete: "off",
        ...(spec.tag === "textarea" ? { rows: "1" } : { type: "text" }),
      });
      const frame = h("span", { class: `cell ${spec.class}-cell` }, input);
      row.element.append(frame);
      return new Field(input, frame, (value) =>
        on.edit({ kind: "cell", list: kind.list, key, field: spec.field, value }),
      );
    });
    const button = (act, sign, f) => {
      const element = h("button", { type: "button", class: `icon ${act}`, onclick: f }, sign);
      row.buttons.push({ element, act });
      return element;
    };
    row.element.append(
      h(
        "span",
        { class: "row-tools" },
        button("up", "↑", () => this.#move(key, -1)),
        button("down", "↓", () => this.#move(key, 1)),
        button("remove", "×", () => this.#remove(key)),
      ),
    );
    row.element.addEventListener("keydown", (event) => this.#key(event, key));
    return row;
  }

  // Labels carry the place: "Ingredient 2, amount".
  #number(row, position) {
    row.fields.forEach((field, j) => {
      const { label } = this.kind.fields[j];
      const text = `${this.kind.word} ${position + 1}${label ? `, ${label}` : ""}`;
      if (row.position !== position) field.input.setAttribute("aria-label", text);
    });
    for (const { element, act } of row.buttons) {
      element.disabled =
        (act === "up" && position === 0) || (act === "down" && position === this.#keys.length - 1);
      const verb = { up: "Move up", down: "Move down", remove: "Remove" }[act];
      if (row.position !== position) {
        element.setAttribute("aria-label", `${verb}: ${this.kind.word.toLowerCase()} ${position + 1}`);
      }
    }
    row.position = position;
  }

  #key(event, key) {
    if (event.isComposing) return;
    const inField = event.target.matches("input, textarea");
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      this.#move(key, event.key === "ArrowUp" ? -1 : 1);
    } else if (event.key === "Enter" && inField && !event.shiftKey) {
      event.preventDefault();
      this.#add(key);
    } else if (event.key === "Backspace" && inField && !event.repeat) {
      // An empty row goes when one deletes on, as in any list.
      const { fields } = this.#rows.get(key);
      if (fields.every((field) => field.input.value === "")) {
        event.preventDefault();
        this.#remove(key, true);
      }
    }
  }

  #add(after) {
    const { list, empty, first, word } = this.kind;
    const key = this.on.edit({ kind: "add", list, value: empty(), after });
    this.#rows.get(key)?.fields[first].input.focus();
    this.on.say(`${word} added.`);
  }

  #move(key, by) {
    const at = this.#keys.indexOf(key) + by;
    if (at < 0 || at >= this.#keys.length) return;
    this.on.edit({ kind: "move", list: this.kind.list, key, by });
    this.on.say(`${this.kind.word} is now number ${at + 1} of ${this.#keys.length}.`);
  }

  #remove(key, backwards = false) {
    const at = this.#keys.indexOf(key);
    const next = this.#keys[backwards ? Math.max(at - 1, 0) : at + 1] ?? this.#keys[at - 1];
    // The cursor goes on to the neighbour before its row goes, so it is never lost to the page.
    const row = next === key ? undefined : this.#rows.get(next);
    const target = backwards ? row?.fields[this.kind.first].input : row?.buttons.find((b) => b.act === "remove").element;
    (target ?? this.addButton).focus();
    this.on.edit({ kind: "remove", list: this.kind.list, key });
    this.on.say(`${this.kind.word} removed.`);
  }
}
