// What the tests with the reference clients share.
import assert from 'node:assert/strict';
import * as client1 from '@ag-ui/client';
import * as client0 from 'ag-ui-client-0';
import jsonpatch from 'fast-json-patch';

/** Both generations of the reference client. */
export const generations = [
  { name: '@ag-ui/client 1.0.0', HttpAgent: client1.HttpAgent, version: '1.0' },
  { name: '@ag-ui/client 0.0.59', HttpAgent: client0.HttpAgent, version: undefined },
];

// Whatever a client complains about is a fault of ours.
const heard = [];
for (const level of ['warn', 'error']) {
  console[level] = (...args) => heard.push(args.map(String).join(' '));
}

/** What the clients have complained about since the last time. */
export const complaints = () => heard.splice(0);

/** Fails when there is any. */
export const quiet = () => assert.deepEqual(complaints(), []);

/** Runs an agent once more and collects what it saw. */
export async function run(agent, text, parameters = {}) {
  if (text !== undefined) agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text });
  const seen = { events: [], failed: null };
  const outcome = await agent.runAgent(parameters, {
    onEvent: ({ event }) => void seen.events.push(event),
    onRunFailed: ({ error }) => void (seen.failed = error),
  });
  return { ...seen, ...outcome, types: seen.events.map((e) => e.type) };
}

export const count = (types, type) => types.filter((t) => t === type).length;

/** The text of an answer: what its TEXT_MESSAGE_CONTENT events say. */
export const said = (events) => events.filter((e) => e.type === 'TEXT_MESSAGE_CONTENT').map((e) => e.delta).join('');

/** Folds the state events over a document with fast-json-patch, validating. */
export function fold(document, events) {
  let state = structuredClone(document);
  for (const e of events) {
    if (e.type === 'STATE_SNAPSHOT') state = structuredClone(e.snapshot);
    if (e.type === 'STATE_DELTA') state = jsonpatch.applyPatch(state, e.delta, true, false).newDocument;
  }
  return state;
}

/** A whole run by plain fetch: the events as they are on the wire. */
export async function post(url, input) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({ threadId: 't', runId: crypto.randomUUID(), messages: [], tools: [], context: [], forwardedProps: {}, ...input }),
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type'), /^text\/event-stream/);
  const body = await response.text();
  assert.ok(!body.includes('\r'), 'a frame ends with \\n\\n alone');
  return body.split('\n\n').filter((f) => f.startsWith('data:')).map((f) => JSON.parse(f.slice('data:'.length)));
}

/** What OpenAI insists on: each call answered right behind its message, and no other tool message. */
export function assertHistory(messages) {
  let open = [];
  messages.forEach((m, i) => {
    if (m.role === 'tool') {
      assert.ok(open.includes(m.toolCallId), `message ${i} answers ${m.toolCallId}, open are ${open}`);
      open = open.filter((id) => id !== m.toolCallId);
      return;
    }
    assert.deepEqual(open, [], `calls unanswered before message ${i}`);
    if (m.role === 'assistant') {
      assert.ok(m.content || m.toolCalls?.length, `message ${i} says and calls nothing`);
      open = (m.toolCalls ?? []).map((c) => c.id);
      for (const c of m.toolCalls ?? []) JSON.parse(c.function.arguments || '{}');
    }
  });
  const ids = messages.map((m) => m.id);
  assert.equal(new Set(ids).size, ids.length, `a message id comes twice: ${ids}`);
}

/** A recipe of made-up things, a different one for each seed. */
export function madeUp(seed) {
  let n = seed * 2654435761 % 4294967296;
  const pick = (list) => list[(n = (n * 1664525 + 1013904223) % 4294967296) % list.length];
  const word = () => pick(['bra', 'lo', 'quin', 'zeb', 'mur', 'tal']) + pick(['ndo', 'rish', 'pel', 'vok', 'stan', 'gru']) + pick(['l', 'ma', 'rin', 'x', 'ta']);
  const names = new Set();
  while (names.size < 5) names.add(`${word()} ${word()}`);
  return {
    recipe: {
      title: `The ${word()} of ${word()}`,
      skill_level: 'Intermediate',
      cooking_time: '45 min',
      special_preferences: ['Spicy'],
      ingredients: [...names].map((name, i) => ({ icon: '🥕', name, amount: `${i * 3 + seed + 2} grams` })),
      instructions: [`Stir the ${[...names][0]}.`, 'Wait.'],
    },
  };
}
