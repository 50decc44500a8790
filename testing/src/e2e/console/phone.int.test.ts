// A phone at the address that a real TLS proxy serves: pairs by the QR code, approves, confirms with its passkey, and is
// removed. The phone is a Chromium of its size with a virtual authenticator.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Approval } from '@relay/contract/api/approvals';
import type { PairedDevice, RemoteStatus } from '@relay/contract/api/remote';
import { readQrPicture } from '@relay/simulator/control/linking';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Demo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { type GuideShell, openGuideShell } from '../guides/shell.ts';
import { expectNoSeriousFindings } from './axe.ts';
import { type ConsoleView, openChromium, openConsoleView } from './browser.ts';
import { consoleFixture } from './fixture.ts';
import { openProxy, type TlsProxy } from './proxy.ts';
import { linkScene, OWNER } from './scene.ts';
import { approvals, JONAS, SHORT } from './scenes/approvals.ts';

const fixture = consoleFixture();
let demo: Demo;
let proxy: TlsProxy;
let shell: GuideShell;
let browser: Browser;
let phone: ConsoleView;

beforeAll(async () => {
  proxy = await openProxy();
  demo = await fixture.start(linkScene);
  await approvals(demo, OWNER);
  shell = await openGuideShell(demo);
  const enabled = await shell.run(`relay remote enable ${proxy.origin}`);
  const caddyfile = /^# Caddyfile\n(.*?^\})/ms.exec(enabled.out)?.[1] ?? fail(enabled.err);
  await proxy.start(caddyfile.split('\n'));
  browser = await openChromium(await proxy.trust());
  phone = await openPhone();
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await proxy?.stop();
  await shell?.close();
}, 60_000);

const fail = (why: string): never => {
  throw new Error(why);
};

/** With a fingerprint sensor that always accepts. */
async function openPhone(): Promise<ConsoleView> {
  const view = await openConsoleView(browser, { api: proxy.origin }, { width: 390, height: 844 });
  // A proxy is one more step on a busy machine.
  view.page.setDefaultTimeout(120_000);
  const debug = await view.page.context().newCDPSession(view.page);
  await debug.send('WebAuthn.enable');
  await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return view;
}

interface Pairing {
  readonly url: string;
  readonly qr: string;
}
const newPairing = () => demo.relay.ok<Pairing>('POST', '/api/remote/pairings');
const run = async (command: string) => (await shell.run(command)).out;
const devices = async (): Promise<readonly PairedDevice[]> =>
  (await demo.relay.ok<RemoteStatus>('GET', '/api/remote')).devices;
const button = ({ page }: ConsoleView, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });
/** The console, or the refusal in its place. */
async function isHome({ page }: ConsoleView): Promise<void> {
  const refusal = page.getByRole('alert');
  await page.locator('#main h1').or(refusal).first().waitFor();
  if ((await refusal.count()) > 0) fail((await refusal.first().textContent()) ?? 'refused');
}
const picture = process.env.PHONE_PICTURES;
const take = async ({ page }: ConsoleView, name: string) => {
  if (picture !== undefined) await page.screenshot({ path: `${picture}/${name}.png` });
};
const isAsWideAsThePhone = ({ page }: ConsoleView) =>
  page.evaluate('document.documentElement.scrollWidth <= 390');

let used: Pairing;

it('pairs by the QR code, over TLS, and shows the console', async () => {
  verifies('REMOTE-PHONE');
  await phone.page.goto('/');
  await button(phone, 'Sign in with a passkey').waitFor();
  await take(phone, 'sign-in');

  used = await newPairing();
  await phone.page.goto(readQrPicture(used.qr));
  await phone.page.getByLabel('Name of this device').fill('My phone');
  await take(phone, 'pair');
  await button(phone, 'Create a passkey').click();
  await isHome(phone);
  expect(phone.page.url()).toBe(`${proxy.origin}/`);
  expect(await devices()).toMatchObject([{ name: 'My phone', synced: false }]);
  expect(await isAsWideAsThePhone(phone)).toBe(true);
  await take(phone, 'home');
  const [cookie, ...others] = await phone.page.context().cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({
    ...{ name: '__Host-relay_session', domain: 'relay.test', path: '/' },
    ...{ secure: true, httpOnly: true, sameSite: 'Strict' },
  });
});

it('refuses a second phone with the same code', async () => {
  verifies('REMOTE-PAIRING');
  const thief = await openPhone();
  await thief.page.goto(used.url);
  await button(thief, 'Create a passkey').click();
  await thief.page.getByText('This pairing code was already used or has expired.').waitFor();
  await take(thief, 'second-phone');
  expect(await devices()).toHaveLength(1);
  await expectNoSeriousFindings(thief.page);
  await thief.page.goto('/');
  await button(thief, 'Sign in with a passkey').waitFor();
  await expectNoSeriousFindings(thief.page);
  await thief.close();
});

it('approves what waits, and it is sent', async () => {
  verifies('REMOTE-PHONE');
  const { page } = phone;
  const waiting = await demo.relay.ok<Approval[]>('GET', '/api/approvals');
  const { id } = waiting.find(({ text }) => text === SHORT) ?? {};
  await page.goto(`/approvals/${id}`);
  await page.getByText(SHORT).first().waitFor();
  await take(phone, 'approval');
  await page.getByRole('button', { name: /^Approve/ }).click();
  await eventually('the text on the phone of Jonas', async () => {
    const got = await demo.phones.received(JONAS.phone, OWNER);
    return got.some(({ text }) => text === SHORT) || undefined;
  });
  await take(phone, 'approved');
});

it('signs out, and in again with the passkey', async () => {
  const { page } = phone;
  await page.goto('/settings');
  await page.getByText('Its passkey signs it in again.').waitFor();
  expect(await page.getByText('relay open').count()).toBe(0);
  await button(phone, 'Sign out of this browser').click();
  await button(phone, 'Sign in with a passkey').click();
  await isHome(phone);
});

it('asks for the passkey again before it pairs another device', async () => {
  verifies('REMOTE-FRESH');
  const { page } = phone;
  await fixture.ageSessions();
  await page.goto('/settings');
  await button(phone, 'Pair a device').click();
  const dialog = page.getByRole('dialog', { name: 'Confirm with your passkey' });
  await dialog.waitFor();
  await take(phone, 'confirm');
  // Not confirmed: the refusal is shown, and nothing is made.
  await page.keyboard.press('Escape');
  await page.getByText('This action needs your passkey.').waitFor();
  await button(phone, 'Pair a device').click();
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('img', { name: 'QR code that pairs a device' }).waitFor();
  expect(await isAsWideAsThePhone(phone)).toBe(true);
  await page.getByRole('img', { name: 'QR code that pairs a device' }).scrollIntoViewIfNeeded();
  await take(phone, 'devices');
});

it('is shown in no frame of another page', async () => {
  verifies('REMOTE-FRAMES');
  const frame = (src: string) => `<iframe src="${src}"></iframe>`;
  const evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`${frame(`${proxy.origin}/approvals`)}${frame(`${demo.api}/approvals`)}`);
  }).listen(0, '127.0.0.1');
  await once(evil, 'listening');
  const { port } = evil.address() as AddressInfo;
  const page = await phone.page.context().newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForLoadState('networkidle');
  const frames = page.frames().filter((one) => one !== page.mainFrame());
  expect(frames).toHaveLength(2);
  for (const one of frames) expect(one.url()).toBe('chrome-error://chromewebdata/');
  await page.close();
  evil.close();
});

it('is signed out at once when it is removed, and its passkey is refused', async () => {
  verifies('REMOTE-PHONE', 'REMOTE-DEVICES');
  await phone.page.goto('/');
  await isHome(phone);
  expect(await run('relay remote devices')).toMatch(
    /^My phone {2}last signed in .*this device only/,
  );
  expect(await run('relay remote devices remove "My phone"')).toMatch(/^Removed My phone\./);
  await button(phone, 'Sign in with a passkey').click();
  await phone.page.getByText('This passkey was not accepted.').waitFor();
  await take(phone, 'removed');
});

it('is refused at the address once access is off', async () => {
  verifies('REMOTE-OFF');
  expect(await run('relay remote pair')).toMatch(/^https:\/\/relay\.test:\d+\/#pair=[\w-]{43}\n$/);
  await run('relay remote disable');
  const answer = await phone.page.goto('/');
  expect(answer?.status()).toBe(421);
});

it('breaks no rule of the content policy', () => {
  // Refused requests are part of the tests above.
  const refused = /^Failed to load resource: .*4(0[13]|21)/;
  expect(phone.complaints.filter((complaint) => !refused.test(complaint))).toEqual([]);
});
