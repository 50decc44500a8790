import { mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTING_VARIABLES } from '@relay/contract/settings-catalog';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from './config.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'relay config '));
});
afterEach(() => removeFolder(home));

const write = (text: string) => writeFileSync(join(home, 'relay.config.json'), text);

test('uses the defaults when nothing is set', () => {
  expect(loadConfig({ RELAY_HOME: home })).toMatchObject({
    home,
    port: 3214,
    databaseUrl: null,
    logLevel: 'info',
  });
});

test('the home is ~/.relay-agent by default', () => {
  expect(loadConfig({}).home).toBe(join(homedir(), '.relay-agent'));
});

test('the place that seed 002 names for the session is a home, unless one is named', () => {
  expect(loadConfig({ WHATSAPP_SESSION_PATH: home }).home).toBe(home);
  expect(loadConfig({ WHATSAPP_SESSION_PATH: '/elsewhere', RELAY_HOME: home }).home).toBe(home);
});

test('the file overrides the defaults, and the environment overrides the file', () => {
  write('{ "daemon_port": 4000, "log_level": "warn" }');
  expect(loadConfig({ RELAY_HOME: home })).toMatchObject({ port: 4000, logLevel: 'warn' });
  expect(
    loadConfig({
      RELAY_HOME: home,
      RELAY_PORT: '5000',
      RELAY_LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgres://example/relay',
    }),
  ).toMatchObject({ port: 5000, logLevel: 'debug', databaseUrl: 'postgres://example/relay' });
});

test.each([
  ['{ "daemon_port": "x" }', '"daemon_port"'],
  ['{ "daemon_port": 70000 }', '"daemon_port"'],
  ['{ "deamon_port": 4000 }', '"deamon_port" is not a setting; the closest is "daemon_port"'],
  [
    '{ "pacing": { "per_dya": 4 } }',
    '"pacing.per_dya" is not a setting; the closest is "pacing.per_day"',
  ],
  ['{ "per_hour": 4 }', '"per_hour" is not a setting; the closest is "pacing.per_hour"'],
  ['{ "colour": "red" }', '"colour" is not a setting; list all with `relay config list`'],
  ['{ "log_level": "loud" }', '"log_level"'],
  ['[]', 'relay.config.json'],
  ['{ nonsense', 'it is not JSON'],
])('refuses %s and names what is wrong', (text, what) => {
  write(text);
  expect(() => loadConfig({ RELAY_HOME: home })).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(what) }),
  );
});

test.each([
  ['RELAY_PORT', 'abc'],
  ['RELAY_PORT', '70000'],
  ['RELAY_PORT', '1.5'],
  ['RELAY_LOG_LEVEL', 'loud'],
  ['RELAY_PREPARED_STATEMENTS', 'maybe'],
  ['WHATSAPP_POLL_INTERVAL', 'often'],
  ['WHATSAPP_POLL_INTERVAL', '0'],
])('refuses %s=%s and names the variable', (name, value) => {
  expect(() => loadConfig({ RELAY_HOME: home, [name]: value })).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(name) }),
  );
});

test('the key of the home is outside the home', () => {
  expect(loadConfig({ RELAY_HOME: home }).vault).toEqual({
    keyDirectory: join(homedir(), '.local/state/relay-agent'),
    keyFile: null,
    passphrase: null,
    keyCommand: null,
    givenKey: null,
  });
  expect(
    loadConfig({ RELAY_HOME: home, XDG_STATE_HOME: '/state', RELAY_KEY_FILE: '/run/key' }).vault,
  ).toMatchObject({ keyDirectory: '/state/relay-agent', keyFile: '/run/key' });
});

test('the passphrase is read once and removed from the environment', () => {
  const env = { RELAY_HOME: home, RELAY_PASSPHRASE: 'secret' };
  expect(loadConfig(env).vault.passphrase).toBe('secret');
  expect(env).not.toHaveProperty('RELAY_PASSPHRASE');
});

test('prepared statements are turned off by the file or the environment', () => {
  expect(loadConfig({ RELAY_HOME: home }).settings.prepared_statements).toBe(true);
  const off = { RELAY_HOME: home, RELAY_PREPARED_STATEMENTS: 'false' };
  expect(loadConfig(off).settings.prepared_statements).toBe(false);
});

test('the key is read once and removed from the environment, and a command is split into words', () => {
  const env = { RELAY_HOME: home, RELAY_KEY: 'secret' };
  expect(loadConfig(env).vault).toMatchObject({ givenKey: 'secret', keyCommand: null });
  expect(env).not.toHaveProperty('RELAY_KEY');
  const command = { RELAY_HOME: home, RELAY_KEY_COMMAND: 'kms "my key"' };
  expect(loadConfig(command).vault.keyCommand).toEqual(['kms', 'my key']);
});

test.each([{ RELAY_KEY_COMMAND: 'kms "my' }, { RELAY_KEY_COMMAND: 'kms', RELAY_KEY: 'a' }])(
  'refuses a key command that is not clear: %j',
  (env) => {
    expect(() => loadConfig({ RELAY_HOME: home, ...env })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringContaining('RELAY_KEY_COMMAND'),
      }),
    );
  },
);

test('model settings of the environment are kept separately, and its keys are removed from it', () => {
  const env = {
    RELAY_HOME: home,
    RELAY_MODEL_PROVIDER: 'vllm',
    RELAY_MODEL: 'qwen',
    RELAY_MODEL_BASE_URL: 'http://127.0.0.1:8000/v1',
    RELAY_MODEL_API_KEY: 'sk-relay',
    OPENAI_API_KEY: 'sk-openai',
    GEMINI_API_KEY: 'sk-gemini',
    BRAVE_API_KEY: 'sk-brave',
  };
  expect(loadConfig({ ...env }).braveKey).toBe('sk-brave');
  expect(loadConfig(env).model).toEqual({
    given: {
      model_provider: 'vllm',
      model_name: 'qwen',
      model_base_url: 'http://127.0.0.1:8000/v1',
      model_api_key: 'sk-relay',
    },
    keys: { openai: 'sk-openai', google: 'sk-gemini' },
  });
  expect(JSON.stringify(env)).not.toContain('sk-');
  expect(() => loadConfig({ RELAY_HOME: home, RELAY_MODEL_BASE_URL: 'ftp://x' })).toThrow(
    'RELAY_MODEL_BASE_URL',
  );
});

test('the key of a bucket is set by the file or the environment, and removed from it', () => {
  write('{ "media": { "s3_bucket": "files", "s3_access_key_id": "of the file" } }');
  const env = {
    RELAY_HOME: home,
    RELAY_S3_ACCESS_KEY_ID: 'AKIA-1',
    RELAY_S3_SECRET_ACCESS_KEY: 'secret-1',
  };
  const { settings, fromEnvironment } = loadConfig(env);
  expect(settings.media).toMatchObject({
    s3_bucket: 'files',
    s3_access_key_id: 'AKIA-1',
    s3_secret_access_key: 'secret-1',
  });
  expect(fromEnvironment).toMatchObject({
    'media.s3_secret_access_key': 'RELAY_S3_SECRET_ACCESS_KEY',
  });
  expect(env).toEqual({ RELAY_HOME: home });
  expect(loadConfig({ RELAY_HOME: home }).settings.media.s3_access_key_id).toBe('of the file');
});

test('every variable for a setting changes that setting', () => {
  const values: Readonly<Record<string, string>> = {
    RELAY_PORT: '4000',
    RELAY_LOG_LEVEL: 'debug',
    ADMIN_PHONE_NUMBERS: '+49 151 12345678',
    RELAY_PREPARED_STATEMENTS: 'false',
    RELAY_MODEL_BASE_URL: 'http://127.0.0.1:11434/v1',
    RELAY_TRACES_ENDPOINT: 'http://127.0.0.1:4318',
    RELAY_TRACES_HEADERS: 'x-key=1',
  };
  for (const name of Object.keys(SETTING_VARIABLES)) {
    const given = loadConfig({ RELAY_HOME: home, [name]: values[name] ?? 'given' });
    const without = loadConfig({ RELAY_HOME: home });
    const inForce = ({ settings, model, braveKey }: typeof given) => ({
      settings,
      model,
      braveKey,
    });
    expect([name, inForce(given)]).not.toEqual([name, inForce(without)]);
  }
});

test('the traces collector is set by the file or the environment, and its headers are removed', () => {
  write('{ "traces": { "endpoint": "http://127.0.0.1:4318" } }');
  expect(loadConfig({ RELAY_HOME: home }).settings.traces).toEqual({
    endpoint: 'http://127.0.0.1:4318',
    headers: null,
  });
  const env = {
    RELAY_HOME: home,
    RELAY_TRACES_ENDPOINT: 'https://otlp.example',
    RELAY_TRACES_HEADERS: 'x-key=sk-1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://elsewhere.example',
  };
  const { settings, fromEnvironment } = loadConfig(env);
  expect(settings.traces).toEqual({ endpoint: 'https://otlp.example', headers: 'x-key=sk-1' });
  expect(fromEnvironment).toMatchObject({ 'traces.headers': 'RELAY_TRACES_HEADERS' });
  expect(JSON.stringify(env)).not.toContain('sk-1');
  const faulty = { RELAY_TRACES_ENDPOINT: 'http://me:sk-2@otlp.example' };
  expect(() => loadConfig({ RELAY_HOME: home, ...faulty })).toThrow(
    /RELAY_TRACES_ENDPOINT.*traces.headers/,
  );
  expect(() => loadConfig({ RELAY_HOME: home, ...faulty })).not.toThrow(/sk-2/);
  expect(() => loadConfig({ RELAY_HOME: home, RELAY_TRACES_HEADERS: 'sk-3' })).toThrow(
    'name=value',
  );
});

test.each([
  ['+1 (415) 555-1234, 201281835346@c.us', ['14155551234', '201281835346']],
  ['14155551234;\n4915112345678\n', ['14155551234', '4915112345678']],
])('ADMIN_PHONE_NUMBERS=%j overrides the file', (text, numbers) => {
  write('{ "admin_phone_numbers": ["15550000001"] }');
  const of = (env: object) => loadConfig({ RELAY_HOME: home, ...env }).settings.admin_phone_numbers;
  expect(of({ ADMIN_PHONE_NUMBERS: text })).toEqual(numbers);
  expect(of({})).toEqual(['15550000001']);
  expect(() => of({ ADMIN_PHONE_NUMBERS: '12' })).toThrow('ADMIN_PHONE_NUMBERS');
});

test("accepts the former file name and an editor's $schema, and refuses both names at once", () => {
  writeFileSync(join(home, 'config.json'), '{ "$schema": "./x.json", "daemon_port": 4001 }');
  expect(loadConfig({ RELAY_HOME: home }).port).toBe(4001);
  write('{}');
  expect(() => loadConfig({ RELAY_HOME: home })).toThrow(/config\.json, its former name/);
});
