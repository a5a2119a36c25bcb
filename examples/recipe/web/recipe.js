// The shape of the shared document, read with tolerance: it comes from a model, over a network, from
// whatever agent the page was pointed at.

export const SKILLS = ["Beginner", "Intermediate", "Advanced"];
export const TIMES = ["5 min", "15 min", "30 min", "45 min", "60+ min"];
export const PREFERENCES = [
  "High Protein",
  "Low Carb",
  "Spicy",
  "Budget-Friendly",
  "One-Pot Meal",
  "Vegetarian",
  "Vegan",
];

/** The members that hold one value, and those that hold a list of rows. */
export const FIELDS = ["title", "skill_level", "cooking_time"];
export const LISTS = ["ingredients", "instructions"];

/** A recipe nobody has touched. */
export function blank() {
  return {
    recipe: {
      title: "",
      skill_level: SKILLS[0],
      cooking_time: TIMES[2],
      special_preferences: [],
      ingredients: [],
      instructions: [],
    },
  };
}

/** Whether there is anything in it worth keeping. */
export function isBlank(doc) {
  return text(recipeOf(doc).title) === "" && LISTS.every((list) => listOf(doc, list).length === 0);
}

export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The recipe of a document; an empty one if there is none. */
export function recipeOf(doc) {
  return isObject(doc) && isObject(doc.recipe) ? doc.recipe : {};
}

export function listOf(doc, list) {
  const value = recipeOf(doc)[list];
  return Array.isArray(value) ? value : [];
}

/** The document with some members of its recipe replaced. Everything else in it stays. */
export function withRecipe(doc, members) {
  return { ...(isObject(doc) ? doc : {}), recipe: { ...recipeOf(doc), ...members } };
}

/** What a text field shows of a value. */
export function text(value) {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** What the field of a row shows. A row of `instructions` is a text and has no fields. */
export function cell(value, field) {
  if (field === null) return text(value);
  if (isObject(value)) return text(value[field]);
  return field === "name" ? text(value) : ""; // an ingredient that an agent wrote as bare text
}
