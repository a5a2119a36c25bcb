// The agents of this page's server, and which of them answers.

import { byId, setText } from "./dom.js";

const OWN = { path: "/agent" }; // what is there if nobody says more

/**
 * Under which agent the page keeps what it saves: those of its own server go on with one recipe, one
 * that a link chose has its own.
 */
export const homeOf = (given) => (given === null ? at(OWN.path) : new URL(given, location.href).href);

/**
 * `given` is the URL that a link chose, or null; it wins, and leaves no choice. `chosen` is what
 * was saved, {path, clientTools}; onchange() is called when it is another.
 */
export class Agents {
  #chosen = OWN;
  #given;
  #select = byId("agent-choice");
  #onchange;

  constructor(given, chosen, onchange) {
    this.#given = given === null ? null : new URL(given, location.href);
    this.#onchange = onchange;
    if (given === null && isAgent(chosen)) this.#chosen = chosen;
    this.#select.addEventListener("change", () => {
      this.#chosen = this.all.find((one) => one.path === this.#select.value);
      this.#onchange();
    });
  }

  /** The agents of this server, once it has said so. */
  all = [];

  get url() {
    return this.#given?.href ?? at(this.#chosen.path);
  }

  /** What to save of the choice. */
  get chosen() {
    const { path, clientTools } = this.#chosen;
    return { path, clientTools };
  }

  /** Whether it is known to work with tools. */
  get usesTools() {
    return this.#given === null && this.#chosen.clientTools === true;
  }

  /** Whether to offer it the page's own tools: unless it is known to have no use for them. */
  get takesTools() {
    return this.#given !== null || this.#chosen.clientTools !== false;
  }

  /** Whether the choice may be made now. */
  set open(open) {
    this.#select.disabled = !open;
  }

  /** Asks the server who is there, and says who answers. */
  async discover() {
    const place = byId("agent");
    const { href, origin, host } = new URL(this.url);
    if (origin !== location.origin) {
      setText(place, `with the agent at ${host}`);
      return; // whether a stranger has an /info is not ours to ask
    }
    let info;
    try {
      const response = await fetch(new URL("info", this.#given ? href : location.href), { headers: { Accept: "application/json" } });
      if (!response.ok) return;
      info = await response.json();
    } catch {
      return; // a server need not have it, and the page works without
    }
    if (typeof info.model === "string") setText(place, info.standIn ? "with a stand-in model" : `with ${info.model}`);
    byId("stand-in").hidden = info.standIn !== true;
    if (!this.#given && Array.isArray(info.agents)) this.#offer(info.agents.filter(isAgent));
  }

  #offer(agents) {
    if (agents.length === 0) return;
    this.all = agents;
    const before = this.#chosen.path;
    this.#chosen = agents.find((one) => one.path === before) ?? agents[0];
    this.#select.replaceChildren(...agents.map((one) => new Option(one.name, one.path)));
    this.#select.value = this.#chosen.path;
    byId("agent-choices").hidden = agents.length < 2;
    this.#onchange();
  }
}

// A path of this server: beside the page, wherever that is served.
function at(path) {
  return new URL(`.${path}`, location.href).href;
}

function isAgent(one) {
  return typeof one?.path === "string" && /^\/[\w-]+(?:\/[\w-]+)*$/.test(one.path) && typeof (one.name ?? "") === "string";
}
