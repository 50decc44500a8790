// Groups & digests in a real Chromium: a real digest is read by hour and by day, with the proof that nothing was sent
// there; a group is observed and stopped again.
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
  await page.getByRole('link', { name: 'Groups & digests' }).click();
  await page.getByText('No group is observed.').waitFor();
  await button('Observe a group').click();
  await page.getByLabel('Which group').fill('Nowhere');
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
  await page.getByText('Two groups are read in silence. Nothing was sent to them.').waitFor();
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

  await button('The day before').click();
  await page.getByText('Nothing was said on this day').waitFor();
  expect(page.url()).toMatch(/day=\d{4}-\d\d-\d\d/);
  await page.reload();
  await page.getByText('Nothing was said on this day').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Open questions' }).waitFor();
});

it('proves silence and deletion, and shows the tokens in bars, a sentence and a table', async () => {
  await page.getByText('Relay sent nothing here since').waitFor();
  await page.getByText(/tokens were spent and .* avoided/).waitFor();
  await page.locator('svg.recharts-surface').first().waitFor();
  await button('Show table').click();
  await page.getByRole('columnheader', { name: 'Avoided', exact: true }).waitFor();
  const before = await demo.relay.ok<{ runs: unknown[] }>('GET', '/api/retention');
  await button('Enforce the limits now').click();
  await page.getByText('When you asked: nothing was too old').waitFor();
  const after = await demo.relay.ok<{ runs: unknown[] }>('GET', '/api/retention');
  expect(after.runs.length).toBe(before.runs.length + 1);
  await expectNoSeriousFindings(page);
});

it('stops observing after a confirmation, and starts again once the group was informed', async () => {
  await button('Stop observing').click();
  const asked = page.getByRole('dialog', { name: `Stop observing ${STREET}?` });
  await asked.getByText('What was kept stays until its limit').waitFor();
  await asked.getByRole('button', { name: 'Stop observing' }).click();
  await page.getByText('One group is read in silence.', { exact: false }).waitFor();
  expect((await observed()).map(({ name }) => name)).not.toContain(STREET);
  await page.getByText('no longer observed').first().waitFor();

  // By keyboard alone.
  await button('Observe a group').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type(STREET);
  await page.keyboard.press('Enter');
  const read = button('Read it in silence');
  await read.waitFor();
  expect(await read.isDisabled()).toBe(true);
  await page.getByText('older is deleted', { exact: false }).waitFor();
  await page.getByLabel('I have told the group').focus();
  await page.keyboard.press('Space');
  await read.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Two groups are read in silence.', { exact: false }).waitFor();
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
