// Puts an endpoint of ours in front of an agent, whose chain is the Go client
// and nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts one in front of the agent at an address. */
export async function startProxy(agent) {
  const child = spawn('go', ['run', './internal/e2e/foreign', '-proxy', agent], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const first = once(createInterface({ input: child.stdout }), 'line');
  const [line] = await Promise.race([first, exited.then(([code]) => { throw new Error(`the proxy ended with ${code}`); })]);
  return {
    url: JSON.parse(line).url,
    /** Stops it, and returns its exit code. */
    async stop() {
      child.stdin.end();
      const [code] = await exited;
      return code;
    },
  };
}
