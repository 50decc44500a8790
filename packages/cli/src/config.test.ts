import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSettings } from './commands/doctor.ts';
import { loadCliConfig } from './config.ts';

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
  ['{ "log_level": "loud" }', '"log_level": Invalid option'],
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
