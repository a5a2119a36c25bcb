// The Go client and the reference client, on servers that are not ours and on
// streams that are.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AbstractAgent, HttpAgent } from '@ag-ui/client';
import { from } from 'rxjs';
import { runs, startForeign } from '../foreign/server.mjs';
import { startProxy } from '../proxy.mjs';
import { complaints, quiet } from './harness.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs the Go client; each line that it prints is an object. */
async function goClient(...args) {
  const { stdout } = await promisify(execFile)('go', ['run', './internal/e2e/foreign', ...args], { cwd: root, maxBuffer: 256 << 20 });
  return stdout.trim().split('\n').map((line) => JSON.parse(line));
}

const state = { count: 1, list: ['a', null], nothing: null };
const question = { id: 'u1', role: 'user', content: 'go' };
const weather = {
  name: 'weather',
  description: 'The weather here.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
};

/** What the reference client holds after the same run, its tool answered as the Go client's is. */
async function referenceClient(url) {
  const agent = new HttpAgent({ url, threadId: 'thread', initialState: structuredClone(state), initialMessages: [{ ...question }] });
  const types = [];
  const subscriber = { onEvent: ({ event }) => void types.push(event.type) };
  let { result } = await agent.runAgent({ tools: [weather] }, subscriber);
  const asked = agent.messages.flatMap((m) => m.toolCalls ?? []).filter((c) => c.function.name === 'weather');
  if (asked.length > 0) {
    const { city } = JSON.parse(asked[0].function.arguments);
    agent.addMessage({ id: 'answer', role: 'tool', toolCallId: asked[0].id, content: `rain in ${city}` });
    ({ result } = await agent.runAgent({ tools: [weather] }, subscriber));
  }
  return { types, state: agent.state, messages: agent.messages, interrupts: agent.pendingInterrupts ?? [], result };
}

/** Leaves out what is made up anew each time, and what only one client sees. */
const comparable = (held) => ({
  types: held.types.filter((t) => !t.endsWith('_CHUNK')),
  state: held.state,
  messages: held.messages.map((m) => (m.toolCallId === 'c1' && m.content.startsWith?.('rain') || m.content === 'old ways' ? { ...m, id: '' } : m)),
  interrupts: held.interrupts ?? [],
  result: held.result ?? null,
});

let server;
let proxies = [];
let holds;
before(async () => {
  server = await startForeign();
  const names = Object.keys(runs);
  const lines = await goClient(...names.map((name) => `${server.url}/${name}`));
  holds = Object.fromEntries(names.map((name, i) => [name, lines[i]]));
  const near = await startProxy(server.url);
  proxies = [near, await startProxy(near.url)];
});
after(async () => {
  for (const proxy of proxies.reverse()) assert.equal(await proxy.stop(), 0);
  await server.stop();
});

for (const name of Object.keys(runs)) {
  test(`a server with the official encoder: ${name}`, async () => {
    const want = await referenceClient(`${server.url}/${name}`);
    complaints(); // about the patch that does not apply, and old events
    assert.deepEqual(comparable(holds[name]), comparable(want));
    assert.equal(holds[name].stale, false || name === 'state', 'the patch that does not apply makes the state stale');
    assert.equal(holds[name].code ?? '', name === 'error' ? 'BROKEN' : '');
    assert.equal(holds[name].peer ?? false, name === 'error');
  });
}

/** What a proxy leaves as it is: reasoning gets ids of its own, and its opaque form goes to the message that it leads to. */
const told = ({ state, messages, interrupts, result, error }) => ({
  state, interrupts, result, error,
  messages: messages.map(({ encryptedValue, ...m }) => (m.role === 'reasoning' ? { ...m, id: '' } : m)),
  encrypted: messages.flatMap((m) => m.encryptedValue ?? []),
});

/** What the reference client holds, also of a run that fails. */
const heldOf = async (url) => {
  const held = await referenceClient(url).catch((error) => ({ messages: [], error: error.message }));
  complaints();
  return told(held);
};

for (const name of Object.keys(runs)) {
  test(`the official encoder, one proxy and two: ${name}`, async () => {
    const want = await heldOf(`${server.url}/${name}`);
    for (const proxy of proxies) {
      assert.deepEqual(await heldOf(`${proxy.url}/${name}`), want);
    }
  });
}

/** An agent that plays events. */
class Played extends AbstractAgent {
  constructor(input, events) {
    super({ threadId: input.threadId, initialState: structuredClone(input.state), initialMessages: structuredClone(input.messages) });
    this.events = events;
  }
  run() {
    return from(this.events);
  }
}

test('whatever a server of ours says, both clients hold what the server holds', async () => {
  let changed = 0;
  for (const run of await goClient('-runs', '300')) {
    const agent = new Played(run.input, run.events);
    await agent.runAgent({ runId: run.input.runId });
    assert.deepEqual(agent.state, run.state);
    assert.deepEqual(agent.messages, run.messages);
    if (run.server) {
      changed += run.events.filter((e) => e.type === 'STATE_DELTA').length;
      assert.deepEqual(run.state, run.server);
    }
    quiet();
  }
  assert.ok(changed > 100, `only ${changed} deltas were told`);
});

// What the endpoint's own tests say it sends, and what the guides show: runs
// with approvals, predictions, generated states, tools, failures.
test('of every golden stream both clients make the same', async () => {
  const files = [];
  for (const dir of ['middleware/chat/testdata', 'middleware/state/testdata', 'examples', 'internal/docs']) {
    for (const file of await readdir(join(root, dir), { recursive: true })) {
      if (file.endsWith('.jsonl') && !file.includes('node_modules')) files.push(join(dir, file));
    }
  }
  assert.ok(files.length > 80, `only ${files.length} files`);
  const runs = await goClient('-fold', ...files);
  let states = 0;
  for (const run of runs) {
    const agent = new Played(run.input, run.events);
    let failed = null;
    await agent.runAgent({ runId: run.input.runId }, { onRunFailed: ({ error }) => void (failed = error) }).catch((error) => void (failed = error));
    assert.equal(failed, null, JSON.stringify(run.events));
    assert.deepEqual(agent.state, run.state, JSON.stringify(run.events));
    assert.deepEqual(agent.messages, run.messages, JSON.stringify(run.events));
    states += run.types.filter((t) => t.startsWith('STATE_')).length;
    const complained = complaints().filter((c) => /patch/i.test(c)).length > 0;
    assert.equal(run.stale, complained, 'the patches that one does not take, the other does not take');
  }
  assert.ok(states > 100, `only ${states} states were told`);
});
