// The page on the real server, with the stand-in for a model behind it: person, chain, model, and
// back. RECIPE_URL is the server (started with -step), STANDIN_URL the stand-in's control, where each
// chunk of the model waits for a POST /step.
import { after, before, beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { launch, open, shut } from "./page.mjs";

const recipeURL = address("RECIPE_URL");
const standIn = address("STANDIN_URL");

function address(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests need the running recipe server and its stand-in.`);
  return new URL(value).href.replace(/\/$/, "").replace(/\/v1$/, "");
}

before(launch);
after(shut);

async function control(path, signal) {
  const response = await fetch(standIn + path, { method: "POST", signal });
  const body = await response.json();
  assert.ok(response.ok, `POST ${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

beforeEach(() => control("/mode?step=true&pace=0s"));

const visit = (t, options = {}) => open(t, { url: recipeURL, ...options });

// flow lets the model say all it has to say until the run is over. It always has one step waiting;
// the last finds nothing to release and is taken back.
async function flow(ui) {
  const stop = new AbortController();
  const stepping = (async () => {
    while (!stop.signal.aborted) await control("/step?n=rest", stop.signal);
  })().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  await Promise.race([ui.idle(), stepping.then(() => ui.idle())]);
  stop.abort();
  await stepping;
}

async function ask(ui, text) {
  await ui.send(text);
  await ui.running();
  await flow(ui);
}

const lastAnswer = (ui) => ui.log.locator(".assistant .body").last().innerText();

test("it says that the model is a stand-in", async (t) => {
  const { ui, page } = await visit(t);
  await ui.textHas(page.locator("#stand-in"), "The model is a stand-in");
});

test("a message fills the fields; state and text come in the same run", async (t) => {
  const { ui, page } = await visit(t);
  await ask(ui, "Make me a pancake recipe");
  assert.equal(await ui.notice.innerText(), "");
  const recipe = await ui.recipe();
  assert.match(recipe.title, /pancake/i);
  assert.ok(recipe.ingredients.length >= 3, JSON.stringify(recipe));
  assert.ok(recipe.ingredients.every((one) => one.name !== ""), JSON.stringify(recipe));
  assert.ok(recipe.instructions.length >= 2, JSON.stringify(recipe));
  assert.notEqual(await lastAnswer(ui), "");
  await page.locator("#run-details > summary").click();
  await page.locator('.event[data-type="RUN_FINISHED"]').waitFor();
  const types = await page.locator(".event").evaluateAll((all) => all.map((event) => event.dataset.type));
  assert.equal(types[0], "RUN_STARTED");
  assert.equal(types.at(-1), "RUN_FINISHED");
  assert.ok(types.includes("STATE_SNAPSHOT") && types.includes("TEXT_MESSAGE_CONTENT"), types.join(" "));
});

test("the title is on the page before the model has written the last instruction", async (t) => {
  const { ui } = await visit(t);
  await ui.send("Make me a carrot soup");
  await ui.running();
  let written = "";
  for (let n = 0; !/carrot soup/i.test(await ui.title.inputValue()); n++) {
    assert.ok(n < 500, "the title never came");
    for (const chunk of await control("/step?n=1").then((answer) => answer.released ?? answer)) {
      assert.equal(chunk.last, false, "the model has finished");
      written += JSON.parse(chunk.data.replace(/\[DONE\]$/, "")).choices[0]?.delta?.content ?? "";
    }
  }
  await flow(ui);
  const { instructions } = await ui.recipe();
  assert.ok(instructions.length >= 2);
  assert.ok(!written.includes(instructions.at(-1)), written);
});

test("what the person edits is what the model works on", async (t) => {
  const { ui } = await visit(t);
  await ask(ui, "A recipe for lentil soup");
  await ui.ingredient(1, "name").fill("zorblatt flakes");
  await ui.ingredient(1, "amount").fill("7 cups");
  await ask(ui, "List all the ingredients");
  assert.match(await lastAnswer(ui), /zorblatt flakes/);
  assert.equal(await ui.ingredient(1, "name").inputValue(), "zorblatt flakes");
  await ask(ui, "Double it");
  assert.equal(await ui.ingredient(1, "name").inputValue(), "zorblatt flakes");
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "14 cups");
  await ui.button("Undo").click();
  assert.equal(await ui.ingredient(1, "amount").inputValue(), "7 cups");
});

test("what the person removed stays removed", async (t) => {
  const { ui } = await visit(t);
  await ask(ui, "Make me a tomato salad");
  const [gone, ...rest] = await ui.names();
  await ui.ingredients.first().hover();
  await ui.button("Remove: ingredient 1").click();
  await ask(ui, "Double it");
  assert.deepEqual(await ui.names(), rest);
  assert.ok(!rest.includes(gone));
});

test("what is typed while the model works stays, and the next run sends it", async (t) => {
  const { ui, page } = await visit(t);
  await ask(ui, "Make me a tomato salad");
  await ui.send("Make me a carrot cake");
  await ui.running();
  await control("/step?n=1");
  await ui.title.fill("Grandmother's own");
  await flow(ui);
  assert.equal(await ui.title.inputValue(), "Grandmother's own");
  assert.match(JSON.stringify(await ui.recipe()), /carrot/i);
  await page.reload();
  await ask(ui, "Add 2 cups of walnuts");
  assert.equal(await ui.title.inputValue(), "Grandmother's own");
  assert.match((await ui.names()).join(), /walnut/i);
});

for (const kind of ["error", "cut"]) {
  test(`an error of the model is shown, and one can try again (${kind})`, async (t) => {
    const { ui } = await visit(t);
    await control(`/fault?kind=${kind}`);
    await ui.send("Make me a pancake recipe");
    await ui.running();
    await flow(ui);
    await ui.textHas(ui.notice, "The agent stopped with an error.");
    assert.equal(await ui.notice.getByRole("alert").count(), 1);
    await ui.button("Try again").click();
    await ui.running();
    await flow(ui);
    assert.equal(await ui.notice.innerText(), "");
    assert.match(await ui.title.inputValue(), /pancake/i);
    assert.equal(await ui.log.locator(".user").count(), 1);
  });
}

test("a state that does not fit is an error that names the place, and the server lives", async (t) => {
  const { ui, page } = await visit(t, { saved: { doc: { recipe: { title: ["no", "title"] } } } });
  await ui.send("Make me a pancake recipe");
  await ui.textHas(ui.notice, "SERIALIZATION");
  await ui.textHas(ui.notice, "/recipe/title");
  await ui.idle();
  await page.locator("#new").click();
  await ui.button("Start a new one").click();
  await ask(ui, "Make me a pancake recipe");
  assert.match(await ui.title.inputValue(), /pancake/i);
});

test("stop ends the run on the server, too", async (t) => {
  const { ui } = await visit(t);
  await ui.send("Make me a pancake recipe");
  await ui.running();
  await control("/step?n=2");
  assert.equal((await metrics()).active_runs, 1);
  await ui.button("Stop").click();
  await ui.idle();
  await ui.textHas(ui.notice, "Stopped. What had arrived is kept.");
  for (let tries = 0; (await metrics()).active_runs > 0; tries++) assert.ok(tries < 1000, "the run goes on");
  await ask(ui, "A recipe for lentil soup");
  assert.match(await ui.title.inputValue(), /lentil/i);
});

// useTools puts the agent with tools to work on a recipe of a few things.
async function useTools(t) {
  const visited = await visit(t, { saved: {} });
  await visited.page.getByLabel("The agent", { exact: true }).selectOption("uses tools");
  const card = (name) => visited.page.locator(".card").filter({ has: visited.page.getByText(name, { exact: true }) });
  return { ...visited, card };
}

test("tools change the recipe while their calls are written", async (t) => {
  const { ui, card } = await useTools(t);
  await ui.send("Double it and add 2 cups of walnuts");
  await ui.running();
  // One chunk after the other: the arguments show before they are whole.
  await control("/step?n=2");
  await ui.textHas(card("scale"), "working…");
  await flow(ui);
  await ui.textHas(card("scale"), /done.*While it ran: .*3 ingredients changed.*2 times/s);
  await ui.textHas(card("add_ingredient"), /name\s+Walnuts.*amount\s+2 cups.*added Walnuts/s);
  const { ingredients } = await ui.recipe();
  assert.deepEqual(ingredients.map((one) => `${one.name} ${one.amount}`), ["Leek 6", "Potatoes 800 g", "Butter 60 g", "Walnuts 2 cups"]);
  assert.notEqual(await lastAnswer(ui), "");
  await ui.button("Undo").click();
  assert.deepEqual(await ui.names(), ["Leek", "Potatoes", "Butter"]);
});

test("a whole recipe fills in while the tool's arguments are written", async (t) => {
  const { ui, page, card } = await useTools(t);
  await page.locator("#new").click();
  await ui.button("Start a new one").click();
  await ui.send("Make me a tomato salad");
  await ui.running();
  for (let n = 0; (await ui.title.inputValue()) === ""; n++) {
    assert.ok(n < 500, "the title never came");
    await control("/step?n=1");
  }
  await ui.textHas(card("write_recipe"), "working…");
  await flow(ui);
  assert.match(await ui.title.inputValue(), /tomato salad/i);
  await ui.textHas(card("write_recipe"), /recipe\s+title: Tomato Salad/i);
});

test("approve: the recipe is cleared, and the conversation goes on", async (t) => {
  const { ui, page, card } = await useTools(t);
  await ask(ui, "Start over");
  await ui.textHas(card("start_over"), /Clear the recipe\? .* will be lost\./);
  assert.equal(await ui.title.inputValue(), "Leek soup");
  await page.reload();
  await card("start_over").getByRole("button", { name: "Approve" }).click();
  await ui.running();
  await flow(ui);
  assert.equal(await ui.notice.innerText(), "");
  assert.deepEqual(await ui.names(), []);
  await ui.textHas(card("start_over"), /You approved this\..*the recipe is empty/s);
  await ask(ui, "Make me a tomato salad");
  assert.match(await ui.title.inputValue(), /tomato/i);
});

test("edit: the tool runs with what the person wrote", async (t) => {
  const { ui, card } = await useTools(t);
  await ask(ui, "Start over");
  await ui.button("Edit…").click();
  await card("start_over").getByLabel("title").fill("Grandmother's own");
  await ui.button("Approve with changes").click();
  await ui.running();
  await flow(ui);
  assert.equal(await ui.title.inputValue(), "Grandmother's own");
  await ui.textHas(card("start_over"), /title\s+Grandmother's own\s+You approved this with changes\./);
});

test("deny: nothing changes, and the model is told why", async (t) => {
  const { ui, card } = await useTools(t);
  await ask(ui, "Start over");
  await ui.button("Deny…").click();
  await card("start_over").getByLabel("Why not?").fill("Guests are coming.");
  await ui.button("Deny").click();
  await ui.running();
  await flow(ui);
  assert.equal(await ui.title.inputValue(), "Leek soup");
  await ui.textHas(card("start_over"), "Their reason: Guests are coming.");
  assert.match(await lastAnswer(ui), /Not done, because you said no: start over\./);
});

for (const [answer, left] of [["Yes, delete", ["Leek", "Potatoes"]], ["No, keep", ["Leek", "Potatoes", "Butter"]]]) {
  test(`a deletion is confirmed in the browser: ${answer}`, async (t) => {
    const { ui, card } = await useTools(t);
    await ask(ui, "Remove the butter");
    await ui.textHas(card("confirm_deletion"), "Delete Butter?");
    assert.deepEqual(await ui.names(), ["Leek", "Potatoes", "Butter"]);
    await ui.button(answer).click();
    await ui.running();
    await flow(ui);
    assert.deepEqual(await ui.names(), left);
    assert.equal(await ui.notice.innerText(), "");
    assert.equal(await card("remove_ingredient").count(), left.length === 2 ? 1 : 0);
  });
}

test("an answer to a question that was tampered with is refused, and can be asked again", async (t) => {
  const { ui, page, card } = await useTools(t);
  await ask(ui, "Start over");
  await page.evaluate(() => {
    const key = Object.keys(localStorage)[0];
    const saved = JSON.parse(localStorage.getItem(key));
    saved.messages.find((m) => m.toolCalls).toolCalls[0].function.arguments = '{"title":"Forged"}';
    localStorage.setItem(key, JSON.stringify(saved));
  });
  await page.reload();
  await card("start_over").getByRole("button", { name: "Approve" }).click();
  await ui.textHas(ui.notice, "The agent does not know this question any more.");
  assert.equal(await ui.title.inputValue(), "Leek soup");
  await ui.button("Ask again").click();
  await ui.running();
  await flow(ui);
  await card("start_over").last().getByRole("button", { name: "Approve" }).click();
  await ui.running();
  await flow(ui);
  assert.deepEqual(await ui.names(), []);
});

async function metrics() {
  return (await fetch(`${recipeURL}/metrics`)).json();
}
