// Runs that have come to a point from which tests go on.
import { approval } from "./agent.mjs";
import { open } from "./page.mjs";

/** A run that has begun, on a page with a recipe. `card` is the card of a tool, by its name. */
export const begin = async (t, options = {}) => {
  const opened = await open(t, { saved: {}, ...options });
  await opened.ui.send("go");
  const run = await opened.agent.nextRun();
  await run.start();
  const card = (name) => opened.page.locator(".card").filter({ has: opened.page.getByText(name, { exact: true }) });
  return { ...opened, run, card };
};

/** A run that has ended with the question whether `clear` may run. */
export async function asked(t, { args = { title: "Old", depth: 2 }, more, ...options } = {}) {
  const begun = await begin(t, options);
  await begun.run.call("m1", "c1", "clear", args);
  await begun.run.interrupt(approval("i1", "c1", "Clear it all?", more));
  await begun.ui.idle();
  await begun.ui.textHas(begun.card("clear"), "Clear it all?");
  return begun;
}

/** The roles of an input's messages, in a row. */
export const roles = (input) => input.messages.map((m) => m.role).join();
