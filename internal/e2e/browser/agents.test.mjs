// The choice among a server's agents.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { approval } from "./agent.mjs";
import { roles } from "./begin.mjs";
import { launch, open, shut } from "./page.mjs";

await launch();
after(shut);

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
