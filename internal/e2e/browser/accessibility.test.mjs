// Keyboard, screen reader, small screens, both themes, less motion.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { approval, op, soup } from "./agent.mjs";
import { findings } from "./axe.mjs";
import { begin } from "./begin.mjs";
import { launch, open, shut } from "./page.mjs";

await launch();
after(shut);

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [{ width: 1280, height: 860 }, { width: 390, height: 844 }]) {
    test(`axe finds nothing: ${colorScheme}, ${viewport.width} wide`, async (t) => {
      // Animations fade: what axe should see is the page at rest.
      const { agent, ui, page } = await open(t, { colorScheme, viewport, reducedMotion: "reduce", info: { model: "x", standIn: true } });
      const tab = (name) => page.locator(`#panes button[value=${name}]`);
      const phone = viewport.width < 500;
      const rest = () => ui.until(() => document.querySelectorAll("[data-by]").length === 0);
      assert.deepEqual(await findings(page), [], "empty");
      await ui.send("go");
      const run = await agent.nextRun();
      await run.start();
      await run.snapshot(soup());
      await run.text("m1", "With **leeks**:\n- one");
      await run.send({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "scale", parentMessageId: "m1" }, { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"by":2}' });
      await run.delta(op.remove("/recipe/nothing"));
      await page.locator("#out-of-step").waitFor({ state: "visible" });
      await rest();
      assert.deepEqual(await findings(page), [], "at work");
      await run.send({ type: "TOOL_CALL_END", toolCallId: "c" }, { type: "TOOL_CALL_RESULT", toolCallId: "c", messageId: "r", content: "4 portions" });
      await run.send({ type: "RUN_ERROR", message: "Too hot.", code: "AGENT_ERROR" });
      run.end();
      await ui.idle();
      if (phone) await tab("chat").click();
      assert.deepEqual(await findings(page), [], "an error");
      if (phone) await tab("recipe").click();
      await page.locator("#run-details > summary").click();
      await page.locator('.event[data-type="STATE_DELTA"] > summary').click();
      await page.getByRole("group", { name: "Kinds of events" }).getByLabel("text").uncheck();
      assert.deepEqual(await findings(page), [], "the events");
      await page.locator("#slider").fill("0");
      assert.deepEqual(await findings(page), [], "the past");
      await ui.button("Back to now").click();
      await page.locator("#new").click();
      assert.deepEqual(await findings(page), [], "a dialog");
    });
  }
}

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [{ width: 1280, height: 860 }, { width: 390, height: 844 }]) {
    test(`axe finds nothing in the cards: ${colorScheme}, ${viewport.width} wide`, async (t) => {
      const { ui, page, run, card } = await begin(t, { colorScheme, viewport, reducedMotion: "reduce", info: { model: "m", standIn: true, agents: [{ path: "/agent", name: "one" }, { path: "/tools", name: "two" }] } });
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

test("the whole way by keyboard", async (t) => {
  const { agent, ui, page } = await open(t);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.id);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "wish");
  await page.keyboard.type("line one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("line two");
  await page.keyboard.press("Enter");
  const run = await agent.nextRun();
  assert.equal(run.input.messages[0].content, "line one\nline two");
  await run.start();
  await ui.running();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Stop");
  await page.keyboard.press("Enter");
  await run.gone;
  await ui.idle();
  assert.equal(await focused(), "wish", "the cursor is not lost with the button");

  await page.locator("#add-ingredients").focus();
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Ingredient 1, name");
  await page.keyboard.type("Flour");
  await page.keyboard.press("Tab");
  await page.keyboard.type("1 cup");
  await page.keyboard.press("Enter"); // the next row
  assert.equal(await focused(), "Ingredient 2, name");
  await page.keyboard.type("Milk");
  await page.keyboard.press("Alt+ArrowUp");
  assert.deepEqual(await ui.names(), ["Milk", "Flour"]);
  assert.equal(await focused(), "Ingredient 1, name");
  await ui.textHas(page.locator("#announcer"), "Ingredient is now number 1 of 2.");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Backspace"); // an empty row goes, the cursor to the one before
  assert.deepEqual(await ui.names(), ["Milk", "Flour"]);
  assert.equal(await focused(), "Ingredient 1, name");
  await ui.button("Remove: ingredient 1").focus();
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "Remove: ingredient 1");
  await page.keyboard.press("Enter");
  assert.deepEqual(await ui.names(), []);
  assert.equal(await focused(), "add-ingredients");
  await ui.title.focus();
  await page.keyboard.press("Enter"); // a title is one line
  assert.equal(await ui.title.inputValue(), "");
});

test("a screen reader is told the end, not each word", async (t) => {
  const { agent, ui, page } = await open(t);
  assert.equal(await ui.log.getAttribute("aria-live"), "off");
  await ui.send("go");
  const run = await agent.nextRun();
  await ui.textIs(page.locator("#announcer"), "The agent is working.");
  await run.start();
  await run.send(
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Word by word." },
    { type: "TEXT_MESSAGE_END", messageId: "m" },
  );
  await run.delta(op.replace("/recipe/title", "Soup"), op.add("/recipe/ingredients/-", { name: "Leek" }));
  await ui.valueIs(ui.title, "Soup");
  assert.equal(await page.locator("#announcer").innerText(), "The agent is working.");
  await run.finish();
  await ui.textIs(page.locator("#announcer"), "The agent has finished. Changed: title and 1 ingredient added. Word by word.");
});

test("what is written from right to left reads so, next to what is not", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {} });
  await ui.send("أضف البصل!");
  const run = await agent.nextRun();
  await run.start();
  await run.text("m1", "نعم!\n\nYes!");
  await run.finish();
  await ui.idle();
  // Where the mark at the end of each paragraph stands: left or right of its first letter.
  const ends = await page.locator("#log").evaluate((log) =>
    [...log.querySelectorAll(".user .body, .assistant p")].map(({ firstChild: text }) => {
      const at = (i) => {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        return range.getBoundingClientRect().left;
      };
      return at(text.length - 1) < at(0) ? "left" : "right";
    }),
  );
  assert.deepEqual(ends, ["left", "left", "right"]);
  for (const field of [ui.title, ui.wish, ui.ingredient(1, "name"), ui.step(1)]) {
    assert.equal(await field.evaluate((element) => getComputedStyle(element).unicodeBidi), "plaintext");
  }
});

test("on a phone: two panes, the message field under both, nothing wider than the screen", async (t) => {
  const { agent, ui, page } = await open(t, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const recipe = page.locator("#panes button[value=recipe]");
  const chat = page.locator("#panes button[value=chat]");
  assert.equal(await ui.title.isVisible(), true);
  await ui.send("go");
  const run = await agent.nextRun();
  await run.start();
  const long = soup();
  long.recipe.title = "Donaudampfschifffahrtsgesellschaftskapitänsmützensuppe";
  long.recipe.ingredients[0].name = "x".repeat(200);
  long.recipe.instructions[0] = "y".repeat(200);
  await run.snapshot(long);
  await run.text("m1", "z".repeat(300));
  await ui.valueIs(ui.ingredient(2, "name"), "Potatoes");
  await run.finish();
  await ui.idle();
  assert.notEqual(await chat.getAttribute("data-news"), null, "the other side has news");
  assert.equal(await ui.wish.isVisible(), true);
  await chat.tap();
  assert.equal(await chat.getAttribute("data-news"), null);
  assert.equal(await chat.getAttribute("aria-pressed"), "true");
  assert.equal(await ui.title.isVisible(), false);
  assert.equal(await ui.log.isVisible(), true);
  assert.equal(await ui.wish.isVisible(), true);
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(await wide(), 390);
  await recipe.tap();
  assert.equal(await wide(), 390);
  await page.locator("#run-details > summary").tap();
  assert.equal(await wide(), 390);
});

for (const [width, height] of [[320, 256], [740, 340], [1280, 400]]) {
  test(`on a low screen everything can be reached, ${width} by ${height}`, async (t) => {
    const { ui, page } = await open(t, { saved: {}, viewport: { width, height } });
    // A click needs the thing itself under its middle.
    await ui.title.click();
    await ui.wish.click();
    await page.locator("#run-details > summary").click();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}

test("with the system's colours a preference that is chosen looks so", async (t) => {
  const { page } = await open(t, { saved: {}, forcedColors: "active" });
  const chip = page.locator("#preferences .chip").filter({ hasText: "Spicy" });
  const ground = () => chip.locator("span").evaluate((span) => getComputedStyle(span).backgroundColor);
  const before = await ground();
  await chip.click();
  assert.notEqual(await ground(), before);
});

test("with less motion nothing glides, and a mark is still there for its time", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {}, reducedMotion: "reduce" });
  await ui.send("go");
  const run = await agent.nextRun();
  await run.start();
  await run.delta(op.move("/recipe/ingredients/2", "/recipe/ingredients/0"), op.replace("/recipe/title", "Tick"));
  await ui.valueIs(ui.ingredient(1, "name"), "Butter");
  const moving = await page.evaluate(() => document.getAnimations().map((a) => a.animationName ?? "glide"));
  assert.ok(!moving.includes("glide") && !moving.includes("breathe"), moving.join());
  assert.equal(await page.locator(".title-field").evaluate((e) => getComputedStyle(e).animationTimingFunction), "steps(1)");
});

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
