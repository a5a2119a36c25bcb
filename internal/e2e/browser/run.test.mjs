// A run, as the page sees it: how the bytes come, how it ends, what can go wrong on the way.
import { after, test } from "node:test";
import assert from "node:assert/strict";
import { op, serve, soup } from "./agent.mjs";
import { launch, open, shut } from "./page.mjs";

await launch();
after(shut);

test("the form fills while the run goes on, and text and state come in one run", async (t) => {
  const { agent, ui, page } = await open(t);
  await ui.send("A leek soup, please");
  const run = await agent.nextRun();
  assert.equal(run.headers.accept, "text/event-stream");
  assert.deepEqual(Object.keys(run.input), [
    "threadId", "runId", "protocolVersion", "state", "messages", "tools", "context", "forwardedProps",
  ]);
  assert.equal(run.input.protocolVersion, "1.0");
  assert.deepEqual(run.input.messages.map(({ role, content }) => [role, content]), [["user", "A leek soup, please"]]);
  assert.equal(await ui.wish.inputValue(), "");

  await run.start();
  await run.snapshot({ recipe: { title: "Leek soup", skill_level: "Beginner", cooking_time: "30 min", special_preferences: [], ingredients: [], instructions: [] } });
  await ui.valueIs(ui.title, "Leek soup");
  assert.equal(await page.locator("body").getAttribute("data-running"), "true");
  await run.delta(op.add("/recipe/ingredients/-", { icon: "🥬", name: "Leek", amount: "3" }));
  await ui.valueIs(ui.ingredient(1, "name"), "Leek");
  await run.send(
    { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "A soup " },
  );
  await ui.textHas(ui.log, "A soup");
  await run.delta(op.add("/recipe/instructions/-", "Slice"), op.replace("/recipe/cooking_time", "45 min"));
  await ui.valueIs(ui.step(1), "Slice");
  assert.equal(await ui.running(), undefined);
  await run.delta(op.replace("/recipe/instructions/0", "Slice the leeks."));
  await ui.valueIs(ui.step(1), "Slice the leeks.");
  await run.send(
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "of leeks." },
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
  );
  await run.finish();
  await ui.idle();
  await ui.textHas(ui.log, "A soup of leeks.");
  const recipe = await ui.recipe();
  assert.equal(recipe.cooking_time, "45 min");
  assert.equal(await ui.notice.innerText(), "");
  await ui.textHas(page.locator("#announcer"), /The agent has finished\. Changed: .*A soup of leeks\./s);
});

test("the next run sends what this one left, in the same thread", async (t) => {
  const { agent, ui } = await open(t, { saved: { messages: [] } });
  await ui.send("one");
  const first = await agent.nextRun();
  await first.start();
  await first.text("m1", "Done.");
  await first.delta(op.replace("/recipe/title", "Cream of leek"));
  await first.finish();
  await ui.idle();
  await ui.ingredient(1, "amount").fill("5");
  await ui.send("how many leeks?");
  const second = await agent.nextRun();
  assert.equal(second.input.threadId, first.input.threadId);
  assert.notEqual(second.input.runId, first.input.runId);
  assert.equal(second.input.state.recipe.title, "Cream of leek");
  assert.equal(second.input.state.recipe.ingredients[0].amount, "5");
  assert.deepEqual(second.input.state.kept, soup().kept, "members that the form does not know are kept");
  assert.deepEqual(second.input.messages.map((m) => [m.role, m.content]), [
    ["user", "one"], ["assistant", "Done."], ["user", "how many leeks?"],
  ]);
});

test("a frame may be cut anywhere, also inside a letter", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  const bytes = Buffer.from(run.encode({ type: "STATE_SNAPSHOT", snapshot: { recipe: { title: "Purée 🥕" } } }));
  const letter = bytes.indexOf(Buffer.from("é")) + 1;
  const emoji = bytes.indexOf(Buffer.from("🥕")) + 2;
  for (const cut of [3, letter, emoji, bytes.length - 1]) {
    // Each beginning travels behind a whole event: once that is seen, the beginning has been read.
    const sign = run.encode({ type: "STATE_SNAPSHOT", snapshot: { recipe: { title: `before ${cut}` } } });
    await run.raw(Buffer.concat([Buffer.from(sign), bytes.subarray(0, cut)]));
    await ui.valueIs(ui.title, `before ${cut}`);
    await run.raw(bytes.subarray(cut));
    await ui.valueIs(ui.title, "Purée 🥕");
  }
  await run.finish();
  await ui.idle();
});

test("several events in a chunk, an event in several chunks, comments, other line ends", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  const { threadId, runId } = run.input;
  const text = (id, delta) => run.encode({ type: "TEXT_MESSAGE_CHUNK", messageId: id, role: "assistant", delta });
  await run.raw(run.encode({ type: "RUN_STARTED", threadId, runId }) + ": keep-alive\n\n" + text("a", "one ") + text("a", "two "));
  const cut = text("a", "three");
  await run.raw(cut.slice(0, 3));
  await run.raw(cut.slice(3, 30));
  await run.raw(cut.slice(30));
  await run.raw(`event: message\r\nid: 7\r\ndata: {"type":"TEXT_MESSAGE_CHUNK",\r\ndata: "messageId":"a","delta":" four"}\r\n\r\n`);
  await ui.textHas(ui.log, "one two three four");
  await run.finish();
  await ui.idle();
});

test("a last event without its blank line counts", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  const { threadId, runId } = run.input;
  await run.raw(run.encode({ type: "RUN_FINISHED", threadId, runId }).trimEnd());
  run.end();
  await ui.idle();
  assert.equal(await ui.notice.innerText(), "");
});

test("half an event at the end is a cut stream, and shows", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.raw('data: {"type":"RUN_FINI');
  run.end();
  await ui.textHas(ui.notice, "The connection ended before the agent had finished.");
  await ui.idle();
});

test("what comes behind the terminal event is not waited for", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  const { threadId, runId } = run.input;
  await run.send({ type: "RUN_STARTED", threadId, runId }, { type: "RUN_FINISHED", threadId, runId });
  await ui.idle(); // though the body is still open
  await run.gone;
});

for (const [name, end] of [["closed", "end"], ["broken", "cut"]]) {
  test(`a stream that is ${name} without a terminal event is an error, and can be tried again`, async (t) => {
    const { agent, ui } = await open(t, { expectErrors: [/ERR_INCOMPLETE_CHUNKED_ENCODING/] });
    await ui.send("a soup");
    const run = await agent.nextRun();
    await run.start();
    await run.snapshot(soup());
    await run.send(
      { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "Half a sen" },
    );
    await ui.textHas(ui.log, "Half a sen");
    run[end]();
    await ui.textHas(ui.notice, "The connection ended before the agent had finished.");
    await ui.idle();
    await ui.valueIs(ui.title, "Leek soup"); // what had arrived is kept
    assert.equal(await ui.notice.getByRole("alert").count(), 1);

    await ui.button("Try again").click();
    const again = await agent.nextRun();
    assert.deepEqual(again.input.messages.map((m) => [m.role, m.content]), [["user", "a soup"]], "the half sentence is not history");
    assert.equal(again.input.state.recipe.title, "Leek soup");
    await again.start();
    await again.text("m2", "Whole.");
    await again.finish();
    await ui.idle();
    await ui.textHas(ui.log, "Whole.");
    assert.doesNotMatch(await ui.log.innerText(), /Half/);
    assert.equal(await ui.notice.innerText(), "");
  });
}

test("RUN_ERROR shows its words and its code, and the page is usable again", async (t) => {
  const { agent, ui, page } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.delta(op.replace("/recipe/title", "Half done"));
  await run.send({ type: "RUN_ERROR", message: "The model is <b>busy</b>.", code: "AGENT_ERROR" });
  run.end();
  await ui.textHas(ui.notice, "The agent stopped with an error.");
  await ui.textHas(ui.notice, "The model is <b>busy</b>.");
  await ui.textHas(ui.notice, "AGENT_ERROR");
  await ui.idle();
  assert.equal(await page.locator("#send").isVisible(), true);
  assert.equal(await page.locator("#stop").isVisible(), false);
  await ui.send("again");
  const next = await agent.nextRun();
  assert.equal(next.input.state.recipe.title, "Half done");
  assert.equal(await ui.notice.getByRole("alert").count(), 0);
});

test("an HTTP error shows what its body says", async (t) => {
  const cases = [
    [400, "application/json", '{"error":{"message":"threadId is missing","path":"/threadId"}}', /did not accept the request \(400\).*threadId is missing \(at \/threadId\)/s],
    [422, "application/problem+json", '{"detail":"no such thing"}', /\(422\).*no such thing/s],
    [500, "application/json", '{"error":"boom"}', /server failed \(500\).*boom/s],
    [502, "text/html", "<h1>Bad gateway of a proxy</h1>", /server failed \(502\)\.\s+Bad Gateway/],
    [500, "application/json", "not json at all", /server failed \(500\)/],
    [200, "text/html; charset=utf-8", "<p>hello", /no AG-UI agent\.\s+It sent text\/html/],
    [200, "application/json", '{"ok":true}', /no AG-UI agent\.\s+It sent application\/json/],
    [204, "text/event-stream", "", /no AG-UI agent/],
  ];
  const { agent, ui } = await open(t, { expectErrors: [/the server responded with a status of (4|5)/] });
  for (const [status, type, body, shown] of cases) {
    agent.answerNext({ status, headers: { "Content-Type": type }, body });
    await ui.send(`make it ${status}`);
    await ui.textHas(ui.notice, shown);
    await ui.idle();
    assert.doesNotMatch(await ui.notice.innerText(), /proxy/);
  }
  await ui.button("Try again").click();
  const run = await agent.nextRun();
  assert.equal(run.input.messages.at(-1).content, "make it 204");
});

test("an agent that cannot be reached is said in plain words", async (t) => {
  const gone = await serve();
  await gone.close();
  const { ui } = await open(t, { query: `?agent=${gone.url}/agent`, expectErrors: [/ERR_CONNECTION_REFUSED/] });
  await ui.send("x");
  await ui.textHas(ui.notice, "The agent could not be reached.");
  await ui.textHas(ui.notice, new URL(gone.url).host);
  await ui.idle();
});

for (const [name, data] of [
  ["no JSON", "hello"], ["[DONE]", "[DONE]"], ["no object", "[1]"], ["no type", "{}"], ["a type that is no text", '{"type":7}'],
]) {
  test(`something that is no event (${name}) ends the run with an error`, async (t) => {
    const { agent, ui } = await open(t);
    await ui.send("x");
    const run = await agent.nextRun();
    await run.start();
    await run.raw(`data: ${data}\n\n`);
    await ui.textHas(ui.notice, "The agent sent something that is no AG-UI event.");
    await ui.idle();
    await run.gone;
  });
}

test("an event that makes no sense ends the run, not the page", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.raw('data: {"type":"MESSAGES_SNAPSHOT","messages":7}\n\n');
  await ui.textHas(ui.notice, "The agent sent an event that makes no sense.");
  await ui.idle();
  await run.gone;
});

test("an event type nobody knows is passed over", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.send({ type: "SOMETHING_OF_2030", n: 1 }, { type: "STATE_SNAPSHOT", snapshot: { recipe: { title: "On" } } });
  await ui.valueIs(ui.title, "On");
  await run.finish();
  await ui.idle();
  assert.equal(await ui.notice.innerText(), "");
});

test("a delta that does not fit changes nothing, is said, and the run goes on", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {} });
  const out = page.locator("#out-of-step");
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.delta(op.replace("/recipe/title", "Never seen"), op.remove("/recipe/nothing"), op.remove("/kept"));
  await out.waitFor({ state: "visible" });
  await ui.valueIs(ui.title, "Leek soup");
  await run.delta(op.replace("/recipe/cooking_time", "45 min")); // against the old state
  await ui.valueIs(page.locator("#time"), "45 min");
  assert.equal(await out.isVisible(), true);
  const next = soup();
  next.recipe.title = "In step";
  await run.snapshot(next);
  await ui.valueIs(ui.title, "In step");
  await out.waitFor({ state: "hidden" });
  await run.finish();
  await ui.idle();
  assert.equal(await ui.notice.innerText(), "");
});

test("stop closes the connection, keeps what had come, and the page is usable again", async (t) => {
  const { agent, ui, page } = await open(t, { saved: {} });
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.delta(op.replace("/recipe/title", "Half way"));
  await run.send(
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "scale" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"fac' },
  );
  await ui.valueIs(ui.title, "Half way");
  await ui.textHas(ui.log, "scale");
  await ui.button("Stop").click();
  await run.gone;
  await ui.idle();
  await ui.textHas(ui.notice, "Stopped. What had arrived is kept.");
  assert.equal(await ui.notice.getByRole("alert").count(), 0, "a stop is no error");
  await ui.textHas(page.locator(".card"), "no answer");
  assert.equal(await ui.title.inputValue(), "Half way");
  await ui.send("go on");
  const next = await agent.nextRun();
  assert.deepEqual(next.input.messages.map((m) => m.role), ["user", "user"], "a call that nobody answers is not sent");
  assert.equal(next.input.state.recipe.title, "Half way");
});

test("leaving the page stops the run", async (t) => {
  const { agent, ui, page } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await ui.running();
  await page.goto("about:blank");
  await run.gone;
});

test("text of the model is text, wherever it is shown", async (t) => {
  const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
  const { agent, ui, page } = await open(t);
  await ui.send(evil);
  const run = await agent.nextRun();
  await run.start();
  await run.snapshot({
    recipe: { title: evil, cooking_time: evil, special_preferences: [evil], ingredients: [{ icon: "x", name: evil, amount: evil }], instructions: [evil] },
  });
  await run.text("m1", `${evil}\n- ${evil}\n**${evil}** [a](javascript:window.hacked=1)`);
  await run.send(
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: evil, parentMessageId: "m1" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: JSON.stringify({ [evil]: evil }) },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "TOOL_CALL_RESULT", toolCallId: "c1", messageId: "r1", content: evil },
    { type: "REASONING_MESSAGE_START", messageId: "think", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "think", delta: evil },
    { type: "REASONING_MESSAGE_END", messageId: "think" },
    { type: "ACTIVITY_SNAPSHOT", messageId: "act", activityType: evil, content: { evil } },
    { type: "STEP_STARTED", stepName: evil },
    { type: "CUSTOM", name: evil, value: evil },
  );
  await page.locator("#run-details > summary").click();
  await page.locator('.event[data-type="STATE_SNAPSHOT"] > summary').click();
  await ui.textHas(ui.notice, evil);
  await run.send({ type: "STEP_FINISHED", stepName: evil }, { type: "RUN_ERROR", message: evil, code: evil });
  run.end();
  await ui.idle();
  await ui.textHas(ui.notice, evil);
  assert.equal(await ui.title.inputValue(), evil);
  assert.match(await ui.log.innerText(), /<script>window\.hacked=1<\/script>/);
  assert.equal(await page.locator("img:not([src='icon.svg']), main a, #run-details a, body script").count(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("Markdown: a small subset, as elements", async (t) => {
  const { agent, ui } = await open(t);
  await ui.send("x");
  const run = await agent.nextRun();
  await run.start();
  await run.text("m1", "# Soup\nOne **bold**, *leaning*, `code`.\nSecond line\n\n- a\n- b\n\n3. three\n4. four\n\n2 * 3 * 4 and **open");
  await run.finish();
  await ui.idle();
  const html = await ui.log.locator(".assistant .body").evaluate((body) => body.innerHTML);
  assert.equal(
    html,
    "<p><strong>Soup</strong></p><p>One <strong>bold</strong>, <em>leaning</em>, <code>code</code>.<br>Second line</p>" +
      '<ul><li>a</li><li>b</li></ul><ol start="3"><li>three</li><li>four</li></ol><p>2 * 3 * 4 and **open</p>',
  );
});

test("the same page works with another agent, and tells nobody about it", async (t) => {
  const other = await serve();
  t.after(() => other.close());
  const { agent, ui, page } = await open(t);
  await ui.send("private");
  const own = await agent.nextRun();
  await own.start();
  await own.snapshot(soup());
  await own.finish();
  await ui.idle();

  await page.goto(`${agent.url}/?agent=${encodeURIComponent(`${other.url}/agent`)}`);
  await ui.textHas(page.locator("#agent"), new URL(other.url).host);
  await ui.send("hello");
  const run = await other.nextRun();
  assert.equal(agent.untaken(), 0);
  assert.equal(run.input.state.recipe.title, "", "what was said to one agent is not told another");
  assert.equal(run.input.messages.length, 1);
  await run.start();
  await run.snapshot({ recipe: { title: "From elsewhere" } });
  await run.finish();
  await ui.valueIs(ui.title, "From elsewhere");
  await ui.idle();
  await page.goto(`${agent.url}/`);
  await ui.valueIs(ui.title, "Leek soup"); // and each has its own when one comes back
});

test("the policy lets nothing else be reached and no text become HTML", async (t) => {
  const stranger = await serve();
  t.after(() => stranger.close());
  const { page } = await open(t, { expectErrors: [/Content Security Policy/, /TrustedHTML/, /TrustedScript/] });
  const result = await page.evaluate(async (url) => {
    const failed = (f) => Promise.resolve().then(f).then(() => "worked", (error) => error.name);
    return {
      fetch: await failed(() => fetch(url)),
      html: await failed(() => void (document.body.innerHTML = "<b>x</b>")),
      inline: await failed(() => {
        const script = document.createElement("script");
        script.text = "window.hacked = 1";
        document.head.append(script);
      }),
      hacked: window.hacked,
    };
  }, stranger.url);
  assert.deepEqual(result, { fetch: "TypeError", html: "TypeError", inline: "TypeError", hacked: undefined });
});

test("whether the model is a stand-in is said at the top, if the server says so", async (t) => {
  const yes = await open(t, { info: { model: "stand-in", standIn: true, backend: "openai" } });
  await yes.ui.textHas(yes.page.locator("#stand-in"), "The model is a stand-in");
  const no = await open(t, { info: { model: "some-model-5", standIn: false, backend: "openai" } });
  await no.ui.textHas(no.page.locator("#agent"), "some-model-5");
  assert.equal(await no.page.locator("#stand-in").isVisible(), false);
  const silent = await open(t);
  assert.equal(await silent.page.locator("#stand-in").isVisible(), false);
});
