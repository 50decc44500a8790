// Resources with the official client: when a message arrives on the simulated network, clients that may read it are
// notified and read it, and others are not notified.
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../gateway.ts';
import { BEN, jid, type LinkedRelay, ME, startLinkedRelay } from '../linked.ts';
import { connect, type McpTransportKind, makeToken, type Version } from './client.ts';

const CARA = '15550000002';
const chatOf = (phone: string) => `relay://chats/${jid(phone)}`;

/** The transports that carry notifications. */
const LIVE: readonly (readonly [McpTransportKind, Version])[] = [
  ['http', 'current'],
  ['pipe', 'current'],
  ['pipe', 'previous'],
];

interface Listener {
  readonly client: Client;
  readonly heard: string[];
  /** The end of the stream, or of the connection if there is no stream. */
  readonly ended: Promise<unknown>;
}

async function listen(
  linked: LinkedRelay,
  secret: string,
  [way, version]: readonly [McpTransportKind, Version],
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
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  if (version === 'previous') {
    for (const uri of uris) await client.subscribeResource({ uri });
    return { client, heard, ended: closed };
  }
  const subscription = await client.listen({
    resourcesListChanged: true,
    resourceSubscriptions: uris,
  });
  return { client, heard, ended: subscription.closed };
}

const PERMISSIONS = '/api/whatsapp/permissions';

const granted = (linked: LinkedRelay, phoneNumber: string, displayName: string) =>
  linked.demo.relay.ok<{ id: string }>('POST', PERMISSIONS, {
    phoneNumber,
    displayName,
    canRead: true,
  });

const textsAt = async (client: Client, uri: string): Promise<string[]> => {
  const { contents } = await client.readResource({ uri });
  const [content] = contents;
  if (content === undefined || !('text' in content)) throw new Error('nothing to read');
  const { messages } = JSON.parse(content.text) as { messages: { text: string }[] };
  return messages.map(({ text }) => text);
};

const refusal = async (client: Client, uri: string) => {
  const error = await client.readResource({ uri }).catch((refused: unknown) => refused);
  expect(error).toBeInstanceOf(ProtocolError);
  const { code, message } = error as ProtocolError;
  return { code, message: message.replace(uri, '') };
};

async function twoFriends(): Promise<{ linked: LinkedRelay; grantOfBen: string }> {
  const linked = await startLinkedRelay({ database: 'beside' });
  await linked.demo.phones.add(CARA, 'Cara');
  const { id } = await granted(linked, BEN, 'Ben');
  await granted(linked, CARA, 'Cara');
  await linked.demo.phones.send(BEN, ME, 'Hello from Ben');
  await linked.demo.phones.send(CARA, ME, 'Hello from Cara');
  await eventually('both chats', async () => {
    const rows = await linked.query('SELECT 1 FROM messages');
    return rows.length === 2 || undefined;
  });
  return { linked, grantOfBen: id };
}

test('changes are announced only to clients that may read them', async () => {
  const { linked, grantOfBen } = await twoFriends();
  const { api, phones, relay } = linked.demo;
  const all = await makeToken(linked, { scopes: ['messages:read'] });
  const ofCara = await makeToken(linked, { scopes: ['messages:read'], contacts: [`+${CARA}`] });
  const ofDigests = await makeToken(linked, { scopes: ['digests:read'] });
  // As listed, and as filled in from a template.
  const uris = ['relay://chats', chatOf(BEN), chatOf(BEN).replace('@', '%40')];
  const may: Listener[] = [];
  const limited: Listener[] = [];
  const closed: Listener[] = [];
  for (const way of LIVE) {
    may.push(await listen(linked, all.secret, way, uris));
    limited.push(await listen(linked, ofCara.secret, way, [...uris, chatOf(CARA)]));
    closed.push(await listen(linked, ofDigests.secret, way, [...uris, chatOf(CARA)]));
  }

  await phones.send(BEN, ME, 'The code is 4711');
  for (const { client, heard } of may) {
    await eventually('the notice', async () => heard.length >= 3 || undefined);
    expect(heard.splice(0).sort()).toEqual([...uris].sort());
    for (const uri of uris.slice(1)) {
      expect(await textsAt(client, uri)).toEqual(['Hello from Ben', 'The code is 4711']);
    }
  }
  // They get the next notification, so they did not get the previous one.
  await phones.send(CARA, ME, 'And mine');
  for (const { heard } of limited) {
    await eventually('the next notice', async () => heard.length >= 2 || undefined);
    expect(heard.sort()).toEqual(['relay://chats', chatOf(CARA)].sort());
  }

  await relay.ok('PATCH', `${PERMISSIONS}/${grantOfBen}`, { canRead: false });
  for (const { heard } of may) {
    await eventually('the change of the list', async () => heard.includes('list') || undefined);
  }
  await phones.send(BEN, ME, 'Are you there?');
  await phones.send(CARA, ME, 'So am I');
  // Each time with another client: one without notifications may cache for a while.
  await eventually('the last message', async () => {
    const reader = await connect(api, all.secret, 'http', 'current');
    const texts = await textsAt(reader, chatOf(CARA));
    await reader.close();
    return texts.includes('So am I') || undefined;
  });
  for (const [way, version] of [...LIVE, ['http', 'previous'] as const]) {
    const client = await connect(api, all.secret, way, version);
    onTestFinished(() => client.close());
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, title }) => [uri, title])).toEqual([
      ['relay://chats', 'Chats'],
      [chatOf(CARA), 'Chat: Cara'],
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'relay://chats/{chat}',
    ]);
    expect(await refusal(client, chatOf(BEN))).toEqual(
      await refusal(client, chatOf('15559999999')),
    );
    const { messages } = await client.getPrompt({ name: 'catch_up', arguments: { chat: 'cara' } });
    expect(messages.at(-1)?.content).toMatchObject({ type: 'resource_link', uri: chatOf(CARA) });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'catch_up' },
      argument: { name: 'chat', value: '' },
    });
    expect(completion.values).toEqual(['Cara']);
    const subscribe = version === 'previous' && way === 'http' ? undefined : true;
    expect(client.getServerCapabilities()?.resources?.subscribe).toBe(subscribe);
  }
  for (const { heard } of may) expect(heard).not.toContain(chatOf(BEN));

  // What a token has open ends with it, and the remaining clients are still notified.
  const ended = may.map(({ ended: over }) => over);
  await relay.ok('POST', `/api/tokens/${all.id}/rotate`, {});
  await Promise.all(ended);
  for (const { heard } of [...may, ...limited]) heard.splice(0);
  await phones.send(CARA, ME, 'Who is left?');
  for (const { heard } of limited) {
    await eventually('the last notice', async () => heard.includes(chatOf(CARA)) || undefined);
  }
  for (const { heard } of [...may, ...closed]) expect(heard).toEqual([]);
});
