// Tools on the page: its own, the cards of the agent's, what is refused, and what a retry does again.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { approval, op } from "./agent.mjs";
import { asked, begin, roles } from "./begin.mjs";
import { launch, shut } from "./page.mjs";

await launch();
after(shut);

test("numbers in a card are as the agent wrote them, also in the middle of it", async (t) => {
  const { ui, run, card } = await begin(t);
  await run.send(
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "order", parentMessageId: "m1" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"id":12345678901234567891,"list":[9007199254740993,1.0' },
  );
  await ui.textHas(card("order"), /id\s+12345678901234567891\s+list\s+9007199254740993, 1\.0/);
  await run.send({ type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '],"deep":{"n":1E-400,"rows":[{"of":9007199254740995}]}}' });
  await ui.textHas(card("order"), /deep\s+n: 1E-400 · rows: 9007199254740995/);
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
