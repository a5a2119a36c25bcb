// What goes wrong reaches the client as one RUN_ERROR, or as a status before
// any event; and who stops a run stops the model.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { startRecipe } from '../recipe-server.mjs';
import { complaints, generations, madeUp, post, quiet, run } from './harness.mjs';

let server;
let stepped;
before(async () => {
  [server, stepped] = await Promise.all([startRecipe('-pace', '0'), startRecipe('-step')]);
});
after(async () => {
  for (const s of [server, stepped]) assert.equal(await s.stop(), 0, s.log());
});
afterEach(quiet);

/** Waits until something holds; the test's own time limit ends it. */
async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const { name, HttpAgent } of generations) {
  describe(name, () => {
    // cut: the connection breaks in the middle; error: an error object inside
    // the stream; refuse, and length (stopped by the token limit): more often
    // than the agent asks again; status500: more often than the adapter does.
    for (const [kind, times] of [['cut', 1], ['error', 1], ['garbage', 1], ['refuse', 2], ['length', 2], ['status500', 3]]) {
      test(`a model that fails (${kind}) ends the run in one RUN_ERROR`, async () => {
        const initial = madeUp(3);
        const agent = new HttpAgent({ url: server.agent, initialState: initial });
        await server.fault(kind, { times });
        const { types, events } = await run(agent, 'Double it.');
        assert.equal(types[0], 'RUN_STARTED');
        assert.equal(types.at(-1), 'RUN_ERROR');
        assert.equal(types.filter((t) => t === 'RUN_ERROR' || t === 'RUN_FINISHED').length, 1);
        const { message, code } = events.at(-1);
        assert.ok(code && message);
        assert.doesNotMatch(message, /127\.0\.0\.1|goroutine|\.go:|panic|http/i, 'nothing of the server shows');
        assert.deepEqual(agent.state, initial, 'a recipe that was not finished changes nothing');
        // The next run is as if nothing had been.
        const again = await run(agent, 'Double it.');
        assert.equal(again.types.at(-1), 'RUN_FINISHED');
        assert.notDeepEqual(agent.state, initial);
      });
    }

    test('a model that fails once, before it said anything, is asked again', async () => {
      const agent = new HttpAgent({ url: server.agent, initialState: madeUp(5) });
      await server.fault('status500');
      const { types } = await run(agent, 'Call it Second Try.');
      assert.equal(types.at(-1), 'RUN_FINISHED');
      assert.equal(agent.state.recipe.title, 'Second Try');
    });

    for (const kind of ['refuse', 'length']) {
      test(`a model that wrote no recipe (${kind}) is asked again, and told so`, async () => {
        const agent = new HttpAgent({ url: server.agent, initialState: madeUp(8) });
        await server.fault(kind);
        const { types } = await run(agent, 'Call it Second Try.');
        assert.equal(types.at(-1), 'RUN_FINISHED');
        assert.deepEqual(agent.state.recipe, { ...madeUp(8).recipe, title: 'Second Try' });
      });
    }

    test('a silent model can be aborted', async () => {
      const initial = madeUp(6);
      const agent = new HttpAgent({ url: server.agent, initialState: initial });
      // Nothing comes, so nothing can have changed; and it is asked before the abort, or the fault would be left for the next.
      await server.fault('hang', { after: 0 });
      agent.addMessage({ id: 'u', role: 'user', content: 'Double it.' });
      const types = [];
      const asked = await server.asked();
      let running;
      await new Promise((started) => {
        running = agent.runAgent({}, { onEvent: ({ event }) => { types.push(event.type); if (event.type === 'RUN_STARTED') started(); } });
      });
      await server.asked(asked + 1);
      agent.abortRun();
      await running;
      await until(async () => (await server.activeRuns()) === 0);
      assert.ok(!types.includes('RUN_FINISHED'), types.join(' '));
      assert.deepEqual(agent.state, initial);
    });

    test('an aborted run stops at the model', async () => {
      const initial = madeUp(4);
      const agent = new HttpAgent({ url: stepped.agent, initialState: initial });
      agent.addMessage({ id: 'u', role: 'user', content: 'Double it.' });
      const types = [];
      let running;
      await new Promise((started) => {
        running = agent.runAgent({}, { onEvent: ({ event }) => { types.push(event.type); if (event.type === 'RUN_STARTED') started(); } });
      });
      await stepped.step(2);
      assert.equal(await stepped.activeRuns(), 1);
      agent.abortRun();
      await running;
      await until(async () => (await stepped.activeRuns()) === 0);
      assert.ok(!types.includes('RUN_FINISHED'), types.join(' '));
      assert.deepEqual(agent.state, initial);
    });

    test('a refused request rejects with the status', async () => {
      const agent = new HttpAgent({ url: `${server.url}/healthz`, initialState: {} });
      await assert.rejects(run(agent, 'hi'), (error) => error.status === 405);
      const said = complaints();
      assert.equal(said.length, 1, said.join('\n'));
      assert.match(said[0], /HTTP 405/);
    });
  });
}

describe('the envelope', () => {
  const send = (body, headers = { 'Content-Type': 'application/json' }) => fetch(server.agent, { method: 'POST', headers, body });
  const good = { threadId: 't', runId: 'r', messages: [{ id: 'u', role: 'user', content: 'Double it.' }], state: madeUp(1) };
  const bad = [
    ['not JSON', '{', 400, null],
    ['an array', '[]', 400, null],
    ['nothing', '', 400, null],
    ['no thread', JSON.stringify({ ...good, threadId: undefined }), 400, '/threadId'],
    ['a number for a run', JSON.stringify({ ...good, runId: 5 }), 400, '/runId'],
    ['snake case', JSON.stringify({ ...good, threadId: undefined, thread_id: 't' }), 400, 'threadId'],
    ['an unknown role', JSON.stringify({ ...good, messages: [{ id: 'u', role: 'wizard', content: 'hi' }] }), 400, '/messages/0/role'],
    ['a message without an id', JSON.stringify({ ...good, messages: [{ role: 'user', content: 'hi' }] }), 400, '/messages/0/id'],
    ['a member twice', '{"threadId":"a","threadId":"b","runId":"r","messages":[]}', 400, 'threadId'],
    ['more behind the end', JSON.stringify(good) + '{}', 400, null],
    ['too deep', JSON.stringify({ ...good, state: 0 }).replace('"state":0', `"state":${'['.repeat(200)}${']'.repeat(200)}`), 400, null],
  ];
  for (const [what, body, status, names] of bad) {
    test(`${what} is refused with ${status} before any run`, async () => {
      const response = await send(body);
      const text = await response.text();
      assert.equal(response.status, status, text);
      assert.match(response.headers.get('content-type'), /^application\/json/);
      assert.equal(typeof JSON.parse(text), 'object');
      if (names) assert.ok(text.includes(names), `${names} in: ${text}`);
    });
  }

  test('another content type is refused', async () => {
    const response = await send(JSON.stringify(good), { 'Content-Type': 'text/plain' });
    assert.equal(response.status, 415, await response.text());
  });

  test('another method is refused', async () => {
    const response = await fetch(server.agent, { method: 'PUT', body: JSON.stringify(good), headers: { 'Content-Type': 'application/json' } });
    assert.equal(response.status, 405);
    assert.match(response.headers.get('allow') ?? '', /POST/);
    assert.ok((await fetch(server.agent)).status >= 400, 'GET is no run');
  });

  test('too large is refused, with a length and without', async () => {
    const large = JSON.stringify({ ...good, state: { x: 'x'.repeat(64 << 20) } });
    for (const body of [large, new Blob([large]).stream()]) {
      try {
        const response = await fetch(server.agent, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, duplex: 'half' });
        assert.equal(response.status, 413, await response.text());
      } catch (e) {
        // The server may hang up before it has read it all.
        assert.match(String(e.cause?.code), /ECONNRESET|EPIPE|UND_ERR_SOCKET/, e);
      }
    }
  });

  test('the server is well after all that', async () => {
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    assert.equal(await server.activeRuns(), 0);
    const events = await post(server.agent, good);
    assert.equal(events.at(-1).type, 'RUN_FINISHED');
  });
});

describe('other origins', () => {
  const preflight = (origin) => fetch(server.agent, {
    method: 'OPTIONS',
    headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type,accept' },
  });

  test('a page on this machine may ask', async () => {
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:5173']) {
      const response = await preflight(origin);
      assert.ok([origin, '*'].includes(response.headers.get('access-control-allow-origin')), origin);
    }
  });

  test('a page elsewhere may not', async () => {
    for (const origin of ['https://example.com', 'http://localhost.example.com', 'null']) {
      assert.equal((await preflight(origin)).headers.get('access-control-allow-origin'), null, origin);
    }
  });
});
