// The first steps on Home in a real Chromium: from a Relay that nobody has set up to one that has sent a message.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Demo } from '../demo.ts';
import { consoleFixture } from './fixture.ts';

const OWNER = '4915112345670';
const BEN = '4915112345671';

const fixture = consoleFixture();
let demo: Demo;
let page: Page;

beforeAll(async () => {
  demo = await fixture.start(async ({ phones }) => {
    await phones.add(OWNER, 'Olga');
    await phones.add(BEN, 'Ben');
  });
  page = (await fixture.signedIn()).page;
}, 600_000);

const card = () => page.getByRole('region', { name: 'Get started' });
const current = () => card().locator('li[aria-current="step"]');

it('leads from the link over the first grant to the first message, then is gone', {
  timeout: 600_000,
}, async () => {
  verifies('SETUP-FIRST-STEPS');
  await page.getByText('1 of 4 done').waitFor();
  await current().getByText('Link your WhatsApp account').waitFor();
  // Nothing has happened yet, so there is nothing else to show.
  expect(await page.getByRole('heading', { name: 'Account health' }).count()).toBe(0);
  const link = current().getByRole('link', { name: 'Link device' });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tools$/);

  await demo.link(OWNER);
  await page.goBack();
  await current().getByText('Choose who agents may read').waitFor();
  await page.getByRole('heading', { name: 'Account health' }).waitFor();
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
    canReply: true,
  });
  await current().getByText('Send a first message').waitFor();
  await demo.relay.ok('POST', '/api/whatsapp/messages', { to: `+${BEN}`, text: 'Hello Ben' });
  await card().waitFor({ state: 'detached' });
});
