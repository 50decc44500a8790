// Seed 000's page in a real Chromium against the shipped daemon and a simulated phone: nothing is mocked, requests to
// the daemon are only watched.
import type { Page, Request } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import type { ConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { addScenePeople, OWNER } from './scene.ts';

const fixture = consoleFixture();
let demo: Demo;
let looking: ConsoleView;
let page: Page;
const asked: Request[] = [];
const ended: string[] = [];

beforeAll(async () => {
  demo = await fixture.start(addScenePeople);
  looking = await fixture.signedIn();
  page = looking.page;
  page.on('request', (request) => asked.push(request));
  page.on('requestfailed', (request) => ended.push(new URL(request.url()).pathname));
}, 180_000);

const QR_STREAM = '/api/whatsapp/qr/stream';
const button = (name: string) => page.getByRole('button', { name, exact: true });
const code = () => page.getByRole('img', { name: /QR code/ });
const calls = (from: number) =>
  asked.slice(from).map((request) => `${request.method()} ${new URL(request.url()).pathname}`);
/** The body of the last request of this kind. */
const bodyOf = (call: string): unknown =>
  asked
    .filter((request) => `${request.method()} ${new URL(request.url()).pathname}`.startsWith(call))
    .at(-1)
    ?.postDataJSON();
const openTools = () => page.getByRole('link', { name: 'Tools and connections' }).click();

it('links a device by a code of 256 × 256, and says how to scan it', async () => {
  verifies('000-WEB-TOOLS-PAGE', '000-WEB-LINK', '000-WEB-QR', '000-WEB-HOW');
  expect((await demo.relay.call('GET', '/whatsapp')).status).toBe(404);
  await openTools();
  const before = asked.length;
  await button('Link Device').click();
  await code().waitFor();
  const made = calls(before).filter((call) => /connect$|qr\/stream$/.test(call));
  expect(made).toEqual(['POST /api/whatsapp/connect', `GET ${QR_STREAM}`]);
  expect(await code().boundingBox()).toMatchObject({ width: 256, height: 256 });
  expect(await code().getAttribute('src')).toMatch(/^data:image\/png;base64,/);
  const how = await page
    .getByRole('heading', { name: 'On your phone' })
    .locator('..')
    .textContent();
  expect(how?.replace(/\s+/g, ' ')).toMatch(/WhatsApp.*Settings.*Linked devices.*Link a device/);
});

it('aborts the stream when the page is left, and opens it again on return', async () => {
  verifies('000-WEB-ABORT');
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await eventually('the stream to end', async () => ended.includes(QR_STREAM) || undefined);
  await openTools();
  await code().waitFor();
});

it('removes the code once connected, shows the number and closes the stream', async () => {
  verifies('000-WEB-CONNECTED');
  ended.length = 0;
  const { linked } = await demo.phones.scan(OWNER, await demo.relay.qr());
  expect(linked).toBe(true);
  await button('Manage Permissions').waitFor();
  expect(await code().count()).toBe(0);
  await page.getByText('WhatsApp is linked as +1 415 555 0142.').waitFor();
  await eventually('the stream to end', async () => ended.includes(QR_STREAM) || undefined);
});

it('lists, adds, changes and deletes permissions, each switch separately', async () => {
  verifies(
    ...['000-WEB-PERM-MODAL', '000-WEB-PERM-ADD', '000-WEB-PERM-TOGGLE', '000-WEB-PERM-DELETE'],
  );
  const list = () =>
    demo.relay.ok<{ displayName: string; canRead: boolean; canReply: boolean }[]>(
      'GET',
      '/api/whatsapp/permissions',
    );
  await button('Manage Permissions').click();
  const dialog = page.getByRole('dialog', { name: 'Manage permissions' });
  expect(await dialog.boundingBox()).toMatchObject({ width: 1440, height: 900 });
  await dialog.getByLabel('Phone number').fill('+1 415 555 0101');
  await dialog.getByLabel('Name').fill('Dana');
  await button('Add contact').click();
  const read = dialog.getByRole('switch', { name: 'Agents may read Dana' });
  const reply = dialog.getByRole('switch', { name: 'Relay may answer Dana' });
  await read.waitFor();
  expect(await list()).toMatchObject([{ displayName: 'Dana', canRead: false, canReply: false }]);

  await read.click({ force: true });
  await eventually('Dana to be read', async () => (await list())[0]?.canRead || undefined);
  expect(bodyOf('PATCH /api/whatsapp/permissions')).toEqual({ canRead: true });
  await expect.poll(() => reply.isEnabled()).toBe(true);
  await reply.click({ force: true });
  await eventually('Dana to be answered', async () => (await list())[0]?.canReply || undefined);
  expect(bodyOf('PATCH /api/whatsapp/permissions')).toEqual({ canReply: true });

  await button('Delete the grant for Dana').click();
  await button('Keep').click();
  expect(await list()).toHaveLength(1);
  await button('Delete the grant for Dana').click();
  await button('Delete').click();
  await dialog.getByText('No permissions yet.').waitFor();
  expect(await list()).toEqual([]);
  await page.keyboard.press('Escape');
});

it('confirms a disconnect, and clears the session only if that is ticked', async () => {
  verifies('000-WEB-DISCONNECT');
  const before = asked.length;
  await button('Disconnect').click();
  const dialog = page.getByRole('alertdialog', { name: 'Disconnect WhatsApp?' });
  await dialog.getByRole('checkbox').check();
  expect(calls(before).filter((call) => call.startsWith('POST'))).toEqual([]);
  await dialog.getByRole('button', { name: 'Disconnect' }).click();
  await button('Link Device').waitFor();
  expect(bodyOf('POST /api/whatsapp/disconnect')).toEqual({ clearSession: true });
});

it("asks for the owner's token before it creates one, if the sign-in is too long ago", async () => {
  await fixture.ageSessions();
  await button('New token').click();
  await page.getByLabel('Client name').fill('Claude Desktop');
  await button('Create token').click();
  await page.getByText('You signed in too long ago for this action.').waitFor();
  expect((await demo.relay.ok<{ tokens: [] }>('GET', '/api/tokens')).tokens).toEqual([]);
  const typed = page.getByLabel('Owner token');
  await typed.fill('a guess');
  await button('Create token').click();
  await page.getByText('This is not your token.').waitFor();
  await typed.fill(demo.token);
  await button('Create token').click();
  await page.getByText(/Token of Claude Desktop/).waitFor();
  await button('Done').click();
  await button('Close').click();
});

it('polls every ten seconds, prefers the stream, and shows disconnected without either', {
  timeout: 90_000,
}, async () => {
  verifies('000-WEB-STATUS');
  const polls = () => calls(0).filter((call) => call === 'GET /api/whatsapp/status').length;
  const before = polls();
  await page.waitForTimeout(21_000);
  expect(polls() - before).toBeGreaterThanOrEqual(2);
  expect(polls() - before).toBeLessThanOrEqual(3);

  await page.route('**/api/whatsapp/status', (route) =>
    route.fulfill({ json: { status: 'disconnected', phoneNumber: null } }),
  );
  await button('Link Device').click();
  await code().waitFor();
  await page.waitForTimeout(11_000);
  expect(await code().count()).toBe(1);
  await button('Stop linking').click();

  await page.unrouteAll({ behavior: 'wait' });
  await page.route('**/api/whatsapp/status', (route) => route.abort());
  await page.reload();
  await page.getByText('could not be loaded').waitFor();
  await button('Link Device').waitFor();
  const card = page.getByRole('region', { name: 'WhatsApp' });
  await card.getByText('Unknown', { exact: true }).waitFor();
  expect(await card.getByText('not linked', { exact: false }).count()).toBe(0);
  await page.unrouteAll({ behavior: 'wait' });
});

it('has no complaints from the browser, in particular about its content policy', () => {
  // The browser adds its own lines about what was refused above.
  const expected = /net::ERR_|403 .*\/api\/tokens$/;
  expect(looking.complaints.filter((complaint) => !expected.test(complaint))).toEqual([]);
});
