// The recipe, through both generations of the reference client, over HTTP: asked
// itself, and by way of the Go client behind an endpoint of ours, where nothing
// may look otherwise.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { startProxy } from '../proxy.mjs';
import { startRecipe } from '../recipe-server.mjs';
import { assertHistory, count, fold, generations, madeUp, quiet, run, said } from './harness.mjs';

let server;
let proxy;
before(async () => {
  server = await startRecipe('-pace', '0');
  proxy = await startProxy(server.agent);
});
after(async () => {
  assert.equal(await proxy.stop(), 0);
  assert.equal(await server.stop(), 0, server.log());
});
afterEach(quiet);

const ways = [
  { way: 'itself', url: () => server.agent },
  { way: 'behind a proxy', url: () => proxy.url },
];

for (const { name, HttpAgent, version, way, url } of generations.flatMap((g) => ways.map((w) => ({ ...g, ...w })))) {
  describe(`${name}, ${way}`, () => {
    const newAgent = (initialState, more = {}) => new HttpAgent({ url: url(), initialState, ...more });

    for (const [what, initial] of [['absent', undefined], ['null', null], ['{}', {}]]) {
      test(`a recipe from nothing, the state being ${what}`, async () => {
        const agent = newAgent(initial);
        const { types, events, failed } = await run(agent, 'Make me a pumpkin soup.');
        assert.equal(failed, null);
        assert.equal(types[0], 'RUN_STARTED');
        assert.equal(types.at(-1), 'RUN_FINISHED');
        const firstState = types.find((t) => t.startsWith('STATE_'));
        assert.equal(firstState, 'STATE_SNAPSHOT', 'the client has nothing that a delta could change');
        const { recipe } = agent.state;
        assert.match(recipe.title, /pumpkin/i);
        assert.ok(recipe.ingredients.length >= 2 && recipe.instructions.length >= 2, JSON.stringify(recipe));
        assert.ok(recipe.ingredients.every((i) => i.name && i.amount && i.icon));
        assert.deepEqual(agent.messages.map((m) => m.role), ['user', 'assistant']);
        assert.ok(said(events).length > 0);
        assert.equal(agent.messages[1].content, said(events));
      });
    }

    test('a snapshot reflects the change, and text comes in the same run', async () => {
      const initial = madeUp(1);
      const agent = newAgent(initial);
      const { types, events } = await run(agent, 'Double it.');
      assert.ok(count(types, 'STATE_SNAPSHOT') >= 1, types.join(' '));
      assert.ok(count(types, 'TEXT_MESSAGE_CONTENT') >= 1, types.join(' '));
      const snapshots = events.filter((e) => e.type === 'STATE_SNAPSHOT');
      const want = structuredClone(initial);
      for (const i of want.recipe.ingredients) i.amount = i.amount.replace(/^\d+/, (n) => String(2 * n));
      assert.deepEqual(agent.state, want);
      // The first shows the first step of the change, while it is written; deltas follow.
      assert.notDeepEqual(snapshots[0].snapshot, initial);
      assert.ok(snapshots.every((e) => e.snapshot.recipe), 'each is a whole state');
      assert.deepEqual(fold(initial, events), want);
    });

    test('the streamed state events, applied to the prior state, give the state', async () => {
      for (let seed = 2; seed < 6; seed++) {
        const initial = { theme: { dark: null, "it's": [1, 2.5, 1e-7] }, ...madeUp(seed), 'a/b~c': 'kept' };
        const agent = newAgent(initial);
        let prior = structuredClone(initial);
        for (const wish of ['Double it.', 'Make it vegan.', `Add 3 cups of frobnik ${seed}.`, 'Call it Nothing Else Matters.']) {
          const { events } = await run(agent, wish);
          const state = fold(prior, events);
          assert.deepEqual(state, agent.state, wish);
          assert.equal(JSON.stringify(Object.keys(state)), JSON.stringify(Object.keys(initial)), 'the order of members stays');
          assert.deepEqual(state.theme, initial.theme);
          assert.equal(state['a/b~c'], 'kept');
          prior = state;
        }
        assert.equal(prior.recipe.title, 'Nothing Else Matters');
        assert.ok(prior.recipe.ingredients.some((i) => i.name.includes(`frobnik ${seed}`)), JSON.stringify(prior.recipe.ingredients));
        assert.equal(prior.recipe.ingredients[0].amount, initial.recipe.ingredients[0].amount.replace(/^\d+/, (n) => String(2 * n)));
      }
    });

    test('what a person edits and removes is what the agent works with', async () => {
      const agent = newAgent(madeUp(7));
      await run(agent, 'Double it.');
      const state = structuredClone(agent.state);
      const [removed] = state.recipe.ingredients.splice(0, 1);
      state.recipe.ingredients[0].name = 'wibblewort';
      state.recipe.instructions = [];
      agent.setState(state);
      const { events } = await run(agent, 'List all the ingredients.');
      const text = said(events);
      for (const { name } of state.recipe.ingredients) assert.ok(text.includes(name), `${name} in: ${text}`);
      assert.ok(!text.includes(removed.name), `${removed.name} was removed: ${text}`);
      assert.deepEqual(agent.state, state);
    });

    test('the JSON of the state never shows as text', async () => {
      const agent = newAgent({});
      const { events } = await run(agent, 'Make me a lentil curry.');
      assert.doesNotMatch(said(events), /"recipe"|[{}]|ingredients"/);
      for (const m of agent.messages) assert.doesNotMatch(m.content ?? '', /"recipe"/);
    });

    test('the history is one that a provider accepts, three turns deep', async () => {
      const agent = newAgent({});
      for (const wish of ['Make me a mushroom pasta.', 'Make it vegan.', 'How long does it take?']) {
        const { types, failed } = await run(agent, wish);
        assert.equal(failed, null);
        assert.equal(types.at(-1), 'RUN_FINISHED');
        assertHistory(agent.messages);
      }
      assert.deepEqual(agent.messages.filter((m) => m.role === 'user').length, 3);
      assert.ok(agent.messages.filter((m) => m.role === 'assistant').length >= 3);
      // Nothing of the server's own instructions or state came into it.
      assert.ok(agent.messages.every((m) => m.role === 'user' || m.role === 'assistant' || m.role === 'tool'));
    });

    test('a state that does not fit is an error that names the path, and the server lives', async () => {
      const bad = [[{ recipe: 5 }, '/recipe'], [{ recipe: { title: [] } }, '/recipe/title'], [{ recipe: { ingredients: [{ name: 1 }] } }, '/recipe/ingredients/0/name'], [[1], ''], ['text', '']];
      for (const [state, path] of bad) {
        const agent = newAgent(state);
        const { types, events } = await run(agent, 'Double it.');
        assert.deepEqual(types, ['RUN_STARTED', 'RUN_ERROR'], JSON.stringify(state));
        assert.equal(events[1].code, 'SERIALIZATION');
        assert.ok(events[1].message.includes(path), `${path} in: ${events[1].message}`);
        assert.deepEqual(agent.state, state, 'the client keeps what it had');
      }
      const { types } = await run(newAgent({}), 'Make me a salad.');
      assert.equal(types.at(-1), 'RUN_FINISHED');
    });

    test('each generation gets events that it knows', async () => {
      const { events } = await run(newAgent({}), 'Make me a salad.');
      assert.equal(events[0].protocolVersion, version);
      assert.equal(events.at(-1).outcome?.pendingToolCallIds, undefined);
      for (const e of events) {
        for (const [member, value] of Object.entries(e)) assert.notEqual(value, null, `${e.type}.${member} is null`);
      }
    });

    test('agents side by side do not meet', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, async (_, i) => {
        const initial = madeUp(20 + i);
        const agent = newAgent(initial);
        const { events } = await run(agent, 'List all the ingredients.');
        return { initial, agent, text: said(events) };
      }));
      for (const { initial, agent, text } of results) {
        for (const { name } of initial.recipe.ingredients) assert.ok(text.includes(name), `${name} in: ${text}`);
        assert.deepEqual(agent.state, initial);
      }
    });
  });
}
