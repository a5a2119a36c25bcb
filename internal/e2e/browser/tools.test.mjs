// Tools and the people in between: approvals, questions, the page's own tool, what is refused, and
// the choice among a server's agents.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { approval, op, soup } from "./agent.mjs";
import { launch, open, shut } from "./page.mjs";

await launch();
after(shut);

const begin = async (t, options = {}) => {
  const opened = await open(t, { saved: {}, ...options });
  await opened.ui.send("go");
  const run = await opened.agent.nextRun();
  await run.start();
  const card = (name) => opened.page.locator(".card").filter({ has: opened.page.getByText(name, { exact: true }) });
  return { ...opened, run, card };
};

// asked is a run that has ended with the question whether `clear` may run.
async function asked(t, { args = { title: "Old", depth: 2 }, more, ...options } = {}) {
  const begun = await begin(t, options);
  await begun.run.call("m1", "c1", "clear", args);
  await begun.run.interrupt(approval("i1", "c1", "Clear it all?", more));
  await begun.ui.idle();
  await begun.ui.textHas(begun.card("clear"), "Clear it all?");
  return begun;
}

const roles = (input) => input.messages.map((m) => m.role).join();

test("approve: the answer is the next run's resume, and its result is in the card", async (t) => {
  const { agent, ui, page, card } = await asked(t);
  await ui.textHas(card("clear"), /title\s+Old\s+depth\s+2/);
  await ui.textHas(card("clear"), "asks you");
  await ui.textHas(page.locator("#announcer"), "The agent asks: Clear it all?");
  await ui.textHas(ui.notice, "The agent waits for your answer.");
  await ui.button("Go to the question").click();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Approve");
  await page.keyboard.press("Enter");
  const next = await agent.nextRun();
  assert.deepEqual(next.input.resume, [{ interruptId: "i1", status: "resolved", payload: { approved: true } }]);
  assert.equal(roles(next.input), "user,assistant", "the call goes along, without a result");
  await next.start();
  await ui.textHas(card("clear"), "working…");
  await next.delta(op.replace("/recipe/title", ""));
  await next.result("c1", "cleared");
  await next.text("m2", "It is empty.");
  await next.finish();
  await ui.idle();
  await ui.textHas(card("clear"), /done.*You approved this\..*While it ran: title\..*cleared/s);
  assert.equal(await page.locator(".question").count(), 0);
  assert.equal(await ui.notice.innerText(), "");
  assert.equal(await page.evaluate(() => document.activeElement.id), "wish", "the cursor is not lost with the buttons");
  await ui.send("and now?");
  const third = await agent.nextRun();
  assert.equal("resume" in third.input, false);
  assert.equal(roles(third.input), "user,assistant,tool,assistant,user");
});

test("edit: a form of the arguments; what was changed goes along and shows", async (t) => {
  const { agent, ui, page, card } = await asked(t);
  await ui.button("Edit…").click();
  assert.equal(await page.evaluate(() => document.activeElement.value), "Old", "the cursor is in the first field");
  await card("clear").getByLabel("title").fill("New");
  await card("clear").getByLabel("depth").fill("many");
  await ui.button("Approve with changes").click();
  await ui.textHas(card("clear").getByRole("alert"), "depth: This has to be a number.");
  assert.equal(await card("clear").getByLabel("depth").getAttribute("aria-invalid"), "true");
  assert.equal(agent.untaken(), 0);
  await ui.title.fill("Typed meanwhile"); // the page is drawn again; what stands in the form stays
  assert.equal(await card("clear").getByLabel("title").inputValue(), "New");
  await card("clear").getByLabel("depth").fill("3");
  await card("clear").getByLabel("depth").press("Enter");
  const next = await agent.nextRun();
  assert.deepEqual(next.input.resume[0].payload, { approved: true, arguments: { title: "New", depth: 3 } });
  assert.equal(next.input.state.recipe.title, "Typed meanwhile");
  assert.equal(next.input.messages[1].toolCalls[0].function.arguments, '{"title":"Old","depth":2}', "the call is as the agent signed it");
  await next.start();
  const messages = structuredClone(next.input.messages);
  messages[1].toolCalls[0].function.arguments = '{"title":"New","depth":3}';
  await next.send({ type: "MESSAGES_SNAPSHOT", messages });
  await next.result("c1", "cleared");
  await next.finish();
  await ui.idle();
  await ui.textHas(card("clear"), /title\s+New\s+depth\s+3\s+You approved this with changes\.\s+cleared/);
});

// Arguments that a form or a double would make something else of.
const delicate = {
  note: '"one\\r\\ntwo\\n"',
  prose: `"${"a long way round ".repeat(5)}"`,
  id: "12345678901234567891",
  whole: "1.0",
  tiny: "1E-400",
  deep: '{"ids":[9007199254740993,-0]}',
  none: "null",
};
const written = (members) => `{${Object.entries(members).map(([name, text]) => `"${name}":${text}`).join()}}`;

test("edit: nothing edited is a plain approval", async (t) => {
  const { agent, ui, page, card } = await asked(t, { args: written(delicate) });
  await ui.button("Edit…").click();
  assert.equal(await card("clear").getByLabel("note").evaluate((e) => e.tagName), "TEXTAREA");
  assert.equal(await card("clear").getByLabel("note").inputValue(), "one\ntwo\n");
  assert.equal(await card("clear").getByLabel("prose").evaluate((e) => e.tagName), "TEXTAREA");
  assert.equal(await card("clear").getByLabel("id", { exact: true }).inputValue(), "12345678901234567891");
  await card("clear").getByLabel("whole").fill("2");
  await card("clear").getByLabel("whole").fill("1.0");
  await ui.button("Approve with changes").click();
  const next = await agent.nextRun();
  assert.deepEqual(next.input.resume[0].payload, { approved: true });
  await next.start();
  await next.result("c1", "cleared");
  await next.finish();
  await ui.idle();
  await ui.textHas(card("clear"), "You approved this.");
  assert.equal(await page.locator(".question").count(), 0);
});

for (const [name, { field, typed, now }] of Object.entries({
  "a number": { field: "whole", typed: "12345678901234567893", now: "12345678901234567893" },
  "a number of no JSON": { field: "whole", typed: " +2.50", now: "2.5" },
  "an object": { field: "deep", typed: '{"ids": [9007199254740995]}', now: '{"ids":[9007199254740995]}' },
  "lines": { field: "note", typed: "one\n\nthree", now: '"one\\n\\nthree"' },
})) {
  test(`edit: ${name} changes, every other member goes as the agent wrote it`, async (t) => {
    const { agent, ui, card } = await asked(t, { args: written(delicate) });
    await ui.button("Edit…").click();
    await card("clear").getByLabel(field, { exact: true }).fill(typed);
    await ui.button("Approve with changes").click();
    const { body } = await agent.nextRun();
    const payload = `"payload":{"approved":true,"arguments":${written({ ...delicate, [field]: now })}}`;
    assert.ok(body.includes(payload), `${payload}\nis not in\n${body}`);
  });
}

test("Escape leaves the forms of an approval, and answers nothing", async (t) => {
  const schema = { type: "object", properties: { color: { type: "string" } } };
  const { agent, ui, page, run, card } = await begin(t);
  await run.call("m1", "c1", "clear", { title: "Old" });
  await run.interrupt(approval("i1", "c1", "Clear it all?"), { id: "i2", reason: "Which?", responseSchema: schema });
  await ui.idle();
  for (const [opens, field] of [["Edit…", "title"], ["Deny…", /Why not/]]) {
    await card("clear").getByRole("button", { name: opens }).click();
    await card("clear").getByLabel(field).fill("Typed");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), opens);
    assert.equal(await card("clear").locator("form").count(), 0);
    await page.keyboard.press("Enter");
    assert.notEqual(await card("clear").getByLabel(field).inputValue(), "Typed", "as Back, it forgets");
    await card("clear").getByRole("button", { name: "Back" }).press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), opens);
  }
  await page.getByLabel("color").fill("red");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByLabel("color").inputValue(), "red", "a form that is the question stays");
  assert.equal(agent.untaken(), 0);
});

test("deny: with a reason, which the agent gets", async (t) => {
  const { agent, ui, page, card } = await asked(t);
  await ui.button("Deny…").click();
  await ui.button("Back").click();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Deny…");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Guests are coming.");
  await ui.button("Deny").click();
  const next = await agent.nextRun();
  assert.deepEqual(next.input.resume, [{ interruptId: "i1", status: "resolved", payload: { approved: false, reason: "Guests are coming." } }]);
  await next.start();
  await next.result("c1", "denied");
  await next.finish();
  await ui.idle();
  await ui.textHas(card("clear"), "You said no: Guests are coming.");
});

test("a question survives a reload, and is still answered", async (t) => {
  const { agent, ui, page, card } = await asked(t);
  await page.reload();
  await ui.textHas(card("clear"), "Clear it all?");
  await ui.textHas(ui.notice, "The agent waits for your answer.");
  await ui.send("something else");
  assert.equal(agent.untaken(), 0, "the question comes first");
  assert.equal(await ui.wish.inputValue(), "something else", "and what was typed is not lost");
  await ui.button("Approve").click();
  const next = await agent.nextRun();
  assert.equal(next.input.resume[0].interruptId, "i1");
  // The page goes away before the answer has had its effect: it may not have arrived.
  await next.start();
  await ui.running();
  await page.reload();
  await next.gone;
  await ui.textHas(card("clear"), "Clear it all?");
  await ui.button("Approve").click();
  const again = await agent.nextRun();
  assert.deepEqual(again.input.resume, next.input.resume);
  assert.deepEqual(again.input.messages, next.input.messages);
});

test("several questions: all answers go at once, and can be changed until then", async (t) => {
  const { agent, ui, page, run, card } = await begin(t);
  await run.call("m1", "c1", "clear", {});
  await run.call("m1", "c2", "publish", { to: "all" });
  const schema = { type: "object", required: ["color"], properties: { color: { type: "string", enum: ["red", "green"] }, copies: { type: "integer" } } };
  await run.interrupt(approval("i1", "c1", "Clear?"), approval("i2", "c2", "Publish?"), { id: "i3", reason: "input_required", message: "Which colour?", responseSchema: schema });
  await ui.textHas(ui.notice, "The agent waits for 3 answers.");
  assert.equal(await card("clear").getByRole("button", { name: "Edit…" }).count(), 0, "there is nothing to edit");
  const own = page.getByRole("region", { name: "Question" });
  await ui.textHas(own, "Which colour?");
  await page.locator("#run-details > summary").click();
  await ui.textHas(page.locator('.event[data-type="RUN_FINISHED"]'), "asks: Clear? Publish? Which colour?");
  await page.locator("#run-details > summary").click();
  await own.getByRole("button", { name: "Answer" }).click();
  await ui.textHas(own.getByRole("alert"), "color: Choose one of them.");
  await own.getByLabel("color").selectOption("green");
  await own.getByRole("button", { name: "Answer" }).click();
  await ui.textHas(own, "You answered: green");
  await card("clear").getByRole("button", { name: "Approve" }).click();
  await ui.textHas(ui.notice, "The agent waits for your answer.");
  await own.getByRole("button", { name: "Change" }).click();
  await ui.textHas(ui.notice, "The agent waits for 2 answers.");
  await own.getByLabel("color").selectOption("red");
  await own.getByLabel("copies").fill("2");
  await own.getByRole("button", { name: "Answer" }).click();
  assert.equal(agent.untaken(), 0);
  await card("publish").getByRole("button", { name: "Deny…" }).click();
  await card("publish").getByRole("button", { name: "Deny", exact: true }).click();
  const next = await agent.nextRun();
  assert.deepEqual(next.input.resume, [
    { interruptId: "i1", status: "resolved", payload: { approved: true } },
    { interruptId: "i2", status: "resolved", payload: { approved: false } },
    { interruptId: "i3", status: "resolved", payload: { color: "red", copies: 2 } },
  ]);
  await next.start();
  await next.finish();
  await ui.idle();
  assert.equal(await own.count(), 0);
});

test("a question without a schema takes words, or a bare yes; it can be left", async (t) => {
  const { agent, ui, page, run } = await begin(t);
  await run.interrupt({ id: "i1", reason: "review" });
  const own = page.getByRole("region", { name: "Question" });
  await ui.textHas(own, "review");
  await own.getByLabel("Your answer").fill("Looks good");
  await own.getByLabel("Your answer").press("Enter");
  const second = await agent.nextRun();
  assert.deepEqual(second.input.resume, [{ interruptId: "i1", status: "resolved", payload: "Looks good" }]);
  await second.start();
  await second.interrupt({ id: "i2", reason: "review" });
  await own.getByRole("button", { name: "Answer" }).click();
  const third = await agent.nextRun();
  assert.deepEqual(third.input.resume, [{ interruptId: "i2", status: "resolved" }]);
  await third.start();
  await third.interrupt({ id: "i3", reason: "review" });
  await own.getByRole("button", { name: "Leave it" }).click();
  const fourth = await agent.nextRun();
  assert.deepEqual(fourth.input.resume, [{ interruptId: "i3", status: "cancelled" }]);
});

test("what has expired can only be left", async (t) => {
  const { agent, ui, page, card } = await asked(t, { more: { expiresAt: "2001-01-01T00:00:00Z" } });
  await ui.textHas(card("clear"), "The time for an answer is over.");
  assert.deepEqual(await page.locator(".question button").allInnerTexts(), ["Leave it"]);
  await ui.button("Leave it").click();
  const next = await agent.nextRun();
  assert.deepEqual(next.input.resume, [{ interruptId: "i1", status: "cancelled" }]);
});

test("a question expires while it is looked at", async (t) => {
  const { ui, page, run, card } = await begin(t);
  await page.clock.install({ time: new Date("2030-01-01T00:00:00Z") });
  await run.call("m1", "c1", "clear", { title: "Old" });
  await run.interrupt(approval("i1", "c1", "Clear it all?", { expiresAt: "2030-01-01T00:01:00Z" }));
  await card("clear").getByRole("button", { name: "Approve" }).waitFor();
  await page.clock.fastForward(61_000);
  await ui.textHas(card("clear"), "The time for an answer is over.");
});

test("the page's own tool: yes and no are its result, and the agent goes on", async (t) => {
  for (const [name, confirmed] of [["Yes, delete", true], ["No, keep", false]]) {
    await t.test(name, async (t) => {
      const { agent, ui, page, run, card } = await begin(t);
      assert.deepEqual(run.input.tools.map((tool) => tool.name), ["confirm_deletion"]);
      await run.call("m1", "c1", "confirm_deletion", { items: ["Leek", "Butter"] });
      await ui.textHas(card("confirm_deletion"), "working…");
      assert.equal(await page.locator(".question").count(), 0, "nothing is asked before the run has ended");
      await run.finish();
      await ui.textHas(card("confirm_deletion"), "Delete Leek and Butter?");
      await page.reload();
      await ui.textHas(ui.notice, "The agent waits for your answer.");
      await ui.button(name).click();
      const next = await agent.nextRun();
      assert.equal("resume" in next.input, false);
      assert.equal(roles(next.input), "user,assistant,tool");
      assert.deepEqual({ ...next.input.messages[2], id: "" }, { id: "", role: "tool", toolCallId: "c1", content: JSON.stringify({ confirmed }) });
      await next.start();
      await next.text("m2", "So be it.");
      await next.finish();
      await ui.idle();
      await ui.textHas(card("confirm_deletion"), confirmed ? "You said yes." : "You said no.");
    });
  }
});

test("a turn of all kinds: the next run goes when both have their answer", async (t) => {
  const { agent, ui, page, run, card } = await begin(t);
  await run.call("m1", "c1", "confirm_deletion", { items: ["Leek"] });
  await run.call("m1", "c2", "clear", {});
  await run.send(
    { type: "TOOL_CALL_START", toolCallId: "c3", toolCallName: "scale", parentMessageId: "m1" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c3", delta: '{"factor":2}' },
  );
  await run.delta(op.replace("/recipe/ingredients/0/amount", "6"));
  await run.send({ type: "TOOL_CALL_END", toolCallId: "c3" });
  await run.result("c3", "scaled");
  await run.interrupt(approval("i1", "c2", "Clear?"));
  await ui.textHas(ui.notice, "The agent waits for 2 answers.");
  await ui.textHas(card("scale"), "While it ran: 1 ingredient changed.");
  assert.equal(await card("clear").locator(".card-moved").isVisible(), false, "what waits has moved nothing");
  await card("clear").getByRole("button", { name: "Approve" }).click();
  await page.reload(); // the one answer is asked for again: nobody has it yet
  await ui.textHas(ui.notice, "The agent waits for 2 answers.");
  await ui.button("Yes, delete").click();
  assert.equal(agent.untaken(), 0);
  await card("clear").getByRole("button", { name: "Approve" }).click();
  const next = await agent.nextRun();
  assert.equal(roles(next.input), "user,assistant,tool,tool");
  assert.deepEqual(next.input.messages.slice(2).map((m) => m.toolCallId), ["c3", "c1"]);
  assert.equal(next.input.resume.length, 1);
});

const refusals = {
  INTERRUPT_UNKNOWN: { words: "The agent does not know this question any more.", button: "Ask again", roles: "user" },
  INTERRUPT_EXPIRED: { words: "The answer came too late for the agent.", button: "Ask again", roles: "user" },
  INTERRUPT_PAYLOAD: { words: "The agent wants another kind of answer.", button: "Approve", roles: "user,assistant", resume: true },
  INTERRUPT_PARTIAL: { words: "The agent wants all its questions answered at once.", button: "Approve", roles: "user,assistant", resume: true },
  AGENT_ERROR: { words: "The agent stopped with an error.", button: "Try again", roles: "user,assistant", resume: true },
};
for (const [code, want] of Object.entries(refusals)) {
  test(`an answer that is refused: ${code}`, async (t) => {
    const { agent, ui } = await asked(t);
    await ui.button("Approve").click();
    const refused = await agent.nextRun();
    await refused.start();
    await refused.fail(code, "What the server says.");
    await ui.idle();
    await ui.textHas(ui.notice, want.words);
    await ui.textHas(ui.notice, code);
    await ui.textHas(ui.notice, "What the server says.");
    await ui.button(want.button).click();
    const next = await agent.nextRun();
    assert.equal(roles(next.input), want.roles);
    assert.deepEqual(next.input.resume, want.resume ? refused.input.resume : undefined);
  });
}

test("a question can be dropped, and the conversation goes on without it", async (t) => {
  const { agent, ui, page } = await asked(t);
  await ui.button("Approve").click();
  const refused = await agent.nextRun();
  await refused.start();
  await refused.fail("INTERRUPT_UNKNOWN", "x");
  await ui.button("Drop the question").click();
  assert.equal(await ui.notice.innerText(), "");
  assert.equal(await page.locator(".question").count(), 0);
  await page.reload();
  await ui.send("something else");
  const next = await agent.nextRun();
  assert.equal(roles(next.input), "user,user");
  await next.start();
  await next.fail("INTERRUPT_PENDING", "x");
  await ui.textHas(ui.notice, "The agent still waits for the answer to an earlier question.");
  await ui.button("Go on without it").click();
  await agent.nextRun();
});

test("a retry does not do twice what a tool has done", async (t) => {
  const { agent, ui, run, card } = await begin(t);
  await run.send({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "scale", parentMessageId: "m1" }, { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "{}" });
  await run.delta(op.replace("/recipe/ingredients/0/amount", "6"));
  await run.send({ type: "TOOL_CALL_END", toolCallId: "c1" });
  await run.result("c1", "scaled");
  await run.send({ type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "Half a" });
  await run.fail("AGENT_ERROR", "Too hot.");
  await ui.button("Try again").click();
  const next = await agent.nextRun();
  assert.equal(roles(next.input), "user,assistant,tool");
  assert.equal(next.input.state.recipe.ingredients[0].amount, "6");
  await ui.textHas(card("scale"), "done");
  assert.equal(await ui.log.getByText("Half a").count(), 0);
});

test("stopped after an approved call has run: it is not asked again", async (t) => {
  const { agent, ui, page, card } = await asked(t);
  await ui.button("Approve").click();
  const next = await agent.nextRun();
  await next.start();
  await next.result("c1", "cleared");
  await ui.textHas(card("clear"), "cleared");
  await ui.button("Stop").click();
  await next.gone;
  await ui.idle();
  assert.equal(await page.locator(".question").count(), 0);
  await ui.button("Try again").click();
  const last = await agent.nextRun();
  assert.equal("resume" in last.input, false);
  assert.equal(roles(last.input), "user,assistant,tool");
});

test("stopped before an approved call has run: edited arguments are not taken for the agent's", async (t) => {
  const { agent, ui, card } = await asked(t);
  await ui.button("Approve").click();
  const next = await agent.nextRun();
  await next.start();
  const messages = structuredClone(next.input.messages);
  messages[1].toolCalls[0].function.arguments = '{"title":"Other"}';
  await next.send({ type: "MESSAGES_SNAPSHOT", messages });
  await ui.textHas(card("clear"), "Other");
  await ui.button("Stop").click();
  await ui.idle();
  await ui.textHas(card("clear"), "You approved this. The agent does not know yet.");
  await ui.button("Change").click();
  await ui.button("Approve").click();
  const last = await agent.nextRun();
  assert.equal(last.input.messages[1].toolCalls[0].function.arguments, '{"title":"Old","depth":2}');
});

test("text of questions is text", async (t) => {
  const evil = '<img src=x onerror="window.hacked=1">';
  const { ui, page, run } = await begin(t);
  await run.call("m1", "c1", evil, { [evil]: evil, list: [evil], deep: { [evil]: [evil] } });
  await run.call("m1", "c2", "confirm_deletion", { items: [evil] });
  const schema = { type: "object", properties: { [evil]: { type: "string", title: evil, description: evil, enum: [evil] } } };
  await run.interrupt(approval("i1", "c1", evil), { id: "i2", reason: evil, responseSchema: schema });
  await ui.idle();
  await page.locator(".card").first().getByRole("button", { name: "Edit…" }).click();
  assert.equal(await page.locator("main img").count(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

const agents = [
  { path: "/agent", name: "writes the whole recipe", clientTools: false },
  { path: "/tools", name: "uses tools", clientTools: true },
];

test("the choice among the server's agents: one recipe, one conversation, kept over a reload", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {}, info: { model: "m", standIn: false, agents } });
  const choice = page.getByLabel("The agent", { exact: true });
  await choice.waitFor();
  await ui.send("one");
  const first = await agent.nextRun();
  assert.equal(first.path, "/agent");
  assert.deepEqual(first.input.tools, [], "it has no use for the page's tools");
  assert.equal(await choice.isDisabled(), true, "not while one works");
  await first.start();
  await first.text("m1", "Done.");
  await first.finish();
  await ui.idle();
  await choice.selectOption("uses tools");
  await page.reload();
  await ui.send("two");
  const second = await agent.nextRun();
  assert.equal(second.path, "/tools");
  assert.equal(second.input.tools.length, 1);
  assert.equal(second.input.threadId, first.input.threadId);
  assert.equal(roles(second.input), "user,assistant,user");
  await second.start();
  await second.call("m2", "c1", "clear", {});
  await second.interrupt(approval("i1", "c1", "Clear?"));
  await ui.idle();
  assert.equal(await choice.inputValue(), "/tools");
  assert.equal(await choice.isDisabled(), true, "not while one waits for an answer");
});

test("a link to an agent leaves no choice, and one that is gone falls back", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {}, info: { model: "m", agents }, query: "?agent=/tools" });
  await ui.textHas(page.locator("#agent"), "with m");
  assert.equal(await page.locator("#agent-choice").isVisible(), false);
  await ui.send("x");
  assert.equal((await agent.nextRun()).path, "/tools");

  const other = await open(t, { saved: { agent: { path: "/gone", clientTools: true } }, info: { model: "m", agents: [...agents, { path: "//evil.example/x", name: "evil" }] } });
  await other.page.getByLabel("The agent", { exact: true }).waitFor();
  assert.deepEqual(await other.page.locator("#agent-choice option").allInnerTexts(), ["writes the whole recipe", "uses tools"]);
  await other.ui.send("x");
  assert.equal((await other.agent.nextRun()).path, "/agent");
});

test("suggestions fit an agent with tools", async (t) => {
  const { agent, ui, page } = await open(t, { saved: { messages: [{ id: "u", role: "user", content: "x" }] }, info: { model: "m", agents } });
  await page.getByLabel("The agent", { exact: true }).selectOption("uses tools");
  await ui.textHas(page.locator("#suggestions"), /Double it\s+Remove the leek\s+Start over/);
  await ui.button("Remove the leek").click();
  assert.equal((await agent.nextRun()).input.messages.at(-1).content, "Remove the leek");
});

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
}

for (const { width, ...device } of [{ width: 1280 }, { width: 1440 }, { width: 390, hasTouch: true, isMobile: true }]) {
  test(`an amount can be read, ${width} wide`, async (t) => {
    const doc = soup();
    doc.recipe.ingredients = [{ icon: "🥛", name: "Whole milk", amount: "1 1/2 cups" }, { icon: "🧂", name: "Salt", amount: "" }];
    const { ui } = await open(t, { saved: { doc }, viewport: { width, height: 860 }, ...device });
    const room = (field) => ui.ingredient(1, field).evaluate((e) => e.clientWidth - e.scrollWidth);
    assert.equal(await room("amount"), 0, "all of the amount shows");
    assert.equal(await room("name"), 0, "and all of the name");
    await ui.ingredient(1, "amount").hover();
    assert.equal(await room("amount"), 0, "with the row's buttons, too");
  });
}

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [{ width: 1280, height: 860 }, { width: 390, height: 844 }]) {
    test(`axe finds nothing serious in the cards: ${colorScheme}, ${viewport.width} wide`, async (t) => {
      const { ui, page, run, card } = await begin(t, { colorScheme, viewport, reducedMotion: "reduce", info: { model: "m", standIn: true, agents } });
      await run.call("m1", "c1", "clear", { title: "Old", on: true, deep: { a: 1 } });
      await run.call("m1", "c2", "confirm_deletion", { items: ["Leek"] });
      const schema = { type: "object", properties: { color: { enum: ["red"], description: "of the wall" }, n: { type: "integer" } } };
      await run.interrupt(approval("i1", "c1", "Clear?"), { id: "i2", reason: "Which?", responseSchema: schema }, approval("i3", "none", "Late?", { expiresAt: "2001-01-01T00:00:00Z" }));
      await ui.idle();
      await ui.button("Go to the questions").click();
      assert.deepEqual(await findings(page), [], "questions");
      await card("clear").getByRole("button", { name: "Edit…" }).click();
      await page.getByLabel("n", { exact: true }).fill("x");
      await page.getByRole("button", { name: "Answer", exact: true }).click();
      assert.deepEqual(await findings(page), [], "forms");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
      await card("clear").getByLabel("title").fill("New");
      await ui.button("Approve with changes").click();
      await ui.textHas(card("clear"), "You approved this with changes.");
      assert.deepEqual(await findings(page), [], "an answer");
    });
  }
}
