// From the address to a page that answers: the built console in a real Chromium, four times slower than this machine,
// against a real daemon on loopback. Home counts as usable when its sentence says live counts and a press of a button
// was answered; what its charts cost comes later and is shown beside.
import { fileURLToPath } from 'node:url';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { openChromium } from '@relay/testing/e2e/console/browser';
import { live, settle } from '@relay/testing/e2e/console/scene';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Limit, loadFigure, median, quantile } from './figures.ts';

/** Runs in the page: presses as soon as there is something to press, and waits for the answer. */
const WATCH = fileURLToPath(new URL('console/first-page.js', import.meta.url));
const RUNS = 7;
const SLOWER = 4;
const AT_MOST_MS = 1_500;

interface Loaded {
  /** The sentence with live counts is there. */
  readonly said: number;
  /** A press was answered. */
  readonly usable: number;
  /** The longest that the page kept somebody waiting afterwards. */
  readonly longest: number;
  readonly requests: number;
}

export async function benchFirstPage(): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const demo = await startDemo({ built: await builtIn(builds.folder) });
  const browser = await openChromium();
  try {
    await settle(demo);
    await live(demo);
    await load(browser, demo, 1);
    const cold: Loaded[] = [];
    const warm: Loaded[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const [first, again] = await load(browser, demo, 2);
      if (first !== undefined && again !== undefined) {
        cold.push(first);
        warm.push(again);
      }
    }
    return [...figures('cold cache', cold), ...figures('warm cache', warm), loadFigure()];
  } finally {
    await browser.close();
    await demo.stop();
    builds.remove();
  }
}

function figures(what: string, loads: readonly Loaded[]): Limit[] {
  const of = (part: keyof Loaded) => loads.map((load) => load[part]);
  return [
    {
      name: `navigation to usable, ${what}, ${SLOWER}× slower, median of ${RUNS}`,
      measured: median(of('usable')),
      unit: 'ms',
      atMost: AT_MOST_MS,
    },
    {
      name: `navigation to usable, ${what}, worst`,
      measured: quantile(of('usable'), 1),
      unit: 'ms',
    },
    { name: `its sentence says counts, ${what}, median`, measured: median(of('said')), unit: 'ms' },
    {
      name: `longest task afterwards, ${what}, median`,
      measured: median(of('longest')),
      unit: 'ms',
    },
    { name: `requests until then, ${what}`, measured: median(of('requests')), unit: '' },
  ];
}

/** A browser that knows nothing yet, signed in; each time is with what the one before has left in its cache. */
async function load(browser: Browser, demo: Demo, times: number): Promise<Loaded[]> {
  const context = await browser.newContext({
    baseURL: demo.api,
    viewport: { width: 1440, height: 900 },
  });
  try {
    await signIn(context, demo);
    const loads: Loaded[] = [];
    for (let n = 0; n < times; n += 1) loads.push(await one(context));
    return loads;
  } finally {
    await context.close();
  }
}

/** The cookie alone: no file of the page is loaded by it. */
async function signIn(context: BrowserContext, { relay }: Demo): Promise<void> {
  const { url } = await relay.ok<{ url: string }>('POST', '/api/login-codes');
  await context.request.get(url, { maxRedirects: 0 });
}

async function one(context: BrowserContext): Promise<Loaded> {
  const page = await context.newPage();
  try {
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    const chrome = await context.newCDPSession(page);
    await chrome.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    await page.addInitScript({ path: WATCH });
    await page.goto('/', { waitUntil: 'commit' });
    const { said, usable } = await measured(page);
    const until = requests;
    await page.locator('svg.recharts-surface').first().waitFor({ timeout: 30_000 });
    await page.waitForTimeout(1_500);
    const { longest } = await measured(page);
    return { said, usable, longest, requests: until };
  } finally {
    await page.close();
  }
}

const measured = async (page: Page) => {
  const handle = await page.waitForFunction(() => Reflect.get(globalThis, 'measured'), undefined, {
    timeout: 60_000,
  });
  return (await handle.jsonValue()) as Omit<Loaded, 'requests'>;
};
