// The fixtures are what the installed reference does. When something has
// moved, a test names it; scripts/fixtures takes it over.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { caseDifferences, differences } from '../fixtures/difference.mjs';
import { families } from '../fixtures/families.mjs';

// A process of its own: one of the cases is a promise that the reference
// rejects and nobody handles, which a test may not have.
const main = fileURLToPath(new URL('../fixtures/main.mjs', import.meta.url));
const { status, stdout, stderr } = spawnSync(process.execPath, [main, '-check'], { encoding: 'utf8', maxBuffer: 1 << 26 });
const moved = stdout.split('\n').filter(Boolean);

test('the fixtures can be made', () => {
  assert.equal(stderr, '');
  assert.equal(status, moved.length > 0 ? 1 : 0);
});

for (const { file } of families) {
  test(`${file} is what the reference does`, () => {
    const places = moved.filter((line) => line.startsWith(`${file}: `));
    assert.ok(places.length === 0, `moved (scripts/fixtures takes it over):\n${places.join('\n')}`);
  });
}

test('a difference is named by its place', () => {
  const of = (was, is) => [...differences(was, is)];
  assert.deepEqual(of({ a: [1, { 'b/c~': null }], z: 0 }, { z: 0, a: [1, { 'b/c~': null }] }), []);
  assert.deepEqual(of({ a: [1, { 'b/c~': null }] }, { a: [1, { 'b/c~': 2 }] }), ['/a/1/b~1c~0: was null, is 2']);
  assert.deepEqual(of({ a: 1 }, { b: 1 }), ['/a: is gone, was 1', '/b: is new: 1']);
  assert.deepEqual(of([1, 2], [1]), ['/1: is gone, was 2']);
  assert.deepEqual(of([], {}), ['(the whole): was [], is {}']);
  assert.deepEqual(of(0, false), ['(the whole): was 0, is false']);
  const cases = [...caseDifferences([{ name: 'x', v: 1 }, { name: 'old' }], [{ name: 'new' }, { name: 'x', v: '1' }])];
  assert.deepEqual(cases, ['x: /v: was 1, is "1"', 'old: is gone', 'new: is new: {"name":"new"}']);
});
