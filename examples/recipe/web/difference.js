// What changed between two documents, in words: for the announcer, tool cards, undo.

import { equal } from "./patch.js";
import { FIELDS, listOf, recipeOf } from "./recipe.js";
import { rekey, rows } from "./rows.js";

const NAMES = { title: "title", skill_level: "skill level", cooking_time: "cooking time" };
const ROWS = { ingredients: ["ingredient", "ingredients"], instructions: ["step", "steps"] };

/** `["title", "2 ingredients added", …]`; empty when the recipe is the same. */
export function difference(before, after) {
  const [a, b] = [recipeOf(before), recipeOf(after)];
  const words = FIELDS.filter((field) => a[field] !== b[field]).map((field) => NAMES[field]);
  if (!equal(a.special_preferences ?? [], b.special_preferences ?? [])) words.push("preferences");
  return [...words, ...listWords("ingredients", before, after), ...listWords("instructions", before, after)];
}

function listWords(list, before, after) {
  const old = rows(listOf(before, list));
  const now = rekey(listOf(after, list), old);
  const was = new Map(old.map((row) => [row.key, row.value]));
  const stayed = now.filter((row) => was.has(row.key));
  const counts = {
    added: now.length - stayed.length,
    changed: stayed.filter((row) => !equal(was.get(row.key), row.value)).length,
    removed: old.length - stayed.length,
  };
  const words = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${ROWS[list][n === 1 ? 0 : 1]} ${what}`);
  const keys = new Set(stayed.map((row) => row.key));
  const order = old.filter((row) => keys.has(row.key));
  if (stayed.some((row, i) => row.key !== order[i].key)) words.push(`${ROWS[list][1]} reordered`);
  return words;
}

/** A list of words as a sentence has it: "a, b and c". */
export function sentence(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
