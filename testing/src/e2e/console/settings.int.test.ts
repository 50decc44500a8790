// Settings in a real Chromium: changes are written to the file and apply at once, values from the environment cannot be
// changed, the language can be chosen, and signing out everywhere ends every browser session.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonStatus } from '@relay/contract/api/status';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Demo } from '../demo.ts';
import { expectNoSeriousFindings } from './axe.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { addScenePeople } from './scene.ts';

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
const written = () => JSON.parse(readFileSync(join(demo.home, 'relay.config.json'), 'utf8'));
const saved = () => page.getByText('Saved.').last().waitFor();

it('writes a changed limit and applies it at once', async () => {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const perDay = page.getByLabel('Messages per day', { exact: true });
  await perDay.fill('40');
  await page.keyboard.press('Enter');
  await saved();
  expect(written().pacing).toEqual({ per_day: 40 });
  const { sending } = await demo.relay.ok<DaemonStatus>('GET', '/api/status');
  expect(sending.caps.per_day).toBe(40);
  await page.getByText('Relay sends at most 40 messages a day', { exact: false }).waitFor();
  await expectNoSeriousFindings(page);
});

it('refuses inconsistent values in place, and saves nothing', async () => {
  await page.getByLabel('Minimum typing time').fill('99000');
  await button('Save pacing').click();
  await page.getByRole('alert').getByText('Maximum typing time').waitFor();
  expect(written().pacing).toEqual({ per_day: 40 });
  await button('Discard changes').click();
});

it('switches quiet hours on with two times', async () => {
  await page.getByLabel('Pause automatic answers during quiet hours').check({ force: true });
  await page.getByLabel('From', { exact: true }).fill('23:00');
  await button('Save quiet hours').click();
  await saved();
  const asked = { from: '23:00', to: '07:00' };
  await expect.poll(() => written().auto_reply?.quiet_hours).toEqual(asked);
});

it('shows values from the environment as fixed, and marks what applies after a restart', async () => {
  const port = page.getByRole('row', { name: /^Port/ });
  await port.getByText('Environment variable RELAY_PORT').waitFor();
  await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
  await button('Save time zone and log').click();
  await page.getByText('1 setting takes effect after a restart.').waitFor();
  expect(written().zone).toBe('Europe/Berlin');
});

it('saves a backup through the browser, and remembers when', async () => {
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Back up now' }).click();
  expect((await saving).suggestedFilename()).toBe('relay.tar.gz');
  await page.getByText('Last backup:').waitFor({ timeout: 20_000 });
});

it('reloads in the chosen language, and in that of the browser again', async () => {
  const language = page.locator('#language');
  await language.click();
  await page.getByRole('option', { name: 'Deutsch', exact: true }).click();
  await page.locator('html[lang="de"]').waitFor();
  await expect.poll(() => language.inputValue()).toBe('Deutsch');
  await language.click();
  // The first option, because its text is in German now.
  await page.getByRole('option').first().click();
  await page.locator('html[lang="en"]').waitFor();
  await expect.poll(() => language.inputValue()).toBe('Same as browser');
});

it('signs every browser out after a confirmation', async () => {
  const other = await fixture.signedIn();
  await button('Sign out everywhere').click();
  const asked = page.getByRole('dialog', { name: 'Sign out everywhere?' });
  await asked.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('relay open').first().waitFor();
  await expect.poll(async () => (await other.page.request.get('/api/status')).status()).toBe(401);
  await other.close();
});

it('has no complaints from the browser, in particular about its content policy', () => {
  expect(
    looking.complaints.filter((complaint) => !/net::ERR_|status of 4\d\d/.test(complaint)),
  ).toEqual([]);
});
