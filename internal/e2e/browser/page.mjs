// A Chromium on the page, and a hand to use it with.
import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import { chromium } from "playwright-core";
import { serve, soup } from "./agent.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// How long something may take before it counts as never, on a machine with other work. In ms.
const PATIENCE = 30_000;

let browser;

/** The one browser of this file's tests. Fails when there is none: nothing is skipped. */
export async function launch() {
  try {
    accessSync(executablePath, constants.X_OK);
  } catch {
    throw new Error(`There is no Chromium at ${executablePath}: install Debian's chromium, or set CHROMIUM.`);
  }
  browser ??= await chromium.launch({ executablePath, headless: true, args });
  return browser;
}

export async function shut() {
  await browser?.close();
  browser = undefined;
}

/**
 * Opens the page on an agent of its own, both closed when the test is over. `expectErrors` are
 * patterns of console lines that belong to the test; any other error there fails it.
 */
export async function open(t, { info, saved, query, expectErrors = [], agent, url, ...context } = {}) {
  agent ??= url ? undefined : await serve({ info });
  const ctx = await (await launch()).newContext({ viewport: { width: 1280, height: 860 }, ...context });
  const page = await ctx.newPage();
  page.setDefaultTimeout(PATIENCE);
  const errors = [];
  page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error}`));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    const line = `${message.text()} (${message.location().url})`;
    if (line.includes("favicon") || (line.includes("/info") && line.includes("404"))) return;
    if (!expectErrors.some((pattern) => pattern.test(line))) errors.push(line);
  });
  t.after(async () => {
    await ctx.close();
    await agent?.close();
    assert.deepEqual(errors, [], "the browser's console");
  });
  const base = url ?? agent.url;
  if (saved) await seed(page, base, saved);
  await page.goto(`${base}/${query ?? ""}`);
  return { page, agent, ui: new Hand(page) };
}

// seed puts a thread into the page's storage, as an earlier visit would have. It does so from a file
// of the same origin that runs nothing.
async function seed(page, base, { doc = soup(), messages = [], threadId = "thread-1", ...more }) {
  await page.goto(`${base}/icon.svg`);
  await page.evaluate(
    ([key, value]) => localStorage.setItem(key, value),
    [`aguistate.recipe ${base}/agent`, JSON.stringify({ version: 1, threadId, messages, doc, ...more })],
  );
}

/** Stops the clock of the page's animations: a mark stays until the test ends it. */
export async function holdTime(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Animation.enable");
  await session.send("Animation.setPlaybackRate", { playbackRate: 0 });
}

/** What a person does and sees. */
export class Hand {
  constructor(page) {
    this.page = page;
    this.title = page.locator("#title");
    this.wish = page.getByLabel("Message to the agent");
    this.log = page.locator("#log");
    this.notice = page.locator("#notice");
    this.ingredients = page.locator("#ingredients > li");
    this.steps = page.locator("#instructions > li");
  }

  async send(text) {
    await this.wish.fill(text);
    await this.wish.press("Enter");
  }

  /** A field of a row: ui.ingredient(2, "amount"), counted from 1. */
  ingredient(n, field) {
    return this.page.getByLabel(`Ingredient ${n}, ${field}`, { exact: true });
  }
  step(n) {
    return this.page.getByLabel(`Step ${n}`, { exact: true });
  }
  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** The recipe as the form shows it. */
  recipe() {
    return this.page.evaluate(() => {
      const value = (selector) => document.querySelector(selector).value;
      return {
        title: value("#title"),
        skill_level: value("#skill"),
        cooking_time: value("#time"),
        special_preferences: [...document.querySelectorAll("#preferences label:has(:checked)")].map((l) => l.innerText),
        ingredients: [...document.querySelectorAll("#ingredients > li")].map((li) => {
          const [icon, name, amount] = [...li.querySelectorAll("input")].map((input) => input.value);
          return { icon, name, amount };
        }),
        instructions: [...document.querySelectorAll("#instructions textarea")].map((area) => area.value),
      };
    });
  }

  names() {
    return this.recipe().then((recipe) => recipe.ingredients.map((one) => one.name));
  }

  /** Waits until the page says so. */
  async until(f, argument) {
    await this.page.waitForFunction(f, argument);
  }
  valueIs(locator, value) {
    return this.#poll(async () => assert.equal(await locator.inputValue(), value));
  }
  textIs(locator, text) {
    return this.#poll(async () => assert.equal((await locator.innerText()).trim(), text));
  }
  textHas(locator, text) {
    return this.#poll(async () => assert.match(await locator.innerText(), text instanceof RegExp ? text : new RegExp(escape(text))));
  }
  countIs(locator, count) {
    return this.#poll(async () => assert.equal(await locator.count(), count));
  }
  idle() {
    return this.until(() => document.body.dataset.running === "false");
  }
  running() {
    return this.until(() => document.body.dataset.running === "true");
  }

  // Looks again after each frame of the page until the assertion holds; the page's own default
  // timeout bounds it.
  async #poll(check) {
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await this.page.evaluate(() => new Promise(requestAnimationFrame));
      }
    }
  }
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
