import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTING_VARIABLES } from '@relay/contract/settings-catalog';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSettings } from './commands/doctor.ts';
import { loadCliConfig, serviceEnvironment } from './config.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'relay config '));
});
afterEach(() => removeFolder(home));

test('finds home, port and model key without storing the key', () => {
  writeFileSync(
    join(home, 'relay.config.json'),
    '{"daemon_port":4000,"model_api_key":"sk-secret"}',
  );
  const config = loadCliConfig({ RELAY_HOME: home });
  expect(config).toMatchObject({ home, port: 4000, modelKey: 'your settings' });
  expect(JSON.stringify(config)).not.toContain('sk-secret');
  expect(loadCliConfig({ RELAY_HOME: home, RELAY_PORT: '5000' }).port).toBe(5000);
});

test.each([
  ['{ nonsense', 'it is not JSON'],
  ['[]', 'it is not an object'],
  ['{ "daemon_prot": 1 }', '"daemon_prot" is not a setting'],
  ['{ "log_level": "loud" }', '"log_level": expected one of'],
])('works with a broken settings file, and the doctor reports it: %s', async (text, fault) => {
  writeFileSync(join(home, 'relay.config.json'), text);
  const config = loadCliConfig({ RELAY_HOME: home });
  expect(config.port).toBe(3214);
  expect(await checkSettings(config)).toMatchObject({
    ok: 'no',
    found: expect.stringContaining(`relay.config.json: ${fault}`),
  });
});

test('reads a file that begins with a byte order mark, like the daemon', () => {
  writeFileSync(join(home, 'relay.config.json'), '\uFEFF{"daemon_port":4000}');
  expect(loadCliConfig({ RELAY_HOME: home })).toMatchObject({ port: 4000 });
});

test('uses no colour when the person wants none', () => {
  expect(loadCliConfig({ NO_COLOR: '1' }).colour).toBe(false);
  expect(loadCliConfig({ TERM: 'dumb' }).colour).toBe(false);
  expect(loadCliConfig({}).colour).toBe(true);
});

test('uses the session folder of seed 002 as the home, unless a home is named', () => {
  expect(loadCliConfig({ WHATSAPP_SESSION_PATH: home }).home).toBe(home);
  expect(loadCliConfig({ WHATSAPP_SESSION_PATH: '/elsewhere', RELAY_HOME: home }).home).toBe(home);
});

test("reads a client's token once, so that a daemon started from here does not inherit it", () => {
  const env = { RELAY_HOME: home, RELAY_TOKEN: ' relay_x\n' };
  expect(loadCliConfig(env).clientToken).toBe('relay_x');
  expect(env).toEqual({ RELAY_HOME: home });
});

const none = { home: '/h', modelKey: null };

test('a service takes over every setting of the environment that the daemon reads, or is refused', () => {
  const daemon = readFileSync(new URL('../../daemon/src/config.ts', import.meta.url), 'utf8');
  const read = [
    ...daemon.matchAll(/\benv\.([A-Z][A-Z_]+)|'([A-Z]+_[A-Z_]+)'|\{ ([A-Z_]+): written/g),
  ];
  const names = new Set([
    ...read.map(([, ...found]) => found.find(Boolean) ?? ''),
    ...Object.keys(SETTING_VARIABLES),
  ]);
  expect(names.size).toBeGreaterThan(15);
  // The first is in force as RELAY_HOME; the second belongs to the demo.
  for (const name of ['WHATSAPP_SESSION_PATH', 'RELAY_DEMO_PHONE']) names.delete(name);
  const lost = [...names].filter((name) => {
    try {
      return !(name in serviceEnvironment(none, { [name]: '/x' }));
    } catch (error) {
      return !String(error).includes(name);
    }
  });
  expect(lost).toEqual([]);
});

test('a service is refused for a key that only the environment has, by its name', () => {
  expect(() => serviceEnvironment({ ...none, modelKey: 'ANTHROPIC_API_KEY' }, {})).toThrow(
    'The service cannot take ANTHROPIC_API_KEY over from this environment, so nothing was installed. Store the key encrypted with `relay init --api-key`',
  );
  const stored = { home: '/h', modelKey: 'your settings' };
  expect(serviceEnvironment(stored, { ANTHROPIC_API_KEY: 'k' })).toEqual({ RELAY_HOME: '/h' });
  expect(() => serviceEnvironment(none, { RELAY_PASSPHRASE: 'three calm otters' })).toThrow(
    'RELAY_PASSPHRASE',
  );
});

test('a service is refused for the key of a bucket that only the environment has', () => {
  const env = { AWS_ACCESS_KEY_ID: 'AKIA-1' };
  expect(serviceEnvironment({ home, modelKey: null }, env)).toEqual({ RELAY_HOME: home });
  writeFileSync(join(home, 'relay.config.json'), '{"media":{"s3_bucket":"files"}}');
  expect(() => serviceEnvironment({ home, modelKey: null }, env)).toThrow(
    'The service cannot take AWS_ACCESS_KEY_ID over from this environment, so nothing was installed. Write "media.s3_access_key_id"',
  );
});

test('a service gets the key command as it is, and refuses a key', () => {
  const RELAY_KEY_COMMAND = 'kms decrypt "my key"';
  expect(serviceEnvironment(none, { RELAY_KEY_COMMAND })).toMatchObject({ RELAY_KEY_COMMAND });
  expect(() => serviceEnvironment(none, { RELAY_KEY: 'a' })).toThrow('RELAY_KEY');
});

test('a service gets absolute paths, whatever folder it was installed from', () => {
  const { RELAY_KEY_FILE } = serviceEnvironment(none, { RELAY_KEY_FILE: 'the key' });
  expect(RELAY_KEY_FILE).toBe(join(process.cwd(), 'the key'));
});
