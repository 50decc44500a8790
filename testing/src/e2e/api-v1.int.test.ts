// Version 1 of the API on the shipped daemon, the simulated network and a receiver of webhooks. Each operation is
// driven by the example that its own documentation shows.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type V1, v1 } from '@relay/contract/api/v1';
import { streamV1Events } from '@relay/contract/client/event-stream';
import { createRelayClient } from '@relay/contract/client/relay-client';
import { createEventReader } from '@relay/contract/client/sse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, openLinkedRelay } from './linked.ts';
import { makeToken, type TokenInput } from './programs/client.ts';

const BASE = '/api/v1/accounts/default';
const CARA = '15550000002';

interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

let linked: LinkedRelay;
let owner: string;
/** Bodies that the receiver got, oldest first. */
const received: {
  readonly path: string | undefined;
  readonly type: string;
  readonly data: Record<string, unknown>;
}[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ path: request.url, ...JSON.parse(Buffer.concat(chunks).toString()) });
    response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const allow = [`127.0.0.1:${(receiver.address() as AddressInfo).port}`];
  linked = await openLinkedRelay({
    database: 'beside',
    settings: { pacing: { enabled: false }, webhooks: { allow } },
  });
  owner = linked.demo.token;
  await linked.demo.phones.add(CARA, 'Cara');
  await linked.talk('Hello');
}, 120_000);
afterAll(async () => {
  receiver.close();
  await linked?.demo.stop();
});

async function ask<Body = Record<string, unknown>>(
  method: string,
  path: string,
  {
    body,
    file,
    token = owner,
    key,
    range,
  }: { body?: unknown; file?: Blob; token?: string; key?: string; range?: string } = {},
): Promise<Answer<Body>> {
  const sent = file ?? (body === undefined ? null : JSON.stringify(body));
  const response = await fetch(new URL(path, linked.demo.api), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(range === undefined ? {} : { range }),
    },
    body: sent,
  });
  const { status, headers } = response;
  const isJson = headers.get('content-type')?.includes('json') === true;
  return {
    status,
    headers,
    body: (isJson ? await response.json() : await response.text()) as Body,
  };
}

async function ok<Body>(...asked: Parameters<typeof ask>): Promise<Body> {
  const answer = await ask<Body>(...asked);
  expect([asked[0], asked[1], answer.status, answer.body]).toEqual([
    asked[0],
    asked[1],
    expect.toBeOneOf([200, 201]),
    answer.body,
  ]);
  return answer.body;
}

const receiverUrl = (path: string): string =>
  `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`;

const token = async (wish: TokenInput): Promise<string> => (await makeToken(linked, wish)).secret;

async function contactOf(phone: string): Promise<V1<'contact'>> {
  const { data } = await ok<V1<'contacts'>>('GET', `${BASE}/contacts?q=${phone}`);
  const [found] = data;
  if (found === undefined) throw new Error(`no contact ${phone}`);
  return found;
}

async function chatOf(phone: string): Promise<V1<'chat'>> {
  const { data } = await ok<V1<'chats'>>('GET', `${BASE}/chats`);
  const found = data.find(({ phone_number }) => phone_number === phone);
  if (found === undefined) throw new Error(`no chat with ${phone}`);
  return found;
}

const FULL = { can_read: true, can_reply: true, reply_mode: 'auto', can_initiate: true };
const grant = async (phone: string, rights: object = FULL): Promise<void> => {
  const { contact_id } = await contactOf(phone);
  await ok('PUT', `${BASE}/contacts/${contact_id}/grant`, { body: { name: 'Ben', ...rights } });
};

interface Described {
  readonly operationId: string;
  readonly parameters?: {
    readonly name: string;
    readonly in: string;
    readonly example?: string | number;
  }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly example?: object | string }>;
  };
  readonly responses: Record<
    string,
    {
      readonly content?: Record<
        string,
        { readonly schema?: { readonly $ref?: string }; readonly example?: unknown }
      >;
    }
  >;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly described: Described;
}

type Operations = ReadonlyMap<string, Operation>;

async function documentedOperations(): Promise<Operations> {
  const { paths } = await ok<{ paths: Record<string, Record<string, Described>> }>(
    'GET',
    '/api/v1/openapi.json',
  );
  return new Map(
    Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([method, described]): [string, Operation] => [
        described.operationId,
        { path, method: method.toUpperCase(), described },
      ]),
    ),
  );
}

function exampleOf(operations: Operations, id: string, name: string): string {
  const { parameters = [], requestBody } = operations.get(id)?.described ?? {};
  const body = requestBody?.content['application/json']?.example as Record<string, unknown>;
  return String(parameters.find((one) => one.name === name)?.example ?? body?.[name]);
}

/** Sends the example, with what this account has in place of what the example names. */
function send({ method, path, described }: Operation, known: ReadonlyMap<string, string>) {
  const real = (text: string) =>
    [...known].reduce((done, [example, actual]) => done.replaceAll(example, actual), text);
  const { parameters = [], operationId, requestBody } = described;
  const given = parameters.filter(({ example }) => example !== undefined);
  const inPath = given.filter((one) => one.in === 'path');
  const query = new URLSearchParams(
    given
      .filter((one) => one.in === 'query')
      .map(({ name, example }): [string, string] => [name, real(String(example))]),
  );
  const where = inPath.reduce(
    (done, { name, example }) => done.replace(`{${name}}`, real(String(example))),
    path,
  );
  const content = requestBody?.content['application/json'];
  const file = requestBody?.content['*/*']?.example;
  return ask(method, `${where}?${query}`, {
    ...(file !== undefined && { file: new Blob([String(file)], { type: 'text/plain' }) }),
    ...(content && { body: JSON.parse(real(JSON.stringify(content.example))) }),
    ...(method !== 'GET' && { key: `the key of ${operationId}` }),
  });
}

function expectDocumented({ operationId, responses }: Described, answer: Answer): void {
  const { 'application/json': json, 'application/octet-stream': file } =
    responses[answer.status]?.content ?? {};
  expect([operationId, answer.status, answer.body, json ?? file]).toEqual([
    operationId,
    expect.toBeOneOf([200, 201]),
    answer.body,
    expect.anything(),
  ]);
  const name = json?.schema?.$ref?.split('/').at(-1) ?? '';
  const schema = v1[`${name.charAt(0).toLowerCase()}${name.slice(1)}` as keyof typeof v1];
  const expected = file === undefined ? schema.parse(answer.body) : file.example;
  expect([operationId, answer.body]).toEqual([operationId, expected]);
  for (const header of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining'])
    expect([operationId, answer.headers.get(header)]).toEqual([operationId, expect.any(String)]);
}

/** Whose response names what later examples are about. */
const NAMES: Record<string, readonly [by: string, parameter: string, field?: string]> = {
  'media.upload': ['media.get', 'media_id', 'id'],
  'conversations.create': ['conversations.get', 'conversation_id'],
  'schedules.create': ['schedules.cancel', 'schedule_id'],
  'webhooks.create': ['webhooks.get', 'webhook_id'],
  'tokens.create': ['tokens.revoke', 'token_id'],
};
const LAST = ['webhooks.delete', 'grants.delete'];

test('each operation answers the request of its own example as documented', {
  timeout: 180_000,
}, async () => {
  verifies('API-V1-CONTRACT');
  await grant(BEN);
  const operations = await documentedOperations();
  const known = new Map<string, string>([
    [exampleOf(operations, 'contacts.get', 'contact_id'), (await contactOf(BEN)).contact_id],
    [exampleOf(operations, 'chats.get', 'chat_id'), (await chatOf(BEN)).chat_id],
    [exampleOf(operations, 'messages.send', 'to'), `+${BEN}`],
    [exampleOf(operations, 'webhooks.create', 'url'), receiverUrl('/')],
  ]);
  const asking = await token({ scopes: ['messages:send'], confirm: true });
  let asked = 0;
  const request = async (): Promise<void> => {
    const { approval_id } = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, {
      body: { to: BEN, text: `May I send number ${++asked}?` },
      token: asking,
    });
    const approval = await ok<V1<'approval'>>('GET', `${BASE}/approvals/${approval_id}`);
    known.set(exampleOf(operations, 'approvals.get', 'approval_id'), approval.approval_id);
    known.set(exampleOf(operations, 'approvals.approve', 'shown'), approval.shown);
  };
  const pause = async (): Promise<void> => {
    const id = known.get(exampleOf(operations, 'conversations.get', 'conversation_id'));
    await ask('POST', `${BASE}/conversations/${id}/pause`);
  };
  const BEFORE: Record<string, () => Promise<void>> = {
    'approvals.list': request,
    'approvals.approve': request,
    'approvals.reject': request,
    'approvals.edit': request,
    'conversations.resume': pause,
  };
  const first = Object.keys(NAMES);
  const others = [...operations.keys()].filter((one) => ![...first, ...LAST].includes(one));
  for (const operationId of [...first, ...others, ...LAST]) {
    await BEFORE[operationId]?.();
    const operation = operations.get(operationId);
    if (operation === undefined) throw new Error(`${operationId} is not documented`);
    const answer = await send(operation, known);
    expectDocumented(operation.described, answer);
    const names = NAMES[operationId];
    if (names !== undefined) {
      const [by, parameter, field = parameter] = names;
      known.set(exampleOf(operations, by, parameter), String(answer.body[field]));
    }
  }
});

test('a repeated request gets the first response and has one effect, also after a crash', async () => {
  verifies('API-V1-IDEMPOTENT');
  const body = { to: `+${BEN}`, text: 'Good morning', when: 'tomorrow 09:00' };
  const first = await ask<V1<'createdSchedule'>>('POST', `${BASE}/schedules`, { body, key: 'one' });
  const again = await ask<V1<'createdSchedule'>>('POST', `${BASE}/schedules`, { body, key: 'one' });
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  const other = { ...body, text: 'Good night' };
  const reused = await ask('POST', `${BASE}/schedules`, { body: other, key: 'one' });
  expect([reused.status, reused.body.code]).toEqual([409, 'key_reused']);
  // As a crash between the effect and its response leaves it.
  await linked.query(
    `UPDATE idempotency_keys SET response = NULL WHERE key LIKE '%/schedules one'`,
  );
  const lost = await ask('POST', `${BASE}/schedules`, { body, key: 'one' });
  expect([lost.status, lost.body.code]).toEqual([409, 'request_outcome_unknown']);
  const { data } = await ok<V1<'schedules'>>('GET', `${BASE}/schedules`);
  expect(data.filter(({ text }) => text === 'Good morning')).toHaveLength(1);
  // A refusal has no effect, so its key stays free.
  const wrong = { ...body, when: 'on the 40th of May' };
  const refused = await ask('POST', `${BASE}/schedules`, { body: wrong, key: 'two' });
  expect(refused.status).toBe(400);
  expect((await ask('POST', `${BASE}/schedules`, { body, key: 'two' })).status).toBe(201);
  // What may be repeated is repeated, and sends once.
  const message = { to: `+${BEN}`, text: 'Only once' };
  const sent = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, { body: message, key: 'm' });
  await linked.query(`UPDATE idempotency_keys SET response = NULL WHERE key LIKE '%/messages m'`);
  const repeated = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, {
    body: message,
    key: 'm',
  });
  expect(repeated.message_id).toBe(sent.message_id);
});

test('pages through messages and events without a gap', async () => {
  const { chat_id } = await chatOf(BEN);
  for (const n of [1, 2, 3]) {
    await ok('POST', `${BASE}/chats/${chat_id}/messages`, { body: { text: `page ${n}` } });
  }
  const collect = async (path: string): Promise<Record<string, unknown>[]> => {
    const all: Record<string, unknown>[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await ok<{ data: Record<string, unknown>[]; next_cursor: string | null }>(
        'GET',
        `${path}?limit=2${more}`,
      );
      all.push(...page.data);
      cursor = page.next_cursor;
      if (path.endsWith('/events') && page.data.length === 0) break;
    }
    return all;
  };
  // Receipts change what was sent, so the test waits for the last one.
  await expect
    .poll(() => linked.query(`SELECT state FROM outbox WHERE state IN ('pending', 'sent')`))
    .toEqual([]);
  // An event is shown once no older transaction can add one before it.
  const [received] = await linked.query<{ count: number }>(
    `SELECT count(*)::int FROM outbox WHERE state = 'delivered'`,
  );
  const shownAsReceived = async () => {
    const { data } = await ok<V1<'events'>>('GET', `${BASE}/events?limit=100`);
    return data.filter((one) => one.type === 'message.sent' && one.data.state === 'delivered');
  };
  await expect.poll(async () => (await shownAsReceived()).length).toBe(received?.count);
  const whole = await ok<V1<'messages'>>('GET', `${BASE}/chats/${chat_id}/messages?limit=100`);
  expect(await collect(`${BASE}/chats/${chat_id}/messages`)).toEqual(whole.data);
  const events = await ok<V1<'events'>>('GET', `${BASE}/events?limit=100`);
  expect(events.data.length).toBeGreaterThan(3);
  expect((await collect(`${BASE}/events`)).slice(0, 100)).toEqual(events.data);
  const gone = await ask(
    'GET',
    `${BASE}/events?cursor=${Buffer.from('events\n1-1').toString('base64url')}`,
  );
  expect([gone.status, gone.body.code]).toEqual([410, 'cursor_gone']);
});

test('names a chat with the same id in every answer, event and webhook, for the owner and for clients', async () => {
  await grant(BEN);
  const { chat_id, contact_id } = await chatOf(BEN);
  const secret = await token({
    scopes: [
      ...['messages:send', 'messages:read', 'conversations:read', 'conversations:write'],
      ...['schedules:read', 'schedules:write', 'approvals:read', 'events:read', 'search:read'],
    ] as TokenInput['scopes'],
    confirm: false,
  });
  const webhook = { url: receiverUrl('/ids'), name: 'ids', events: ['message.received'] };
  await ok('POST', `${BASE}/webhooks`, { body: webhook });
  await linked.demo.phones.send(BEN, '15550000000', 'The heron stands still');
  const hooks = () => received.filter(({ path, type }) => path === '/ids' && type !== 'ping');
  await expect.poll(() => hooks().length).toBe(1);
  for (const as of [owner, secret]) {
    const schedule = { to: contact_id, text: `Good morning ${as === owner}`, when: 'tomorrow 9am' };
    await ok('POST', `${BASE}/schedules`, { body: schedule, token: as });
    const sent = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, {
      body: { to: contact_id, text: 'One id' },
      token: as,
    });
    const listed = async (path: string) =>
      (await ok<{ data: Record<string, unknown>[] }>('GET', `${BASE}/${path}`, { token: as })).data;
    await expect
      .poll(async () => (await listed('search?q=heron')).map((hit) => hit.chat_id))
      .toContain(chat_id);
    const messages = await listed(`chats/${chat_id}/messages?limit=5`);
    const schedules = await listed('schedules');
    const conversations = await listed('conversations');
    const ids = [...messages, ...schedules, ...conversations, sent].map((one) => one.chat_id);
    expect(schedules.length).toBeGreaterThan(0);
    expect(schedules.map(({ recipient }) => recipient)).toEqual(schedules.map(() => `+${BEN}`));
    expect(new Set(ids)).toEqual(new Set([chat_id]));
    const events = await listed('events?limit=100');
    const about = events.map(({ data }) => data as Record<string, unknown>);
    const theirs = about.filter((data) => data.contact_id === contact_id);
    expect(theirs.length).toBeGreaterThan(0);
    expect(new Set(theirs.map((data) => data.chat_id))).toEqual(new Set([chat_id]));
  }
  expect(hooks()[0]?.data).toMatchObject({ chat_id, contact_id });
  for (const { schedule_id } of (await ok<V1<'schedules'>>('GET', `${BASE}/schedules`)).data)
    await ok('DELETE', `${BASE}/schedules/${schedule_id}`);
});

test('a client limited to one contact sees that contact’s events, and texts only where it may read', async () => {
  verifies('API-V1-EVENTS');
  await grant(BEN);
  const { phones, relay } = linked.demo;
  const blind = await token({ scopes: ['events:read'], contacts: [`+${BEN}`], confirm: false });
  const reader = await token({
    scopes: ['events:read', 'messages:read'],
    contacts: [`+${BEN}`],
    confirm: false,
  });
  const { next_cursor } = await ok<V1<'events'>>('GET', `${BASE}/events?cursor=latest`);
  await phones.send(CARA, '15550000000', 'A secret of Cara');
  await relay.send(`+${CARA}`, 'An answer to Cara');
  await phones.send(BEN, '15550000000', 'A word of Ben');
  const eventsFor = async (secret: string, more = ''): Promise<V1<'event'>[]> =>
    (
      await ok<V1<'events'>>('GET', `${BASE}/events?cursor=${next_cursor}${more}`, {
        token: secret,
      })
    ).data;
  await expect
    .poll(async () => (await eventsFor(owner)).map(({ type }) => type))
    .toContain('message.received');
  const ben = await contactOf(BEN);
  await expect
    .poll(async () => (await eventsFor(blind)).map(({ type }) => type))
    .toContain('message.received');
  // What the agent answers may follow at once.
  const seen = await eventsFor(blind, '&include_text=true');
  expect(seen.filter(({ type }) => type === 'message.received')).toHaveLength(1);
  const ofBen = expect.objectContaining({ contact_id: ben.contact_id });
  expect(seen.map(({ data }) => data)).toEqual(seen.map(() => ofBen));
  expect(JSON.stringify(await eventsFor(blind, '&include_text=true'))).not.toMatch(
    /word of Ben|Cara/,
  );
  expect(JSON.stringify(await eventsFor(reader, '&include_text=true'))).toContain('A word of Ben');
  // The owner sees both, with the same fields.
  expect(JSON.stringify(await eventsFor(owner, '&include_text=true'))).toContain(
    'A secret of Cara',
  );
  // Without the grant to read there is no text; without any grant there is nothing.
  await grant(BEN, { can_read: false, can_reply: true });
  expect(JSON.stringify(await eventsFor(reader, '&include_text=true'))).not.toContain(
    'A word of Ben',
  );
  await ok('DELETE', `${BASE}/contacts/${ben.contact_id}/grant`);
  expect(await eventsFor(reader)).toEqual([]);
  await grant(BEN);
});

test('a client follows its events as a stream, which ends when the token is revoked', async () => {
  await grant(BEN);
  const made = await makeToken(linked, { scopes: ['events:read'], contacts: [`+${BEN}`] });
  const response = await fetch(new URL(`${BASE}/events`, linked.demo.api), {
    headers: { authorization: `Bearer ${made.secret}`, accept: 'text/event-stream' },
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const kinds: string[] = [];
  const events = createEventReader((event) =>
    kinds.push(event.type === 'event' ? event.kind : event.type),
  );
  const decoder = new TextDecoder();
  const over = (async () => {
    for await (const chunk of response.body ?? []) events.feed(decoder.decode(chunk as Uint8Array));
  })();
  await linked.demo.phones.send(CARA, '15550000000', 'Not for this client');
  await linked.demo.phones.send(BEN, '15550000000', 'For this client');
  // What the agent answers may follow at once.
  await expect.poll(() => kinds).toContain('message.received');
  expect(events.cursor()).toEqual(expect.any(String));
  await ok('DELETE', `${BASE}/tokens/${made.id}`);
  await over;
  expect(kinds.filter((kind) => kind === 'message.received')).toHaveLength(1);
});

test('a client’s webhook receives what its token may see, and ends with the token', async () => {
  verifies('API-V1-WEBHOOKS');
  await grant(BEN);
  const made = await makeToken(linked, { scopes: ['webhooks:write'], contacts: [`+${BEN}`] });
  const body = {
    url: receiverUrl('/client'),
    name: 'of a client',
    events: ['message.received'],
    include_text: true,
  };
  const webhook = await ok<V1<'webhookSecret'>>('POST', `${BASE}/webhooks`, {
    body,
    token: made.secret,
    key: 'w',
  });
  expect(webhook.secret).toMatch(/^whsec_/);
  const again = await ok<V1<'webhookSecret'>>('POST', `${BASE}/webhooks`, {
    body,
    token: made.secret,
    key: 'w',
  });
  expect([again.webhook_id, again.secret]).toEqual([webhook.webhook_id, null]);
  const other = await token({ scopes: ['webhooks:write'] });
  expect(await ok('GET', `${BASE}/webhooks`, { token: other })).toMatchObject({ data: [] });
  expect(
    (await ask('DELETE', `${BASE}/webhooks/${webhook.webhook_id}`, { token: other })).status,
  ).toBe(404);
  await linked.demo.phones.send(CARA, '15550000000', 'Nothing for a webhook');
  await linked.demo.phones.send(BEN, '15550000000', 'Something for a webhook');
  const its = () => received.filter(({ path }) => path === '/client');
  await expect.poll(() => its().length).toBe(1);
  // The token lacks messages:read, so there is no text.
  expect(its()[0]?.data).not.toHaveProperty('text');
  expect(its()[0]?.data.contact_id).toBe((await contactOf(BEN)).contact_id);
  await ok('DELETE', `${BASE}/tokens/${made.id}`);
  const { data } = await ok<V1<'webhooks'>>('GET', `${BASE}/webhooks`);
  expect(data.map(({ webhook_id }) => webhook_id)).not.toContain(webhook.webhook_id);
});

test('what a client sends goes through the gate as that client', async () => {
  verifies('API-V1-SCOPES');
  await grant(BEN);
  const free = await token({
    scopes: ['messages:send', 'conversations:write', 'conversations:read'],
    confirm: false,
  });
  const sent = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, {
    body: { to: 'Ben', text: 'From a client' },
    token: free,
  });
  expect(sent).toMatchObject({ chat_id: (await chatOf(BEN)).chat_id, approval_id: null });
  await linked.demo.phones.sees(BEN, { text: 'From a client' });
  const stranger = await ask('POST', `${BASE}/messages`, {
    body: { to: `+${CARA}`, text: 'Hello' },
    token: free,
  });
  expect(stranger.status).toBe(404);
  const asks = await makeToken(linked, {
    scopes: ['messages:send', 'approvals:read'],
    confirm: true,
  });
  const waiting = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, {
    body: { to: 'Ben', text: 'Only after a yes' },
    token: asks.secret,
  });
  expect(waiting).toMatchObject({
    state: 'waiting_for_approval',
    reason: 'confirm',
    explanation: expect.any(String),
    message_id: null,
  });
  const own = await ok<V1<'approvals'>>('GET', `${BASE}/approvals`, { token: asks.secret });
  expect(own.data.map(({ approval_id }) => approval_id)).toEqual([waiting.approval_id]);
  const others = await token({ scopes: ['approvals:read'] });
  expect(await ok('GET', `${BASE}/approvals`, { token: others })).toMatchObject({ data: [] });
  const hidden = await ask('GET', `${BASE}/approvals/${waiting.approval_id}`, { token: others });
  expect(hidden.status).toBe(404);
  const denied = await ask('POST', `${BASE}/approvals/${waiting.approval_id}/approve`, {
    body: {},
    token: asks.secret,
  });
  expect([denied.status, denied.body.code]).toEqual([403, 'program_only']);
  const begun = await ok<V1<'createdConversation'>>('POST', `${BASE}/conversations`, {
    body: { contact: 'Ben', objective: 'Agree on a day for tea' },
    token: free,
  });
  const shown = await ok<V1<'conversation'>>(
    'GET',
    `${BASE}/conversations/${begun.conversation_id}`,
    {
      token: free,
    },
  );
  expect(shown).toMatchObject({ objective: 'Agree on a day for tea', contact: { name: 'Ben' } });
  const stranger2 = await token({ scopes: ['conversations:read'] });
  const redacted = await ok<V1<'conversation'>>(
    'GET',
    `${BASE}/conversations/${begun.conversation_id}`,
    {
      token: stranger2,
    },
  );
  expect(redacted).toMatchObject({ objective: null, todos: null, facts: null });
});

test('a client stores a file once, sends it and gets it back, and no other client does', async () => {
  verifies('API-V1-MEDIA');
  await grant(BEN);
  const sender = await token({
    scopes: ['media:write', 'media:read', 'messages:send', 'messages:read'],
    contacts: [`+${BEN}`],
    confirm: false,
  });
  const other = await token({ scopes: ['media:read', 'media:write'], contacts: [`+${CARA}`] });
  const html = '<script>alert(1)</script>';
  const file = new Blob([html], { type: 'text/html' });
  const path = `${BASE}/media?file_name=offer.html`;
  const upload = { file, token: sender, key: 'file' };
  const stored = await ok<V1<'uploadedMedia'>>('POST', path, upload);
  expect(await ok('POST', path, upload)).toEqual(stored);
  expect(await linked.query(`SELECT id FROM media WHERE file_name = 'offer.html'`)).toHaveLength(1);
  const another = new Blob([html.toUpperCase()], { type: 'text/html' });
  const reused = await ask('POST', path, { ...upload, file: another });
  expect([reused.status, reused.body.code]).toEqual([409, 'key_reused']);
  // Relay stopped before the response was kept: the file is stored again, and that one is the answer from then on.
  await linked.query(
    `UPDATE idempotency_keys SET response = NULL WHERE key LIKE '%offer.html file'`,
  );
  const again = await ok<V1<'uploadedMedia'>>('POST', path, upload);
  expect(await ok('POST', path, upload)).toEqual(again);

  const its = `${BASE}/media/${again.id}`;
  const got = await ask<string>('GET', its, { token: sender, range: 'bytes=1-6' });
  expect([got.status, got.body]).toEqual([206, 'script']);
  expect(Object.fromEntries(got.headers)).toMatchObject({
    'content-range': `bytes 1-6/${html.length}`,
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': "attachment; filename*=UTF-8''offer.html",
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
    'ratelimit-remaining': expect.any(String),
  });
  const beyond = await ask('GET', its, { token: sender, range: 'bytes=900-' });
  expect([beyond.status, beyond.body.code]).toEqual([416, 'media_range']);
  const foreign = await ask('GET', its, { token: other });
  expect([foreign.status, foreign.body.code]).toEqual([404, 'media_not_found']);
  const without = await ask('GET', its, { token: await token({ scopes: ['media:write'] }) });
  expect([without.status, without.body.code]).toEqual([403, 'scope_missing']);

  const media = { id: again.id, kind: 'document', caption: 'The offer' };
  const sent = await ok<V1<'sentMessage'>>('POST', `${BASE}/messages`, {
    body: { to: 'Ben', media },
    token: sender,
  });
  expect(sent).toMatchObject({ approval_id: null, message_id: expect.any(String) });
  await linked.demo.phones.sees(BEN, { text: 'The offer' });
  // It is listed once WhatsApp has acknowledged it, which may be after the phone shows it.
  const shown = await eventually('the sent file', async () => {
    const { data } = await ok<V1<'messages'>>('GET', `${BASE}/chats/${sent.chat_id}/messages`, {
      token: sender,
    });
    return data.find(({ message_id }) => message_id === sent.message_id);
  });
  expect(shown.media).toMatchObject({ kind: 'document', sha256: again.sha256 });
  const whole = await ask<string>('GET', `${BASE}/media/${shown.media?.id}`, { token: sender });
  expect([whole.status, whole.body]).toEqual([200, html]);
});

test('the typed client sends, lists and follows events, and needs nothing else', async () => {
  await grant(BEN);
  const client = await token({
    scopes: ['messages:send', 'messages:read', 'events:read'],
    contacts: [`+${BEN}`],
    confirm: false,
  });
  const relay = createRelayClient({ baseUrl: linked.demo.api, token: client });
  const account = await relay.v1.account.get();
  expect(account.client?.scopes).toContain('events:read');
  const ended = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    const stream = streamV1Events(relay, { signal: ended.signal, includeText: true });
    for await (const { event } of stream) seen.push(event?.type ?? 'reset');
  })();
  const sent = await relay.v1.messages.send({ body: { to: 'Ben', text: 'From the typed client' } });
  expect(sent.chat_id).toEqual(expect.any(String));
  await expect.poll(() => seen).toContain('message.sent');
  const { data } = await relay.v1.chats.messages({ path: { chat_id: String(sent.chat_id) } });
  expect(data.map(({ text }) => text)).toContain('From the typed client');
  const refused = await relay.v1.tokens.list().catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 403, code: 'program_only' });
  ended.abort();
  await following;
});
