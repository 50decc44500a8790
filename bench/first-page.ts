// From the address to a page that responds: the built console in a real Chromium, four times slower than this machine,
// against a real daemon on loopback. Home counts as usable when its summary shows live counts and a button press was
// answered; the later cost of its charts is shown separately.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { findChromium } from '@relay/testing/e2e/console/chromium';
import { addScenePeople, playScene } from '@relay/testing/e2e/console/scene';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { type Chrome, type FreshBrowser, startChrome, type Tab } from './console/chrome.ts';
import { type Limit, loadFigure, median, quantile } from './figures.ts';
import { watchHost } from './host.ts';

/** Runs in the page: presses a button as soon as there is one, and waits for the response. */
const WATCH = readFileSync(new URL('console/first-page.js', import.meta.url), 'utf8');
const RUNS = 7;
const SLOWER = 4;
const AT_MOST_MS = 1_500;

interface Loaded {
  /** The summary with live counts is shown. */
  readonly said: number;
  /** A press was answered. */
  readonly usable: number;
  /** The longest delay for the user afterwards. */
  readonly longest: number;
  readonly requests: number;
}

export async function benchFirstPage(): Promise<readonly Limit[]> {
  const builds = openBuilds();
  const demo = await startDemo({ built: await builtIn(builds.folder) });
  const executable = findChromium();
  if (executable === undefined) throw new Error('There is no Chromium; set CHROMIUM to one.');
  const browser = await startChrome(executable);
  try {
    await addScenePeople(demo);
    await playScene(demo);
    await load(browser, demo, 1);
    const host = watchHost();
    const cold: Loaded[] = [];
    const warm: Loaded[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const [first, again] = await load(browser, demo, 2);
      if (first !== undefined && again !== undefined) {
        cold.push(first);
        warm.push(again);
      }
    }
    return [
      ...figures('cold cache', cold),
      ...figures('warm cache', warm),
      ...host.end(),
      loadFigure(),
    ];
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

/** A signed-in browser with an empty cache; each load uses the cache that the one before left. */
async function load(chrome: Chrome, demo: Demo, times: number): Promise<Loaded[]> {
  const browser = await chrome.fresh([await signedIn(demo)]);
  try {
    // A browser in use: it has made requests before, but none for this page.
    const before = await browser.open({ slower: 1, width: 1440, height: 900, first: '' });
    await before.go(`${demo.api}/api/openapi.json`);
    await sleep(500);
    const loads: Loaded[] = [];
    for (let n = 0; n < times; n += 1) loads.push(await one(browser, demo));
    return loads;
  } finally {
    await browser.close();
  }
}

/** Only the cookie: this loads no file of the page. */
async function signedIn({ relay, api }: Demo) {
  const { url } = await relay.ok<{ url: string }>('POST', '/api/login-codes');
  const { headers } = await fetch(url, { redirect: 'manual' });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error('The login code gave no cookie.');
  return { name, value, url: api };
}

async function one(browser: FreshBrowser, demo: Demo): Promise<Loaded> {
  const tab = await browser.open({ slower: SLOWER, width: 1440, height: 900, first: WATCH });
  try {
    await tab.go(`${demo.api}/`);
    const { said, usable, requests } = await until<Omit<Loaded, 'longest'>>(tab, 'measured');
    await until(tab, "document.querySelector('svg.recharts-surface') !== null || undefined");
    await sleep(1_500);
    return { said, usable, requests, longest: await tab.read<number>('measured.longest') };
  } finally {
    await tab.close();
  }
}

/** Polls rarely, because each poll costs the page time. */
async function until<T>(tab: Tab, expression: string): Promise<T> {
  for (let looks = 0; looks < 120; looks += 1) {
    await sleep(500);
    const found = await tab.read<T | undefined>(`globalThis.measured && (${expression})`);
    if (found !== undefined && found !== null) return found;
  }
  throw new Error(`The page did not come to ${expression} within a minute.`);
}
