// The front end of the first guide, on what the guide's program answers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);
const read = (path) => readFile(new URL(path, root), 'utf8');

test('the front end of the guide prints what the page says', async (t) => {
  const [program, answer, page] = await Promise.all(
    ['examples/guides/start/front.mjs', 'examples/guides/start/testdata/answer.jsonl', 'docs/start.md'].map(read),
  );
  let input;
  const server = createServer(async (req, res) => {
    input = JSON.parse(await text(req));
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.end(answer.trim().split('\n').map((line) => `data: ${line}\n\n`).join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());

  // From here the reference client is found, as it is in the reader's folder.
  const node = spawn(process.execPath, ['--input-type=module', '-'], { cwd: fileURLToPath(new URL('internal/e2e', root)) });
  node.stdin.end(program.replace('localhost:8080', `127.0.0.1:${server.address().port}`));
  const [said, complained] = await Promise.all([text(node.stdout), text(node.stderr)]);

  assert.equal(complained, '');
  assert.ok(page.includes('```text\n' + said + '```'), `the page does not say that it prints\n${said}`);
  assert.deepEqual(input.state, { tasks: ['call home'], theme: 'dark' });
  assert.deepEqual(input.messages.map((m) => m.content), ['add_task {"title":"buy milk"}']);
});
