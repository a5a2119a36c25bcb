// Identity in lists. The document's rows have no ids, yet a person sees things: the flour stays the
// flour when it moves or changes its amount. Here each row gets a key that lives as long as the
// page, and a new version of a list is matched against the one before.

import { equal } from "./patch.js";
import { isObject, text } from "./recipe.js";

let minted = 0;
export const mint = () => `r${++minted}`;

/** Rows `{key, value}` for a list that was not there before. */
export function rows(values) {
  return values.map((value) => ({ key: mint(), value }));
}

/**
 * Gives the values of a new list the keys of the rows they come from. `before` are the rows as they
 * were, `gone` those that left earlier and may come back: a list that is written anew starts empty
 * and gains its rows one by one. The surest signs are tried first:
 *   1. the same value at the same place, 2. the same value, 3. the beginning of a known value (it is
 *   being written), 4. the same name, 5. the same place.
 */
export function rekey(values, before, gone = []) {
  const known = [...before, ...gone];
  const free = new Set(known);
  const keys = new Array(values.length);
  const match = (candidates) => {
    values.forEach((value, i) => {
      if (keys[i] !== undefined) return;
      const row = candidates(value, i);
      if (row && free.delete(row)) keys[i] = row.key;
    });
  };
  const first = (test) => known.find((row) => free.has(row) && test(row));
  match((value, i) => (before[i] && equal(before[i].value, value) ? before[i] : undefined));
  match((value) => first((row) => equal(row.value, value)));
  match((value) => first((row) => begins(value, row.value)));
  match((value) => (name(value) ? first((row) => name(row.value) === name(value)) : undefined));
  match((value, i) => (free.has(before[i]) ? before[i] : undefined));
  return values.map((value, i) => ({ key: keys[i] ?? mint(), value }));
}

function name(value) {
  return isObject(value) ? text(value.name).trim().toLowerCase() : "";
}

// Whether value is an unfinished writing of whole. Nothing at all is the beginning of anything, so
// something has to be there; an object that has all its members is finished ("Egg" is not "Egg white").
function begins(value, whole) {
  if (typeof value === "string") return value !== "" && typeof whole === "string" && whole.startsWith(value);
  if (!isObject(value) || !isObject(whole) || text(value.name) === "") return false;
  const keys = Object.keys(value);
  return keys.length < Object.keys(whole).length && keys.every((key) => text(whole[key]).startsWith(text(value[key])));
}

/**
 * Joins two orders: the keys of `main` in their order, and each other key of `extra` behind the one
 * that it follows there.
 */
export function weave(main, extra) {
  const result = [...main];
  const placed = new Set(main);
  extra.forEach((key, i) => {
    if (placed.has(key)) return;
    let at = 0;
    for (let j = i - 1; j >= 0 && at === 0; j--) at = result.indexOf(extra[j]) + 1;
    result.splice(at, 0, key);
    placed.add(key);
  });
  return result;
}
