// A client reads with the official library, over both transports and in both protocols: pages, search, a summary with
// progress by the owner's model, permissions, and the state of a message.
import { expect, test } from 'vitest';
import { eventually } from '../gateway.ts';
import { BEN, jid, startLinkedRelay } from '../linked.ts';
import { connect, type McpTransportKind, makeToken, type Version } from './client.ts';

const WAYS: readonly (readonly [McpTransportKind, Version])[] = [
  ['http', 'current'],
  ['http', 'previous'],
  ['pipe', 'current'],
  ['pipe', 'previous'],
];

test('a client reads what it is allowed to, and gets the progress of a summary', async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { demo } = linked;
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben from work',
    canRead: true,
  });
  await linked.talk('Lunch');
  // A message is searchable a moment after it is stored.
  await eventually('it to be found', async () => {
    const { hits } = await demo.relay.ok<{ hits: unknown[] }>('GET', '/api/search?q=lunch');
    return hits.length >= 2 || undefined;
  });
  demo.model.rules([
    { when: { contains: 'Chat with Ben from work' }, reply: { text: 'It is about lunch.' } },
  ]);
  const { secret, id } = await makeToken(linked, {
    scopes: ['messages:read', 'search:read', 'permissions:read', 'ledger:read', 'digests:read'],
  });
  for (const [way, version] of WAYS) {
    const client = await connect(demo.api, secret, way, version);
    const call = async (name: string, given: Record<string, unknown> = {}) => {
      const { structuredContent, isError } = await client.callTool({ name, arguments: given });
      expect(isError ?? false, name).toBe(false);
      return structuredContent as Record<string, unknown>;
    };
    const { messages } = await call('read_messages', { chat_id: 'Ben from work' });
    expect(messages).toMatchObject([
      { from: 'Ben from work', from_me: false, text: 'Lunch from Ben' },
      { from: 'me', from_me: true, text: 'Lunch to Ben' },
    ]);
    const [first] = messages as [{ id: string }];
    expect(await call('why', { id: first.id })).toMatchObject({
      state: 'received',
      chat: { id: jid(BEN) },
    });
    expect(await call('search_messages', { query: 'lunch', chat_id: jid(BEN) })).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ text: 'Lunch from Ben' })]),
    });
    expect(await call('list_permissions')).toMatchObject({
      permissions: [{ id: jid(BEN), name: 'Ben from work', can_read: true, can_reply: false }],
    });
    const heard: (string | undefined)[] = [];
    const summary = await client.callTool(
      { name: 'summarize_chat', arguments: { chat_id: BEN } },
      { onprogress: ({ message }) => heard.push(message) },
    );
    expect(summary.structuredContent).toMatchObject({ summary: 'It is about lunch.', messages: 2 });
    expect(heard, `${way} ${version}`).toEqual(['Reading the chat', 'Summarising 2 messages']);
    const refused = await client.callTool({ name: 'get_digest', arguments: {} });
    expect(refused).toMatchObject({ isError: true, _meta: { 'relay/code': 'no_group_observed' } });
    await client.close();
  }
  const runs = await linked.query<{ steps: number }>('SELECT steps FROM runs WHERE actor = $1', [
    `token:${id}`,
  ]);
  expect(runs).toEqual(WAYS.map(() => ({ steps: 1 })));
});
