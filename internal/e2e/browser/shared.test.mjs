// The document of two authors, without a browser: identity of rows, the rule, the words for a change.
import { test } from "node:test";
import assert from "node:assert/strict";
import { rekey, rows, weave } from "../../../examples/recipe/web/rows.js";
import { Shared } from "../../../examples/recipe/web/shared.js";
import { difference, sentence } from "../../../examples/recipe/web/difference.js";
import { History } from "../../../examples/recipe/web/history.js";
import { soup } from "./agent.mjs";

test("rows keep their identity", async (t) => {
  const [a, b, c] = [{ name: "Leek", amount: "3" }, { name: "Oil", amount: "1" }, { name: "Salt", amount: "" }];
  const cases = [
    ["unchanged", [a, b, c], [a, b, c], [0, 1, 2]],
    ["reversed", [a, b, c], [c, b, a], [2, 1, 0]],
    ["one in front", [a, b], [c, a, b], [null, 0, 1]],
    ["one gone", [a, b, c], [a, c], [0, 2]],
    ["another amount", [a, b], [{ ...a, amount: "4" }, b], [0, 1]],
    ["another amount and place", [a, b], [b, { ...a, amount: "4" }], [1, 0]],
    ["another name at its place", [a, b], [{ ...a, name: "Garlic" }, b], [0, 1]],
    ["being written", [a, b], [{ name: "Le" }], [0]],
    ["the same twice", [a, a], [a, a, a], [0, 1, null]],
    ["texts", ["one", "two"], ["two", "one and a half"], [1, null]],
    ["a text that grows", ["one", "two"], ["one and a half", "two"], [0, 1]],
    ["a name that begins another's", [{ name: "Egg white", amount: "2" }, b], [b, { name: "Egg", amount: "2" }], [1, null]],
    ["of other kinds", [1, null, "x"], ["x", null, 1], [2, 1, 0]],
    ["all new", [], ["x"], [null]],
  ];
  for (const [name, before, after, expected] of cases) {
    await t.test(name, () => {
      const old = rows(before);
      const now = rekey(after, old);
      assert.deepEqual(now.map((row) => row.value), after);
      assert.deepEqual(now.map((row) => { const i = old.findIndex((o) => o.key === row.key); return i < 0 ? null : i; }), expected);
      assert.equal(new Set(now.map((row) => row.key)).size, now.length, "keys are unique");
    });
  }
});

test("a row that left and comes again is the same row", () => {
  const old = rows([{ name: "Leek" }, { name: "Oil" }]);
  const [again] = rekey([{ name: "Oil", amount: "2" }], [], old);
  assert.equal(again.key, old[1].key);
});

test("two orders are woven into one", () => {
  assert.deepEqual(weave(["a", "b", "c"], ["c", "x", "a", "y"]), ["a", "y", "b", "c", "x"]);
  assert.deepEqual(weave([], ["x", "y"]), ["x", "y"]);
  assert.deepEqual(weave(["a"], ["x", "a"]), ["x", "a"]);
  assert.deepEqual(weave(["a", "b"], []), ["a", "b"]);
});

test("whatever the agent does in a run, what the person did holds", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const next = random(seed);
    const shared = new Shared(soup());
    shared.begin();
    const removed = new Set(); // names that the person removed; each name is of one thing here
    const typed = new Map(); // keys → amounts
    let title;
    let doc = soup();
    for (let step = 0; step < 25; step++) {
      const shown = shared.rows("ingredients");
      const row = shown[next(Math.max(shown.length, 1))];
      switch (next(7)) {
        case 0:
          if (!row || typed.has(row.key)) break;
          shared.edit({ kind: "remove", list: "ingredients", key: row.key });
          removed.add(row.value.name);
          break;
        case 1: {
          if (!row) break;
          const value = `${next(100)} mine`;
          shared.edit({ kind: "cell", list: "ingredients", key: row.key, field: "amount", value });
          typed.set(row.key, value);
          break;
        }
        case 2:
          shared.edit({ kind: "field", field: "title", value: (title = `title ${step}`) });
          break;
        case 3:
          if (row) shared.edit({ kind: "move", list: "ingredients", key: row.key, by: next(3) - 1 });
          break;
        default:
          shared.receive((doc = agentChange(doc, next)));
      }
      check(shared, doc, { removed, typed, title }, `seed ${seed}, step ${step}`);
    }
    const before = shared.doc;
    shared.end();
    assert.deepEqual(shared.doc, before, "the end of a run changes nothing that is shown");
    assert.equal(shared.agentDoc, shared.doc);
  }
});

// agentChange makes another document: rows come, go, move, change their amount; or all is sent anew.
function agentChange(doc, next) {
  const copy = structuredClone(doc);
  const list = copy.recipe.ingredients;
  const at = next(list.length + 1);
  const free = ["Salt", "Oil", "Egg", "Rice", "Dill", "Leek", "Potatoes", "Butter"].filter((n) => !list.some((i) => i.name === n));
  switch (next(6)) {
    case 0:
      if (free.length > 0) list.splice(at, 0, { icon: "", name: free[next(free.length)], amount: "1" });
      break;
    case 1:
      list.splice(at, 1);
      break;
    case 2:
      list.reverse();
      break;
    case 3:
      if (list[at]) list[at].amount = `${next(100)} theirs`;
      break;
    case 4:
      return soup();
    default:
      copy.recipe.title = `theirs ${next(100)}`;
  }
  return copy;
}

function check(shared, doc, { removed, typed, title }, where) {
  const shown = shared.rows("ingredients");
  const names = shown.map((row) => row.value.name);
  assert.equal(new Set(shown.map((row) => row.key)).size, shown.length, `${where}: keys are unique`);
  for (const name of removed) assert.ok(!names.includes(name), `${where}: ${name} is back`);
  for (const [key, value] of typed) {
    assert.equal(shown.find((row) => row.key === key)?.value.amount, value, `${where}: what was typed is gone`);
  }
  for (const { name } of doc.recipe.ingredients) {
    assert.ok(names.includes(name) || removed.has(name), `${where}: ${name} of the agent is lost`);
  }
  if (title !== undefined) assert.equal(shared.doc.recipe.title, title, where);
  assert.deepEqual(shared.doc.recipe.ingredients, shown.map((row) => row.value), where);
  assert.deepEqual(shared.doc.kept, soup().kept, where);
  assert.deepEqual(shared.agentDoc, doc, `${where}: the agent's document is its own`);
}

test("without edits the document is the agent's own, whatever it is", () => {
  const shared = new Shared(soup());
  shared.begin();
  for (const doc of [null, 1, [], {}, { recipe: { ingredients: 7 } }, soup()]) {
    shared.receive(doc);
    assert.equal(shared.doc, doc);
  }
});

test("an edit never touches a document that somebody holds", () => {
  const doc = soup();
  const shared = new Shared(doc);
  const key = shared.rows("ingredients")[0].key;
  shared.edit({ kind: "cell", list: "ingredients", key, field: "amount", value: "9" });
  shared.edit({ kind: "remove", list: "instructions", key: shared.rows("instructions")[0].key });
  shared.edit({ kind: "prefer", name: "Vegan", on: true });
  assert.deepEqual(doc, soup());
  assert.throws(() => shared.edit({ kind: "explode", list: "ingredients", key }), /no such change: explode/);
});

test("a change in words", () => {
  const change = (f) => {
    const after = soup();
    f(after.recipe);
    return sentence(difference(soup(), after));
  };
  assert.equal(change(() => {}), "");
  assert.equal(change((r) => (r.title = "x")), "title");
  assert.equal(change((r) => { r.title = "x"; r.cooking_time = "5 min"; r.special_preferences = []; }), "title, cooking time and preferences");
  assert.equal(change((r) => r.ingredients.push({ name: "Oil" }, { name: "Salt" })), "2 ingredients added");
  assert.equal(change((r) => { r.ingredients[0].amount = "4"; r.instructions.pop(); }), "1 ingredient changed and 1 step removed");
  assert.equal(change((r) => r.instructions.reverse()), "steps reordered");
  assert.deepEqual(difference(null, { recipe: 7 }), []);
});

test("undo and redo", () => {
  const history = new History();
  assert.equal(history.undo("now"), undefined);
  history.push("a", "you", "title", "title");
  history.push("b", "you", "title", "title"); // the same field goes on
  history.close();
  history.push("c", "you", "title", "title"); // left and taken up again
  history.push("d", "agent", "steps");
  assert.deepEqual([history.undo("e"), history.undo("d"), history.undo("c")], ["d", "c", "a"]);
  assert.equal(history.undo("a"), undefined);
  assert.deepEqual([history.redo("a"), history.redo("c"), history.redo("d")], ["c", "d", "e"]);
  assert.equal(history.redo("e"), undefined);
  for (let i = 0; i < 500; i++) history.push(i, "you", "x");
  let steps = 0;
  for (let doc = "now"; doc !== undefined; doc = history.undo(doc)) steps++;
  assert.equal(steps, 101, "what is kept is bounded");
});

function random(seed) {
  let state = seed * 2654435761;
  return (n) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((Math.abs(state) / 2 ** 31) * n);
  };
}
