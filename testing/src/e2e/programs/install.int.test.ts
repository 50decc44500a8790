// `relay mcp install` by a new user: into settings with other content, twice, into broken ones, and uninstalled again.
// The server is then started as a client without a shell would start it.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { visit } from '../../host.ts';
import { BEN, startLinkedRelay } from '../linked.ts';
import { openRelay, type Relay } from '../relay.ts';
import { untilServed } from './stdio.ts';

interface Server {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

const LINE = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`;

/** With only the environment that the settings give. */
function serve({ command, args, env }: Server) {
  const child = spawn(command, args, { env, cwd: '/' });
  child.stdin.end(LINE);
  return untilServed(child);
}

const tokens = async (relay: Relay) => {
  const { json } = await relay.call('GET', '/api/tokens');
  return (json as { tokens: { name: string; scopes: string[] }[] }).tokens;
};

test('a client gets Relay into its settings and out again, and the rest of them stays', {
  timeout: 240_000,
}, async () => {
  const relay = await openRelay();
  onTestFinished(() => relay.end());
  const file = join(relay.work, '.config/Claude/claude_desktop_config.json');
  const before = '{\n    "theme": "dark",\n    "mcpServers": { "other": { "command": "x" } }\n}\n';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, before, { mode: 0o644 });
  const read = () => JSON.parse(readFileSync(file, 'utf8'));
  const relayIn = (): Server => read().mcpServers.relay;
  const install = (...more: string[]) =>
    relay.run('mcp', 'install', '--client', 'claude-desktop', ...more);

  // A preview, or a file that cannot be parsed, changes nothing.
  const shown = await install('--print');
  expect({ exit: shown.exit, keys: Object.keys(JSON.parse(shown.out).mcpServers) }).toEqual({
    exit: 0,
    keys: ['relay'],
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
  const broken = join(relay.work, 'broken.json');
  writeFileSync(broken, '{ "mcpServers": {');
  expect(await relay.run('mcp', 'install', '--file', broken)).toMatchObject({
    exit: 2,
    out: '',
    err: expect.stringContaining('is not a JSON object'),
  });
  expect(readFileSync(broken, 'utf8')).toBe('{ "mcpServers": {');

  // The first time; the daemon is started for it.
  const first = await install();
  expect(first).toMatchObject({ exit: 0, out: expect.stringContaining('with a new token') });
  expect(await tokens(relay)).toMatchObject([{ name: 'Claude Desktop' }]);
  expect(read()).toMatchObject({ theme: 'dark', mcpServers: { other: { command: 'x' } } });
  expect(readFileSync(file, 'utf8')).toMatch(/^\{\n {4}"theme"/);
  expect(readFileSync(`${file}.before-relay`, 'utf8')).toBe(before);
  for (const each of [file, `${file}.before-relay`]) {
    expect(statSync(each).mode & 0o777).toBe(0o600);
  }
  expect(first.out + first.err).not.toContain(relayIn().env.RELAY_TOKEN);
  expect(await serve(relayIn())).toMatchObject({ exit: 0, err: '', lines: [expect.any(String)] });

  // The second time it exists already; an invalid secret is replaced.
  const { RELAY_TOKEN: secret } = relayIn().env;
  expect(await install()).toMatchObject({
    exit: 0,
    out: expect.stringContaining('Nothing was changed'),
  });
  expect(relayIn().env.RELAY_TOKEN).toBe(secret);
  await relay.run('token', 'rotate', 'Claude Desktop');
  expect(await serve(relayIn())).toMatchObject({ exit: 6, lines: [] });
  expect(await install()).toMatchObject({ exit: 0, out: expect.stringContaining('a new secret') });
  expect(await serve(relayIn())).toMatchObject({ exit: 0 });

  // Other scopes need another token; a program reads the result as JSON.
  const narrowed = await install('--scopes', 'messages:read', '--json');
  expect(JSON.parse(narrowed.out)).toMatchObject({
    client: 'claude-desktop',
    file,
    changed: true,
    how: 'made',
    token: { name: 'Claude Desktop', scopes: ['messages:read'] },
  });
  const again = await install('--scopes', 'messages:read', '--json');
  expect(JSON.parse(again.out)).toMatchObject({ changed: false, how: 'kept' });
  expect(narrowed.out).not.toContain(relayIn().env.RELAY_TOKEN);

  // Uninstall.
  const server = relayIn();
  expect(await relay.run('mcp', 'uninstall', '--client', 'claude-desktop')).toMatchObject({
    exit: 0,
    out: expect.stringContaining('Revoked the token Claude Desktop.'),
  });
  expect(read()).toEqual(JSON.parse(before));
  expect(await tokens(relay)).toEqual([]);
  expect(await serve(server)).toMatchObject({ exit: 6, lines: [] });
  const nothing = await relay.run('mcp', 'uninstall', '--client', 'claude-desktop', '--json');
  expect(JSON.parse(nothing.out)).toMatchObject({ removed: false, revoked: null });
});

test('a host with Relay installed reads chats, and sends after its user agreed', {
  timeout: 240_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const may = { canRead: true, canReply: true };
  const person = { phoneNumber: BEN, displayName: 'Ben', ...may };
  await linked.demo.relay.ok('POST', '/api/whatsapp/permissions', person);
  await linked.talk('Hello');
  const file = join(linked.demo.home, 'host.json');
  expect(await linked.command('mcp', 'install', '--file', file)).toMatchObject({ exit: 0 });

  const said: string[] = [];
  const asked: string[] = [];
  const go = (message: string, yes: boolean) =>
    visit({
      ...{ file, to: 'Ben', message, say: (line) => said.push(line) },
      ask: async (question) => {
        asked.push(question);
        return yes;
      },
    });
  expect(await go('Not this one', false)).toBeNull();
  expect(await go('Friday at ten is fine', true)).toMatchObject({ status: 'sent' });
  await linked.demo.phones.sees(BEN, { text: 'Friday at ten is fine', status: 'received' });
  expect(said[0]).toMatch(/^Ben: /);
  expect(asked.map((each) => each.includes('Ben'))).toEqual([true, true]);
  const rows = await linked.query('SELECT FROM relay.outbox WHERE body = $1', ['Not this one']);
  expect(rows).toEqual([]);
});
