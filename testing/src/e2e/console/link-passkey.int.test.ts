// Links accounts that demand their WhatsApp passkey, with the real extension in a real Chromium, and by hand in
// `relay init`. WhatsApp Web is an empty page at its address; the passkey is in a virtual authenticator of the browser.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { freshDatabase } from '../../postgres.ts';
import { removeFolder } from '../../remove-folder.ts';
import { startTerminalUser } from '../../terminal-user.ts';
import { verifies } from '../../verifies.ts';
import { builtIn } from '../built.ts';
import { type Demo, startDemo } from '../demo.ts';
import { eventually } from '../gateway.ts';
import { expectNoSeriousFindings } from './axe.ts';
import { findChromium } from './chromium.ts';

const ANA = '14155550142';
const BEN = '447700900417';
const WHATSAPP = 'https://web.whatsapp.com';
const EXTENSION = resolve(import.meta.dirname, '../../../../packages/web/extension');

interface Passkey {
  readonly credentialId: string;
  readonly userHandle: string;
  readonly privateKey: string;
  readonly rpId: string;
  readonly attempts: readonly { readonly code: string | null; readonly outcome: string | null }[];
}

let demo: Demo;
let built: string;
let profile: string;
let context: BrowserContext;
let drop: () => Promise<void>;
let web: Server;

/** Browsers accept no Ed25519, which the simulator's own certificate has. */
async function newCertificate(): Promise<{ key: Buffer; cert: Buffer }> {
  const [key, cert] = [join(profile, 'web.key'), join(profile, 'web.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...['-subj', '/CN=web.whatsapp.com', '-days', '1', '-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  return { key: await readFile(key), cert: await readFile(cert) };
}

/** An empty page at the address of WhatsApp Web; resolves to its port. */
async function serveWhatsAppWeb(): Promise<number> {
  web = createServer(await newCertificate(), (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>WhatsApp Web</title><h1>WhatsApp</h1>');
  });
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  return (web.address() as AddressInfo).port;
}

beforeAll(async () => {
  built = await builtIn(inject('builds'));
  const database = await freshDatabase();
  drop = () => database.drop();
  demo = await startDemo({ databaseUrl: database.url });
  await demo.phones.add(ANA, 'Ana', { passkey: true });
  await demo.phones.add(BEN, 'Ben', { passkey: true });
  profile = await mkdtemp(join(tmpdir(), 'relay browser '));
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium; set CHROMIUM to one.');
  context = await chromium.launchPersistentContext(profile, {
    executablePath,
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      `--disable-extensions-except=${EXTENSION}`,
      `--load-extension=${EXTENSION}`,
      `--host-resolver-rules=MAP web.whatsapp.com 127.0.0.1:${await serveWhatsAppWeb()}`,
      '--ignore-certificate-errors',
    ],
  });
}, 300_000);

afterAll(async () => {
  await context?.close();
  web?.close();
  await demo?.stop();
  await drop?.();
  if (profile !== undefined) await removeFolder(profile);
}, 120_000);

const passkeyOf = async (phone: string): Promise<Passkey> =>
  demo.phones.ok<Passkey>(`GET /accounts/${phone}/passkey`);
const link = () => demo.relay.ok<LinkBody>('GET', '/api/whatsapp/link');
const inState = (state: LinkBody['state']) =>
  eventually(state, async () => {
    const now = await link();
    return now.state === state ? now : undefined;
  });

/** Gives the browser the passkey of this account, as a password manager would. */
async function addPasskey(page: Page, phone: string): Promise<CDPSession> {
  const { attempts: _, ...credential } = await passkeyOf(phone);
  const debug = await page.context().newCDPSession(page);
  await debug.send('WebAuthn.enable');
  const { authenticatorId } = await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await debug.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: { ...credential, isResidentCredential: true, signCount: 1 },
  });
  return debug;
}

async function openTools(): Promise<Page> {
  const { url } = await demo.relay.ok<{ url: string }>('POST', '/api/login-codes');
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  await page.goto(`${demo.api}/tools`);
  return page;
}

const pictures = process.env.PASSKEY_PICTURES;
const take = async (page: Page, name: string) => {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png` });
};

/** Restarts the daemon, and checks that it is still linked. */
async function survivesRestart(phone: string): Promise<void> {
  expect(await demo.relay.connected()).toBe(phone);
  await eventually('the phone', async () =>
    (await passkeyOf(phone)).attempts.at(-1)?.outcome === 'linked' ? true : undefined,
  );
  await demo.rest();
  await demo.restart();
  expect(await demo.relay.connected()).toBe(phone);
}

beforeEach(() => demo.relay.ok('POST', '/api/whatsapp/disconnect', { clearSession: true }));

describe('linking with the passkey of a WhatsApp account', { timeout: 300_000 }, () => {
  it('confirms in WhatsApp Web through the extension after a QR code, and survives a restart', async () => {
    verifies('SETUP-PASSKEY-BROWSER');
    const whatsapp = await context.newPage();
    await whatsapp.goto(`${WHATSAPP}/`);
    await addPasskey(whatsapp, ANA);
    const page = await openTools();
    await page.getByRole('button', { name: 'Link Device', exact: true }).click();
    expect(await demo.phones.scan(ANA, await demo.relay.qr())).toMatchObject({
      reason: 'passkey_required',
    });
    await page.getByRole('heading', { name: 'Confirm with your WhatsApp passkey' }).waitFor();
    await page.getByText('the account that scanned the code').first().waitFor();
    await take(page, '1-request');
    await expectNoSeriousFindings(page);

    await page.getByRole('button', { name: 'Confirm in WhatsApp Web' }).click();
    const panel = whatsapp.locator('relay-passkey');
    await panel.getByText(`to Relay at ${demo.api}?`).waitFor();
    await take(whatsapp, '2-confirm');
    // Declining sends nothing, and can be repeated.
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The passkey was not confirmed.').waitFor();
    expect((await link()).state).toBe('passkey_requested');
    await page.getByRole('button', { name: 'Confirm in WhatsApp Web' }).click();
    await panel.getByRole('button', { name: 'Confirm with passkey' }).click();
    await page.getByRole('button', { name: 'Message yourself' }).waitFor();
    await take(page, '3-linked');
    await survivesRestart(ANA);
    await whatsapp.close();
    await page.close();
  });

  it('opens WhatsApp Web by itself after a code, and shows the number that is linked', async () => {
    verifies('SETUP-PASSKEY-BROWSER');
    const page = await openTools();
    await demo.relay.connect({ phone: `+${BEN}` });
    const { pairingCode } = await inState('pairing_code_ready');
    await demo.phones.typeCode(BEN, pairingCode ?? '');
    await page.getByText(/asks for the passkey of \+44/).waitFor();
    await take(page, '4-request-by-code');
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Confirm in WhatsApp Web' }).click();
    const whatsapp = await opened;
    await addPasskey(whatsapp, BEN);
    await whatsapp.locator('relay-passkey').getByText(`Link +${BEN} to Relay`).waitFor();
    await take(whatsapp, '5-confirm-by-code');
    // Cancel has the focus, so that nobody confirms by accident.
    await whatsapp.keyboard.press('Shift+Tab');
    await whatsapp.keyboard.press('Enter');
    await survivesRestart(BEN);
    await whatsapp.close();
    await page.close();
  });

  it('is refused by WhatsApp with the passkey of another account, and asks for nothing again', async () => {
    verifies('SETUP-PASSKEY-FAULTS');
    const whatsapp = await context.newPage();
    await whatsapp.goto(`${WHATSAPP}/`);
    await addPasskey(whatsapp, BEN);
    const page = await openTools();
    await demo.relay.connect();
    await demo.phones.scan(ANA, await demo.relay.qr());
    await page.getByRole('button', { name: 'Confirm in WhatsApp Web' }).click();
    const panel = whatsapp.locator('relay-passkey');
    await panel.getByRole('button', { name: 'Confirm with passkey' }).click();
    await page.getByText('WhatsApp refused the passkey').first().waitFor();
    await take(page, '6-refused');
    expect((await passkeyOf(ANA)).attempts.at(-1)?.outcome).toBe('the passkey is unknown');
    await whatsapp.close();
    await page.close();
  });

  it('links in relay init by keyboard alone, with the text that it prints', async () => {
    verifies('SETUP-PASSKEY-BROWSER');
    const whatsapp = await context.newPage();
    await whatsapp.goto(`${WHATSAPP}/`);
    const debug = await addPasskey(whatsapp, ANA);
    const person = startTerminalUser(
      { built, home: demo.home, columns: 120 },
      'init --skip-model --skip-probe --skip-grants',
    );
    await person.until('Press Enter for a QR code');
    person.type('\r');
    await demo.phones.scan(ANA, await demo.relay.qr());
    await person.until('lets only its own web page use it.');
    await person.until('Answer from WhatsApp Web:');
    const [snippet = ''] = /^\(\(copy\) =>.*$/m.exec(person.seen()) ?? [];
    person.type('{"id":\r');
    await person.until('This is not the whole answer.');
    // As in the console of the developer tools, where `copy` exists.
    const said = whatsapp.waitForEvent('console');
    await debug.send('Runtime.evaluate', { expression: snippet, includeCommandLineAPI: true });
    const [, answer = ''] = (await said).text().split('\n');
    expect(JSON.parse(answer)).toMatchObject({ type: 'public-key' });
    person.type(`${answer}\r`);
    await person.until(`✓ WhatsApp: Connected as +${ANA}`);
    expect(await person.exit).toBe(0);
    await survivesRestart(ANA);
    await whatsapp.close();
  });
});
