// Open connections end with their token, with the official client: a stream over HTTP, the pipe, and the next call over
// any of them.
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type LinkedRelay, startLinkedRelay } from '../linked.ts';
import { connect, makeToken, TRANSPORT_VERSIONS } from './client.ts';

interface Open {
  readonly name: string;
  readonly client: Client;
  /** Settles when the open connection has ended; at once if there is none. */
  readonly ended: Promise<unknown>;
}

async function openAll({ demo }: LinkedRelay, secret: string): Promise<Open[]> {
  const opened: Open[] = [];
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(demo.api, secret, way, version);
    const name = `${way}, ${version}`;
    await client.listTools();
    if (way === 'pipe') {
      const ended = new Promise<void>((resolve) => {
        client.onclose = resolve;
      });
      opened.push({ name, client, ended });
    } else if (version === 'current') {
      const { closed } = await client.listen({ toolsListChanged: true });
      opened.push({ name, client, ended: closed });
    } else opened.push({ name, client, ended: Promise.resolve() });
  }
  return opened;
}

async function allEnd(open: readonly Open[]): Promise<void> {
  await Promise.all(open.map(({ ended }) => ended));
  for (const { name, client } of open) {
    const again = client.callTool({ name: 'get_chats', arguments: { unread_only: false } });
    const sentence = name.startsWith('http') ? 'A valid token is required' : 'Not connected';
    await expect(again, name).rejects.toThrow(sentence);
  }
}

test('a rotated, revoked or expired token is refused at the next call and on open connections', {
  timeout: 240_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { relay } = linked.demo;
  const { name, secret } = await makeToken(linked, { scopes: ['messages:read'] });
  const kept = await makeToken(linked, { scopes: ['messages:read'] });
  const others = await openAll(linked, kept.secret);
  const path = `/api/tokens/${encodeURIComponent(name)}`;

  const first = await openAll(linked, secret);
  const rotated = await relay.ok<{ secret: string }>('POST', `${path}/rotate`);
  await allEnd(first);

  const second = await openAll(linked, rotated.secret);
  await relay.ok('DELETE', path);
  await allEnd(second);

  // The daemon is not notified: it finds out by itself.
  const third = await makeToken(linked, { scopes: ['messages:read'] });
  const open = await openAll(linked, third.secret);
  await linked.query('UPDATE tokens SET expires_at = now() WHERE id = $1', [third.id]);
  await allEnd(open);

  for (const { client } of others) {
    expect((await client.listTools()).tools).not.toHaveLength(0);
    await client.close();
  }
});
