// The groups page in a real Chromium: a real digest is read by hour and by day, with the proof that nothing was sent
// there; observing a group starts and stops.
import type { ObservedGroup } from '@relay/contract/api/observed-groups';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { addScenePeople, OWNER } from './scene.ts';
import { groups, STREET } from './scenes/groups.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(addScenePeople);
  looking = await fixture.signedIn();
  page = looking.page;
}, 180_000);

const button = (name: string) => page.getByRole('button', { name, exact: true });
const observed = () => demo.relay.ok<ObservedGroup[]>('GET', '/api/observed-groups');

it('shows one action when nothing is observed', async () => {
  await page.getByRole('link', { name: 'Groups and digests' }).click();
  await page.getByText('No groups observed.').waitFor();
  await button('Observe a group').click();
  await page.getByLabel('Group name').fill('Nowhere');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
});

it('shows a day by hour and by day, by mouse and by keys, and keeps it in the address', {
  timeout: 120_000,
}, async () => {
  await demo.link(OWNER);
  await groups(demo, OWNER);
  await page.reload();
  await page.getByText('2 groups observed. Relay has sent nothing to them.').waitFor();
  await page.getByText('The water company turns the water off').waitFor();
  const hours = page.getByRole('list').filter({ hasText: 'Street party' });
  expect(await hours.getByRole('listitem').count()).toBeGreaterThanOrEqual(3);

  await page.getByText('By day', { exact: true }).click();
  await page.getByRole('heading', { name: 'Open questions' }).waitFor();
  expect(page.url()).toContain('by=day');
  await page.keyboard.press('h');
  await expect.poll(() => page.url()).toContain('by=hour');
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'Open questions' }).waitFor();

  await button('Previous day').click();
  await page.getByText('This day has no digest').waitFor();
  expect(page.url()).toMatch(/day=\d{4}-\d\d-\d\d/);
  await page.reload();
  await page.getByText('This day has no digest').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Open questions' }).waitFor();
});

it('proves that nothing was sent and old data is deleted, and shows the tokens in a chart and a table', async () => {
  await page.getByText('Relay has sent nothing to this group since').waitFor();
  await page.getByText(/model tokens used, .* saved \(/).waitFor();
  await page.locator('svg.recharts-surface').first().waitFor();
  await button('Show table').click();
  await page.getByRole('columnheader', { name: 'Tokens saved', exact: true }).waitFor();
  await page.setViewportSize({ width: 1280, height: 900 });
  const card = page.getByRole('region', { name: 'Model tokens per day' }).first();
  const boxes = await Promise.all(
    [card, page.getByRole('table').last().locator('..')].map((part) => part.boundingBox()),
  );
  const [around, table] = boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0));
  expect(table).toBeLessThan(around ?? 0);
  const before = await demo.relay.ok<{ runs: unknown[] }>('GET', '/api/retention');
  await button('Delete expired data now').click();
  await page.getByText('(started by you). Nothing to delete.').waitFor();
  const after = await demo.relay.ok<{ runs: unknown[] }>('GET', '/api/retention');
  expect(after.runs.length).toBe(before.runs.length + 1);
  await expectNoSeriousFindings(page);
});

it('stops observing after a confirmation, and starts again once the group was informed', async () => {
  await button('Stop observing').click();
  const asked = page.getByRole('dialog', { name: `Stop observing ${STREET}?` });
  await asked.getByText('Stored data is deleted at its limit').waitFor();
  await asked.getByRole('button', { name: 'Stop observing' }).click();
  await page.getByText('1 group observed.').waitFor();
  expect((await observed()).map(({ name }) => name)).not.toContain(STREET);
  await page.getByText('No longer observed').first().waitFor();

  // By keyboard alone.
  await button('Observe a group').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type(STREET);
  await page.keyboard.press('Enter');
  const start = button('Start observing');
  await start.waitFor();
  expect(await start.isDisabled()).toBe(true);
  await page.getByText('Older stored data is deleted permanently.').waitFor();
  await page.getByLabel('I have announced it in the group').focus();
  await page.keyboard.press('Space');
  await start.focus();
  await page.keyboard.press('Enter');
  await page.getByText('2 groups observed.').waitFor();
  expect((await observed()).find(({ name }) => name === STREET)).toMatchObject({
    may_answer: false,
    messages_sent: 0,
  });
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(
    looking.complaints.filter((complaint) => !/net::ERR_|status of 404/.test(complaint)),
  ).toEqual([]);
});
