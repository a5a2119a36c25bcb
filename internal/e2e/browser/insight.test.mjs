// What the page shows of the run: tool calls, the events, the way back through its states.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { op, soup } from "./agent.mjs";
import { launch, open, shut } from "./page.mjs";

await launch();
after(shut);

const begin = async (t, options = {}) => {
  const opened = await open(t, { saved: {}, ...options });
  await opened.ui.send("go");
  const run = await opened.agent.nextRun();
  await run.start();
  await opened.ui.running();
  return { ...opened, run };
};

const call = (id, name, more = {}) => ({ type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, ...more });
const args = (id, delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: id, delta });
const end = (id) => ({ type: "TOOL_CALL_END", toolCallId: id });
const result = (id, content, more = {}) => ({ type: "TOOL_CALL_RESULT", toolCallId: id, messageId: `result-${id}`, content, ...more });

test("a tool call is a card: arguments as they stream, state moved inside, result", async (t) => {
  const { agent, ui, page, run } = await begin(t);
  const card = page.locator(".card");
  await run.send({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "Let me see." }, { type: "TEXT_MESSAGE_END", messageId: "m1" });
  await run.send(call("c1", "add_ingredient", { parentMessageId: "m1" }), args("c1", '{"name":"Nut'));
  await ui.textHas(card, "add_ingredient");
  await ui.textHas(card.locator("dl"), /name\s+Nut$/);
  await ui.textHas(card, "working…");
  await run.send(args("c1", 'meg","amount":"a pinch"}'));
  await ui.textHas(card.locator("dl"), /name\s+Nutmeg\s+amount\s+a pinch/);
  await run.delta(op.add("/recipe/ingredients/-", { icon: "🌰", name: "Nutmeg", amount: "a pinch" }));
  await ui.textHas(card, "While it ran: 1 ingredient added.");
  await run.send(end("c1"), result("c1", "added"));
  await ui.textHas(card, "done");
  await ui.textHas(card.locator(".card-result"), "added");
  await run.delta(op.replace("/recipe/title", "Nutty")); // after the result: not this call's
  await run.text("m2", "I added nutmeg.");
  await run.finish();
  await ui.idle();
  assert.equal(await card.locator(".card-moved").innerText(), "While it ran: 1 ingredient added.");
  assert.equal(await card.count(), 1);
  await ui.send("thanks");
  const { messages } = (await agent.nextRun()).input;
  assert.deepEqual(messages.map((m) => m.role), ["user", "assistant", "tool", "assistant", "user"]);
  assert.deepEqual(messages[1].toolCalls, [{ id: "c1", type: "function", function: { name: "add_ingredient", arguments: '{"name":"Nutmeg","amount":"a pinch"}' } }]);
  assert.equal(messages[2].toolCallId, "c1");
});

test("parallel calls have a card each, and a failed one says so", async (t) => {
  const { ui, page, run } = await begin(t);
  await run.send(call("a", "one", { parentMessageId: "m" }), call("b", "two", { parentMessageId: "m" }), args("a", "{}"), args("b", '{"n":2}'));
  await ui.countIs(page.locator(".card"), 2);
  await run.send(end("b"), result("b", ""), end("a"));
  await ui.textHas(page.locator(".card").nth(1), "(an empty result)");
  await ui.textHas(page.locator(".card").nth(0), "working…");
  await run.send({ type: "MESSAGES_SNAPSHOT", messages: [
    { id: "m", role: "assistant", toolCalls: [
      { id: "a", type: "function", function: { name: "one", arguments: "{}" } },
      { id: "b", type: "function", function: { name: "two", arguments: '{"n":2}' } } ] },
    { id: "ra", role: "tool", toolCallId: "a", content: "", error: "no such pan" },
    { id: "rb", role: "tool", toolCallId: "b", content: "fine" },
  ] });
  await ui.textHas(page.locator(".card").nth(0), /failed\s+no such pan/);
  await run.finish();
  await ui.idle();
});

test("thinking and activities fold away", async (t) => {
  const { ui, page, run } = await begin(t);
  await run.send(
    { type: "REASONING_START", messageId: "r" },
    { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "Leeks are sandy." },
    { type: "REASONING_MESSAGE_END", messageId: "r" },
    { type: "REASONING_END", messageId: "r" },
    { type: "ACTIVITY_SNAPSHOT", messageId: "act", activityType: "PLAN", content: { steps: ["a"] } },
    { type: "ACTIVITY_DELTA", messageId: "act", activityType: "PLAN", patch: [op.add("/steps/-", "b")] },
  );
  const thinking = page.locator(".reasoning");
  await thinking.waitFor();
  assert.equal(await thinking.locator(".body").isVisible(), false);
  await thinking.locator("summary").click();
  await ui.textHas(thinking, "Leeks are sandy.");
  await page.locator(".activity summary").click();
  await ui.textHas(page.locator(".activity"), /"a",\s+"b"/);
});

test("a step of the agent is shown while it works", async (t) => {
  const { ui, run } = await begin(t);
  await run.send({ type: "STEP_STARTED", stepName: "shopping" });
  await ui.textHas(ui.notice, "The agent is working: shopping");
});

test("the events: kind, size, patch in readable form, what they mean, filter", async (t) => {
  const { ui, page, run } = await begin(t);
  await page.locator("#run-details > summary").click();
  await run.snapshot(soup());
  const delta = { type: "STATE_DELTA", delta: [op.replace("/recipe/title", "Tick"), op.add("/recipe/ingredients/-", { icon: "", name: "a/b", amount: "" }), op.remove("/recipe/instructions/0")] };
  await run.send(delta);
  await run.text("m1", "Hi");
  await run.finish();
  await ui.idle();
  const events = page.locator(".event");
  assert.deepEqual(await events.evaluateAll((all) => all.map((e) => e.dataset.type)), [
    "RUN_STARTED", "STATE_SNAPSHOT", "STATE_DELTA", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED",
  ]);
  const row = page.locator('.event[data-type="STATE_DELTA"]');
  const size = Buffer.byteLength(run.encode(delta));
  await ui.textHas(row.locator(".event-size"), `${size} B`);
  await ui.textHas(row.locator(".event-at"), /^\+\d+\.\d\d s$/);
  await ui.textHas(row.locator(".event-summary"), '~ recipe › title "Tick", and 2 more');
  await row.locator("summary").click();
  await ui.textHas(row.locator(".meaning"), "A JSON Patch (RFC 6902)");
  assert.deepEqual(
    (await row.locator(".patch li").allInnerTexts()).map((line) => line.replace(/\s+/g, " ")),
    ['~ recipe › title "Tick"', '+ recipe › ingredients › (end) {"icon":"","name":"a/b","amount":""}', "− recipe › instructions › 0"],
  );
  await ui.textHas(page.locator("#event-count"), /^7 events, /);
  const kinds = page.getByRole("group", { name: "Kinds of events" });
  await kinds.getByLabel("text").uncheck();
  await ui.countIs(events, 4);
  await kinds.getByLabel("run").uncheck();
  await ui.countIs(events, 2);
  await kinds.getByLabel("text").check();
  await ui.countIs(events, 5);
});

test("what deltas saved against snapshots is the difference in bytes", async (t) => {
  const { ui, page, run } = await begin(t);
  await page.locator("#run-details > summary").click();
  await ui.textHas(page.locator("#savings"), "No state has been sent yet.");
  const snapshot = (doc) => Buffer.byteLength(run.encode({ type: "STATE_SNAPSHOT", snapshot: doc }));
  const kb = (n) => (n < 1000 ? `${n} B` : `${(n / 1024).toFixed(1)} KB`);
  let sent = snapshot(soup());
  let whole = sent;
  await run.snapshot(soup());
  await ui.textHas(page.locator("#savings"), `State on the wire: ${kb(sent)} in 1 snapshot and 0 deltas; snapshots alone would be ${kb(whole)}.`);
  for (const title of ["A", "Bé"]) {
    const event = { type: "STATE_DELTA", delta: [op.replace("/recipe/title", title)] };
    sent += Buffer.byteLength(run.encode(event));
    const doc = soup();
    doc.recipe.title = title;
    whole += snapshot(doc);
    await run.send(event);
  }
  const percent = Math.round((100 * (whole - sent)) / whole);
  await ui.textHas(page.locator("#savings"), `${kb(sent)} in 1 snapshot and 2 deltas; snapshots alone would be ${kb(whole)}, so deltas saved ${kb(whole - sent)} (${percent} %).`);
});

test("the events are copied as JSONL, those that the filter shows", async (t) => {
  const { ui, page, run } = await begin(t, { permissions: ["clipboard-read", "clipboard-write"] });
  const sent = [
    { type: "RUN_STARTED", threadId: run.input.threadId, runId: run.input.runId },
    { type: "STATE_SNAPSHOT", snapshot: { recipe: { title: "Line\nbreak" } } },
    { type: "RUN_FINISHED", threadId: run.input.threadId, runId: run.input.runId },
  ];
  await run.send(sent[1]);
  await run.finish();
  await ui.idle();
  await page.locator("#run-details > summary").click();
  const copied = async () => {
    await ui.button("Copy as JSONL").click();
    await ui.textHas(page.locator("#announcer"), "copied");
    const text = await page.evaluate(() => navigator.clipboard.readText());
    return text.trimEnd().split("\n").map((line) => JSON.parse(line));
  };
  assert.deepEqual(await copied(), sent);
  await page.getByRole("group", { name: "Kinds of events" }).getByLabel("run").uncheck();
  await page.evaluate(() => document.querySelector("#announcer").replaceChildren());
  assert.deepEqual(await copied(), [sent[1]]);
});

test("the slider steps the recipe back through the run's states, and forth to now", async (t) => {
  const { ui, page, run, agent } = await begin(t);
  const slider = page.getByLabel("States of the run");
  await page.locator("#run-details > summary").click();
  assert.equal(await slider.isVisible(), false, "there is nothing to step through yet");
  await run.delta(op.replace("/recipe/title", "One"));
  await run.delta(op.replace("/recipe/title", "Two"), op.remove("/recipe/ingredients/0"));
  await ui.valueIs(ui.title, "Two");
  await slider.focus();
  await page.keyboard.press("ArrowLeft"); // the last state of the run, as it was
  await page.keyboard.press("ArrowLeft");
  await ui.valueIs(ui.title, "One");
  assert.deepEqual(await ui.names(), ["Leek", "Potatoes", "Butter"]);
  assert.equal(await slider.getAttribute("aria-valuetext").then((text) => text.startsWith("after event 2, +")), true);
  assert.equal(await ui.title.isDisabled(), true, "the past is read only");
  assert.equal(await page.locator('.event[aria-current="true"]').getAttribute("data-number"), "2");
  // The run goes on; the past stays where it is.
  await run.delta(op.replace("/recipe/title", "Three"));
  await ui.textHas(page.locator("#event-count"), /^4 events/);
  assert.equal(await ui.title.inputValue(), "One");
  await ui.button("Earlier state").click();
  await ui.valueIs(ui.title, "Leek soup");
  await ui.textHas(page.locator("#past-place"), "before the run");
  assert.equal(await ui.button("Use this one").isDisabled(), true, "not while the agent writes");
  await ui.button("Back to now").click();
  await ui.valueIs(ui.title, "Three");
  assert.deepEqual(await ui.names(), ["Potatoes", "Butter"]);
  assert.equal(await ui.title.isDisabled(), false);
  await run.finish();
  await ui.idle();

  await slider.fill("1");
  await ui.valueIs(ui.title, "One");
  await ui.button("Use this one").click();
  await ui.valueIs(ui.title, "One");
  assert.equal(await page.locator("#past").isVisible(), false);
  await ui.button("Undo").click();
  await ui.valueIs(ui.title, "Three");
  await slider.fill("0");
  await ui.valueIs(ui.title, "Leek soup");
  await ui.send("next"); // sends what is now, not what is looked at
  assert.equal((await agent.nextRun()).input.state.recipe.title, "Three");
  assert.equal(await ui.title.isDisabled(), false);
});

test("earlier runs can be looked at", async (t) => {
  const { ui, page, run, agent } = await begin(t);
  await run.delta(op.replace("/recipe/title", "One"));
  await run.finish();
  await ui.idle();
  await ui.send("more");
  const second = await agent.nextRun();
  await second.start();
  await second.finish();
  await ui.idle();
  await page.locator("#run-details > summary").click();
  await ui.countIs(page.locator(".event"), 2);
  await page.getByLabel("Run", { exact: true }).selectOption("Run 1");
  await ui.countIs(page.locator(".event"), 3);
});

test("a thousand events do not choke the list; all are in the copy", async (t) => {
  const { ui, page, run } = await begin(t, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#run-details > summary").click();
  const piece = { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "assistant", delta: "x" };
  await run.raw(run.encode(piece).repeat(1000));
  await run.finish();
  await ui.idle();
  await ui.textHas(page.locator("#event-count"), /^1002 events/);
  assert.equal(await page.locator(".event").count(), 500);
  await ui.button("Copy as JSONL").click();
  await ui.textHas(page.locator("#announcer"), "1002 events copied.");
});

test("suggestions: a click sends the first message, later ones fit the recipe", async (t) => {
  const { agent, ui, page } = await open(t);
  const suggestions = page.getByRole("group", { name: "Suggestions" });
  await ui.countIs(suggestions.getByRole("button"), 3);
  await suggestions.getByText("Make me a pancake recipe").click();
  const run = await agent.nextRun();
  assert.equal(run.input.messages[0].content, "Make me a pancake recipe");
  await run.start();
  assert.equal(await suggestions.isVisible(), false, "not while the agent works");
  await run.snapshot(soup());
  await run.finish();
  await ui.idle();
  await suggestions.getByText("Double it").click();
  assert.equal((await agent.nextRun()).input.messages.at(-1).content, "Double it");
});
