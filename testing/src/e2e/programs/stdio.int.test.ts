// `relay mcp`: the official client over it, the seed's line for trying it out, its errors, and how it ends.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { TokenSecret } from '@relay/contract/api/credentials';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../verifies.ts';
import { BEN, type LinkedRelay, startLinkedRelay } from '../linked.ts';
import { openRelay } from '../relay.ts';
import { connect, makeToken, VERSIONS } from './client.ts';
import { piped, relayCommand, startMcp, untilServed } from './stdio.ts';

const call = (id: number, name: string, args: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
const CHATS = call(1, 'get_chats', { unread_only: false });

async function withBen(): Promise<{ linked: LinkedRelay; secret: string }> {
  const linked = await startLinkedRelay({ database: 'beside' });
  const person = { phoneNumber: BEN, displayName: 'Ben', canRead: true };
  await linked.demo.relay.ok('POST', '/api/whatsapp/permissions', person);
  await linked.talk('Hello');
  const { secret } = await makeToken(linked, { scopes: ['messages:read'] });
  return { linked, secret };
}

test('a client that starts relay mcp reads chats, and gets a clear reason for a refusal', {
  timeout: 240_000,
}, async () => {
  verifies('002-STDIO');
  verifies('002-CALL');
  verifies('002-TESTABLE');
  const { linked, secret } = await withBen();
  const { home, token } = linked.demo;

  // The official client, both protocol versions.
  for (const mode of [{ pin: VERSIONS.current }, 'legacy' as const]) {
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } });
    const env = { RELAY_HOME: home, RELAY_TOKEN: secret };
    const args = [await relayCommand(), 'mcp'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    const chats = await client.callTool({ name: 'get_chats', arguments: { unread_only: false } });
    expect(chats.structuredContent).toMatchObject({ chats: [{ name: 'Ben' }] });
    await client.close();
  }

  // One line in, one line out, and it ends; also without a final line break.
  for (const line of [CHATS, CHATS.trim()]) {
    const { exit, lines, err } = await piped(home, secret, line);
    expect({ exit, err, count: lines.length }).toEqual({ exit: 0, err: '', count: 1 });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { structuredContent: { chats: [{ name: 'Ben' }] } },
    });
  }

  // Many large requests at once: each is answered, though nobody reads for a while.
  const hundred = Array.from({ length: 100 }, (_, id) =>
    call(id, 'get_chats', { unread_only: false, padding: 'ä\u2028'.repeat(2_000) }),
  );
  const busy = await startMcp(home, secret);
  busy.stdin.end(hundred.join('') + call(100, 'x'.repeat(900_000)));
  await once(busy.stdout, 'readable');
  const { exit, lines } = await untilServed(busy);
  const ids = lines.map((line) => JSON.parse(line).id).sort((a, b) => a - b);
  expect({ exit, ids }).toEqual({ exit: 0, ids: Array.from({ length: 101 }, (_, id) => id) });

  // With a token from a file; and without a valid one.
  const file = join(home, 'program token');
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  const fromFile = await startMcp(home, undefined, '--token-file', file);
  fromFile.stdin.end(CHATS);
  expect(await untilServed(fromFile)).toMatchObject({ exit: 0, err: '' });
  for (const [wrong, sentence] of [
    [undefined, /`relay mcp install`.*`relay token create`/],
    ['relay_wrong', /does not know this token.*`relay mcp install`/],
    [token, /needs the token of a client.*`relay token create`/],
  ] as const) {
    const refused = await untilServed(await startMcp(home, wrong));
    expect(refused).toMatchObject({ exit: 6, lines: [], err: expect.stringMatching(sentence) });
    expect(refused.err.trim().split('\n')).toHaveLength(1);
  }

  // An invalid line while more could follow; then the daemon goes away.
  const endless = await startMcp(home, secret);
  endless.stdin.on('error', () => {});
  endless.stdin.write('x'.repeat(2_000_000));
  expect(await untilServed(endless)).toMatchObject({
    exit: 3,
    lines: [],
    err: expect.stringContaining('closed the connection'),
  });
  const open = await startMcp(home, secret);
  open.stdin.write(CHATS);
  await once(open.stdout, 'data');
  await linked.demo.kill();
  expect(await untilServed(open)).toMatchObject({
    exit: 3,
    err: 'Daemon not running. Run `relay start` first.\n',
  });

  // How long a polling client may cache.
  verifies('002-ENV-POLL-INTERVAL');
  for (const [environment, ttlMs] of [
    [{}, 30_000],
    [{ WHATSAPP_POLL_INTERVAL: '7' }, 7_000],
  ] as const) {
    await linked.demo.restart(environment);
    const client = await connect(linked.demo.api, secret, 'http', 'current');
    expect(await client.listResources()).toMatchObject({ ttlMs });
    await client.close();
    await linked.demo.rest();
  }
});

describe('without a daemon', () => {
  test('relay mcp starts one, in the place that the seed names for the session', {
    timeout: 240_000,
  }, async () => {
    verifies('002-ENV-SESSION-PATH');
    const relay = await openRelay();
    onTestFinished(() => relay.end());
    const seeds = { RELAY_HOME: undefined, WHATSAPP_SESSION_PATH: relay.home };
    expect(await relay.runWith(seeds, 'start')).toMatchObject({ exit: 0 });
    const { json } = await relay.call('POST', '/api/tokens', {
      name: 'program',
      scopes: ['messages:read'],
    });
    const { secret } = json as TokenSecret;
    await relay.stop();

    const elsewhere = {
      WHATSAPP_SESSION_PATH: join(relay.work, 'nowhere'),
      RELAY_HOME: relay.home,
    };
    for (const place of [seeds, elsewhere]) {
      const child = relay.spawn(['mcp'], { ...place, RELAY_TOKEN: secret }, CHATS);
      const { exit, lines } = await untilServed(child);
      expect({ exit, answers: lines.map((line) => JSON.parse(line)) }).toMatchObject({
        exit: 0,
        answers: [{ id: 1, result: { structuredContent: { chats: [] } } }],
      });
      // It continues without the client, and does not know its token.
      expect(await relay.run('status')).toMatchObject({ exit: 0 });
      expect(readFileSync(`/proc/${relay.pid}/environ`, 'utf8')).not.toContain(secret);
      await relay.stop();
    }
  });
});
