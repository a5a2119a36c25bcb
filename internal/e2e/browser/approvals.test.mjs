// What the agent asks before it goes on: approvals, with edits and reasons, and questions.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { approval, op } from "./agent.mjs";
import { asked, begin, roles } from "./begin.mjs";
import { launch, shut } from "./page.mjs";

await launch();
after(shut);

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
  const own = page.getByRole("group", { name: "Question" });
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
  const own = page.getByRole("group", { name: "Question" });
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
