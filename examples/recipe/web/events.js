// The inspector: the events of a run as they come, and a slider through the states it went through.

import { byId, h, setText } from "./dom.js";
import { KINDS, MEANING, Trace, bytes, describe, since, summary } from "./trace.js";

const ROWS = 500; // as many events are drawn; the others are counted, and are in the copy

export class Inspector {
  #traces = [];
  #shown = null; // the trace that is drawn
  #hidden = new Set(); // kinds that are filtered out
  #drawn = 0;
  #on;

  /** on: {lookBack({doc} or null), restore(doc), say(text)} */
  constructor(on) {
    this.#on = on;
    for (const kind of KINDS) {
      const input = h("input", { type: "checkbox", checked: true, value: kind, autocomplete: "off" });
      input.checked = true;
      input.addEventListener("change", () => {
        this.#hidden[input.checked ? "delete" : "add"](kind);
        this.#draw();
      });
      byId("kinds").append(h("label", { class: "chip small" }, input, h("span", { "data-kind": kind }, kind)));
    }
    byId("run-choice").addEventListener("change", (event) => this.#show(this.#traces[event.target.selectedIndex]));
    byId("run-details").addEventListener("toggle", () => this.#draw());
    byId("copy").addEventListener("click", () => this.#copy());
    const slider = byId("slider");
    slider.addEventListener("input", () => this.#look(Number(slider.value)));
    byId("earlier").addEventListener("click", () => this.#look(Number(slider.value) - 1));
    byId("later").addEventListener("click", () => this.#look(Number(slider.value) + 1));
    byId("to-now").addEventListener("click", () => this.toNow());
    byId("restore").addEventListener("click", () => {
      const { doc } = this.#shown.states[Number(slider.value)];
      this.toNow();
      on.restore(doc);
    });
  }

  /** A run begins, from this document. */
  begin(doc) {
    const trace = new Trace(`Run ${this.#traces.length + 1}`, doc);
    this.#traces.push(trace);
    byId("run-choice").append(new Option(trace.label));
    byId("run-choice").selectedIndex = this.#traces.length - 1;
    byId("run-choice").hidden = this.#traces.length < 2;
    this.#show(trace);
    return trace;
  }

  /** An event has come in the newest run. */
  add(event, size, at, doc, problem) {
    const trace = this.#traces.at(-1);
    const atEnd = Number(byId("slider").value) === this.#last;
    const entry = trace.add(event, size, at, doc, problem);
    if (trace !== this.#shown) return;
    if (this.#open) this.#append(entry, trace.events.length);
    this.#count();
    this.#scale(atEnd);
  }

  /** Back from the past, if one is there. */
  toNow() {
    this.#scale(true);
    this.#look(this.#last);
  }

  clear() {
    this.#traces = [];
    this.#shown = null;
    byId("run-choice").replaceChildren();
    byId("run-choice").hidden = true;
    byId("past").hidden = true;
    this.#draw();
  }

  get #open() {
    return byId("run-details").open;
  }

  // The last place of the slider is now: the page as it is, not a state of the run.
  get #last() {
    return this.#shown ? this.#shown.states.length : 0;
  }

  #show(trace) {
    this.#shown = trace;
    this.#draw();
    this.toNow();
  }

  #draw() {
    this.#drawn = 0;
    byId("events").replaceChildren();
    const entries = this.#shown?.events ?? [];
    if (this.#open) {
      const from = Math.max(0, entries.length - ROWS);
      entries.slice(from).forEach((entry, i) => this.#append(entry, from + i + 1));
    }
    byId("no-events").hidden = entries.length > 0;
    this.#count();
    this.#scale(byId("slider").value === byId("slider").max);
  }

  #count() {
    const entries = this.#shown?.events ?? [];
    const total = this.#shown?.bytes ?? 0;
    setText(byId("event-count"), entries.length === 0 ? "" : `${entries.length} events, ${bytes(total)}`);
    setText(byId("savings"), this.#shown?.savings() ?? "");
    byId("copy").disabled = entries.length === 0;
    byId("no-events").hidden = entries.length > 0;
  }

  #append(entry, number) {
    if (this.#hidden.has(entry.kind)) return;
    const list = byId("events");
    const stay = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(row(entry, number));
    if (++this.#drawn > ROWS) list.firstElementChild.remove();
    if (stay) list.scrollTop = list.scrollHeight;
  }

  #scale(toEnd) {
    const slider = byId("slider");
    const states = this.#last;
    slider.max = String(states);
    if (toEnd) slider.value = String(states);
    byId("replay").hidden = states < 2;
    this.#label();
  }

  #look(place) {
    const slider = byId("slider");
    slider.value = String(Math.min(Math.max(place, 0), this.#last));
    const at = Number(slider.value);
    const state = at < this.#last ? this.#shown.states[at] : null;
    byId("past").hidden = state === null;
    this.#label();
    if (state) {
      for (const element of byId("events").querySelectorAll("[aria-current]")) element.removeAttribute("aria-current");
      const made = byId("events").querySelector(`[data-number="${state.index + 1}"]`);
      made?.setAttribute("aria-current", "true");
      made?.scrollIntoView({ block: "nearest" });
    }
    this.#on.lookBack(state);
  }

  #label() {
    const slider = byId("slider");
    const at = Number(slider.value);
    const state = at < this.#last ? this.#shown.states[at] : null;
    let text = "now";
    if (state?.index === -1) text = "before the run";
    else if (state) text = `after event ${state.index + 1}, ${since(this.#shown.events[state.index].at)}`;
    slider.setAttribute("aria-valuetext", text);
    setText(byId("place"), text);
    setText(byId("past-place"), `You are looking at the recipe as it was ${text}.`);
    byId("earlier").disabled = at === 0;
    byId("later").disabled = at === this.#last;
  }

  async #copy() {
    const lines = this.#shown.events.filter((entry) => !this.#hidden.has(entry.kind)).map((entry) => JSON.stringify(entry.event));
    try {
      await navigator.clipboard.writeText(`${lines.join("\n")}\n`);
      this.#on.say(`${lines.length} events copied.`);
    } catch {
      this.#on.say("The browser did not allow copying.");
    }
  }
}

function row({ event, bytes: size, at, kind, problem }, number) {
  const details = h("div", { class: "event-more" });
  const element = h(
    "details",
    { class: "event", "data-number": number, "data-type": event.type },
    h(
      "summary",
      {},
      h("span", { class: "event-at" }, since(at)),
      h("span", { class: "event-type", "data-kind": kind }, event.type),
      h("span", { class: "event-summary" }, problem ?? summary(event)),
      h("span", { class: "event-size" }, bytes(size)),
    ),
    details,
  );
  if (problem) element.classList.add("problem");
  element.addEventListener("toggle", () => {
    if (element.open && !details.hasChildNodes()) details.append(...more(event));
  });
  return element;
}

// more is made when somebody unfolds the event: most are never looked at.
function more(event) {
  const parts = [];
  if (MEANING[event.type]) parts.push(h("p", { class: "meaning" }, MEANING[event.type]));
  const patch = event.type === "STATE_DELTA" ? event.delta : event.type === "ACTIVITY_DELTA" ? event.patch : null;
  if (Array.isArray(patch)) {
    const lines = patch.map((op) => {
      const { sign, path, text } = describe(op);
      return h("li", {}, h("b", { class: "sign" }, sign), h("span", { class: "op-path" }, path), h("span", {}, text));
    });
    parts.push(h("ul", { class: "patch" }, ...lines));
  }
  parts.push(h("pre", {}, JSON.stringify(event, null, 2)));
  return parts;
}
