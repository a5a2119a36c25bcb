// Starts the recipe server with its stand-in model on free ports, and stops it
// again. RECIPE_BIN names a built binary; without it the Go tool builds one.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the recipe; args are its flags. The environment's own model, if any, is not asked. */
export async function startRecipe(...args) {
  let dir;
  let binary = process.env.RECIPE_BIN;
  if (!binary) {
    dir = mkdtempSync(join(tmpdir(), 'recipe-'));
    binary = join(dir, 'recipe');
    execFileSync('go', ['build', '-o', binary, './examples/recipe'], { cwd: root, stdio: 'inherit' });
  }
  const env = { ...process.env };
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL']) delete env[name];
  const child = spawn(binary, ['-addr', '127.0.0.1:0', ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = [];
  child.stderr.setEncoding('utf8').on('data', (text) => log.push(text));
  const exited = once(child, 'exit');

  const found = {};
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line + '\n');
      found.agent ??= line.match(/(http:\/\/\S+\/agent)\b/)?.[1];
      found.model ??= line.match(/wire: (http:\/\/[^/\s)]+)/)?.[1];
      if (found.agent && found.model) resolve();
    });
    exited.then(() => reject(new Error(`the recipe server ended before it said where it is:\n${log.join('')}`)), reject);
  });

  const url = new URL(found.agent).origin;
  return {
    url,
    agent: found.agent,
    model: found.model,
    log: () => log.join(''),
    async activeRuns() {
      return (await (await fetch(`${url}/metrics`)).json()).active_runs;
    },
    /** Makes the stand-in's next answers go wrong: so many of them, each after so many chunks. */
    async fault(kind, { times = 1, after = -1 } = {}) {
      const response = await fetch(`${found.model}/fault?kind=${kind}&times=${times}&after=${after}`, { method: 'POST' });
      if (!response.ok) throw new Error(`fault ${kind}: ${response.status} ${await response.text()}`);
    },
    /** The number of the stand-in's newest request, 0 before the first; with n, once request n has come. */
    async asked(n) {
      const response = await fetch(`${found.model}/requests${n ? `?wait=${n}` : ''}`);
      if (!response.ok) throw new Error(`requests: ${response.status} ${await response.text()}`);
      return (await response.json()).requests.at(-1)?.id ?? 0;
    },
    /** With -step: lets the stand-in write n more chunks. */
    async step(n = 1) {
      const response = await fetch(`${found.model}/step?n=${n}`, { method: 'POST' });
      if (!response.ok) throw new Error(`step: ${response.status} ${await response.text()}`);
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      if (dir) rmSync(dir, { recursive: true, force: true });
      return code;
    },
  };
}
