// Tools on this side of the line: those that the page offers and runs itself, and what a call says
// while its arguments are still being written.

import { parse } from "./exact.js";
import { isObject } from "./recipe.js";

/** The page's own tools, as they go along with every run. */
export const TOOLS = [
  {
    name: "confirm_deletion",
    description:
      "Asks the user in the browser whether things may be deleted from the recipe. " +
      'The result is {"confirmed":true} or {"confirmed":false}.',
    parameters: {
      type: "object",
      properties: {
        items: { type: "array", items: { type: "string" }, description: "what would be deleted, as the recipe calls it" },
      },
      required: ["items"],
    },
  },
];

/** The ids of all calls that have no result. */
export function unanswered(messages) {
  const answered = new Set(messages.filter((m) => m.role === "tool").map((m) => m.toolCallId));
  return callsOf(messages).map((call) => call.id).filter((id) => !answered.has(id));
}

/** The calls that wait for this page: of its own tools, without a result, and not given up. */
export function waiting(messages, abandoned = new Set()) {
  const open = new Set(unanswered(messages));
  const own = (call) => TOOLS.some((tool) => tool.name === call.function.name);
  return callsOf(messages).filter((call) => open.has(call.id) && own(call) && !abandoned.has(call.id));
}

const callsOf = (messages) => messages.flatMap((m) => m.toolCalls ?? []);

/** What a call of confirm_deletion asks. Models are not held to the schema, so this is not either. */
export function confirmation(call) {
  const { items } = partial(call.function.arguments) ?? {};
  const list = (Array.isArray(items) ? items : [items]).filter((item) => typeof item === "string" && item.trim() !== "");
  if (list.length === 0) return "Delete what the agent wants to delete? It did not say what.";
  return `Delete ${list.length < 2 ? list[0] : `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`}?`;
}

/** The messages with the result of a call, which stands behind the call and the results there. */
export function withResult(messages, { id, toolCallId, content }) {
  let at = messages.findIndex((m) => m.toolCalls?.some((call) => call.id === toolCallId)) + 1;
  if (at === 0) throw new TypeError(`no such call: ${toolCallId}`);
  while (messages[at]?.role === "tool") at++;
  return messages.toSpliced(at, 0, { id, role: "tool", toolCallId, content });
}

/**
 * The object that a piece of JSON text begins, as far as it goes: what is open is closed, and what
 * is half a name or half a literal is left out. Numbers stay as they were written. Undefined when it
 * begins no object.
 */
export function partial(text) {
  const closers = [];
  let string = false;
  let end = 0; // behind the last thing that is whole
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (string) {
      if (c === "\\") i++;
      else if (c === '"') string = false;
      continue;
    }
    if (c === '"') string = true;
    else if (c === "{" || c === "[") {
      closers.push(c === "{" ? "}" : "]");
      end = i + 1;
    } else if (c === "}" || c === "]") closers.pop();
    else if (c === ",") end = i;
  }
  const close = closers.toReversed().join("");
  // An escape that is cut off goes; what is left of the string stays.
  const open = string ? `${text.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/, "")}"` : text;
  for (const candidate of [text, open + close, text.slice(0, end) + close]) {
    try {
      const value = parse(candidate);
      return isObject(value) ? value : undefined;
    } catch {
      // the next one keeps less
    }
  }
  return undefined;
}
