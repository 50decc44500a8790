// The home page and the frame around it in a real Chromium against the shipped daemon: activity is drawn, shortcuts
// work, and eight tabs share one stream.
import { isDeepStrictEqual } from 'node:util';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { addScenePeople, OWNER, playScene } from './scene.ts';

const TABS = 8;
const STRANGER = '447700900417';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(addScenePeople);
  await playScene(demo);
  looking = await fixture.signedIn();
  page = looking.page;
}, 180_000);

const summary = (of = page) => of.getByText(/waiting for you\. .* sent in the last 24 hours/);
const totals = async () =>
  (await demo.relay.ok<{ total: { received: number; sent: number } }>('GET', '/api/activity'))
    .total;
const dialog = (name: string) => page.getByRole('dialog', { name });

it('needs at most 170 KB of compressed script', async () => {
  const document = await (await fetch(demo.api)).text();
  const files = [...document.matchAll(/ src="(\/[^"]+\.js)"/g)].map(([, file = '']) => file);
  expect(files.some((file) => file.startsWith('/assets/first-'))).toBe(true);
  const sizes = await Promise.all(
    files.map(async (file) => {
      const response = await fetch(`${demo.api}${file}`);
      expect(response.headers.get('content-encoding')).toBe('gzip');
      return Number(response.headers.get('content-length'));
    }),
  );
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(170_000);
});

it('draws the activity, and shows the same in words and as a table', async () => {
  const chart = page.getByRole('img', { name: /^\d+ messages received and \d+ sent/ });
  await chart.locator('.recharts-bar-rectangle path').first().waitFor();
  // Messages may still be in transit: the page must match what holds both before and after it was read.
  const total = await eventually('the page and the daemon agree', async () => {
    const before = await totals();
    const shown = await chart.getAttribute('aria-label');
    const counts = `${before.received} messages received and ${before.sent} sent`;
    return shown?.includes(counts) === true && isDeepStrictEqual(before, await totals())
      ? before
      : undefined;
  });
  expect(total.received).toBeGreaterThanOrEqual(6);
  await page.getByRole('button', { name: 'Show table: Messages per hour' }).click();
  const table = page.getByRole('region', { name: 'Messages per hour (table)' });
  const cells = await table.getByRole('cell').allTextContents();
  const sums = [0, 1].map((column) =>
    cells.reduce((sum, cell, n) => sum + (n % 2 === column ? Number(cell) : 0), 0),
  );
  expect(sums).toEqual([total.received, total.sent]);
  await page.getByRole('link', { name: '7 days' }).click();
  await page.getByText('in the last 7 days').first().waitFor();
  await page.reload();
  await page.getByText('in the last 7 days').first().waitFor();
});

it('counts a conversation that waits for an approval once, with its approval', async () => {
  const { waiting_count, approvals_waiting, needs_you_count } = await demo.relay.ok<DaemonStatus>(
    'GET',
    '/api/status',
  );
  expect(waiting_count).toBe(approvals_waiting + needs_you_count - 1);
  await page.goto('/');
  await page.getByText(`${waiting_count} items waiting`, { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Kitchen leak quote by Friday' }).first().waitFor();
  expect(await page.getByRole('link', { name: 'Book the van for Sunday' }).count()).toBe(0);
});

it('says on every page that it is a demo', async () => {
  await page.getByText('no real phone, no model key').waitFor();
});

it('opens pending items by their number, lists its keys, and ignores keys while somebody types', async () => {
  await page.goto('/');
  await page.getByText('Kitchen leak quote by Friday').first().waitFor();
  await page.keyboard.press('?');
  await dialog('Keyboard shortcuts').getByText('Open a waiting item by its number').waitFor();
  await page.keyboard.press('1');
  expect(new URL(page.url()).pathname).toBe('/');
  await page.keyboard.press('Escape');
  await dialog('Keyboard shortcuts').waitFor({ state: 'detached' });

  await page.keyboard.press('Control+K');
  await page.getByRole('dialog').getByRole('textbox').fill('kitchen');
  await page.keyboard.press('1');
  await page.keyboard.press('Backspace');
  await page.getByRole('dialog').getByText('Conversation with').waitFor();
  const selected = page.locator('[data-action][data-selected]');
  await expect.poll(() => selected.textContent()).toContain('Kitchen leak quote by Friday');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toBe('/');

  await page.keyboard.press('1');
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/conversations\/./);
  await page.keyboard.press('/');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/search');
});

it('switches letter keys off for every page', async () => {
  await page.goto('/');
  await summary().waitFor();
  await page.keyboard.press('?');
  const letters = page.getByRole('switch', { name: 'Single-key shortcuts' });
  await letters.waitFor();
  await letters.press('Space');
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByText('Kitchen leak quote by Friday').first().waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('1');
  await page.waitForTimeout(300);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/');
  await page.evaluate("localStorage.removeItem('relay.letter-keys')");
});

it('keeps keys typed before the palette has loaded for it, and away from the page', async () => {
  const gate = Promise.withResolvers<void>();
  await page.route('**/palette-*.js', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.goto('/');
  await page.getByText('Kitchen leak quote by Friday').first().waitFor();
  // The first time its code is not loaded yet. A `1` that reached the page would open a pending item.
  await page.keyboard.press('Control+K');
  await page.keyboard.type('1');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('schedules');
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).pathname).toBe('/');
  gate.resolve();
  await page.waitForURL('**/schedules');
  await page.unrouteAll({ behavior: 'wait' });
  // Even when it is loaded, its field appears a moment later.
  await page.keyboard.press('Control+K');
  await page.keyboard.type('ledger');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/ledger');
});

it('is put on hold and released by keys alone', async () => {
  const isHeld = () =>
    demo.relay.ok<{ hold: boolean }>('GET', '/api/status').then(({ hold }) => hold);
  const choose = async (words: string, asked: string) => {
    await page.keyboard.press('Control+K');
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await dialog(asked).waitFor();
    // The harmless answer has the focus, the other is next to it.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  };
  // The answer comes late; the page knows of the hold from the stream.
  const answer = Promise.withResolvers<void>();
  await page.route('**/api/hold', async (route) => {
    const response = await route.fetch();
    await answer.promise;
    await route.fulfill({ response });
  });
  await choose('Hold all sending', 'Hold all sending?');
  await eventually('a hold', async () => (await isHeld()) || undefined);
  await page.getByText('Sending is on hold.').first().waitFor();
  await choose('Resume sending', 'Resume sending?');
  await eventually('no hold', async () => !(await isHeld()) || undefined);
  answer.resolve();
  await page.unrouteAll({ behavior: 'wait' });
});

it('shares one stream between eight tabs, and the next takes over when its tab is closed', async () => {
  const context = page.context();
  const streams = new Map<Request, Page>();
  const watch = (tab: Page) => {
    tab.on('request', (request) => {
      if (request.url().endsWith('/api/events')) streams.set(request, tab);
    });
    tab.on('requestfailed', (request) => streams.delete(request));
    tab.on('close', () => {
      for (const [request, of] of streams) if (of === tab) streams.delete(request);
    });
  };
  watch(page);
  await page.goto('/');
  const tabs = [page];
  while (tabs.length < TABS) {
    const tab = await context.newPage();
    watch(tab);
    await tab.goto('/');
    await summary(tab).waitFor();
    tabs.push(tab);
  }
  expect(streams.size).toBe(1);
  const requested = async (tab: Page) => {
    const line = tab.getByText(/^\d+ messages?\. Not shown to any agent\.$/);
    return Number.parseInt((await line.textContent()) ?? '', 10);
  };
  const all = (of: readonly Page[]) => Promise.all(of.map(requested));
  // Eight pages on two cores: requested every ten seconds, drawn when their turn comes.
  const wait = { timeout: 45_000 };
  const before = await requested(page);
  await demo.phones.send(STRANGER, OWNER, 'Is anybody there?');
  await expect.poll(() => all(tabs), wait).toEqual(tabs.map(() => before + 1));

  const [leader] = streams.values();
  const left = tabs.filter((tab) => tab !== leader);
  await leader?.close();
  await expect.poll(() => streams.size, wait).toBe(1);
  await demo.phones.send(STRANGER, OWNER, 'Hello again.');
  await expect.poll(() => all(left), wait).toEqual(left.map(() => before + 2));
}, 120_000);

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(looking.complaints.filter((complaint) => !complaint.includes('net::ERR_'))).toEqual([]);
});
