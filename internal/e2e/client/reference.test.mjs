import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { reference } from '../reference.mjs';

test('the protocol is the one that the Go side was held against', async () => {
  const known = await readFile(new URL('../../guard/testdata/reference.txt', import.meta.url), 'utf8');
  // When this moves: node reference.mjs > ../guard/testdata/reference.txt, and see what internal/guard says.
  assert.equal(reference(), known);
});
