import type { AccountId } from '@relay/contract/ids';
import { settingsSchema } from '@relay/contract/settings';
import { DEFAULT_SETTINGS } from '@relay/contract/settings-catalog';
import { testSealer } from '@relay/testing/sealer';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import {
  changeAccountSettings,
  modelOfAccount,
  readAccountSettings,
  settingsOfAccount,
  transcriptionOfAccount,
} from './settings.ts';

const { database, account, sql } = await freshStore();
const db = database.kysely;
const sealer = testSealer.forAccount(account);
const home = settingsSchema.parse({ pacing: { per_day: 200 } });
const change = (changed: Parameters<typeof changeAccountSettings>[3]['changed']) =>
  changeAccountSettings(db, account, sealer, { home, changed });
const read = () => readAccountSettings(db, account, sealer);

beforeEach(() => sql(`UPDATE accounts SET settings = '{}'`));

test('an account has its own settings over those of the home, until they are removed', async () => {
  verifies('ACCOUNT-SETTINGS');
  await change({ zone: 'Asia/Kolkata', pacing: { per_day: 20 }, agent: { usd_per_day: 1 } });
  const own = settingsOfAccount(home, await read(), false);
  expect([own.pacing.per_day, own.agent.usd_per_day, own.zone]).toEqual([20, 1, 'Asia/Kolkata']);
  expect({ ...own.pacing }).toEqual({ ...home.pacing, per_day: 20 });
  expect(home.pacing.per_day).toBe(200);
  // The home's settings change in place.
  home.pacing.per_hour = 61;
  expect(own.pacing.per_hour).toBe(61);
  await change({ pacing: { per_day: null }, zone: null });
  expect(await read()).toEqual({ agent: { usd_per_day: 1 } });
});

test('the numbers that command the home’s agents command none of another person’s account', async () => {
  verifies('ACCOUNT-OWNERS');
  const withAdmin = settingsSchema.parse({ admin_phone_numbers: ['4915112345678'] });
  expect(settingsOfAccount(withAdmin, {}, false).admin_phone_numbers).toHaveLength(1);
  expect(settingsOfAccount(withAdmin, {}, true).admin_phone_numbers).toEqual([]);
});

test('an account of another person follows none of the home’s instructions, addresses and traces', async () => {
  verifies('ACCOUNT-OWNERS');
  const written = settingsSchema.parse({
    agent: { instructions: 'I am Ben.', max_steps: 3 },
    webhooks: { allow: ['127.0.0.1:5678'] },
    notifications: { allow: ['127.0.0.1:8080'], show_text: true },
    traces: { endpoint: 'http://127.0.0.1:4318', headers: 'key=secret' },
  });
  const hosted = settingsOfAccount(written, {}, true);
  expect(hosted.agent.instructions).toBe('');
  expect(hosted.webhooks.allow).toEqual([]);
  expect(hosted.notifications.allow).toEqual([]);
  expect({ ...hosted.traces }).toEqual({ endpoint: null, headers: null });
  // Everything else is the home's.
  expect([hosted.agent.max_steps, hosted.notifications.show_text]).toEqual([3, true]);
  expect(settingsOfAccount(written, {}, false)).toEqual(written);
  await change({ agent: { instructions: 'I am Ana.' } });
  expect(settingsOfAccount(written, await read(), true).agent.instructions).toBe('I am Ana.');
});

test('settings that do not fit those of the home are refused', async () => {
  verifies('ACCOUNT-SETTINGS');
  await expect(change({ pacing: { typing_min_ms: 60_000 } })).rejects.toThrow('typing_max_ms');
  expect(await read()).toEqual({});
});

test('the proxy and the key of the model are encrypted, for this account alone', async () => {
  verifies('ACCOUNT-SETTINGS', 'ACCOUNT-KEYS');
  const proxy = 'socks5://ana:secret@proxy.example.org:1080';
  await change({ proxy, model_provider: 'openai', model_api_key: 'sk-secret' });
  const [row] = await sql<{ settings: object }>('SELECT settings FROM accounts');
  expect(JSON.stringify(row)).not.toContain('secret');
  expect(await read()).toMatchObject({ proxy, model_api_key: 'sk-secret' });
  const other = await readAccountSettings(db, account, testSealer.forAccount(99 as AccountId));
  expect(other.proxy).toContain('.invalid:');
  expect(other.model_api_key).toBeUndefined();
});

const model = {
  model_provider: 'anthropic',
  model_name: 'm',
  model_base_url: null,
  model_api_key: 'key of the home',
};

test('the key of the home’s model goes to no other address', () => {
  const address = 'https://ana.example.org/v1';
  const elsewhere = { ...model, model_base_url: address, model_api_key: null };
  expect(modelOfAccount(model, { model_base_url: address }, false)).toMatchObject(elsewhere);
  const keyed = modelOfAccount(model, { model_base_url: address, model_api_key: 'own' }, false);
  expect(keyed.model_api_key).toBe('own');
  const local = { ...model, model_base_url: address };
  expect(modelOfAccount(local, { model_base_url: address }, false)).toMatchObject(local);
});

test('the home’s key for transcription goes to no address of an account', () => {
  const keyed = { ...DEFAULT_SETTINGS.transcription, transcription_api_key: 'key of the home' };
  const own = { model_base_url: 'https://ana.example.org/v1' };
  expect(transcriptionOfAccount(keyed, model, own).transcription_api_key).toBeNull();
  expect(transcriptionOfAccount(keyed, model, { model_name: 'small' })).toEqual(keyed);
  const addressed = { ...keyed, endpoint_base_url: 'https://api.openai.com/v1' };
  expect(transcriptionOfAccount(addressed, model, own)).toEqual(addressed);
});

test('another provider takes nothing from the home’s model', () => {
  const small = { ...model, model_name: 'small' };
  expect(modelOfAccount(model, { model_name: 'small' }, false)).toMatchObject(small);
  expect(modelOfAccount(model, { model_provider: 'openai' }, false)).toMatchObject({
    model_provider: 'openai',
    model_name: null,
    model_base_url: null,
    model_api_key: null,
  });
});

test('a hosted account reaches an address of its own on the public internet only', () => {
  verifies('ACCOUNT-OWNERS');
  const own = { model_base_url: 'http://10.0.0.1/v1' };
  expect(modelOfAccount(model, own, true).isForeign).toBe(true);
  expect(modelOfAccount(model, own, false).isForeign).toBe(false);
  // The home's address may be inside its network.
  expect(modelOfAccount(model, { model_name: 'small' }, true).isForeign).toBe(false);
});
