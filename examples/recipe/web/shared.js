// The document that two write at once.
//
// THE RULE. While a run goes on, the agent's document and the person's changes are kept apart: the
// events of the run are folded into the agent's document alone (so that every delta meets exactly
// what it was computed against), and what the person did since the run began is laid over it:
//   - a field the person changed keeps the person's value, whatever the agent writes there;
//   - a row the person removed stays removed, also when the agent sends it again;
//   - a row the person added, changed or is in right now stays, also when the agent drops it;
//   - an order the person made wins; new rows of the agent go behind their neighbour.
// When the run ends the two are one document, and the next run sends it: so the agent learns what
// the person did. Outside a run a change of the person is simply a change.

import { FIELDS, LISTS, isObject, listOf, recipeOf, withRecipe } from "./recipe.js";
import { mint, rekey, rows, weave } from "./rows.js";

export class Shared {
  #agent; // the agent's document
  #agentRows = {}; // its lists, with keys
  #gone = {}; // rows that left during this run
  #rows = {}; // the lists as shown
  #edits; // the person's changes during this run
  #held = null; // the key of the row that holds the cursor
  #running = false;

  /** What is shown and what is sent. A new object whenever it changed. */
  doc;

  constructor(doc) {
    this.replace(doc);
  }

  /** The rows of a list as shown: `{key, value}`. */
  rows(list) {
    return this.#rows[list];
  }

  /** The agent's document without the person's changes. */
  get agentDoc() {
    return this.#agent;
  }

  /** Another document altogether (loaded, undone); rows that are the same keep their keys. */
  replace(doc) {
    this.#agent = this.doc = doc;
    for (const list of LISTS) {
      const values = listOf(doc, list);
      this.#rows[list] = this.#rows[list] ? rekey(values, this.#rows[list]) : rows(values);
    }
    this.#settle();
  }

  /** A run begins. */
  begin() {
    this.#settle();
    this.#running = true;
  }

  /** The run has a new document for us. */
  receive(doc) {
    if (doc === this.#agent) return;
    this.#agent = doc;
    for (const list of LISTS) {
      const before = this.#agentRows[list];
      const now = rekey(listOf(doc, list), before, this.#gone[list]);
      const there = new Set(now.map((row) => row.key));
      this.#gone[list] = [...before, ...this.#gone[list]].filter((row) => !there.has(row.key));
      this.#agentRows[list] = now;
    }
    this.#show();
  }

  /** The run is over, however it ended. */
  end() {
    this.#running = false;
    this.#settle();
  }

  /**
   * A change by the person:
   *   {kind: "field", field, value}            a single value
   *   {kind: "prefer", name, on}               one of the preferences
   *   {kind: "cell", list, key, field, value}  in a row; field is null where rows are texts
   *   {kind: "add", list, value, after}        after: a key, or undefined for the end
   *   {kind: "remove", list, key}
   *   {kind: "move", list, key, by}            by places, down if positive
   * Returns the key of an added row.
   */
  edit(change) {
    let key;
    if (change.kind === "field") this.#edits.fields.set(change.field, change.value);
    else if (change.kind === "prefer") this.#edits.preferences.set(change.name, change.on);
    else key = this.#editList(change, this.#edits[change.list], this.#rows[change.list]);
    this.#show();
    if (!this.#running) this.#settle();
    return key;
  }

  /** Says which row holds the cursor (null: none). The agent does not take it away. */
  hold(key) {
    if (key === this.#held) return;
    this.#held = key;
    if (this.#running) this.#show();
  }

  #editList(change, edits, shown) {
    const { key } = change;
    const at = shown.findIndex((row) => row.key === key);
    switch (change.kind) {
      case "cell": {
        const cells = edits.cells.get(key) ?? new Map();
        edits.cells.set(key, cells.set(change.field, change.value));
        return key;
      }
      case "remove":
        edits.removed.add(key);
        return key;
      case "add": {
        const fresh = mint();
        const after = shown.findIndex((row) => row.key === change.after);
        shown.splice(after < 0 ? shown.length : after + 1, 0, { key: fresh, value: change.value });
        edits.added.add(fresh);
        return fresh;
      }
      case "move": {
        const [row] = shown.splice(at, 1);
        shown.splice(Math.max(0, at + change.by), 0, row);
        edits.moved = true;
        return key;
      }
    }
    throw new TypeError(`no such change: ${change.kind}`);
  }

  // #show lays the person's changes over the agent's document.
  #show() {
    const members = {};
    for (const field of FIELDS) {
      if (this.#edits.fields.has(field)) members[field] = this.#edits.fields.get(field);
    }
    if (this.#edits.preferences.size > 0) {
      members.special_preferences = preferred(listOf(this.#agent, "special_preferences"), this.#edits.preferences);
    }
    for (const list of LISTS) {
      const edits = this.#edits[list];
      const shown = this.#list(list, edits);
      this.#rows[list] = shown;
      const touched = edits.moved || edits.removed.size > 0 || edits.added.size > 0 || edits.cells.size > 0;
      const kept = shown.length !== this.#agentRows[list].length;
      if (touched || kept) members[list] = shown.map((row) => row.value);
    }
    this.doc = Object.keys(members).length > 0 ? withRecipe(this.#agent, members) : this.#agent;
  }

  #list(list, edits) {
    const mine = new Map(this.#rows[list].map((row) => [row.key, row]));
    const theirs = new Map(this.#agentRows[list].map((row) => [row.key, row]));
    const stays = (key) => edits.added.has(key) || edits.cells.has(key) || key === this.#held;
    const order = edits.moved ? weave([...mine.keys()], [...theirs.keys()]) : weave([...theirs.keys()], [...mine.keys()]);
    return order
      .filter((key) => !edits.removed.has(key) && (theirs.has(key) || stays(key)))
      .map((key) => {
        let { value } = theirs.get(key) ?? mine.get(key);
        for (const [field, text] of edits.cells.get(key) ?? []) {
          value = field === null ? text : { ...(isObject(value) ? value : { name: value }), [field]: text };
        }
        return { key, value };
      });
  }

  // #settle makes what is shown the one document.
  #settle() {
    this.#agent = this.doc;
    this.#edits = { fields: new Map(), preferences: new Map() };
    for (const list of LISTS) {
      this.#agentRows[list] = this.#rows[list].map((row) => ({ ...row }));
      this.#gone[list] = [];
      this.#edits[list] = { cells: new Map(), removed: new Set(), added: new Set(), moved: false };
    }
  }
}

function preferred(before, changes) {
  const kept = before.filter((name) => changes.get(name) !== false);
  const added = [...changes].filter(([name, on]) => on && !kept.includes(name)).map(([name]) => name);
  return [...kept, ...added];
}
