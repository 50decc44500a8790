// Schedules in a real Chromium: created by keyboard after a preview of the next times, cancelled after a confirmation,
// found among the past ones. Nothing is mocked.
import type { Schedule } from '@relay/contract/api/schedules';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { linkScene } from './scene.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;
const list = (state: string) => demo.relay.ok<Schedule[]>('GET', `/api/schedules?state=${state}`);

beforeAll(async () => {
  demo = await fixture.start(linkScene);
  looking = await fixture.signedIn();
  page = looking.page;
  await page.goto('/schedules');
  await page.getByText('No messages are scheduled.').first().waitFor();
}, 180_000);

it('creates a schedule without a mouse, after showing the next five times', async () => {
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('n');
  const form = page.getByRole('dialog', { name: 'New schedule' });
  await form.waitFor();
  await page.keyboard.type('+1 415 555 0101');
  await page.getByRole('option', { name: /415 555 0101/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await form.getByLabel('Message').focus();
  await page.keyboard.type('Water the plants');
  await page.keyboard.press('Tab');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowRight');
  const when = form.getByLabel('In English words, or as a cron expression');
  await when.focus();
  await page.keyboard.type('whenever');
  await form.getByText('Write it like one of these').waitFor();
  expect(await list('active')).toEqual([]);

  await when.fill('every weekday 9am');
  await form.getByText(/^Every weekday at 09:00/).waitFor();
  expect(await form.getByRole('listitem').count()).toBe(5);
  await when.press('Enter');
  await page.getByText('1 active schedule.').waitFor();
  expect(await list('active')).toMatchObject([
    { text: 'Water the plants', recipient: '+14155550101', who: 'you' },
  ]);
});

it('shows what cancelling stops, and lists the schedule among the past ones', async () => {
  const cancel = page.getByRole('button', { name: /^Cancel the schedule for/ });
  await cancel.click();
  const asked = page.getByRole('dialog', { name: /^Cancel the schedule for/ });
  await asked.getByText('and all later ones will not be sent').waitFor();
  await asked.getByRole('button', { name: 'Keep schedule' }).click();
  expect(await list('active')).toHaveLength(1);
  await cancel.click();
  await asked.getByRole('button', { name: 'Cancel schedule' }).click();
  await page.getByText('No messages are scheduled.').first().waitFor();
  await page.getByText('Past', { exact: true }).click();
  await page.waitForURL(/show=past/);
  await page.getByText('Water the plants').waitFor();
  expect(await list('past')).toMatchObject([{ state: 'cancelled' }]);
});

it('has no serious accessibility findings and no complaints from the browser', async () => {
  await expectNoSeriousFindings(page);
  expect(looking.complaints.filter((said) => !/net::ERR_|status of 400/.test(said))).toEqual([]);
});
