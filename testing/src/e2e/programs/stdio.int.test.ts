// `relay mcp`: the seed's line for trying it out, what it says when it cannot serve, and how it ends.
import { expect, test } from 'vitest';
import { BEN, startLinked } from '../linked.ts';
import { makeToken } from './program.ts';
import { piped } from './stdio.ts';

const call = (id: number, name: string, args: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;

test('one line piped in is answered by one line, and it ends', async () => {
  const linked = await startLinked({ database: 'beside' });
  const { home } = linked.demo;
  await linked.demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
  });
  await linked.talk('Hello');
  const { secret } = await makeToken(linked, { scopes: ['messages:read'] });
  const { exit, lines, err } = await piped(
    home,
    secret,
    call(1, 'get_chats', { unread_only: false }),
  );
  expect({ exit, err, count: lines.length }).toEqual({ exit: 0, err: '', count: 1 });
});
