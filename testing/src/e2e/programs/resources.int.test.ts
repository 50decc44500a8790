// Resources with the official client: a message arrives on the simulated network, whoever may read it is told
// so and reads it, and whoever may not is told nothing.
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../gateway.ts';
import { BEN, jid, type Linked, ME, startLinked } from '../linked.ts';
import { connect, makeToken, type Version, type Way } from './program.ts';

const CARA = '15550000002';
const chatOf = (phone: string) => `relay://chats/${jid(phone)}`;

/** Those that carry notices. */
const LIVE: readonly (readonly [Way, Version])[] = [
  ['http', 'current'],
  ['pipe', 'current'],
  ['pipe', 'previous'],
];

interface Listener {
  readonly client: Client;
  readonly heard: string[];
}

async function listen(
  linked: Linked,
  secret: string,
  [way, version]: readonly [Way, Version],
  uris: string[],
): Promise<Listener> {
  const client = await connect(linked.demo.api, secret, way, version);
  onTestFinished(() => client.close());
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri);
  });
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    heard.push('list');
  });
  expect(client.getServerCapabilities()?.resources).toEqual({ subscribe: true, listChanged: true });
  if (version === 'previous') for (const uri of uris) await client.subscribeResource({ uri });
  else await client.listen({ resourcesListChanged: true, resourceSubscriptions: uris });
  return { client, heard };
}

const granted = (linked: Linked, phoneNumber: string, displayName: string, canRead: boolean) =>
  linked.demo.relay.ok('POST', '/api/whatsapp/permissions', { phoneNumber, displayName, canRead });

const textsAt = async (client: Client, uri: string): Promise<string[]> => {
  const { contents } = await client.readResource({ uri });
  const [content] = contents;
  if (content === undefined || !('text' in content)) throw new Error('nothing to read');
  const { messages } = JSON.parse(content.text) as { messages: { text: string }[] };
  return messages.map(({ text }) => text);
};

const refusal = (client: Client, uri: string): Promise<unknown> =>
  client.readResource({ uri }).then(
    () => null,
    (error: unknown) => error,
  );

async function twoFriends(): Promise<Linked> {
  const linked = await startLinked({ database: 'beside' });
  await linked.demo.phones.add(CARA, 'Cara');
  await granted(linked, BEN, 'Ben', true);
  await granted(linked, CARA, 'Cara', true);
  await linked.demo.phones.send(BEN, ME, 'Hello from Ben');
  await linked.demo.phones.send(CARA, ME, 'Hello from Cara');
  await eventually('both chats', async () => {
    const rows = await linked.query('SELECT 1 FROM messages');
    return rows.length === 2 || undefined;
  });
  return linked;
}

test('a message that arrives is told to those who may read it, and to nobody else', async () => {
  const linked = await twoFriends();
  const { phones } = linked.demo;
  const all = await makeToken(linked, { scopes: ['messages:read'] });
  const ofCara = await makeToken(linked, { scopes: ['messages:read'], contacts: [`+${CARA}`] });
  const ofDigests = await makeToken(linked, { scopes: ['digests:read'] });
  // As the list gives it, and as a template is filled in.
  const uris = ['relay://chats', chatOf(BEN), chatOf(BEN).replace('@', '%40')];
  const may = [];
  const mayNot = [];
  for (const way of LIVE) {
    may.push(await listen(linked, all.secret, way, uris));
    mayNot.push(await listen(linked, ofCara.secret, way, [...uris, chatOf(CARA)]));
    mayNot.push(await listen(linked, ofDigests.secret, way, [...uris, chatOf(CARA)]));
  }

  await phones.send(BEN, ME, 'The code is 4711');
  for (const { client, heard } of may) {
    await eventually('the notice', async () => heard.length >= 3 || undefined);
    expect(heard.sort()).toEqual([...uris].sort());
    expect(await textsAt(client, chatOf(BEN))).toEqual(['Hello from Ben', 'The code is 4711']);
    expect(await textsAt(client, uris[2] ?? '')).toHaveLength(2);
  }

  // What comes after it is heard, so it was not told before.
  await phones.send(CARA, ME, 'And mine');
  for (const [n, { heard }] of mayNot.entries()) {
    if (n % 2 === 1) continue;
    await eventually('the next notice', async () => heard.length >= 2 || undefined);
    expect(heard.sort()).toEqual(['relay://chats', chatOf(CARA)].sort());
  }
  for (const [n, { heard }] of mayNot.entries()) if (n % 2 === 1) expect(heard).toEqual([]);
});

test('a chat that may no longer be read leaves the list, and is answered like one that never was', async () => {
  const linked = await twoFriends();
  const { secret } = await makeToken(linked, { scopes: ['messages:read'] });
  const listeners = [];
  for (const way of LIVE) listeners.push(await listen(linked, secret, way, [chatOf(BEN)]));
  const [{ client } = { client: null }] = listeners;
  if (client === null) throw new Error('nobody listens');
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(['relay://chats', chatOf(CARA), chatOf(BEN)]);
  expect(resources.map(({ title }) => title)).toEqual(['Chats', 'Chat: Cara', 'Chat: Ben']);

  await granted(linked, BEN, 'Ben', false);
  for (const { heard } of listeners) {
    await eventually('the notice', async () => heard.includes('list') || undefined);
  }
  await linked.demo.phones.send(BEN, ME, 'Are you there?');
  await linked.demo.phones.send(CARA, ME, 'So am I');
  await eventually('the last message', async () =>
    (await textsAt(client, chatOf(CARA))).includes('So am I') ? true : undefined,
  );
  for (const way of [...LIVE, ['http', 'previous'] as const]) {
    const reader = await connect(linked.demo.api, secret, ...way);
    onTestFinished(() => reader.close());
    const { resources: left } = await reader.listResources();
    expect(left.map(({ uri }) => uri)).toEqual(['relay://chats', chatOf(CARA)]);
    const gone = await refusal(reader, chatOf(BEN));
    const never = await refusal(reader, chatOf('15559999999'));
    expect(gone).toBeInstanceOf(ProtocolError);
    expect({ ...(gone as object), data: null }).toEqual({ ...(never as object), data: null });
    expect((gone as Error).message.replaceAll(BEN, '')).toBe(
      (never as Error).message.replaceAll('15559999999', ''),
    );
  }
  for (const { heard } of listeners) expect(heard).not.toContain(chatOf(BEN));

  const stateless = await connect(linked.demo.api, secret, 'http', 'previous');
  onTestFinished(() => stateless.close());
  expect(stateless.getServerCapabilities()?.resources).toEqual({});
});
