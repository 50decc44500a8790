// The ledger in a real Chromium: decisions page by page, each with its reason and steps; the history of a message; the
// verified chain, and an export of the rows.
import { readFile } from 'node:fs/promises';
import type { LedgerLine, LedgerPage } from '@relay/contract/api/ledger';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene, OWNER } from './scene.ts';
import { approvals, JONAS, SAM } from './scenes/approvals.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  await approvals(demo, OWNER);
  looking = await fixture.signedIn();
  page = looking.page;
}, 180_000);

const rows = () => page.getByRole('region', { name: 'Decisions' }).getByRole('link');
const current = () => rows().and(page.locator('[aria-current]'));
const newest = async (): Promise<LedgerLine> => {
  const { entries } = await demo.relay.ok<LedgerPage>('GET', '/api/ledger?limit=1');
  return entries[0] ?? Promise.reject(new Error('the ledger is empty'));
};
/** Rows that the owner causes: each sets or ends the hold. */
const holdAndRelease = async (times: number) => {
  for (let n = 0; n < times; n += 1) {
    await demo.relay.ok('POST', '/api/hold', {});
    await demo.relay.ok('POST', '/api/release', {});
  }
};

it('lists every decision with its reason, and the chosen one with its steps', async () => {
  await page.getByRole('link', { name: 'Ledger', exact: true }).click();
  const { seq } = await newest();
  await page.getByText(`${seq} decisions, each with its reason.`).waitFor();
  await rows().filter({ hasText: 'Message received' }).first().click();
  await expect.poll(() => page.url()).toMatch(/\/ledger\/\d+$/);
  const chosen = page.getByRole('article');
  await chosen.getByRole('heading', { name: SAM.name }).waitFor();
  await chosen.getByRole('region', { name: 'Steps' }).waitFor();
  await expectNoSeriousFindings(page);
});

it('goes from row to row by keyboard, and from a row to the history of its message', async () => {
  const before = page.url();
  await page.keyboard.press('j');
  await expect.poll(() => page.url()).not.toBe(before);
  await page.keyboard.press('k');
  await expect.poll(() => page.url()).toBe(before);
  await expect.poll(() => current().count()).toBe(1);
  await page.getByRole('link', { name: 'Message history' }).click();
  await expect.poll(() => page.url()).toContain('message=');
  await page.getByText(/^Not answered: |^Stored, not answered/).waitFor();
  await page.getByText(/^relay why /).waitFor();
});

it('reports an unknown id', async () => {
  await page.getByLabel('Find a message by its id').fill('NOSUCHMESSAGE');
  await page.keyboard.press('Enter');
  await page.getByText('There is no message with this id.').waitFor();
});

it('keeps filters in the address and after a reload', async () => {
  await page.goto('/ledger?outcome=asked&actor=token');
  await expect.poll(() => rows().count()).toBe(5);
  await page.reload();
  await expect.poll(() => rows().count()).toBe(5);
  expect(await rows().first().textContent()).toContain(JONAS.name);
  await page.locator('input[aria-label="Actor"]').click();
  await page.getByRole('option', { name: 'You', exact: true }).click();
  await page.getByText('No matching decisions.').waitFor();
  expect(page.url()).toContain('actor=owner');
});

it('collects new decisions behind a button, and moves nothing', async () => {
  await page.goto('/ledger');
  await rows().first().waitFor();
  const top = await rows().first().getAttribute('href');
  await holdAndRelease(1);
  await page.getByRole('button', { name: '2 new' }).waitFor();
  expect(await rows().first().getAttribute('href')).toBe(top);
  await page.getByRole('button', { name: '2 new' }).click();
  const { seq } = await newest();
  await expect.poll(() => rows().first().getAttribute('href')).toBe(`/ledger/${seq}`);
});

it('loads more while scrolling, and renders only what is visible', async () => {
  await holdAndRelease(60);
  await page.goto('/ledger');
  await rows().first().waitFor();
  await eventually('the first row', async () => {
    await page.mouse.wheel(0, 4_000);
    return (await page.locator('a[href="/ledger/1"]').count()) > 0 || undefined;
  });
  expect(await rows().count()).toBeLessThan(60);
});

it('verifies the chain, all of it on request', async () => {
  await page.goto('/ledger');
  await page.getByRole('button', { name: /^Chain intact to row \d+$/ }).click();
  const checked = page.waitForResponse(/verify\?full=true/);
  await page.getByRole('button', { name: 'Check all rows' }).click();
  expect((await checked).status()).toBe(200);
  await page.getByText(/^The chain of decisions is intact: all \d+ rows verified/).waitFor();
  await page.keyboard.press('Escape');
});

it('exports the chosen rows as a complete file, oldest first', async () => {
  await page.goto('/ledger?action=set_hold');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^relay-ledger-.*\.jsonl$/);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
  const exported = lines.map((line) => JSON.parse(line) as LedgerLine);
  expect(exported).toHaveLength(122);
  const numbers = exported.map(({ seq }) => seq);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

it('shows a row as a page on a phone, within the width of the screen', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/ledger?actor=token');
  await rows().first().click();
  await page.getByRole('link', { name: 'All decisions', exact: true }).waitFor();
  await page.getByRole('article').getByText('Row').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await expectNoSeriousFindings(page);
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(looking.complaints.filter((complaint) => !complaint.includes('status of 404'))).toEqual(
    [],
  );
});
