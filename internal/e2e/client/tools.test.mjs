// The recipe's agent with tools, through both generations of the reference client: what they hold
// after a run is a history that a provider accepts, and an answer may go to another process. All of
// it also by way of the Go client behind an endpoint of ours.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { startProxy } from '../proxy.mjs';
import { startRecipe } from '../recipe-server.mjs';
import { assertHistory, count, fold, generations, madeUp, quiet, run, said } from './harness.mjs';

const confirmDeletion = {
  name: 'confirm_deletion',
  description: 'Asks the user whether things may be deleted.',
  parameters: { type: 'object', properties: { items: { type: 'array', items: { type: 'string' } } }, required: ['items'] },
};

let asking, answering, stranger; // the third has another key
before(async () => {
  const key = randomBytes(32).toString('base64');
  asking = await startRecipe('-pace', '0', '-key', key);
  [answering, stranger] = await Promise.all([
    startRecipe('-pace', '0', '-key', key),
    startRecipe('-pace', '0', '-key', randomBytes(32).toString('base64url')),
  ]);
  for (const server of [asking, answering, stranger]) server.proxy = await startProxy(`${server.url}/tools`);
});
after(async () => {
  for (const server of [asking, answering, stranger]) {
    const { requests } = await (await fetch(`${server.model}/requests`)).json();
    assert.deepEqual(requests.filter((r) => r.status !== 200), [], 'the model refused nothing');
    assert.equal(await server.proxy.stop(), 0);
    assert.equal(await server.stop(), 0, server.log());
  }
});
afterEach(quiet);

/** The calls that no tool message answers. */
function open(messages) {
  const answered = new Set(messages.filter((m) => m.role === 'tool').map((m) => m.toolCallId));
  return messages.flatMap((m) => m.toolCalls ?? []).filter((call) => !answered.has(call.id));
}

const names = (state) => state.recipe.ingredients.map((i) => i.name);
const result = (events, id) => events.find((e) => e.type === 'TOOL_CALL_RESULT' && e.toolCallId === id)?.content;

const ways = [
  { way: 'itself', at: (server) => `${server.url}/tools` },
  { way: 'behind a proxy', at: (server) => server.proxy.url },
];

for (const { name, HttpAgent, version, way, at } of generations.flatMap((g) => ways.map((w) => ({ ...g, ...w })))) {
  describe(`${name}, ${way}`, () => {
    const tools = [confirmDeletion];
    const newAgent = (initialState, messages = []) => new HttpAgent({ url: at(asking), initialState, initialMessages: messages });

    /** Runs, with an answer to what the last run asked, if there is one. */
    const step = (agent, text, payload) => {
      const resume = payload && agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload }));
      return run(agent, text, { tools, ...(resume ? { resume } : {}) });
    };

    /** Asks for a fresh start, which waits for approval, and goes on with another process. */
    async function askToStartOver(seed, server = answering) {
      const agent = newAgent(madeUp(seed));
      const asked = await step(agent, 'Start over.');
      assert.equal(asked.failed, null);
      agent.url = at(server);
      return { agent, asked };
    }

    test('tools run on the server, and what they change lies inside their calls', async () => {
      const initial = madeUp(1);
      const agent = newAgent(initial);
      const { events, types, failed } = await step(agent, 'Double it and add 3 cups of frobnik.');
      assert.equal(failed, null);
      assertHistory(agent.messages);
      assert.deepEqual(agent.messages.map((m) => m.role), ['user', 'assistant', 'tool', 'tool', 'assistant']);
      assert.deepEqual(fold(initial, events), agent.state);
      assert.deepEqual(agent.state.recipe.ingredients.at(-1), { icon: '🍽️', name: 'Frobnik', amount: '3 cups' });
      assert.equal(agent.state.recipe.ingredients[0].amount, initial.recipe.ingredients[0].amount.replace(/^\d+/, (n) => String(2 * n)));
      const [scale] = agent.messages[1].toolCalls;
      const at = (type) => events.findIndex((e) => e.type === type && (e.toolCallId ?? scale.id) === scale.id);
      assert.ok(at('TOOL_CALL_START') < at('STATE_SNAPSHOT') && at('STATE_SNAPSHOT') < at('TOOL_CALL_END') && at('TOOL_CALL_END') < at('TOOL_CALL_RESULT'), types.join(' '));
      const calls = events.filter((e) => e.type === 'TOOL_CALL_START');
      assert.deepEqual(new Set(calls.map((e) => e.parentMessageId)), new Set([agent.messages[1].id]));
    });

    test('two turns deep the history is still one that a provider accepts', async () => {
      const agent = newAgent({});
      for (const wish of ['Make me a mushroom pasta.', 'Double it.', 'Add 2 cups of frobnik and call it Night Bites.']) {
        const { failed } = await step(agent, wish);
        assert.equal(failed, null);
        assertHistory(agent.messages);
        assert.deepEqual(open(agent.messages), []);
      }
      assert.equal(agent.state.recipe.title, 'Night Bites');
      assert.equal(agent.messages.filter((m) => m.role === 'tool').length, 4);
      const ids = agent.messages.flatMap((m) => m.toolCalls ?? []).map((c) => c.id);
      assert.equal(new Set(ids).size, ids.length);
    });

    for (const confirmed of [true, false]) {
      test(`a call for the client ends the run, and its result goes on (${confirmed})`, async () => {
        const initial = madeUp(2);
        const [, victim] = names(initial);
        const agent = newAgent(initial);
        const first = await step(agent, `Remove the ${victim}.`);
        assert.equal(first.failed, null);
        assert.equal(first.events.at(-1).type, 'RUN_FINISHED');
        assert.deepEqual(agent.pendingInterrupts ?? [], [], 'a call for the client is no interrupt');
        const [call, ...more] = open(agent.messages);
        assert.deepEqual(more, []);
        assert.deepEqual(JSON.parse(call.function.arguments), { items: [victim] });
        if (version === undefined) assert.equal(first.events.at(-1).outcome?.pendingToolCallIds, undefined);
        else assert.deepEqual(first.events.at(-1).outcome.pendingToolCallIds, [call.id]);
        agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: call.id, content: JSON.stringify({ confirmed }) });
        const second = await step(agent);
        assert.equal(second.failed, null);
        assertHistory(agent.messages);
        assert.equal(names(agent.state).includes(victim), !confirmed);
        assert.ok(said(second.events).length > 0);
        const third = await step(agent, 'List all the ingredients.');
        assert.equal(third.failed, null);
        assertHistory(agent.messages);
      });
    }

    test('an approval asked by one process is given to another: approved', async () => {
      const { agent, asked } = await askToStartOver(3);
      const [interrupt] = agent.pendingInterrupts;
      // Behind a proxy a call of the agent's is open as long as it can be.
      const ends = asked.types.filter((t) => t !== 'TOOL_CALL_END');
      assert.deepEqual(ends.slice(-3), ['STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
      const [call] = open(agent.messages);
      assert.equal(interrupt.toolCallId, call.id);
      assert.equal(interrupt.reason, 'tool_approval');
      assert.match(interrupt.message, /will be lost/);
      assert.equal(names(agent.state).length, 5);
      const { events, types, failed } = await step(agent, undefined, { approved: true });
      assert.equal(failed, null);
      assert.deepEqual(names(agent.state), []);
      assert.equal(result(events, call.id), 'the recipe is empty');
      for (const again of ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END']) assert.equal(count(types, again), 0);
      assertHistory(agent.messages);
      assert.deepEqual(agent.pendingInterrupts, []);
      await step(agent, 'Make me a lentil soup.');
      assertHistory(agent.messages);
      assert.match(agent.state.recipe.title, /lentil/i);
    });

    test('edited: the tool runs with what the person wrote, and the history says so', async () => {
      const { agent } = await askToStartOver(4);
      const [call] = open(agent.messages);
      const { failed } = await step(agent, undefined, { approved: true, arguments: { title: 'Quiet Bites' } });
      assert.equal(failed, null);
      assert.equal(agent.state.recipe.title, 'Quiet Bites');
      const edited = agent.messages.flatMap((m) => m.toolCalls ?? []).find((c) => c.id === call.id);
      assert.deepEqual(JSON.parse(edited.function.arguments), { title: 'Quiet Bites' });
      assertHistory(agent.messages);
    });

    test('denied: nothing changes, and the model is told why', async () => {
      const { agent } = await askToStartOver(5);
      const [call] = open(agent.messages);
      const { events, failed } = await step(agent, undefined, { approved: false, reason: 'guests are coming' });
      assert.equal(failed, null);
      assert.equal(names(agent.state).length, 5);
      assert.match(result(events, call.id), /guests are coming/);
      assert.match(said(events), /you said no/);
      assertHistory(agent.messages);
    });

    test('a mixed turn: the server runs its own, the rest is answered together', async () => {
      const initial = madeUp(6);
      const [, victim] = names(initial);
      const agent = newAgent(initial);
      const first = await step(agent, `Double it, remove the ${victim}, then start over.`);
      assert.equal(first.failed, null);
      const calls = open(agent.messages);
      assert.deepEqual(calls.map((c) => c.function.name).sort(), ['confirm_deletion', 'start_over']);
      assert.notEqual(agent.state.recipe.ingredients[0].amount, initial.recipe.ingredients[0].amount);
      const own = calls.find((c) => c.function.name === 'confirm_deletion');
      agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: own.id, content: '{"confirmed":true}' });
      agent.url = at(answering);
      const second = await step(agent, undefined, { approved: false });
      assert.equal(second.failed, null);
      assert.deepEqual(names(agent.state), names(initial).filter((n) => n !== victim));
      assert.deepEqual(open(agent.messages), []);
      await step(agent, 'List all the ingredients.');
      assert.deepEqual(names(agent.state), names(initial).filter((n) => n !== victim));
    });

    for (const [what, code, spoil] of [
      ['by a process with another key', 'INTERRUPT_UNKNOWN', ({ agent }) => { agent.url = at(stranger); }],
      ['of another thread', 'INTERRUPT_UNKNOWN', ({ agent }) => { agent.threadId = 'another'; }],
      ['with forged arguments', 'INTERRUPT_UNKNOWN', ({ agent }) => {
        const messages = structuredClone(agent.messages);
        messages.find((m) => m.toolCalls).toolCalls[0].function.arguments = '{"title":"forged"}';
        agent.setMessages(messages);
      }],
      ['that does not fit', 'INTERRUPT_PAYLOAD', (it) => { it.payload = { approved: 'yes' }; }],
    ]) {
      test(`an answer is refused: ${what}`, async () => {
        const it = { payload: { approved: true }, ...(await askToStartOver(7)) };
        spoil(it);
        const { types, events } = await step(it.agent, undefined, it.payload);
        assert.equal(events.at(-1).code, code, types.join(' '));
        assert.equal(names(it.agent.state).length, 5, 'and nothing has run');
      });
    }
  });
}
