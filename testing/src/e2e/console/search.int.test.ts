// Search in a real Chromium: messages are found while typing, in the owner's view and in others', and every search is a
// link.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';
import { sayToFind } from './scenes/search.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  for (const [phoneNumber, displayName] of [
    ['14155550101', 'Dana Whitfield'],
    ['14155550104', 'Mum'],
  ])
    await demo.relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber,
      displayName,
      canRead: true,
    });
  await sayToFind(demo, OWNER);
  looking = await fixture.signedIn();
  page = looking.page;
}, 180_000);

const field = () => page.getByRole('searchbox', { name: /Search messages/ });
const status = (text: string) => page.locator('#main').getByText(text, { exact: true });
const reader = (name: RegExp) => page.getByRole('radio', { name });
const hits = () => page.getByRole('region', { name: 'Results' }).locator('ol > li');
const marks = () => page.locator('mark').allTextContents();

it('focuses the field with the slash key from anywhere, and finds text regardless of accents', async () => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('/');
  await page.locator('[type=search]:focus').waitFor();
  await page.keyboard.type('DEPOSIT');
  await status('2 results').waitFor();
  expect((await marks()).sort()).toEqual(['deposit', 'déposit']);
  expect(new URL(page.url()).search).toBe('?q=DEPOSIT');
  await expectNoSeriousFindings(page);
});

it('keeps a search in the address across a reload and the back button', async () => {
  await page.reload();
  await status('2 results').waitFor();
  expect(await field().inputValue()).toBe('DEPOSIT');
  const first = hits().first().getByRole('link').first();
  expect(await first.getAttribute('href')).toMatch(/^\/chats\/[0-9a-f-]{36}\?message=/);
  expect(await hits().first().getByRole('link', { name: 'Why?' }).getAttribute('href')).toMatch(
    /^\/ledger\?message=/,
  );
  await first.click();
  await page.waitForURL(/\/chats\//);
  await page.goBack();
  await status('2 results').waitFor();
});

it('finds for each reader only what is granted to them, and viewing does not count as their read', async () => {
  const { id } = await demo.relay.ok<{ id: string }>('POST', '/api/tokens', {
    name: 'Claude Desktop',
    scopes: ['search:read'],
    contacts: ['Dana Whitfield'],
  });
  await page.reload();
  await reader(/^Assistant/).check();
  await status('The assistant would find 1 result.').waitFor();
  expect(await hits().first().textContent()).toContain('Mum');
  await reader(/^Claude Desktop/).check();
  await status('Claude Desktop would find nothing.').waitFor();
  expect(new URL(page.url()).searchParams.get('as')).toBe(id);
  await field().fill('bond');
  await status('Claude Desktop would find 1 result.').waitFor();
  const { tokens } = await demo.relay.ok<{ tokens: { has_read: boolean; last_used_at: null }[] }>(
    'GET',
    '/api/tokens',
  );
  expect(tokens).toMatchObject([{ has_read: false, last_used_at: null }]);
  await reader(/^Me/).check();
});

it('filters by person and time by keyboard, and reports an unknown name calmly', async () => {
  await field().fill('deposit');
  await status('2 results').waitFor();
  await page.getByRole('button', { name: 'Any person or chat' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Sender' }).waitFor();
  await page.keyboard.type('mum');
  await page.keyboard.press('Enter');
  await status('1 result').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.goto('/search?q=deposit&person=Zoe');
  await page.getByText('There is no contact named Zoe.').waitFor();
  await page.getByRole('button', { name: 'Search everything' }).click();
  await status('2 results').waitFor();
});

it('refuses a query that is too long in place, without a request', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await field().fill('x'.repeat(301));
  await page.getByText('The limit is 300 characters. This text has 301.').waitFor();
  await status('The search text is too long.').waitFor();
  expect(asked.filter((url) => url.includes('/api/search'))).toEqual([]);
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(looking.complaints.filter((complaint) => !/status of 404/.test(complaint))).toEqual([]);
});
