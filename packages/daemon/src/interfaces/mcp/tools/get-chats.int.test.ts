// Tests `get_chats` with the official client, over both transports and both protocol versions.
import { TRANSPORT_VERSIONS } from '@relay/testing/e2e/programs/client';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { freshMcpHarness } from '../testing/fixture.ts';

interface Chat {
  readonly id: string;
  readonly name: string;
  readonly last_message: string;
  readonly unread_count: number;
}

test('lists unread chats that it may read, by the owner’s names, with the last message in one line', async () => {
  verifies('002-CHATS-INPUT', '002-CHATS-OUTPUT', '002-CHATS-CUT', '002-CHATS-SCOPE');
  const { person, newToken, connect, said, sql } = await freshMcpHarness(onTestFinished);
  const anna = await person('4915177000001', 'Anna');
  const ben = await person('4915177000002', 'Ben');
  const cleo = await person('4915177000003', 'Cleo', { canRead: false });
  const dan = await person('4915177000004', 'Dan');
  await sql("UPDATE contacts SET push_name = 'The Boss'");
  await said(anna.chat, 'One line\n\n\tand   another', 2);
  await said(ben.chat, '🦊'.repeat(101), 1);
  await said(cleo.chat, 'Not for clients', 1);
  await said(dan.chat, 'Read already', 0);
  const token = await newToken({ scopes: ['messages:read'] });
  const [foxes, line] = [
    {
      id: '4915177000002@s.whatsapp.net',
      name: 'Ben',
      last_message: '🦊'.repeat(100),
      unread_count: 1,
    },
    {
      id: '4915177000001@s.whatsapp.net',
      name: 'Anna',
      last_message: 'One line and another',
      unread_count: 2,
    },
  ];
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(token, way, version);
    const chats = async (given: { unread_only?: boolean }) => {
      const { structuredContent } = await client.callTool({ name: 'get_chats', arguments: given });
      return (structuredContent as { chats: Chat[] }).chats;
    };
    expect(await chats({})).toEqual([foxes, line]);
    expect(await chats({ unread_only: true })).toEqual([foxes, line]);
    expect((await chats({ unread_only: false })).map(({ name }) => name)).toEqual([
      'Dan',
      'Ben',
      'Anna',
    ]);
    await client.close();
  }
  const only = await newToken({ scopes: ['messages:read'], contacts: ['Anna'] });
  const client = await connect(only, 'pipe', 'current');
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'get_chats')?.outputSchema).toMatchObject({
    properties: { chats: { items: { properties: { last_message: { maxLength: 100 } } } } },
  });
  expect((await client.callTool({ name: 'get_chats', arguments: {} })).structuredContent).toEqual({
    chats: [line],
  });
  const read = await sql<{ chat_id: string }>(
    'SELECT chat_id FROM token_reads WHERE token_id = $1',
    [only.id],
  );
  expect(read).toEqual([{ chat_id: anna.chat }]);
});
