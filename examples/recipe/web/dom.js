// The few lines that stand in for a framework. Text becomes text nodes: nothing here, nor anywhere
// else on the page, turns a string into HTML (and the page's policy forbids it).

/** An element: h("li", {class: "row", onclick: f, "aria-label": "…"}, "text", child, …). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Writes text only where it differs, so that selections and screen readers are left in peace. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A new id, also on a plain-http address in the local network, where randomUUID is missing. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0"));
  return hex.join("");
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Shows for a moment who changed what an element holds: "you" or "agent". */
export function mark(element, by) {
  const running = element.dataset.by === by ? element.getAnimations() : [];
  if (running.length > 0) {
    for (const animation of running) animation.currentTime = 0;
    return;
  }
  element.dataset.by = by;
  element.addEventListener("animationend", unmark);
}

function unmark(event) {
  if (event.target !== event.currentTarget) return;
  delete event.currentTarget.dataset.by;
  event.currentTarget.removeEventListener("animationend", unmark);
}

/**
 * Puts nodes into this order under their parent, moving as few as it can and never the one that
 * holds the cursor: a node that moves loses it. What moved glides to its new place.
 */
export function arrange(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  if (nodes.length === 0) return;
  const here = nodes.filter((node) => node.parentNode === parent);
  const tops = still.matches ? null : new Map(here.map((node) => [node, node.offsetTop]));
  const fixed = nodes.find((node) => node.contains(document.activeElement)) ?? here[0] ?? nodes[0];
  if (fixed.parentNode !== parent) parent.append(fixed);
  const at = nodes.indexOf(fixed);
  let moved = false;
  for (let i = at - 1; i >= 0; i--) {
    if (nodes[i].nextElementSibling === nodes[i + 1] && nodes[i].parentNode === parent) continue;
    parent.insertBefore(nodes[i], nodes[i + 1]);
    moved = true;
  }
  for (let i = at + 1; i < nodes.length; i++) {
    if (nodes[i - 1].nextElementSibling === nodes[i]) continue;
    nodes[i - 1].after(nodes[i]);
    moved = true;
  }
  if (!moved || !tops) return;
  for (const node of here) {
    const by = tops.get(node) - node.offsetTop;
    if (by !== 0) node.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 220, easing: "ease-out" });
  }
}
