// Every patch that our diff makes, applied by the library that the reference
// clients use: the result is the new document, exactly.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import jsonpatch from 'fast-json-patch';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const least = 20_000;

// The library copies by way of JSON text, which has no -0 and no Infinity
// (1e400, as JavaScript reads it): both sides go that way.
const plain = (value) => JSON.parse(JSON.stringify(value));

test(`${least} random pairs of documents`, async () => {
  const child = spawn('go', ['run', './internal/jsonpatch/genpairs', '-n', String(least), '-seed', '1'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let pairs = 0;
  let changed = 0;
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    const { old, new: want, patch } = JSON.parse(line);
    pairs++;
    if (patch.length > 0) changed++;
    let got;
    try {
      got = jsonpatch.applyPatch(old, patch, true, false).newDocument;
    } catch (e) {
      assert.fail(`pair ${pairs} does not apply: ${e.message}\n${line}`);
    }
    try {
      assert.deepStrictEqual(plain(got), plain(want));
    } catch {
      assert.fail(`pair ${pairs} gives another document:\n${line}\n${JSON.stringify(got)}`);
    }
  }
  assert.deepEqual(await exited, [0, null]);
  assert.ok(pairs >= least, `only ${pairs} pairs`);
  assert.ok(changed > pairs / 2, `only ${changed} of ${pairs} pairs have a patch`);
});
