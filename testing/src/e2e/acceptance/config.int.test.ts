// The seed's configuration: the model's provider and key, given to `relay init` and used from the next turn on, the
// port, and whether WhatsApp is connected.
import { once } from 'node:events';
import { DEFAULT_PORT, settingsSchema } from '@relay/contract/settings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { FIRST, send } from './script.ts';

const KEY = 'sk-of-the-owner-4b1d';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

/** `relay init --api-key < key.txt` */
async function init(key: string, ...options: string[]): Promise<number> {
  const args = ['init', '--skip-probe', '--api-key', ...options];
  const child = harness.relay.spawn(args, {}, `${key}\n`);
  const [exit] = await once(child, 'close');
  return exit;
}

/** The keys of the model requests in a new conversation. */
async function keysUsed(name: string): Promise<string[]> {
  const person = await harness.person(name);
  person.meets(FIRST, send('Which day?'));
  const before = harness.model.calls().length;
  await harness.begin(person);
  await person.reads('Which day?');
  const asked = harness.model.calls().slice(before);
  return [...new Set(asked.map(({ headers }) => headers.authorization ?? ''))];
}

it('relay init stores the key and the provider encrypted, and they are used at once and after a restart', async () => {
  verifies('003-DATA-CONFIG', '003-CLI-INIT', '003-SEC-LOGS');
  expect(await keysUsed('Xanthippe')).toEqual(['Bearer sk-scripted']);
  expect(await init(KEY, '--provider', 'openai-compatible')).toBe(0);
  expect(await keysUsed('Ysaline')).toEqual([`Bearer ${KEY}`]);
  const written = harness.relay.file('relay.config.json');
  expect(JSON.parse(written)).toMatchObject({
    model_provider: 'openai-compatible',
    model_api_key: expect.any(String),
  });
  expect(written).not.toContain(KEY);
  expect(harness.relay.file('relay.log')).not.toContain(KEY);
  await harness.relay.stop();
  await harness.relay.start();
  expect(await keysUsed('Zenobia')).toEqual([`Bearer ${KEY}`]);
});

it('the port is 3214 by default, and no other setting is required', () => {
  verifies('003-DATA-CONFIG');
  expect(DEFAULT_PORT).toBe(3214);
  expect(settingsSchema.parse({})).toMatchObject({
    daemon_port: 3214,
    model_provider: null,
    model_api_key: null,
  });
});

it('the status reports whether WhatsApp is connected', async () => {
  verifies('003-DATA-CONFIG');
  expect(await harness.gives('status')).toMatchObject({ whatsapp_connected: true });
  await harness.api.ok('POST', '/api/whatsapp/disconnect', {});
  expect(await harness.gives('status')).toMatchObject({ whatsapp_connected: false });
});
