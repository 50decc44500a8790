// AC-2, and the error table's two rows on WhatsApp: one scan links permanently, a dropped connection is retried with
// growing delays, and a lasting outage is reported.

import type { LinkBody } from '@relay/contract/api/whatsapp';
import { FOLLOW_UP_SUSPENDED_SENTENCE } from '@relay/contract/conversation/states';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { eventually } from '../gateway.ts';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './harness.ts';
import { FIRST, send } from './script.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness({ linked: false });
});
afterAll(() => harness.end());

const link = () => harness.api.ok<LinkBody>('GET', '/api/whatsapp/link');
const reaches = (state: LinkBody['state'], patience?: number) =>
  eventually(
    `the state ${state}`,
    async () => (await link()).state === state || undefined,
    patience,
  );
const credentials = () => harness.relay.query('SELECT value FROM relay.whatsapp_credentials');
const devices = () => harness.simulator.network.account(ME)?.companions.size;

it('relay init draws a QR code in the terminal; one scan links the account permanently', async () => {
  verifies('AC-2.1', 'AC-2.2', '003-CLI-INIT');
  const { relay, phones } = harness;
  expect(await credentials()).toEqual([]);
  const init = relay.spawn(['init', '--skip-probe', '--skip-model']);
  let drawn = '';
  init.stdout.setEncoding('utf8').on('data', (text: string) => {
    drawn += text;
  });
  const qr = await eventually('a code', async () => (await link()).qr ?? undefined);
  await eventually(
    'it in the terminal',
    async () => /(?:[█▀▄ ]{40,}\n){20,}/.test(drawn) || undefined,
  );
  expect(await phones.scan(ME, qr)).toMatchObject({ linked: true });
  await eventually('the word', async () => drawn.includes('Connected as +') || undefined);
  await reaches('connected');

  expect(await credentials()).toEqual([{ value: expect.any(Buffer) }]);
  expect(devices()).toBe(1);
  for (const end of [() => relay.stop(), () => relay.kill()]) {
    await end();
    await relay.start();
    await reaches('connected');
    expect(await harness.gives('status')).toMatchObject({
      whatsapp_connected: true,
      whatsapp: { phone_number: ME },
    });
    expect(devices()).toBe(1);
  }
});

/** The logged closes since `from`, with the wait planned then. */
function closes(from: number): { attempt: number; state: string; at: number }[] {
  return harness
    .log()
    .filter(({ msg, time }) => msg === 'WhatsApp closed the connection' && Date.parse(time) >= from)
    .map(({ attempt, state, time }) => ({
      attempt: Number(attempt),
      state: String(state),
      at: Date.parse(time),
    }));
}

/** The times at which the daemon planned to retry, from the link's state. */
function followRetries(): { planned: number[]; stop(): void } {
  const planned: number[] = [];
  const timer = setInterval(async () => {
    const { retryAt } = await link();
    if (retryAt !== null && !planned.includes(Date.parse(retryAt)))
      planned.push(Date.parse(retryAt));
  }, 100);
  return { planned, stop: () => clearInterval(timer) };
}

it('a dropped connection is restored automatically', async () => {
  verifies('AC-2.3', '003-NFR-RECONNECT');
  for (const code of [undefined, 503]) {
    await harness.phones.disconnect(ME, code);
    await reaches('reconnecting');
    expect(await harness.gives('status')).toMatchObject({ whatsapp_connected: false });
    await reaches('connected');
  }
});

it('the retry delay doubles, five failures are reported, and relay init need not wait', async () => {
  verifies('AC-2.3', '003-ERR-DISCONNECTED', '003-ERR-RECONNECT', '003-NFR-RECONNECT');
  const { relay, phones } = harness;
  await relay.stop();
  await relay.start();
  await reaches('connected');
  const adalbert = await harness.person('Adalbert');
  adalbert.meets(FIRST, send('Which day?'));
  adalbert.meets('Are you there?', send('Here I am.'));
  const id = await harness.begin(adalbert, {
    heartbeat_config: { interval_ms: 2 * 3_600_000 },
  });
  await adalbert.reads('Which day?');
  const waiting = await harness.waits(id);
  const away = harness.clock.now().getTime();
  const retries = followRetries();
  await phones.faults({ refuseLogin: 503 });
  await phones.disconnect(ME, 503);
  await reaches('unreachable', 60_000);
  await eventually('the sixth wait', async () => retries.planned.length === 6 || undefined);
  retries.stop();

  const seen = closes(away);
  expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
  seen.forEach(({ at }, n) => {
    const wait = (retries.planned[n] ?? 0) - at;
    const step = Math.min(1_000 * 2 ** n, 30_000);
    const asPlanned = wait >= 0.6 * step && wait <= step + 1_000;
    expect({ n, wait, asPlanned }).toMatchObject({ asPlanned: true });
  });
  expect(await harness.gives('status')).toMatchObject({ whatsapp_connected: false });
  expect(await harness.says('status')).toContain('could not be reached in several attempts.');
  const errors = harness
    .log()
    .filter((line) => line.level === 'error' && Date.parse(line.time) > away);
  expect(errors).toMatchObject([
    { msg: 'WhatsApp unreachable', state: 'unreachable', code: '503', attempt: 6 },
  ]);

  // A waiting conversation keeps waiting without a follow-up, and what is written meanwhile is answered on
  // reconnecting.
  await adalbert.writes('Are you there?');
  const suspended = await eventually('a suspended clock', async () => {
    const instance = await harness.get(id);
    return instance.next_follow_up_at === null ? instance : undefined;
  });
  const { reason } = suspended;
  expect(reason).toBe(FOLLOW_UP_SUSPENDED_SENTENCE);
  expect(suspended).toEqual({ ...waiting, reason, next_follow_up_at: null });
  await phones.clearFaults();
  const said = await harness.init();
  expect(said.filter(({ qr }) => qr)).toEqual([]);
  await reaches('connected');
  expect(devices()).toBe(1);
  expect(await adalbert.reads('Here I am.')).toEqual(['Which day?', 'Here I am.']);
});
