// The recipe as a form. It is patched, never drawn anew: each field is written only when its value
// differs, and the one with the cursor not at all (field.js).

import { byId, h, mark } from "./dom.js";
import { Field } from "./field.js";
import { ListView } from "./list.js";
import { PREFERENCES, SKILLS, TIMES, listOf, recipeOf, text } from "./recipe.js";
import { rows } from "./rows.js";

const LIST_KINDS = {
  ingredients: {
    list: "ingredients",
    word: "Ingredient",
    empty: () => ({ icon: "", name: "", amount: "" }),
    first: 1,
    fields: [
      { field: "icon", label: "icon", tag: "input", class: "emoji", placeholder: "🥄" },
      { field: "name", label: "name", tag: "input", class: "name", placeholder: "What" },
      { field: "amount", label: "amount", tag: "input", class: "amount", placeholder: "How much" },
    ],
  },
  instructions: {
    list: "instructions",
    word: "Step",
    empty: () => "",
    first: 0,
    fields: [{ field: null, label: "", tag: "textarea", class: "step", placeholder: "What to do" }],
  },
};

export class RecipeForm {
  #fields = {};
  #lists = {};
  #preferences = new Map();
  #past = null; // the state that is looked back at
  #on;

  /** on: {edit(change) → key, hold(key), leave(), say(text)} */
  constructor(on) {
    this.#on = on;
    const edit = (change) => (this.#past ? undefined : on.edit(change));
    const select = (id, values) => byId(id).append(...values.map((value) => new Option(value, value)));
    select("skill", SKILLS);
    select("time", TIMES);
    for (const [field, id] of [["title", "title"], ["skill_level", "skill"], ["cooking_time", "time"]]) {
      const input = byId(id);
      this.#fields[field] = new Field(input, input.closest(".field"), (value) => edit({ kind: "field", field, value }));
    }
    byId("title").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) event.preventDefault(); // a title is one line
    });
    for (const list of Object.keys(LIST_KINDS)) {
      this.#lists[list] = new ListView(byId(list), byId(`add-${list}`), LIST_KINDS[list], { ...on, edit });
    }
    byId("recipe").addEventListener("focusout", () => on.leave());
  }

  /**
   * Shows the document. `shared` has it with the keys of its rows; `by` is whom to mark for what
   * changed ("you", "agent", or null for nobody), `force` writes under the cursor as well.
   */
  render(shared, by = null, force = false) {
    if (this.#past) return; // what happens meanwhile is shown when the person comes back to now
    this.#write(shared.doc, (list) => shared.rows(list), by, force);
  }

  /** Looks back at an earlier state `{doc}`, read only; null comes back to `shared`. */
  lookBack(state, shared) {
    if (state === null && this.#past === null) return;
    const page = byId("sheet");
    page.disabled = state !== null;
    page.classList.toggle("past", state !== null);
    // With its fields disabled, the sheet itself has to take the keyboard, to be scrolled.
    if (state) page.form.tabIndex = 0;
    else page.form.removeAttribute("tabindex");
    for (const marked of page.querySelectorAll("[data-by]")) delete marked.dataset.by;
    this.#past = state;
    if (state === null) return this.render(shared, null, true);
    const { doc } = state;
    const past = { ingredients: rows(listOf(doc, "ingredients")), instructions: rows(listOf(doc, "instructions")) };
    this.#write(doc, (list) => past[list], null, true);
  }

  /** Reports what stands in the fields and has not been reported. Called before sending. */
  collect() {
    if (this.#past) return;
    for (const field of Object.values(this.#fields)) field.collect();
    for (const list of Object.values(this.#lists)) list.collect();
  }

  #write(doc, rowsOf, by, force) {
    const recipe = recipeOf(doc);
    for (const [name, field] of Object.entries(this.#fields)) field.write(text(recipe[name]), by, force);
    this.#writePreferences(listOf(doc, "special_preferences").map(text), by);
    for (const [list, view] of Object.entries(this.#lists)) view.render(rowsOf(list), by, force);
    for (const list of Object.keys(this.#lists)) byId(`no-${list}`).hidden = rowsOf(list).length > 0;
  }

  #writePreferences(chosen, by) {
    for (const name of [...PREFERENCES, ...chosen]) {
      if (!this.#preferences.has(name)) this.#preferences.set(name, this.#preference(name));
    }
    for (const [name, { input, frame }] of this.#preferences) {
      const on = chosen.includes(name);
      if (input.checked !== on) {
        input.checked = on;
        if (by) mark(frame, by);
      }
      frame.hidden = !on && !PREFERENCES.includes(name);
    }
  }

  #preference(name) {
    const input = h("input", { type: "checkbox", autocomplete: "off" });
    const frame = h("label", { class: "chip" }, input, h("span", {}, name));
    input.addEventListener("change", () => {
      this.#on.edit({ kind: "prefer", name, on: input.checked });
      mark(frame, "you");
    });
    byId("preferences").append(frame);
    return { input, frame };
  }
}
