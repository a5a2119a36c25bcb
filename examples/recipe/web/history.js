// Undo and redo over both authors' changes: whole documents, since a recipe is small.

const LIMIT = 100;

export class History {
  #past = []; // {doc, author, what}: the document before the change, and who made it
  #future = [];
  #open = null; // the name of the change that goes on: keystrokes in one field are one change

  /** The change that undo or redo would take back or repeat: `{author, what}`, or undefined. */
  get undoable() {
    return this.#past.at(-1);
  }
  get redoable() {
    return this.#future.at(-1);
  }

  /**
   * Notes that `before` has just been changed. Changes that follow under the same name `into` count
   * as one, until something else happens.
   */
  push(before, author, what, into = null) {
    this.#future = [];
    if (into !== null && into === this.#open) return;
    this.#open = into;
    this.#past.push({ doc: before, author, what });
    if (this.#past.length > LIMIT) this.#past.shift();
  }

  /** The field was left: what is typed there next is a change of its own. */
  close() {
    this.#open = null;
  }

  undo(now) {
    return this.#step(this.#past, this.#future, now);
  }
  redo(now) {
    return this.#step(this.#future, this.#past, now);
  }

  #step(from, to, now) {
    this.#open = null;
    const change = from.pop();
    if (!change) return undefined;
    to.push({ ...change, doc: now });
    return change.doc;
  }

  clear() {
    this.#past = [];
    this.#future = [];
    this.#open = null;
  }
}
