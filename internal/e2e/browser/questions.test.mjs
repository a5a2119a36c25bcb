// What the page makes of interrupts, of its own tools and of schemas, without a browser.
import { test } from "node:test";
import assert from "node:assert/strict";
import { Interrupts, approve, cancel, deny, expired, inWords, kindOf, refusal, respond, takes } from "../../../examples/recipe/web/interrupts.js";
import { fieldsOf, valueOf } from "../../../examples/recipe/web/schema.js";
import { TOOLS, confirmation, partial, unanswered, waiting, withResult } from "../../../examples/recipe/web/tools.js";

const approval = { type: "object", properties: { approved: { type: "boolean" }, arguments: { type: "object" }, reason: { type: "string" } }, required: ["approved"] };
const call = (id, name, args = "{}") => ({ id, type: "function", function: { name, arguments: args } });

test("all interrupts are answered at once, in their order", () => {
  const asked = new Interrupts([{ id: "a", reason: "r" }, { id: "b", reason: "r" }]);
  asked.answer("b", approve());
  assert.throws(() => asked.resume(), /a has no answer/);
  asked.answer("a", cancel());
  assert.deepEqual(asked.resume(), [
    { interruptId: "a", status: "cancelled" },
    { interruptId: "b", status: "resolved", payload: { approved: true } },
  ]);
  asked.reopen("a");
  assert.equal(asked.entry("a"), undefined);
  assert.notEqual(asked.entry("b"), undefined);
  asked.reopen();
  assert.equal(asked.entry("b"), undefined);
  assert.throws(() => asked.answer("c", cancel()), /no such interrupt/);
});

test("nothing asked, nothing resumed; what is no interrupt is none", () => {
  assert.equal(new Interrupts().resume(), undefined);
  for (const odd of [null, "x", {}, [null, 1, { id: 5 }]]) assert.deepEqual(new Interrupts(odd).all, []);
});

test("an interrupt whose call has its result is answered", () => {
  const asked = new Interrupts([{ id: "a", toolCallId: "c1" }, { id: "b", toolCallId: "c2" }, { id: "c" }]);
  asked.settle([{ role: "tool", toolCallId: "c1" }, { role: "user" }]);
  assert.deepEqual(asked.all.map((one) => one.id), ["b", "c"]);
});

test("the payloads of an approval, and what a schema takes", () => {
  assert.deepEqual(approve({ title: "x" }).payload, { approved: true, arguments: { title: "x" } });
  assert.deepEqual(deny("later").payload, { approved: false, reason: "later" });
  assert.deepEqual(deny("").payload, { approved: false });
  assert.deepEqual(respond(undefined), { status: "resolved" });
  assert.equal(kindOf({ responseSchema: approval }), "approval");
  for (const responseSchema of [undefined, null, {}, { properties: null }, { properties: { approved: { type: "string" } } }]) {
    assert.equal(kindOf({ responseSchema }), "input");
  }
  assert.equal(takes({ responseSchema: approval }, "arguments"), true);
  assert.equal(takes({ responseSchema: { properties: { approved: { type: "boolean" } } } }, "arguments"), false);
});

test("an interrupt expires at its time, and one without a date never", () => {
  const at = Date.parse("2030-01-01T00:00:00Z");
  assert.equal(expired({ expiresAt: "2030-01-01T00:00:00Z" }, at - 1), false);
  assert.equal(expired({ expiresAt: "2030-01-01T00:00:00Z" }, at), true);
  assert.equal(expired({ expiresAt: "soon" }, at), false);
  assert.equal(expired({}, at), false);
});

test("answers and refusals have words", () => {
  assert.equal(inWords(approve(), "approval"), "You approved this.");
  assert.equal(inWords(approve({ a: 1 }), "approval"), "You approved this with changes.");
  assert.equal(inWords(deny("no salt"), "approval"), "You said no: no salt");
  assert.equal(inWords(cancel(), "input"), "You left this unanswered.");
  assert.equal(inWords(respond({ color: "red", n: 2 }), "input"), "You answered: red, 2");
  assert.equal(inWords(respond(undefined), "input"), "You agreed.");
  for (const code of ["UNKNOWN", "PARTIAL", "EXPIRED", "PAYLOAD", "PENDING"]) {
    assert.match(refusal({ code: `INTERRUPT_${code}` }).words, /^The a\w+ .*\.$/);
  }
  for (const code of [undefined, "AGENT_ERROR", "toString"]) assert.equal(refusal({ code }), null);
});

test("the calls that wait for the page are its own, unanswered and not given up", () => {
  const own = TOOLS[0].name;
  const messages = [
    { role: "assistant", toolCalls: [call("a", own), call("b", "server"), call("c", own), call("d", own)] },
    { role: "tool", toolCallId: "c" },
  ];
  assert.deepEqual(unanswered(messages), ["a", "b", "d"]);
  assert.deepEqual(waiting(messages, new Set(["d"])).map((one) => one.id), ["a"]);
});

test("a result stands behind its call and the results there", () => {
  const messages = [
    { id: "m1", role: "assistant", toolCalls: [call("a", "x"), call("b", "x")] },
    { id: "r1", role: "tool", toolCallId: "b" },
    { id: "m2", role: "assistant", content: "text" },
  ];
  const next = withResult(messages, { id: "r2", toolCallId: "a", content: "{}" });
  assert.deepEqual(next.map((m) => m.id), ["m1", "r1", "r2", "m2"]);
  assert.deepEqual(next[2], { id: "r2", role: "tool", toolCallId: "a", content: "{}" });
  assert.equal(messages.length, 3);
  assert.throws(() => withResult(messages, { id: "r", toolCallId: "z", content: "" }), /no such call/);
});

test("what a confirmation asks, whatever the model wrote", () => {
  const asks = (args) => confirmation(call("a", "confirm_deletion", args));
  assert.equal(asks('{"items":["Eggs"]}'), "Delete Eggs?");
  assert.equal(asks('{"items":["Eggs","Milk","Salt"]}'), "Delete Eggs, Milk and Salt?");
  assert.equal(asks('{"items":"Eggs"}'), "Delete Eggs?");
  for (const odd of ["", "null", "[]", "{", '{"items":[]}', '{"items":[7,null,""]}', '{"item":"Eggs"}']) assert.match(asks(odd), /did not say what/);
});

test("a piece of JSON is shown as far as it goes, wherever it is cut", () => {
  const whole = { name: 'Spi"n\\ä', list: [1, { deep: true }, "x"], none: null, n: -1.5e3, last: "é\u2028" };
  const text = JSON.stringify(whole).replace("é", "\\u00e9");
  const grown = (before, after) =>
    typeof before === "string" && typeof after === "string" ? after.startsWith(before)
    : Array.isArray(before) ? Array.isArray(after) && before.every((v, i) => grown(v, after[i]))
    : before !== null && typeof before === "object" ? Object.entries(before).every(([k, v]) => grown(v, after[k]))
    : true; // a number may still grow into another
  for (let cut = 1; cut <= text.length; cut++) {
    const value = partial(text.slice(0, cut));
    assert.ok(value !== undefined && grown(value, whole), `${text.slice(0, cut)} gave ${JSON.stringify(value)}`);
  }
  assert.deepEqual(partial(text), whole);
  for (const none of ["", "nonsense", "[1]", '"x"', "7", "{]", '{"a":}']) assert.equal(partial(none)?.a, undefined, none);
  assert.equal(partial(""), undefined);
  assert.equal(partial("[1]"), undefined);
});

test("the fields of a schema", () => {
  const fields = fieldsOf(
    {
      type: "object",
      required: ["color"],
      properties: {
        color: { type: "string", enum: ["red", "green"], title: "Colour", description: "of the wall" },
        how_many: { type: ["null", "integer"] },
        sure: { type: "boolean" },
        tags: { type: "array" },
        note: {},
      },
    },
    undefined,
  );
  assert.deepEqual(fields.map((f) => [f.name, f.label, f.kind, f.required, f.hint]), [
    ["color", "Colour", "choice", true, "of the wall"],
    ["how_many", "how many", "integer", false, ""],
    ["sure", "sure", "boolean", false, ""],
    ["tags", "tags", "json", false, ""],
    ["note", "note", "text", false, ""],
  ]);
  assert.deepEqual(valueOf(fields, ["red", "", "false", "", ""]), { value: { color: "red", sure: false } });
  assert.deepEqual(valueOf(fields, ["red", "3", "true", "[1]", "x"]), { value: { color: "red", how_many: 3, sure: true, tags: [1], note: "x" } });
  const { problems } = valueOf(fields, ["blue", "1.5", "true", "[", ""]);
  assert.deepEqual([...problems.keys()], [0, 1, 3]);
});

test("the fields of arguments that are there come back as they were, or as they were changed", () => {
  const value = { title: "", factor: 2, deep: { a: [1] }, on: true, none: null };
  const fields = fieldsOf(null, value);
  assert.deepEqual(fields.map((f) => f.kind), ["text", "number", "json", "boolean", "json"]);
  assert.deepEqual(valueOf(fields, fields.map((f) => f.text)), { value });
  assert.deepEqual(valueOf(fields, ["x", "0.5", "{}", "false", "null"]).value, { title: "x", factor: 0.5, deep: {}, on: false, none: null });
  assert.deepEqual([...valueOf(fields, ["x", " ", "{}", "false", "null"]).problems.keys()], [1]);
});

test("a field that says what it said keeps its value, unread", () => {
  const value = { text: "one\r\ntwo", n: 1e21, deep: { a: [1] }, none: null, on: false };
  const fields = fieldsOf(null, value);
  const before = ["one\ntwo", ...fields.slice(1).map((f) => f.text)]; // as a textarea holds it
  const kept = valueOf(fields, before, before).value;
  assert.deepEqual(kept, value);
  assert.equal(kept.deep, value.deep);
  const now = before.with(4, "true");
  assert.deepEqual(valueOf(fields, now, before).value, { ...value, on: true });
  // A member that would not be taken if someone typed it does not hinder the others.
  const [odd] = fieldsOf({ properties: { color: { enum: ["red"] } } }, { color: "blue" });
  assert.deepEqual(valueOf([odd], ["blue"]).value, { color: "blue" });
  assert.deepEqual([...valueOf([odd], ["green"]).problems.keys()], [0]);
});

test("a schema of one value has one field", () => {
  const [field] = fieldsOf({ type: "number" }, undefined);
  assert.equal(field.name, null);
  assert.deepEqual(valueOf([field], ["7"]), { value: 7 });
  assert.deepEqual([...valueOf([field], ["seven"]).problems.keys()], [0]);
  const [free] = fieldsOf(undefined, undefined);
  assert.equal(free.kind, "text");
  assert.deepEqual(valueOf([{ ...free, required: false }], [""]), { value: undefined });
});
