// A question of the agent, as a part of a card: what it asks, and the ways to answer.

import { h } from "./dom.js";
import { isWritten, parse } from "./exact.js";
import { approve, cancel, deny, expired, inWords, respond, takes } from "./interrupts.js";
import { isObject } from "./recipe.js";
import { fieldsOf, valueOf } from "./schema.js";

// A text of more characters gets lines.
const LONG = 60;

/**
 * Shows one question:
 *   {id, kind: "confirm", text}                           a call of the page's own tool
 *   {id, kind: "approval" | "input", text, interrupt, call, entry}   an interrupt; call is its tool call,
 *                                                         entry its answer while others lack theirs
 * on.answer(id, answer) takes true or false for "confirm", otherwise an entry; on.reopen(id).
 */
export class QuestionView {
  #shown = "";
  #on;

  constructor(on) {
    this.#on = on;
    this.element = h("div", { class: "question", role: "group", "aria-label": "The agent asks" });
  }

  /** Draws it anew only where it is another one than before: nothing typed is lost. */
  write(question) {
    const late = question.interrupt !== undefined && expired(question.interrupt);
    const key = JSON.stringify([question.id, question.text, question.entry, late]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.question = question;
    if (question.entry) return this.#draw(this.#said(question));
    if (late) return this.#draw(this.#late());
    this.#ask();
  }

  /** Puts the cursor on it. */
  focus() {
    this.element.querySelector("input, textarea, select, button")?.focus();
  }

  #ask(focus) {
    const { kind } = this.question;
    this.#draw(kind === "confirm" ? this.#confirm() : kind === "approval" ? this.#approval() : this.#input());
    if (focus) this.element.querySelector(`[data-act=${focus}]`)?.focus();
  }

  #draw(nodes) {
    const here = this.element.contains(document.activeElement);
    this.element.replaceChildren(...nodes);
    if (here) this.element.scrollIntoView({ block: "nearest" });
  }

  #text() {
    return h("p", { class: "question-text" }, this.question.text);
  }

  #answer(answer) {
    this.#on.answer(this.question.id, answer);
  }

  #confirm() {
    return [
      this.#text(),
      buttons(
        button("Yes, delete", "danger", () => this.#answer(true)),
        button("No, keep", "", () => this.#answer(false)),
      ),
    ];
  }

  #approval() {
    const { interrupt } = this.question;
    const edit = takes(interrupt, "arguments") && Object.keys(this.#arguments()).length > 0;
    return [
      this.#text(),
      buttons(
        button("Approve", "primary", () => this.#answer(approve())),
        edit ? button("Edit…", "", () => this.#edit(), "edit") : null,
        takes(interrupt, "reason")
          ? button("Deny…", "", () => this.#deny(), "deny")
          : button("Deny", "", () => this.#answer(deny())),
      ),
    ];
  }

  #arguments() {
    try {
      const value = parse(this.question.call?.function.arguments || "{}");
      if (isObject(value) && !isWritten(value)) return value;
    } catch {
      // Broken arguments can be approved or denied, not edited.
    }
    return {};
  }

  #edit() {
    const send = (value, edited) => this.#answer(edited ? approve(value) : approve());
    this.#unfold("edit", fieldsOf(null, this.#arguments()), "Approve with changes", send);
  }

  #deny() {
    const reason = { name: "reason", label: "Why not? The agent reads it.", hint: "", kind: "text", options: [], required: false, text: "" };
    this.#unfold("deny", [reason], "Deny", (value) => this.#answer(deny(value.reason)));
  }

  // #unfold shows a form in place of the buttons; Back and Escape lead back to the one that opened it.
  #unfold(act, fields, verb, submit) {
    const leave = () => this.#ask(act);
    const unfolded = form(fields, verb, submit, button("Back", "", leave));
    unfolded.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      leave();
    });
    this.#draw([this.#text(), unfolded]);
    this.focus();
  }

  #input() {
    const { interrupt } = this.question;
    const fields = fieldsOf(interrupt.responseSchema, undefined);
    // Without a schema an empty answer is one, too: "go on".
    if (!interrupt.responseSchema) fields[0].required = false;
    const leave = button("Leave it", "", () => this.#answer(cancel()));
    return [this.#text(), form(fields, "Answer", (value) => this.#answer(respond(value)), leave)];
  }

  #late() {
    return [
      this.#text(),
      h("p", { class: "question-note" }, "The time for an answer is over."),
      buttons(button("Leave it", "", () => this.#answer(cancel()))),
    ];
  }

  #said({ id, entry, kind }) {
    return [
      h("p", { class: "question-note" }, `${inWords(entry, kind)} The agent does not know yet.`),
      buttons(button("Change", "", () => this.#on.reopen(id), "change")),
    ];
  }
}

function button(text, look, onclick, act) {
  return h("button", { type: "button", class: `tool wide ${look}`, onclick, "data-act": act }, text);
}

function buttons(...all) {
  return h("div", { class: "question-tools" }, ...all);
}

// form shows fields; submit(value, edited) is called with what they say when all of it is right, and
// whether they say anything else than at first.
function form(fields, verb, submit, other) {
  const inputs = fields.map(inputFor);
  const says = () => inputs.map((input) => (input.type === "checkbox" ? String(input.checked) : input.value));
  const before = says(); // an input may hold less than the text it got: line ends, for one
  const frames = fields.map((one, i) => {
    const hint = one.hint ? h("span", { class: "hint" }, one.hint) : null;
    return h("label", { class: `answer-field ${one.kind}` }, h("span", {}, one.label), inputs[i], hint);
  });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  return h(
    "form",
    {
      autocomplete: "off",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        const now = says();
        const { value, problems } = valueOf(fields, now, before);
        inputs.forEach((input, i) => input.setAttribute("aria-invalid", String(problems?.has(i) ?? false)));
        problem.hidden = !problems;
        if (!problems) return submit(value, now.some((text, i) => text !== before[i]));
        const [[first, words]] = problems;
        problem.textContent = `${fields[first].label}: ${words}`;
        inputs[first].focus();
      },
    },
    ...frames,
    problem,
    buttons(h("button", { type: "submit", class: "tool wide primary" }, verb), other),
  );
}

function inputFor({ kind, options, text }) {
  if (kind === "boolean") return h("input", { type: "checkbox", checked: text === "true" });
  if (kind === "json" || (kind === "text" && (text.length > LONG || /[\r\n]/.test(text)))) {
    const rows = Math.min(Math.max(text.split("\n").length, 3), 10);
    const area = h("textarea", { rows: String(rows), spellcheck: kind === "json" ? "false" : null });
    area.value = text;
    return area;
  }
  if (kind === "choice") {
    const select = h("select", {}, ...(text === "" ? [new Option("–", "")] : []), ...options.map((one) => new Option(one, one)));
    select.value = text;
    return select;
  }
  const numeric = kind === "number" || kind === "integer";
  const input = h("input", { type: "text", inputmode: numeric ? "decimal" : null });
  input.value = text;
  return input;
}
