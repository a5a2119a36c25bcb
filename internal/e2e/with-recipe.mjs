// Runs a command beside a recipe server: node with-recipe.mjs FLAGS... -- COMMAND...
// The command finds the server at RECIPE_URL and its stand-in at STANDIN_URL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startRecipe } from './recipe-server.mjs';

const args = process.argv.slice(2);
const split = args.indexOf('--');
if (split < 0 || split === args.length - 1) {
  console.error('usage: node with-recipe.mjs [flags of the recipe] -- command [arguments]');
  process.exit(2);
}
const server = await startRecipe(...args.slice(0, split));
const [command, ...rest] = args.slice(split + 1);
const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, RECIPE_URL: server.url, STANDIN_URL: server.model } });
const [code, signal] = await once(child, 'exit');
const ended = await server.stop();
if (ended !== 0) {
  console.error(`the recipe server ended with ${ended}:\n${server.log()}`);
}
process.exit(signal || ended !== 0 ? 1 : code);
