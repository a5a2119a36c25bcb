// The page: wires the form, the conversation and the inspector to the one document they share.

import { Agents, homeOf } from "./agents.js";
import { Chat } from "./chat.js";
import { Conversation } from "./conversation.js";
import { difference, sentence } from "./difference.js";
import { byId } from "./dom.js";
import { Inspector } from "./events.js";
import { RecipeForm } from "./form.js";
import { History } from "./history.js";
import { expired, refusal } from "./interrupts.js";
import { blank, isBlank } from "./recipe.js";
import { Shared } from "./shared.js";
import { Store } from "./store.js";
import { Notice, Panes, Suggestions, askFirst, say } from "./surroundings.js";
import { TOOLS } from "./tools.js";

const given = new URLSearchParams(location.search).get("agent");
const store = new Store(homeOf(given));
const history = new History();
const saved = store.load();
const agents = new Agents(given, saved?.agent, () => {
  conversation.url = agents.url;
  changed();
});
const shared = new Shared(saved ? saved.doc : blank());
let conversation = newConversation();
if (saved) conversation.restore(saved);

const wish = byId("wish");
const chat = new Chat({ answer, reopen });
const notice = new Notice();
const panes = new Panes();
const suggestions = new Suggestions((text) => send(text));

const form = new RecipeForm({
  edit(change) {
    // During a run the changes of both are noted when it ends: they are one step each.
    if (!conversation.running) {
      const [what, name] = whatOf(change);
      history.push(shared.doc, "you", what, name);
    }
    const key = shared.edit(change);
    form.render(shared);
    changed();
    return key;
  },
  hold(key) {
    shared.hold(key);
    form.render(shared);
  },
  leave: () => history.close(),
  say,
});

const inspector = new Inspector({
  lookBack: (state) => form.lookBack(state, shared),
  restore: (doc) => replace(doc, "an earlier recipe"),
  say,
});

function newConversation() {
  return new Conversation(agents.url);
}

// whatOf names a change for the undo button, and says which changes count as one.
function whatOf(change) {
  if (change.kind === "field") return [`the ${{ title: "title", skill_level: "skill level", cooking_time: "cooking time" }[change.field]}`, change.field];
  if (change.kind === "prefer") return ["the preferences", null];
  const row = change.list === "ingredients" ? "ingredient" : "step";
  if (change.kind === "cell") return [`the ${row}`, `${change.key} ${change.field}`];
  return [{ add: `adding the ${row}`, remove: `removing the ${row}`, move: `moving the ${row}` }[change.kind], null];
}

/** Sends a message; the state goes along as the form shows it in this moment. */
function send(text) {
  if (conversation.running || text.trim() === "") return;
  if (conversation.questions().length > 0) return toQuestion();
  conversation.say(text.trim());
  if (text === wish.value) {
    wish.value = "";
    fitWish();
  }
  start();
}

/** Takes the person's answer to a question of the agent; when it was the last one, the agent goes on. */
function answer(id, answer) {
  const here = document.activeElement?.closest(".question") !== null;
  if (conversation.answer(id, answer)) start();
  else {
    noticeQuestions();
    changed();
  }
  // The buttons are gone, and the cursor with them.
  if (here && !chat.focusQuestion()) wish.focus();
}

function reopen(id) {
  conversation.reopen(id);
  noticeQuestions();
  changed();
  chat.focusQuestion();
}

function toQuestion() {
  panes.show("chat");
  if (chat.focusQuestion()) say("The agent waits for your answer.");
}

/** Gives up what the agent waits for; then it may be asked again. */
function drop(again) {
  conversation.drop();
  if (again) return retry();
  notice.clear();
  changed();
  wish.focus();
}

async function start() {
  const current = conversation;
  form.collect();
  const before = shared.doc;
  shared.begin();
  inspector.begin(before); // comes back from the past, too, if one is looked at
  notice.clear();
  const started = performance.now();
  const running = current.run(before, agents.takesTools ? TOOLS : [], ({ event, bytes, mirror, problem }) => {
    if (current !== conversation) return; // a new recipe was begun
    inspector.add(event, bytes, performance.now() - started, mirror.state, problem);
    if (event.type.startsWith("STATE_")) {
      const was = shared.doc;
      shared.receive(mirror.state);
      form.render(shared, "agent");
      if (shared.doc !== was) panes.stir("recipe");
      byId("out-of-step").hidden = !mirror.outOfStep;
    }
    if (event.type === "STEP_STARTED") notice.working(event.stepName);
    changed();
  });
  notice.working();
  say("The agent is working.");
  changed();
  chat.toEnd();
  const result = await running;
  if (current === conversation) finish(before, result);
}

function finish(before, result) {
  const agents = shared.agentDoc;
  const agentWords = difference(before, agents);
  const yourWords = difference(agents, shared.doc);
  shared.end();
  form.render(shared);
  if (agentWords.length > 0) history.push(before, "agent", sentence(agentWords));
  if (yourWords.length > 0) history.push(agents, "you", sentence(yourWords));
  if (result.kind === "failed") {
    if (refusal(result.error)?.help === "change") conversation.reopen();
    notice.failed(result.error, retry, drop);
  } else if (result.kind === "stopped") notice.stopped(retry);
  else noticeQuestions();
  if (result.kind === "finished") {
    const last = conversation.messages.findLast((m) => m.role === "assistant" && typeof m.content === "string" && m.content);
    const moved = agentWords.length > 0 ? ` Changed: ${sentence(agentWords)}.` : "";
    const asks = conversation.questions().map((one) => one.text);
    if (asks.length > 0) say(`The agent asks: ${asks.join(" ")}${moved}`);
    else say(`The agent has finished.${moved} ${last?.content ?? ""}`);
    panes.stir("chat");
  }
  changed();
  if (conversation.questions().length > 0) chat.toEnd();
}

function noticeQuestions() {
  const { length } = conversation.questions().filter((one) => !one.entry);
  if (length > 0) notice.asking(length, toQuestion);
  else notice.clear();
}

function retry() {
  conversation.rewind();
  start();
}

/** Puts another document in place of the one that is there, as a change of the person. */
function replace(doc, what) {
  if (conversation.running) return;
  history.push(shared.doc, "you", what);
  shared.replace(doc);
  form.render(shared, "you", true);
  changed();
}

function travel(direction) {
  if (conversation.running) return;
  inspector.toNow();
  form.collect();
  const change = direction === "undo" ? history.undoable : history.redoable;
  const doc = history[direction](shared.doc);
  if (doc === undefined) return;
  shared.replace(doc);
  form.render(shared, "you", true);
  say(`${direction === "undo" ? "Undone" : "Done again"}: ${whose(change)}.`);
  changed();
}

const whose = ({ author, what }) => (author === "agent" ? `the agent's change (${what})` : what);

/** A new recipe is a new thread: nothing of the old one is kept, and nothing of it is sent. */
async function startOver() {
  const fresh = conversation.messages.length === 0 && isBlank(shared.doc);
  if (!fresh && !(await askFirst(byId("new-dialog")))) return;
  conversation.stop();
  conversation = newConversation();
  inspector.toNow();
  inspector.clear();
  history.clear();
  shared.end();
  shared.replace(blank());
  form.render(shared, null, true);
  byId("out-of-step").hidden = true;
  notice.clear();
  wish.value = "";
  fitWish();
  say("A new recipe.");
  changed();
  panes.show("recipe");
  wish.focus();
}

/** After anything: what is derived from the state of things is brought up to date, and saved. */
function changed() {
  const { running, messages, moved, abandoned, said } = conversation;
  const questions = conversation.questions();
  const asking = questions.length > 0;
  chat.render(messages, { running, moved, abandoned, said, questions });
  expireLater(questions);
  agents.open = !running && !asking;
  byId("send").hidden = running;
  byId("stop").hidden = !running;
  wish.placeholder = asking ? "The question first, please" : "Ask for a recipe, or a change";
  fitWish();
  document.body.dataset.running = String(running);
  for (const [id, change] of [["undo", history.undoable], ["redo", history.redoable]]) {
    const button = byId(id);
    button.disabled = running || !change;
    button.title = running ? "After the agent has finished" : change ? `${button.dataset.verb}: ${whose(change)}` : "";
  }
  byId("restore").disabled = running;
  byId("welcome").hidden = messages.length > 0;
  suggestions.show({
    first: messages.length === 0,
    idle: !running && !asking,
    blank: isBlank(shared.doc),
    tools: agents.usesTools,
    doc: shared.doc,
  });
  save();
}

// Saving is put off to the end of the turn: many events may come in one.
let saving = false;
function save() {
  if (saving) return;
  saving = true;
  queueMicrotask(() => {
    saving = false;
    store.save({ ...conversation.saved(), doc: shared.doc, agent: agents.chosen });
  });
}

// A question whose time is over is drawn again, as one.
let expiring;
function expireLater(questions) {
  clearTimeout(expiring);
  const left = questions
    .filter(({ interrupt, entry }) => interrupt && !entry && !expired(interrupt))
    .map(({ interrupt }) => Date.parse(interrupt.expiresAt) - Date.now())
    .filter((time) => time < 2 ** 31); // what a timer can hold; NaN is not
  if (left.length > 0) expiring = setTimeout(changed, Math.min(...left) + 1);
}

function fitWish() {
  byId("send").disabled = wish.value.trim() === "" || conversation.questions().length > 0;
  if (CSS.supports("field-sizing", "content")) return;
  wish.style.height = "auto";
  wish.style.height = `${wish.scrollHeight}px`;
}

byId("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  send(wish.value);
});
byId("sheet-form").addEventListener("submit", (event) => event.preventDefault());
wish.addEventListener("input", fitWish);
wish.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send(wish.value);
});
byId("stop").addEventListener("click", () => {
  conversation.stop();
  wish.focus();
});
byId("new").addEventListener("click", startOver);
byId("undo").addEventListener("click", () => travel("undo"));
byId("redo").addEventListener("click", () => travel("redo"));
document.addEventListener("keydown", (event) => {
  // In the chat's own field the browser's undo is the right one.
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target === wish) return;
  const key = event.key.toLowerCase();
  const direction = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : null;
  if (!direction) return;
  event.preventDefault();
  travel(direction);
});
// A run that goes on when the page is left would end as an error nobody sees.
addEventListener("pagehide", () => conversation.stop());

form.render(shared);
changed();
if (conversation.unfinished && conversation.questions().length === 0) notice.unfinished(retry);
else noticeQuestions();
chat.toEnd();
agents.discover();
