import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectionSentence } from '@relay/contract/connection/states';
import { removeFolder } from '@relay/testing/remove-folder';
import { startTerminalUser } from '@relay/testing/terminal-user';
import { verifies } from '@relay/testing/verifies';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { build, open, type Relay } from './testing/command.ts';
import { LINKING } from './testing/fake-link.ts';

let built: string;
let relay: Relay;
beforeAll(() => {
  built = build();
});
afterAll(() => removeFolder(built));
beforeEach(async () => {
  relay = await open(built);
  mkdirSync(relay.home, { mode: 0o700 });
});
afterEach(() => relay.end());

const put = (name: string, value: unknown) =>
  writeFileSync(join(relay.home, name), JSON.stringify(value));
const asked = (): { asked: string; body: unknown; key?: string }[] =>
  readFileSync(join(relay.home, 'asked.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const lines = (text: string) => text.trim().split('\n');

describe('relay init', () => {
  test('starts the daemon, shows each code and each state, and ends connected', async () => {
    verifies('AC-2.1', '003-CLI-INIT');
    const { exit, out, err } = await relay.run('init');
    expect(exit).toBe(0);
    expect(out.match(/[█▀▄]{7}/g)?.length).toBeGreaterThan(4);
    expect(out).toMatch(/Connected as \+491701234567 \(Ana\)\.\n✓ The test message was sent\.\n$/);
    for (const sentence of [
      'Starting the daemon …',
      connectionSentence('connecting'),
      connectionSentence('scanned'),
      connectionSentence('restarting'),
      'Connected. 2 left.',
      'Sending a test message to yourself …',
    ]) {
      expect(lines(err)).toContain(sentence);
    }
  });

  test('prints one line for each state and one for the end with --json', async () => {
    await relay.serve();
    const { exit, out, err } = await relay.call('init', '--json');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const said = lines(out).map((line) => JSON.parse(line));
    expect(said.map(({ state }) => state)).toEqual([
      ...LINKING.map(({ state }) => state),
      undefined,
    ]);
    expect(said[1]).toEqual({
      state: 'qr_ready',
      sentence: expect.any(String),
      phone: null,
      name: null,
      qr: '2@first,code',
      pairingCode: null,
      passkey: null,
      replaying: null,
    });
    expect(said.at(-1)).toEqual({
      connected: true,
      phone: '491701234567',
      name: 'Ana',
      probe: expect.objectContaining({ arrived: true, state: 'sent' }),
    });
  });

  test('reads the key from standard input and passes it only to the daemon', async () => {
    await relay.serve();
    const args = ['init', '--provider', 'anthropic', '--api-key', '--skip-probe'];
    const { exit, out, err } = await relay.pipe('sk-secret\n', ...args);
    expect(exit).toBe(0);
    expect(out + err).not.toContain('sk-secret');
    const settings = { model_provider: 'anthropic', model_api_key: 'sk-secret' };
    expect(asked()[0]).toEqual({ asked: 'POST /api/init', body: settings });
    const file = join(relay.home, 'relay.config.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(settings);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('reads the web search key in the same way, without testing it', async () => {
    await relay.serve();
    const { exit, out, err } = await relay.pipe('BSA-secret\n', 'init', '--brave-key');
    expect(exit).toBe(0);
    expect(out + err).not.toContain('BSA-secret');
    expect(asked()[0]).toEqual({ asked: 'POST /api/init', body: { brave_api_key: 'BSA-secret' } });
    expect(asked().map(({ asked: route }) => route)).not.toContain('POST /api/whatsapp/probe');
    expect(await relay.pipe('a\n', 'init', '--api-key', '--brave-key')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Only one key can be piped in at a time'),
    });
  });

  test('refuses an unknown provider before anything is started', async () => {
    expect(await relay.pipe('', 'init', '--provider', 'skynet')).toEqual({
      exit: 2,
      out: '',
      err: 'There is no provider "skynet". Use one of anthropic, openai, google, openrouter, groq, mistral, ollama, lm-studio, llama.cpp, vllm, openai-compatible.\n',
    });
    expect(existsSync(join(relay.home, 'daemon.pid'))).toBe(false);
  });

  test('refuses an empty key before anything is started', async () => {
    expect(await relay.pipe('\n', 'init', '--api-key')).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringContaining('No API key was given.'),
    });
    expect(existsSync(join(relay.home, 'daemon.pid'))).toBe(false);
  });

  test('shows the code to type when a phone number is given', async () => {
    await relay.serve();
    put('link.json', [
      { state: 'pairing_code_ready', pairingCode: 'ABCD1234' },
      { state: 'connected', phone: '491701234567', name: null },
    ]);
    const { exit, out } = await relay.call('init', '--phone', '+49 170 1234567');
    expect(exit).toBe(0);
    expect(out).toContain('║   A B C D   1 2 3 4   ║');
    expect(out).toContain(connectionSentence('pairing_code_ready'));
    expect(out).toContain('Connected as +491701234567.\n');
    expect(asked()[0]).toEqual({ asked: 'POST /api/init', body: { phone: '+49 170 1234567' } });
  });

  test.each(['passkey_required', 'logged_out', 'banned'] as const)(
    'stops at %s with the sentence and exit 5, and sends nothing',
    async (state) => {
      await relay.serve();
      put('link.json', [{ state: 'connecting' }, { state }]);
      const { exit, err } = await relay.call('init');
      expect(exit).toBe(5);
      expect(lines(err).at(-1)).toContain(connectionSentence(state));
      expect(asked().map((one) => one.asked)).not.toContain('POST /api/whatsapp/probe');
      const json = await relay.call('init', '--json');
      expect(JSON.parse(json.err)).toMatchObject({ code: 'whatsapp_not_connected' });
    },
  );

  test('keeps going while it waits for the next attempt', async () => {
    await relay.serve();
    const retryAt = new Date().toISOString();
    put('link.json', [
      { state: 'unreachable', retryAt },
      { state: 'connected', phone: '49170' },
    ]);
    const { exit, err } = await relay.call('init', '--skip-probe');
    expect(exit).toBe(0);
    expect(err).toContain(connectionSentence('unreachable'));
  });

  test('exits with 1 when the test message was not sent', async () => {
    await relay.serve();
    put('unsent', true);
    const { exit, out } = await relay.call('init');
    expect(exit).toBe(1);
    expect(out).toContain('✗ It could not be sent.');
  });

  test('leaves at once on Ctrl-C and cancels the unused code', async () => {
    await relay.serve();
    put('link.json', [{ state: 'qr_ready', qr: '2@first,code' }]);
    const child = relay.spawn('init');
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    expect(asked().at(-1)?.asked).toBe('POST /api/whatsapp/disconnect');
  });

  test('without a terminal lists what could not be asked, with the flags that provide it', async () => {
    await relay.serve();
    const { err } = await relay.call('init', '--skip-probe');
    expect(lines(err).slice(-2)).toEqual([
      'No model is set. Set one with `relay init --provider anthropic --api-key < key.txt`.',
      'No grants yet. Add one with `relay grant <who> --read --draft`.',
    ]);
    put('granted', true);
    expect((await relay.call('init', '--skip-probe')).err).not.toContain('No grants');
    const quiet = await relay.call('init', '--skip-probe', '--skip-model', '--skip-grants');
    expect(quiet.err).not.toContain('is set.');
    const unlinked = await relay.call('init', '--skip-link', '--provider', 'anthropic');
    expect(unlinked).toMatchObject({ exit: 0, out: expect.stringContaining('No phone is linked') });
    expect(asked().at(-1)).toEqual({
      asked: 'PATCH /api/settings',
      body: { model_provider: 'anthropic' },
    });
  });

  test('asks for provider and key at a terminal, tests the model, and never shows the key', async () => {
    put('unlinked', true);
    await relay.serve();
    const person = startTerminalUser({ built, home: relay.home }, 'init --skip-link --skip-grants');
    await person.until('Model provider');
    person.type('anthropic\r');
    await person.until('API key');
    person.type('sk-secret\r');
    await person.until('2  claude-small');
    await person.until('Enter for claude-sonnet-5');
    person.type('1\r');
    await person.until('✓ Model: claude answered.');
    await person.until('Turn it on? [y/N]');
    person.type('\r');
    expect(await person.exit).toBe(0);
    expect(person.seen()).not.toContain('sk-secret');
    const key = { model_provider: 'anthropic', model_api_key: 'sk-secret' };
    expect(asked()).toContainEqual({ asked: 'POST /api/settings/model/list', body: key });
    const body = { ...key, model_name: 'claude' };
    expect(asked()).toContainEqual({ asked: 'PATCH /api/settings', body });
  });

  test('does not offer search by meaning again once a phone is linked', async () => {
    await relay.serve();
    const person = startTerminalUser(
      { built, home: relay.home },
      'init --skip-probe --skip-grants',
    );
    await person.until('Model provider');
    person.type('anthropic\r');
    await person.until('API key');
    person.type('sk-secret\r');
    await person.until('Enter for claude-sonnet-5');
    person.type('1\r');
    await person.until('✓ WhatsApp: Connected');
    expect(await person.exit).toBe(0);
    expect(person.seen()).not.toContain('Turn it on?');
  });

  test('saves a model without a test only with --no-verify', async () => {
    await relay.serve();
    const args = ['init', '--skip-link', '--provider', 'ollama', '--model', 'qwen3:8b'];
    const tested = await relay.call(...args);
    expect(tested.err).toContain('Testing the model …');
    const untested = await relay.call(...args, '--no-verify');
    expect(untested.err).not.toContain('Testing');
    const body = { model_provider: 'ollama', model_name: 'qwen3:8b' };
    expect(asked().map((one) => one.body)).toEqual([body, { ...body, verify: false }]);
  });

  test('draws the code in place at a terminal and erases it at the end', async () => {
    put('unlinked', true);
    await relay.serve();
    const seat = { built, home: relay.home, columns: 100, rows: 60 };
    const person = startTerminalUser(seat, 'init --skip-model --skip-grants');
    await person.until('Press Enter for a QR code');
    person.type('\r');
    await person.until('Press Enter to send it');
    person.type('\r');
    await person.until('✓ Test message: Sent.');
    expect(await person.exit).toBe(0);
    expect(person.raw()).toContain('\u001b[38;5;16;48;5;231m');
    const taken = person.raw().split('A\r\u001b[J').slice(0, -1);
    expect(taken.map((part) => part.slice(-2))).toEqual(['15', '15']);
  });
});

describe('relay whatsapp', () => {
  test.each([['connect'], ['disconnect'], ['status'], []])(
    '%s says how to start the daemon when none runs',
    async (...args) => {
      expect(await relay.call('whatsapp', ...args)).toMatchObject({ exit: 3, out: '' });
    },
  );

  test('connect shows the progress', async () => {
    await relay.serve();
    put('link.json', [{ state: 'reconnecting' }, { state: 'connected', phone: '491701234567' }]);
    const { exit, out, err } = await relay.call('whatsapp', 'connect');
    expect([exit, out]).toEqual([0, 'Connected as +491701234567.\n']);
    expect(err).toContain(connectionSentence('reconnecting'));
    expect(asked()[0]).toEqual({ asked: 'POST /api/whatsapp/connect', body: {} });
    await relay.call('whatsapp', 'connect', '--phone', '49170', '--json');
    expect(asked().map(({ body }) => body)).toContainEqual({ phone: '49170' });
  });

  test('disconnect keeps the link unless told otherwise', async () => {
    await relay.serve();
    expect((await relay.call('whatsapp', 'disconnect')).out).toContain('stays linked');
    const cleared = await relay.call('whatsapp', 'disconnect', '--clear-session');
    expect(cleared.out).toContain('unlinked');
    expect(asked().map(({ body }) => body)).toEqual([
      { clearSession: false },
      { clearSession: true },
    ]);
    const json = await relay.call('whatsapp', 'disconnect', '--json');
    expect(JSON.parse(json.out)).toEqual({ status: 'disconnected' });
  });

  test('status shows the sentence, the number and the health', async () => {
    await relay.serve();
    const { exit, out } = await relay.call('whatsapp', 'status');
    expect(exit).toBe(0);
    expect(out).toContain(`● ${connectionSentence('connected')}`);
    expect(out).toContain('+491701234567');
    expect((await relay.call('whatsapp')).out).toContain('+491701234567');
    const json = await relay.call('whatsapp', 'status', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ state: 'connected', phone: '491701234567' });
  });
});

describe('relay messages', () => {
  beforeEach(async () => {
    await relay.serve();
  });

  test('shows time, sender, recipient and text', async () => {
    const { exit, out } = await relay.call('messages');
    expect(exit).toBe(0);
    expect(out).toMatch(/^02-26 \d\d:\d\d {2}\S+ +Ana → you {2}Are you there\?\n$/);
    expect(asked()[0]?.asked).toBe('GET /api/whatsapp/messages?limit=50');
  });

  test('passes on contact and limit, and prints the response of the API with --json', async () => {
    const { out } = await relay.call('messages', '+49 170', '-n', '7', '--json');
    expect(JSON.parse(out).messages).toHaveLength(1);
    expect(asked()[0]?.asked).toBe('GET /api/whatsapp/messages?limit=7&contact=%2B49%20170');
  });

  test('refuses invalid arguments before any request', async () => {
    expect(await relay.call('messages', '-n', 'many')).toMatchObject({ exit: 2, out: '' });
    expect(await relay.call('messages', 'send', '49170')).toMatchObject({ exit: 2, out: '' });
    expect(await relay.call('messages', 'send', '49170', ' ')).toMatchObject({ exit: 2, out: '' });
    expect(existsSync(join(relay.home, 'asked.jsonl'))).toBe(false);
  });

  test('send passes on text and key, and reports the state of the message', async () => {
    const sent = await relay.call('messages', 'send', '+49 170 1234567', 'Hello', '--key', 'k1');
    expect(sent).toMatchObject({ exit: 0, out: expect.stringContaining('Queued.') });
    expect(asked()[0]).toEqual({
      asked: 'POST /api/whatsapp/messages',
      body: { to: '+49 170 1234567', text: 'Hello' },
      key: 'k1',
    });
    put('unsent', true);
    const failed = await relay.call('messages', 'send', '491701234567', 'Hello', '--json');
    expect(failed.exit).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ success: false, state: 'failed' });
  });
});
