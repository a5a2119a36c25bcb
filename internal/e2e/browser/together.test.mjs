// Two at one recipe: the cursor, what is typed, what is removed, the order of things, undo, reloads.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { op, soup } from "./agent.mjs";
import { holdTime, launch, open, shut } from "./page.mjs";

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

test("typing goes on undisturbed while the agent changes other things", async (t) => {
  const { ui, page, run, agent } = await begin(t);
  await ui.title.click();
  await ui.title.press("End");
  await page.keyboard.type(" with le");
  const same = await ui.title.elementHandle();
  await run.delta(op.replace("/recipe/instructions/0", "Wash the leeks."), op.add("/recipe/ingredients/0", { icon: "🧂", name: "Salt", amount: "" }));
  await ui.valueIs(ui.step(1), "Wash the leeks.");
  await page.keyboard.type("mon");
  assert.equal(await ui.title.inputValue(), "Leek soup with lemon");
  assert.ok(await same.evaluate((e) => e === document.activeElement && e.selectionStart === e.value.length));

  // The agent writes the very field: the person's words stay.
  await run.delta(op.replace("/recipe/title", "Salted leek soup"));
  const other = soup();
  other.recipe.title = "Yet another";
  other.recipe.cooking_time = "45 min";
  await run.snapshot(other);
  await ui.valueIs(page.locator("#time"), "45 min");
  await page.keyboard.type("s");
  assert.equal(await ui.title.inputValue(), "Leek soup with lemons");
  await run.finish();
  await ui.idle();
  assert.equal(await ui.title.inputValue(), "Leek soup with lemons");
  await ui.send("and now?");
  const next = await agent.nextRun();
  assert.equal(next.input.state.recipe.title, "Leek soup with lemons");
  assert.equal(next.input.state.recipe.cooking_time, "45 min");
});

test("a field with the cursor waits; it takes the agent's value when the cursor leaves", async (t) => {
  const { ui, run } = await begin(t);
  await ui.title.click();
  await run.delta(op.replace("/recipe/title", "Cream of leek"), op.replace("/recipe/instructions/1", "Cook."));
  await ui.valueIs(ui.step(2), "Cook.");
  assert.equal(await ui.title.inputValue(), "Leek soup");
  await ui.wish.click();
  assert.equal(await ui.title.inputValue(), "Cream of leek");
});

test("typing in a row goes on while rows come, go and move around it", async (t) => {
  const { ui, page, run, agent } = await begin(t);
  const amount = await ui.ingredient(2, "amount").elementHandle();
  await amount.click();
  await page.keyboard.press("End");
  await page.keyboard.type(", ");
  await run.delta(op.add("/recipe/ingredients/0", { icon: "🧂", name: "Salt", amount: "1 pinch" }));
  await ui.valueIs(ui.ingredient(1, "name"), "Salt");
  await page.keyboard.type("wax");
  await run.delta(op.move("/recipe/ingredients/2", "/recipe/ingredients/0")); // potatoes to the front
  await ui.valueIs(ui.ingredient(1, "name"), "Potatoes");
  await page.keyboard.type("y");
  await run.delta(op.move("/recipe/ingredients/0", "/recipe/ingredients/2")); // and behind two others
  await ui.valueIs(ui.ingredient(3, "name"), "Potatoes");
  await run.delta(op.remove("/recipe/ingredients/3"));
  await ui.countIs(ui.ingredients, 3);
  assert.ok(await amount.evaluate((e) => e === document.activeElement), "the element is the same and has the cursor");
  assert.equal(await amount.inputValue(), "400 g, waxy");
  await run.finish();
  await ui.idle();
  await ui.send("next");
  const { state } = (await agent.nextRun()).input;
  assert.deepEqual(state.recipe.ingredients.map((i) => `${i.name}: ${i.amount}`), ["Salt: 1 pinch", "Leek: 3", "Potatoes: 400 g, waxy"]);
});

test("a row that one is writing in stays when the agent drops it", async (t) => {
  const { ui, page, run } = await begin(t);
  await ui.ingredient(3, "name").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" (salted)");
  await run.delta(op.replace("/recipe/ingredients", []));
  await ui.countIs(ui.ingredients, 1);
  await page.keyboard.type("!");
  await run.delta(op.add("/recipe/ingredients/-", { icon: "🥬", name: "Leek", amount: "4" }));
  await run.delta(op.add("/recipe/ingredients/-", { icon: "🧈", name: "Butter", amount: "50 g" }));
  await run.finish();
  await ui.idle();
  assert.deepEqual((await ui.recipe()).ingredients, [
    { icon: "🥬", name: "Leek", amount: "4" },
    { icon: "🧈", name: "Butter (salted)!", amount: "50 g" },
  ]);
});

test("a row with only the cursor in it is not taken away either", async (t) => {
  const { ui, page, run } = await begin(t);
  await ui.step(2).click();
  await run.delta(op.replace("/recipe/instructions", ["Only one."]));
  await ui.countIs(ui.steps, 2);
  assert.equal(await page.evaluate(() => document.activeElement.value), "Cook all of it.");
  await ui.wish.click();
  await ui.countIs(ui.steps, 1);
});

test("what a person removed stays removed, in this run and in the next", async (t) => {
  const { ui, run, agent } = await begin(t);
  await ui.ingredients.nth(1).hover();
  await ui.button("Remove: ingredient 2").click();
  await ui.countIs(ui.ingredients, 2);
  // The agent does not know: it sends the potatoes again, doubled, and the list anew.
  await run.delta(op.replace("/recipe/ingredients/1/amount", "800 g"));
  await run.delta(op.replace("/recipe/title", "Tick"));
  await ui.valueIs(ui.title, "Tick");
  assert.deepEqual(await ui.names(), ["Leek", "Butter"]);
  const again = soup();
  again.recipe.title = "Tock";
  again.recipe.ingredients.push({ icon: "🧂", name: "Salt", amount: "" });
  await run.snapshot(again);
  await ui.valueIs(ui.title, "Tock");
  assert.deepEqual(await ui.names(), ["Leek", "Butter", "Salt"]);
  // A list that is written anew, row by row.
  await run.delta(op.replace("/recipe/ingredients", []));
  for (const one of again.recipe.ingredients) await run.delta(op.add("/recipe/ingredients/-", one));
  await run.delta(op.replace("/recipe/title", "Tack"));
  await ui.valueIs(ui.title, "Tack");
  assert.deepEqual(await ui.names(), ["Leek", "Butter", "Salt"]);
  await run.finish();
  await ui.idle();
  await ui.send("next");
  const next = await agent.nextRun();
  assert.deepEqual(next.input.state.recipe.ingredients.map((i) => i.name), ["Leek", "Butter", "Salt"]);
});

test("rows a person adds, and the order a person makes, hold through the run", async (t) => {
  const { ui, page, run } = await begin(t);
  await ui.button("Add an ingredient").click();
  await page.keyboard.type("Nutmeg");
  await ui.ingredient(1, "name").focus();
  await page.keyboard.press("Alt+ArrowDown");
  assert.deepEqual(await ui.names(), ["Potatoes", "Leek", "Butter", "Nutmeg"]);
  assert.equal(await page.evaluate(() => document.activeElement.value), "Leek");
  const next = soup();
  next.recipe.title = "Tick";
  next.recipe.ingredients.splice(1, 0, { icon: "🧂", name: "Salt", amount: "" });
  await run.snapshot(next);
  await ui.valueIs(ui.title, "Tick");
  assert.deepEqual(await ui.names(), ["Potatoes", "Leek", "Salt", "Butter", "Nutmeg"]);
  await run.finish();
  await ui.idle();
  assert.deepEqual(await ui.names(), ["Potatoes", "Leek", "Salt", "Butter", "Nutmeg"]);
});

test("rows are the same elements when they move, and when a snapshot says everything again", async (t) => {
  const { ui, page, run } = await begin(t);
  const before = await page.evaluateHandle(() => [...document.querySelectorAll("#ingredients > li")]);
  const next = soup();
  next.recipe.title = "Tick";
  next.recipe.ingredients.reverse();
  next.recipe.ingredients[0].amount = "60 g";
  await run.snapshot(next);
  await ui.valueIs(ui.title, "Tick");
  assert.deepEqual(await ui.names(), ["Butter", "Potatoes", "Leek"]);
  const order = await page.evaluate((old) => [...document.querySelectorAll("#ingredients > li")].map((li) => old.indexOf(li)), before);
  assert.deepEqual(order, [2, 1, 0]);
});

test("what changed is marked for a moment, by whom", async (t) => {
  const { ui, page, run } = await begin(t);
  await holdTime(page);
  await run.delta(op.replace("/recipe/title", "Tick"), op.replace("/recipe/ingredients/1/amount", "1 kg"), op.add("/recipe/instructions/-", "Serve."));
  await ui.valueIs(ui.title, "Tick");
  const by = (selector) => page.locator(selector).getAttribute("data-by");
  assert.equal(await by(".title-field"), "agent");
  assert.equal(await by("#ingredients > li:nth-child(2) .amount-cell"), "agent");
  assert.equal(await by("#instructions > li:nth-child(4)"), "agent");
  assert.equal(await by("#ingredients > li:nth-child(2) .name-cell"), null, "what did not change is not marked");
  await ui.ingredient(1, "amount").fill("4");
  assert.equal(await by("#ingredients > li:nth-child(1) .amount-cell"), "you");
  // The mark goes when its animation has ended.
  await page.evaluate(() => document.getAnimations().forEach((a) => a.effect.getTiming().iterations !== Infinity && a.finish()));
  await ui.until(() => document.querySelectorAll("[data-by]").length === 0);
});

test("undo and redo over both authors' changes", async (t) => {
  const { ui, page, run, agent } = await begin(t);
  const undo = ui.button("Undo");
  const redo = ui.button("Redo");
  assert.equal(await undo.isDisabled(), true);
  await run.delta(op.replace("/recipe/title", "The agent's"), op.remove("/recipe/ingredients/2"));
  await ui.valueIs(ui.title, "The agent's");
  await page.locator("#time").selectOption("5 min"); // during the run
  assert.equal(await undo.isDisabled(), true, "not while the agent writes");
  await run.finish();
  await ui.idle();
  await ui.ingredient(1, "amount").fill("9"); // after it
  await ui.ingredient(1, "amount").fill("99"); // the same field: the same change
  assert.equal(await undo.getAttribute("title"), "Undo: the ingredient");
  await undo.click();
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "3");
  assert.equal(await page.locator("#time").inputValue(), "5 min");
  await undo.click();
  assert.equal(await page.locator("#time").inputValue(), "30 min");
  assert.equal(await undo.getAttribute("title"), "Undo: the agent's change (title and 1 ingredient removed)");
  await undo.click();
  assert.deepEqual(await ui.recipe(), soup().recipe);
  assert.equal(await undo.isDisabled(), true);
  for (let i = 0; i < 3; i++) await redo.click();
  assert.equal(await redo.isDisabled(), true);
  assert.equal(await ui.title.inputValue(), "The agent's");
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "99");
  // By keyboard, with the cursor in the field itself; in the chat's field the browser's own undo rules.
  await ui.ingredient(1, "amount").focus();
  await page.keyboard.press("Control+z");
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "3");
  await page.keyboard.press("Control+Shift+z");
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "99");
  await ui.wish.focus();
  await page.keyboard.press("Control+z");
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "99");
  await page.locator("#undo").click();
  await ui.send("next");
  const next = await agent.nextRun();
  assert.equal(next.input.state.recipe.ingredients[0].amount, "3", "what was undone is what is sent");
});

test("undo by keyboard takes the row with the cursor: the cursor goes to the row in its place", async (t) => {
  const { ui, page } = await open(t, { saved: {} });
  const focused = () => page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.id);
  const had = await ui.ingredients.count();
  await ui.button("Add an ingredient").click();
  await page.keyboard.press("ControlOrMeta+z");
  await ui.countIs(ui.ingredients, had);
  assert.equal(await focused(), `Ingredient ${had}, name`);
  await ui.textHas(page.locator("#announcer"), "Undone: adding the ingredient.");
  assert.equal(await ui.button("Undo").isDisabled(), true);
  assert.equal(await ui.button("Redo").isEnabled(), true);
  // The list is then empty: the button that adds to it is what is left.
  for (let n = had; n > 0; n--) await ui.button("Remove: ingredient 1").click();
  await ui.button("Add an ingredient").click();
  await page.keyboard.press("ControlOrMeta+z");
  await ui.countIs(ui.ingredients, 0);
  assert.equal(await focused(), "add-ingredients");
});

test("a change after an undo ends what could be redone", async (t) => {
  const { ui } = await open(t, { saved: {} });
  await ui.title.fill("A");
  await ui.button("Undo").click();
  await ui.step(1).fill("B");
  assert.equal(await ui.button("Redo").isDisabled(), true);
});

test("after a reload all is there, and what is sent at once is what the form shows", async (t) => {
  const { agent, ui, page } = await open(t);
  await ui.send("a soup");
  const run = await agent.nextRun();
  await run.start();
  await run.snapshot(soup());
  await run.text("m1", "There.");
  await run.finish();
  await ui.idle();
  await ui.title.fill("My soup");
  const shown = await ui.recipe();
  await page.reload();
  await ui.send("next"); // at once
  const next = await agent.nextRun();
  assert.deepEqual(await ui.recipe(), shown);
  assert.deepEqual(next.input.state, { ...soup(), recipe: shown });
  assert.equal(next.input.threadId, run.input.threadId);
  assert.deepEqual(next.input.messages.map((m) => m.content), ["a soup", "There.", "next"]);
});

test("a value that no event told of is in the request: the form is read when sending", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {} });
  await page.evaluate(() => {
    document.querySelector("#title").value = "Filled in by the browser";
    document.querySelector("#ingredients input.amount").value = "7";
  });
  await ui.send("go");
  const { state } = (await agent.nextRun()).input;
  assert.equal(state.recipe.title, "Filled in by the browser");
  assert.equal(state.recipe.ingredients[0].amount, "7");
});

test("a reload in the middle of a run keeps what had come; its open calls are not sent", async (t) => {
  const { agent, ui, page, run } = await begin(t);
  await run.delta(op.replace("/recipe/title", "Half way"));
  await run.send({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "scale" }, { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "{" });
  await ui.textHas(ui.log, "scale");
  await page.reload();
  await run.gone;
  await ui.valueIs(ui.title, "Half way");
  await ui.send("go on");
  const next = await agent.nextRun();
  assert.equal(next.input.state.recipe.title, "Half way");
  assert.deepEqual(next.input.messages.map((m) => m.role), ["user", "user"]);
});

test("after a reload in the middle, the run can be tried again, also after another reload", async (t) => {
  const { agent, ui, page, run } = await begin(t);
  await run.send({ type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" });
  await run.send({ type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "I have beg" });
  await ui.textHas(ui.log, "I have beg");
  await page.reload();
  await run.gone;
  await page.reload();
  await ui.textHas(ui.notice, "The agent had not finished. What had arrived is kept.");
  await ui.button("Try again").click();
  const next = await agent.nextRun();
  assert.deepEqual(next.input.messages.map((m) => m.content), ["go"], "what it had begun to say is not part of the question");
  await next.start();
  await next.finish();
  await ui.idle();
  await page.reload();
  await ui.textHas(ui.log, "go");
  assert.equal(await ui.notice.innerText(), "", "a run that has ended needs no other try");
});

for (const [name, value] of [["no JSON", "{"], ["an older shape", '{"version":0}'], ["no messages", '{"version":1,"threadId":"t","doc":{}}']]) {
  test(`saved data that is ${name} is as good as none`, async (t) => {
    const { agent, ui, page } = await open(t);
    await page.evaluate(([key, text]) => localStorage.setItem(key, text), [`aguistate.recipe ${agent.url}/agent`, value]);
    await page.goto(`${agent.url}/icon.svg`); // so that leaving the page does not save over it
    await page.evaluate(([key, text]) => localStorage.setItem(key, text), [`aguistate.recipe ${agent.url}/agent`, value]);
    await page.goto(agent.url);
    await ui.send("hello");
    assert.equal((await agent.nextRun()).input.state.recipe.title, "");
  });
}

test("a new recipe is a new thread with nothing left over, also in the middle of a run", async (t) => {
  const { agent, ui, page, run } = await begin(t);
  await run.delta(op.replace("/recipe/title", "Half way"));
  await run.text("m1", "I am here");
  await ui.textHas(ui.log, "I am here");
  await page.locator("#new").click();
  await ui.button("Keep this one").click();
  assert.equal(await ui.title.inputValue(), "Half way");
  await page.locator("#new").click();
  await ui.button("Start a new one").click();
  await run.gone;
  await ui.valueIs(ui.title, "");
  await ui.idle();
  assert.equal(await ui.ingredients.count() + (await ui.steps.count()), 0);
  assert.equal(await ui.log.innerText(), "");
  assert.equal(await ui.button("Undo").isDisabled(), true);
  assert.equal(await page.locator("#event-count").innerText(), "");
  assert.equal(await page.locator("#welcome").isVisible(), true);
  await page.reload();
  await ui.send("hello");
  const next = await agent.nextRun();
  assert.notEqual(next.input.threadId, run.input.threadId);
  assert.equal(next.input.messages.length, 1);
  assert.deepEqual(next.input.state, {
    recipe: { title: "", skill_level: "Beginner", cooking_time: "30 min", special_preferences: [], ingredients: [], instructions: [] },
  });
});

test("states of any shape are shown as far as they can be, and kept", async (t) => {
  const { agent, ui, page } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  for (const state of [null, 7, "text", [], {}, { recipe: null }, { recipe: 7 }, { recipe: { title: null, ingredients: "x", instructions: { a: 1 }, special_preferences: 7 } }]) {
    await run.snapshot(state);
    await run.snapshot({ recipe: { title: JSON.stringify(state) } });
    await ui.valueIs(ui.title, JSON.stringify(state));
  }
  await run.snapshot({
    recipe: { title: 7, skill_level: "Grandmother", ingredients: ["Salt", { name: "Oil", amount: 2, note: "good" }, null], instructions: ["a", 2, { x: 1 }], extra: 1 },
    other: [1],
  });
  await ui.valueIs(ui.title, "7");
  assert.equal(await page.locator("#skill").inputValue(), "Grandmother");
  assert.deepEqual(await ui.names(), ["Salt", "Oil", ""]);
  await run.finish();
  await ui.idle();
  await ui.ingredient(2, "amount").fill("3 tbsp");
  await ui.send("next");
  const { state } = (await agent.nextRun()).input;
  assert.deepEqual(state, {
    recipe: {
      title: 7,
      skill_level: "Grandmother",
      ingredients: ["Salt", { name: "Oil", amount: "3 tbsp", note: "good" }, null],
      instructions: ["a", 2, { x: 1 }],
      extra: 1,
    },
    other: [1],
  });
});

test("preferences are a set that both write", async (t) => {
  const { agent, ui, page, run } = await begin(t);
  await page.getByLabel("Spicy").check();
  await page.getByLabel("Vegetarian").uncheck();
  await run.delta(op.replace("/recipe/special_preferences", ["Vegetarian", "Vegan", "Kosher"]), op.replace("/recipe/title", "Tick"));
  await ui.valueIs(ui.title, "Tick");
  assert.deepEqual((await ui.recipe()).special_preferences.sort(), ["Kosher", "Spicy", "Vegan"]);
  await run.finish();
  await ui.idle();
  await ui.send("next");
  assert.deepEqual((await agent.nextRun()).input.state.recipe.special_preferences, ["Vegan", "Kosher", "Spicy"]);
});
