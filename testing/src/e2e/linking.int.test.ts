// Linking and messages for a new user: the built command, a real daemon, the simulated network.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { streamWhatsAppQR } from '@relay/contract/client/qr-stream';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { builtIn } from './built.ts';
import { type Demo, startDemo } from './demo.ts';

const ME = '491701234567';
const BEN = '4915112345678';
const PATIENCE = { timeout: 60_000, interval: 100 };

let demo: Demo;
let program: string;
beforeAll(async () => {
  program = join(await builtIn(inject('builds')), 'bin/relay.js');
  demo = await startDemo();
  await demo.phones.add(ME, 'Ana');
  await demo.phones.add(BEN, 'Ben');
}, 180_000);
afterAll(() => demo.stop(), 120_000);

interface Line {
  readonly state?: string;
  readonly qr?: string | null;
  readonly pairingCode?: string | null;
  readonly [more: string]: unknown;
}

/** Runs the command with --json; `act` gets each line as it is printed. */
async function relay(args: readonly string[], act: (line: Line) => Promise<void> = async () => {}) {
  const child = spawn(process.execPath, [program, ...args, '--json'], {
    env: { PATH: '/usr/bin:/bin', RELAY_HOME: demo.home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const lines: Line[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    await act(line);
  }
  const [exit] = await closed;
  return { exit, lines, states: lines.flatMap(({ state }) => state ?? []) };
}

/** The events of the QR code stream. */
function listen() {
  const told: (string | null)[][] = [];
  const controller = streamWhatsAppQR(
    {
      onQr: () => told.push(['qr']),
      onStatus: (status, phone) => told.push(['status', status, phone]),
      onConnected: (phone) => told.push(['connected', phone]),
    },
    {
      open: async (path, signal) => {
        const headers = { authorization: `Bearer ${demo.token}` };
        const [response] = await once(get(`${demo.api}${path}`, { headers, signal }), 'response');
        return response.setEncoding('utf8');
      },
    },
  );
  return { told, controller };
}

test('relay init shows a code, which a phone scans, and ends connected and verified', async () => {
  verifies('AC-2.1', '003-CLI-INIT');
  const { told, controller } = listen();
  await expect.poll(() => told.at(-1), PATIENCE).toEqual(['status', 'disconnected', null]);
  let scanned: unknown;
  const { exit, lines, states } = await relay(['init'], async ({ qr }) => {
    if (qr && scanned === undefined) scanned = await demo.phones.scan(ME, qr);
  });
  expect(scanned).toMatchObject({ linked: true });
  expect(exit).toBe(0);
  expect(states).toContain('qr_ready');
  expect(states.at(-1)).toBe('connected');
  expect(lines.at(-1)).toMatchObject({ connected: true, phone: ME, probe: { arrived: true } });
  const noted = await demo.phones.messages(ME, ME);
  expect(noted.map(({ text }) => text)).toEqual([expect.stringContaining('Relay is connected.')]);

  await demo.phones.disconnect(ME, 503);
  const established = () => told.filter(([event]) => event === 'connected');
  await expect.poll(established, PATIENCE).toEqual([
    ['connected', ME],
    ['connected', ME],
  ]);
  controller.abort();
  expect(told).toContainEqual(['qr']);
  expect(told.slice(-3)).toEqual([
    ['status', 'connecting', null],
    ['status', 'connected', ME],
    ['connected', ME],
  ]);
}, 120_000);

test('messages are sent once per key and listed with the received ones', async () => {
  await demo.phones.send(BEN, ME, 'Are you there?');
  const say = ['messages', 'send', `+${BEN}`, 'On my way', '--key', 'k1'];
  const first = await relay(say);
  expect(first).toMatchObject({
    exit: 0,
    lines: [{ success: true, jid: `${BEN}@s.whatsapp.net` }],
  });
  const stands = async () => (await relay(say)).lines[0]?.state;
  await expect.poll(stands, { ...PATIENCE, interval: 500 }).toBe('delivered');
  expect((await demo.phones.received(BEN, ME)).map(({ text }) => text)).toEqual(['On my way']);
  const read = async () => {
    const { lines } = await relay(['messages', BEN.slice(2)]);
    const { messages } = lines[0] as unknown as { messages: { body: string; fromMe: boolean }[] };
    return messages.map(({ body, fromMe }) => [body, fromMe]).sort();
  };
  await expect.poll(read, PATIENCE).toEqual([
    ['Are you there?', false],
    ['On my way', true],
  ]);
}, 120_000);

test('an unlinked account is linked again with a code typed on the phone', async () => {
  expect(await relay(['whatsapp', 'disconnect', '--clear-session'])).toMatchObject({ exit: 0 });
  let typed: unknown;
  const { exit, lines } = await relay(['init', '--phone', `+${ME}`], async ({ pairingCode }) => {
    if (pairingCode && typed === undefined) typed = await demo.phones.typeCode(ME, pairingCode);
  });
  expect(typed).toMatchObject({ linked: true });
  expect([exit, lines.at(-1)?.connected]).toEqual([0, true]);
}, 120_000);
