import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { RelayError } from '@relay/contract/errors';
import { splitCommand } from '@relay/core/command-words';
import { removeFolder } from '@relay/testing/remove-folder';
import { verifies } from '@relay/testing/verifies';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runKeyCommand } from './key-command.ts';
import { checkVault, findFormerKey, openVault, type VaultOptions } from './vault.ts';

let root: string;
let options: VaultOptions;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'relay key command '));
  mkdirSync(join(root, 'home'));
  options = {
    home: join(root, 'home'),
    keyDirectory: join(root, 'state'),
    keyFile: null,
    passphrase: null,
    keyCommand: null,
    givenKey: null,
    keyring: null,
  };
});
afterEach(() => removeFolder(root));

/** A command that runs this JavaScript. */
const running = (script: string): string[] => [process.execPath, '--eval', script];
const printing = (text: string) => running(`process.stdout.write(${JSON.stringify(text)})`);
const failure = (promise: Promise<unknown>): Promise<RelayError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => (error instanceof RelayError ? error : expect.fail(String(error))),
  );

test.each<[string, string[] | null]>([
  ['kms decrypt', ['kms', 'decrypt']],
  [`  op read  "op://vault/my key"`, ['op', 'read', 'op://vault/my key']],
  [`x --query='a b' '' ""`, ['x', '--query=a b', '', '']],
  ['echo $HOME; ls | wc > out', ['echo', '$HOME;', 'ls', '|', 'wc', '>', 'out']],
  ['x "a', null],
  ["it's", null],
  ['   ', null],
])('splits %j into words without a shell', (text, words) => {
  expect(splitCommand(text)).toEqual(words);
});

test.each(['base64', 'base64url', 'hex'] as const)(
  'opens homes on several machines with one key that a command prints as %s',
  async (encoding) => {
    verifies('SCALE-KEY-COMMAND');
    const key = randomBytes(32).toString(encoding);
    options = { ...options, keyCommand: printing(`${key}\n`) };
    const first = await openVault(options);
    expect(first.source).toBe('command');
    expect(await checkVault(options)).toBe('command');
    expect(readFileSync(join(options.home, 'vault.json'), 'utf8')).not.toContain(key);

    const sealed = first.sealer.seal('a', Buffer.from('session'));
    mkdirSync(join(root, 'other'));
    const other = await openVault({ ...options, home: join(root, 'other') });
    expect(Buffer.from(other.sealer.open('a', sealed)).toString()).toBe('session');
    const again = await openVault(options);
    expect(Buffer.from(again.sealer.open('a', sealed)).toString()).toBe('session');
    // The other home finds the key for an archive of the first.
    expect(await findFormerKey({ ...options, home: join(root, 'other') }, first.record)).not.toBe(
      null,
    );
  },
);

test('opens a home with the key in RELAY_KEY, and needs it from then on', async () => {
  verifies('SCALE-KEY-COMMAND');
  const givenKey = randomBytes(32).toString('base64');
  expect((await openVault({ ...options, givenKey })).source).toBe('environment');
  expect((await openVault({ ...options, givenKey })).source).toBe('environment');
  expect(await failure(openVault(options))).toMatchObject({ code: 'vault_key_not_set' });
  const wrong = randomBytes(32).toString('base64');
  expect(await failure(openVault({ ...options, givenKey: wrong }))).toMatchObject({
    code: 'vault_key_wrong',
  });
  expect(await failure(openVault({ ...options, givenKey: 'short' }))).toMatchObject({
    code: 'vault_key_invalid',
  });
});

test('opens a home whose key was in a file with a command that prints the same key', async () => {
  const keyFile = join(root, 'my.key');
  writeFileSync(keyFile, randomBytes(32).toString('base64url'));
  await openVault({ ...options, keyFile });
  const moved = { ...options, keyCommand: printing(readFileSync(keyFile, 'utf8')) };
  expect((await openVault(moved)).source).toBe('command');
});

test('refuses a home without its command and gives it no other key', async () => {
  await openVault({ ...options, keyCommand: printing(randomBytes(32).toString('hex')) });
  const before = readFileSync(join(options.home, 'vault.json'), 'utf8');
  const error = await failure(openVault(options));
  expect(error.message).toContain('RELAY_KEY_COMMAND is not set');
  expect(readFileSync(join(options.home, 'vault.json'), 'utf8')).toBe(before);
});

test.each([
  ['is missing', ['/no/such/program'], 'vault_command_failed', 'was not found'],
  ['fails', running('process.exit(3)'), 'vault_command_failed', 'ended with exit code 3'],
  ['prints nothing', running(''), 'vault_command_output', 'did not print a key'],
  ['prints too much', printing('x'.repeat(5_000)), 'vault_command_output', 'did not print a key'],
  [
    'prints two lines',
    printing(`${'A'.repeat(22)}\n${'A'.repeat(22)}`),
    'vault_command_output',
    '',
  ],
])('says what is wrong when the command %s', async (_, keyCommand, code, sentence) => {
  const error = await failure(openVault({ ...options, keyCommand }));
  expect(error).toMatchObject({ code, message: expect.stringContaining(sentence) });
  expect(() => readFileSync(join(options.home, 'vault.json'))).toThrow();
});

test('ends a command that does not finish in time', async () => {
  const error = await failure(runKeyCommand(running('setInterval(() => {}, 1000)'), 500));
  expect(error.message).toContain('did not finish within 0.5 seconds');
});

test('shows nothing of what a command printed', async () => {
  verifies('SCALE-KEY-COMMAND');
  const secret = randomBytes(20).toString('hex');
  const print = `process.stdout.write('${secret}'); process.stderr.write('${secret}');`;
  for (const script of [print, `${print} process.exitCode = 1`]) {
    const error = await failure(openVault({ ...options, keyCommand: [...running(script), '--'] }));
    // The arguments of the command are not shown either.
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
    expect(JSON.stringify({ ...error, stack: error.stack })).not.toContain(secret);
  }
});
