// The protocol half of the page, without a browser: frames, patches, the reducer. The cases are those
// that were recorded from the reference client (fixtures); where the page departs from it, it is said here.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fastJsonPatch from "fast-json-patch";
import { FRAME_LIMIT, FrameParser, frames } from "../../../examples/recipe/web/sse.js";
import { PatchError, apply, equal } from "../../../examples/recipe/web/patch.js";
import { Mirror } from "../../../examples/recipe/web/reducer.js";

const load = (name) => JSON.parse(readFileSync(new URL(`../../../middleware/aguiclient/testdata/${name}`, import.meta.url)));

// Where the reference client departs from RFC 6902 and RFC 6901, the page follows them: these are the
// states that they ask for.
const byTheRFC = new Map([
  ["delta/array_leading_zero_add", { l: [1, 2, 3] }],
  ["delta/array_huge_index_add", { l: [1] }],
  ["delta/inherited_replace", { a: 1 }],
  ["delta/proto_key", JSON.parse('{"a":1,"__proto__":{"x":1}}')],
  ["delta/constructor_prototype_present", { constructor: { prototype: { x: 1 } } }],
]);

test("the reducer gives the state and messages of the reference client", async (t) => {
  const cases = load("apply.json");
  assert.equal(cases.length, 150);
  const deviations = new Set();
  for (const c of cases) {
    await t.test(c.name, () => {
      const mirror = new Mirror(c.initialState ?? {}, c.initialMessages ?? []);
      const before = structuredClone([c.initialState ?? {}, c.initialMessages ?? []]);
      const held = [mirror.state, mirror.messages];
      const problems = c.events.map((event) => mirror.apply(event)).filter(Boolean);
      assert.deepEqual(held, before, "what was held before must not be changed in place");
      if (byTheRFC.has(c.name)) {
        deviations.add(c.name);
        assert.ok(c.quirk);
        assert.equal(JSON.stringify(mirror.state), JSON.stringify(byTheRFC.get(c.name)));
      } else assert.deepEqual(mirror.state, c.finalState);
      assert.deepEqual(mirror.messages, c.finalMessages);
      if (c.name.startsWith("delta/") && c.warnings > 0 && !c.quirk) assert.equal(problems.length, c.warnings);
      if (c.pendingInterrupts) assert.deepEqual(mirror.interrupts, c.pendingInterrupts);
    });
  }
  assert.deepEqual([...deviations].sort(), [...byTheRFC.keys()].sort());
});

test("frames come out the same however the body is cut", async (t) => {
  // WHATWG: CR LF and CR end a line, too. The reference reads LF only, and fails or loses events.
  const lineEnds = new Set(["crlf_two_events", "crlf_then_lf_frame", "cr_only"]);
  // What is in a frame is judged by the run, not here.
  const cases = load("sse.json").filter((c) => !c.error && !lineEnds.has(c.name));
  assert.ok(cases.length > 25, `${cases.length} cases`);
  for (const c of cases) {
    for (const splits of [c.splits, everyByte(c.base64)]) {
      await t.test(`${c.name}, ${splits.length} cuts`, async () => {
        const events = [];
        for await (const { data } of frames(stream(Buffer.from(c.base64, "base64"), splits))) {
          events.push(JSON.parse(data));
        }
        assert.equal(JSON.stringify(sorted(events)), JSON.stringify(sorted(c.events)));
      });
    }
  }
});

for (const end of ["\n", "\r\n", "\r"]) {
  test(`lines end in ${JSON.stringify(end)}, wherever they are cut`, () => {
    const text = `: comment${end}data: {"a":${end}data: 1}${end}${end}event: x${end}data: 2${end}${end}`;
    for (let cut = 0; cut <= text.length; cut++) {
      const parser = new FrameParser();
      const found = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut)), ...parser.end()];
      assert.deepEqual(found.map((frame) => frame.data), ['{"a":\n1}', "2"], `cut at ${cut}`);
    }
  });
}

test("a frame is given out at its blank line, not when the next bytes come", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    assert.equal(new FrameParser().push(`data: 1${end}${end}`).length, 1, JSON.stringify(end));
  }
});

test("the size of a frame is its bytes", () => {
  const [frame] = new FrameParser().push(": a comment counts for nothing\n\ndata: é\n\n");
  assert.equal(frame.bytes, Buffer.byteLength("data: é\n\n"));
});

test("a frame without end is refused", () => {
  const parser = new FrameParser();
  assert.throws(() => parser.push(`data: ${"x".repeat(FRAME_LIMIT)}`), /longer than/);
});

test("leaving the frames cancels the body", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (c) => c.enqueue(new TextEncoder().encode("data: 1\n\ndata: 2\n\n")),
    cancel: () => void (cancelled = true),
  });
  for await (const frame of frames(body)) {
    assert.equal(frame.data, "1");
    break;
  }
  assert.ok(cancelled);
});

test("a patch applies as a whole or not at all, and says where it failed", () => {
  const doc = { a: [1, { b: 2 }] };
  const held = structuredClone(doc);
  const patch = [
    { op: "replace", path: "/a/1/b", value: 3 },
    { op: "remove", path: "/a/7" },
  ];
  assert.throws(() => apply(doc, patch), (error) => {
    assert.ok(error instanceof PatchError);
    assert.equal(error.index, 1);
    assert.equal(error.path, "/a/7");
    return true;
  });
  assert.deepEqual(doc, held);
  for (const bad of [null, "x", {}, [null], [{}], [{ op: "add", path: "/x" }], [{ op: "Add", path: "/x", value: 1 }]]) {
    assert.throws(() => apply({}, bad), Error, JSON.stringify(bad));
  }
});

test("values of a patch are copied: a later operation does not reach into an earlier event", () => {
  const patch = [
    { op: "add", path: "/list", value: [] },
    { op: "add", path: "/list/-", value: 1 },
  ];
  assert.deepEqual(apply({}, patch), { list: [1] });
  assert.deepEqual(patch[0].value, []);
});

test("__proto__ is data and sets no prototype", () => {
  const doc = apply({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
  assert.equal(JSON.stringify(doc), '{"__proto__":{"polluted":true}}');
  assert.equal(doc.polluted, undefined);
  assert.equal({}.polluted, undefined);
});

test("random patches give what fast-json-patch gives", () => {
  const next = random(7);
  for (let round = 0; round < 400; round++) {
    const before = { at: tree(next, 3) }; // fast-json-patch does not compare across kinds of root
    const after = { at: tree(next, 3) };
    const patch = fastJsonPatch.compare(before, after);
    const held = structuredClone(before);
    const ours = apply(before, patch);
    assert.ok(equal(ours, after), JSON.stringify({ before, patch, ours }));
    assert.deepEqual(before, held);
  }
});

function stream(bytes, splits) {
  const cuts = [0, ...splits, bytes.length];
  return new ReadableStream({
    start(controller) {
      for (let i = 1; i < cuts.length; i++) {
        if (cuts[i] > cuts[i - 1]) controller.enqueue(bytes.subarray(cuts[i - 1], cuts[i]));
      }
      controller.close();
    },
  });
}

// JSON text, with members in order of their names: -0 is 0, as it is on the wire.
function sorted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function everyByte(base64) {
  return Array.from({ length: Buffer.from(base64, "base64").length }, (_, i) => i);
}

function random(seed) {
  return (n) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * n);
  };
}

function tree(next, depth) {
  const kind = next(depth > 0 ? 6 : 4);
  if (kind < 4) return [null, next(9), `t${next(9)}/~é`, next(2) === 1][kind];
  if (kind === 4) return Array.from({ length: next(4) }, () => tree(next, depth - 1));
  return Object.fromEntries(Array.from({ length: next(5) }, () => [`k${next(6)}~/`, tree(next, depth - 1)]));
}
