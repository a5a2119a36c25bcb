// The fields of a form for a value that a JSON Schema describes, or that is there to be changed.

import { isWritten, number, parse } from "./exact.js";
import { isObject } from "./recipe.js";

/**
 * The fields of an object, `[{name, label, hint, kind, options, required, value, text}]`: kind is
 * "text", "choice", "number", "integer", "boolean" or "json", value the member there is, and text what
 * stands in the field. Members that a value has and the schema lacks have a field, too. A schema of something else than an object has
 * one field, whose name is null.
 */
export function fieldsOf(schema, value) {
  const whole = isObject(schema) ? schema : {};
  if (!isObject(value) && !isObject(whole.properties)) return [field(null, whole, value, true)];
  const properties = isObject(whole.properties) ? whole.properties : {};
  const values = isObject(value) ? value : {};
  const required = Array.isArray(whole.required) ? whole.required : [];
  return [...new Set([...Object.keys(properties), ...Object.keys(values)])].map((name) =>
    field(name, isObject(properties[name]) ? properties[name] : {}, values[name], required.includes(name) || Object.hasOwn(values, name)),
  );
}

function field(name, schema, value, required) {
  const kind = kindOf(schema, value);
  return {
    name,
    label: typeof schema.title === "string" ? schema.title : name === null ? "Your answer" : name.replaceAll("_", " "),
    hint: typeof schema.description === "string" ? schema.description : "",
    kind,
    options: kind === "choice" ? schema.enum : [],
    required,
    value,
    text: value === undefined ? "" : kind === "json" ? JSON.stringify(value, null, 1) : isWritten(value) ? value.rawJSON : String(value),
  };
}

function kindOf(schema, value) {
  if (Array.isArray(schema.enum) && schema.enum.length > 0 && schema.enum.every((one) => typeof one === "string")) return "choice";
  const [type] = [schema.type].flat().filter((one) => one !== "null");
  const said = type ?? (value === undefined ? "string" : Array.isArray(value) ? "array" : value === null ? "null" : isWritten(value) ? "number" : typeof value);
  return { string: "text", number: "number", integer: "integer", boolean: "boolean" }[said] ?? "json";
}

/**
 * What the fields say: `{value}`, or `{problems}`, by the index of the field. `texts` are what stands
 * in them, and `before` what stood there at first; a boolean's is "true" or "false". A field that says
 * what it said keeps its value, unread. An optional field that is empty is left out.
 */
export function valueOf(fields, texts, before = fields.map((one) => one.text)) {
  const problems = new Map();
  const members = [];
  fields.forEach((one, i) => {
    if (one.value !== undefined && texts[i] === before[i]) return members.push([one.name, one.value]);
    if (texts[i].trim() === "" && !one.required && one.kind !== "boolean") return;
    try {
      members.push([one.name, read(one, texts[i])]);
    } catch (error) {
      problems.set(i, error.message);
    }
  });
  if (problems.size > 0) return { problems };
  if (fields.length === 1 && fields[0].name === null) return { value: members[0]?.[1] };
  return { value: Object.fromEntries(members) };
}

function read({ kind, options }, text) {
  switch (kind) {
    case "text":
      return text;
    case "boolean":
      return text === "true";
    case "choice":
      if (!options.includes(text)) throw new Error("Choose one of them.");
      return text;
    case "number":
    case "integer": {
      const n = text.trim() === "" ? NaN : Number(text);
      if (!Number.isFinite(n)) throw new Error("This has to be a number.");
      if (kind === "number") return number(text.trim());
      if (!Number.isInteger(n)) throw new Error("This has to be a whole number.");
      return Number.isSafeInteger(n) ? n : number(text.trim()); // 1.0 is 1 to a schema, and not to every reader
    }
  }
  try {
    return parse(text);
  } catch {
    throw new Error("This has to be JSON.");
  }
}
