// Tests `send_message` with the official client, over both transports and both protocol versions, on a scripted
// transport whose waits take almost no time.
import type { ConnectionState } from '@relay/contract/connection/states';
import { TRANSPORT_VERSIONS } from '@relay/testing/e2e/programs/client';
import { times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, onTestFinished, test } from 'vitest';
import { putMedia } from '../../../pipeline/gate/testing/media.ts';
import { freshMcpHarness } from '../testing/fixture.ts';

const SEND = ['messages:send'] as const;
const ANNA = '4915177000001';

const fixture = async (options?: Parameters<typeof freshMcpHarness>[1]) => {
  const harness = await freshMcpHarness(onTestFinished, options);
  await harness.person(ANNA, 'Anna Berg');
  const token = await harness.newToken({ scopes: [...SEND] });
  return { ...harness, token };
};

const toolCall = (chat_id: string, message = 'Hello') => ({
  name: 'send_message',
  arguments: { chat_id, message },
});

test('reports a message as sent once WhatsApp has acknowledged it, over every transport', async () => {
  verifies('002-CALL', '002-SEND-INPUT', '002-SEND-OUTPUT', '002-SEND-ID', '002-CONFIRM-SENT');
  const { connect, token, start, network, sql } = await fixture();
  start();
  for (const [way, version] of TRANSPORT_VERSIONS) {
    const client = await connect(token, way, version);
    network.answer = () => ({ ackAfter: 60 });
    const { structuredContent, isError } = await client.callTool(
      toolCall('Anna Berg', `${way} ${version}`),
    );
    const [row] = await sql<{ message_id: string; state: string; sent_at: Date }>(
      'SELECT message_id, state, sent_at FROM outbox ORDER BY seq DESC LIMIT 1',
    );
    expect(row?.state).toBe('sent');
    expect({ isError, structuredContent }).toEqual({
      isError: undefined,
      structuredContent: {
        message_id: row?.message_id,
        sent_at: row?.sent_at.toISOString(),
        status: 'sent',
      },
    });
    await client.close();
  }
  expect(network.shown).toEqual(TRANSPORT_VERSIONS.map((way) => way.join(' ')));
});

test('refuses a first message to an unregistered number without asking the owner', async () => {
  const { connect, token, start, network, person, approvals, sql } = await fixture({
    looksUp: true,
  });
  await person('4915177000009', 'Nils');
  await sql("DELETE FROM message_keys WHERE message_id = 'from 4915177000009'");
  network.registered = async () => null;
  start();
  const client = await connect(token, 'pipe', 'current');
  const { isError, content } = await client.callTool(toolCall('Nils'));
  expect(isError).toBe(true);
  expect(content).toMatchObject([{ text: expect.stringContaining('not registered on WhatsApp') }]);
  expect(await approvals.list('pending')).toEqual([]);
  expect(network.asked).toEqual([]);
});

test('requires both inputs, and accepts at most 5,000 characters', async () => {
  verifies('002-SEND-INPUT', '002-SEND-MAX');
  const { connect, token, start, network } = await fixture();
  start();
  const client = await connect(token, 'pipe', 'current');
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'send_message')?.inputSchema).toMatchObject({
    type: 'object',
    properties: { chat_id: { type: 'string' }, message: { type: 'string', maxLength: 5_000 } },
    required: ['chat_id', 'message'],
  });
  for (const given of [
    {},
    { chat_id: 'Anna Berg' },
    { message: 'Hello' },
    { chat_id: 'Anna Berg', message: ' ' },
    { chat_id: 'Anna Berg', message: 7 },
    { chat_id: 'Anna Berg', message: '🦊'.repeat(5_001) },
  ]) {
    const { isError } = await client.callTool({ name: 'send_message', arguments: given });
    expect(isError).toBe(true);
  }
  expect(network.asked).toEqual([]);
  const most = '🦊'.repeat(5_000);
  await client.callTool(toolCall('Anna Berg', most));
  expect(network.shown).toEqual([most]);
});

test('sends a poll or the client’s own file instead of a text, and one thing at a time', async () => {
  verifies('MEDIA-OUT-SURFACES', 'MEDIA-OUT-UPLOAD');
  const { account, connect, token, start, network, sql, files } = await fixture();
  start();
  const client = await connect(token, 'pipe', 'current');
  const send = (given: object) =>
    client.callTool({ name: 'send_message', arguments: { chat_id: 'Anna Berg', ...given } });
  const poll = { question: 'When?', options: ['Mon', 'Tue'] };
  expect((await send({ message: '', poll })).isError).toBeUndefined();
  const [own] = await sql<{ id: string }>('SELECT id FROM tokens');
  const mine = await putMedia({ sql, account }, { token: own?.id ?? '' });
  files.set(mine.content.media, async function* () {
    yield mine.bytes;
  });
  const media = { id: mine.content.media, kind: 'image' };
  expect((await send({ message: 'a cat', media })).isError).toBeUndefined();
  expect(network.built.map(({ text, content }) => [text, content.kind])).toEqual([
    ['', 'poll'],
    ['a cat', 'media'],
  ]);
  const owners = await putMedia({ sql, account }, {});
  for (const refused of [
    { message: 'When?', poll },
    { message: '', poll, reaction: { to: 'x', emoji: '👍' } },
    { message: '' },
    { message: '', media: { id: owners.content.media, kind: 'image' } },
  ]) {
    expect((await send(refused)).isError).toBe(true);
  }
  expect(network.asked).toHaveLength(2);
});

describe('the recipient', () => {
  test('is found by name, words of the name, number, address or chat id', async () => {
    verifies('002-SEND-NAME');
    const { connect, token, start, network, person } = await fixture();
    await person('4915177000002', 'Ben Berg');
    const { chat } = await person('4915177000003', 'Ánna-Lena');
    start();
    const client = await connect(token, 'pipe', 'current');
    const found = async (chat_id: string) => {
      await client.callTool(toolCall(chat_id));
      return network.wire.at(-1)?.chat;
    };
    expect(await found('anna  berg')).toBe(`${ANNA}@s.whatsapp.net`);
    expect(await found('Ben')).toBe('4915177000002@s.whatsapp.net');
    expect(await found('anna-lena')).toBe('4915177000003@s.whatsapp.net');
    expect(await found('+49 151 77 000 002')).toBe('4915177000002@s.whatsapp.net');
    expect(await found('0151 77000003')).toBe('4915177000003@s.whatsapp.net');
    expect(await found('4915177000002@s.whatsapp.net')).toBe('4915177000002@s.whatsapp.net');
    expect(await found(chat)).toBe('4915177000003@s.whatsapp.net');
  });

  test('is not chosen when several match; the candidates are returned', async () => {
    verifies('002-SEND-NAME');
    const { connect, token, start, network, person } = await fixture();
    await person('4915177000002', 'Ben Berg');
    start();
    for (const [way, version] of TRANSPORT_VERSIONS) {
      const client = await connect(token, way, version);
      const { isError, content } = await client.callTool(toolCall('Berg'));
      expect(isError).toBe(true);
      expect(content).toMatchObject([
        { text: expect.stringMatching(/Anna Berg \(4915177000001@.*Ben Berg|Ben Berg.*Anna/) },
      ]);
      // A similar name is not chosen either.
      expect((await client.callTool(toolCall('Ann'))).isError).toBe(true);
      await client.close();
    }
    expect(network.asked).toEqual([]);
  });

  test('is CHAT_NOT_FOUND when the name is unknown, also to this token only', async () => {
    verifies('002-SEND-ERR-32001');
    const { connect, token, person, newToken, clientApi, hashOf } = await fixture();
    await person('4915177000002', 'Ben');
    const only = await newToken({ scopes: [...SEND], contacts: ['Ben'] });
    for (const [way, version] of TRANSPORT_VERSIONS) {
      const client = await connect(token, way, version);
      for (const chat_id of ['Cleo', '+49 151 77000099', '491510000000', '']) {
        await expect(client.callTool(toolCall(chat_id)), chat_id).rejects.toMatchObject({
          code: -32001,
          message: expect.stringMatching(/CHAT_NOT_FOUND: .* Call the tool get_chats/),
        });
      }
      await client.close();
    }
    const client = await connect(only, 'pipe', 'current');
    await expect(client.callTool(toolCall('Anna Berg'))).rejects.toMatchObject({ code: -32001 });
    const { arguments: given } = toolCall('Anna Berg');
    await expect(clientApi.call(hashOf(only), 'send_message', given, null)).rejects.toMatchObject({
      code: 'chat_not_found',
      status: 404,
    });
  });
});

describe('while WhatsApp cannot be reached', () => {
  const states: readonly (readonly [ConnectionState, number, string])[] = [
    ['logged_out', -32000, 'SESSION_EXPIRED'],
    ['qr_ready', -32000, 'SESSION_EXPIRED'],
    ['client_outdated', -32003, 'ELEMENT_NOT_FOUND'],
    ['closed_unexplained', -32003, 'ELEMENT_NOT_FOUND'],
    ['unreachable', -32002, 'NETWORK_ERROR'],
  ];

  test('returns the code of each cause, over every transport', async () => {
    verifies('002-SEND-ERR-32000', '002-SEND-ERR-32002', '002-SEND-ERR-32003');
    const { connect, token, network, sql } = await fixture();
    for (const [way, version] of TRANSPORT_VERSIONS) {
      const client = await connect(token, way, version);
      for (const [state, code, name] of states) {
        network.become({ state, since: new Date() });
        await expect(client.callTool(toolCall('Anna Berg')), state).rejects.toMatchObject({
          code,
          message: expect.stringContaining(name),
          data: { name },
        });
      }
      await client.close();
    }
    // Nothing but the notice to the owner that WhatsApp's protocol has changed.
    const sent = await sql("SELECT 1 FROM ledger WHERE actor LIKE 'token:%'");
    expect(sent).toEqual([]);
  });

  test('retries after 5, 10 and 20 seconds, then leaves nothing queued', async () => {
    verifies('002-RETRY-NETWORK');
    const { connect, token, start, network, waits, states: outbox } = await fixture();
    network.become({ state: 'reconnecting' });
    start();
    const client = await connect(token, 'pipe', 'current');
    const said: (string | undefined)[] = [];
    await expect(
      client.callTool(toolCall('Anna Berg'), { onprogress: ({ message }) => said.push(message) }),
    ).rejects.toMatchObject({ code: -32002 });
    expect(waits).toEqual([5_000, 10_000, 20_000]);
    expect(said).toHaveLength(3);
    network.become({ state: 'connected' });
    expect(await outbox()).toEqual([]);
  });

  test('sends the message when the network is back in time', async () => {
    verifies('002-RETRY-NETWORK');
    const { connect, token, start, network, deps } = await fixture();
    network.become({ state: 'reconnecting' });
    start();
    const { wait } = deps;
    Object.assign(deps, {
      wait: async (ms: number, signal: AbortSignal) => {
        await wait(ms, signal);
        if (ms === 10_000) network.become({ state: 'connected' });
      },
    });
    const client = await connect(token, 'http', 'current');
    const { structuredContent } = await client.callTool(toolCall('Anna Berg'));
    expect(structuredContent).toMatchObject({ status: 'sent' });
  });
});

describe('a message that WhatsApp does not acknowledge', () => {
  test('is reported as queued with its id when it takes longer than the call waits', async () => {
    verifies('002-CONFIRM-SENT');
    const { connect, token, network, sql, deps } = await fixture();
    const { wait } = deps;
    let passed = 0;
    Object.assign(deps, {
      now: () => new Date(Date.now() + passed),
      wait: async (ms: number, signal: AbortSignal) => {
        await wait(ms, signal);
        passed += ms;
      },
    });
    const client = await connect(token, 'http', 'previous');
    const { structuredContent } = await client.callTool(toolCall('Anna Berg'));
    const [row] = await sql<{ message_id: string }>('SELECT message_id FROM outbox');
    expect(structuredContent).toEqual({
      message_id: row?.message_id,
      status: 'queued',
      reason: expect.stringContaining('The message is queued'),
    });
    expect(network.asked).toEqual([]);
  });

  test('is NETWORK_ERROR after three attempts when it was never sent', async () => {
    verifies('002-RETRY-NETWORK', '002-SEND-ERR-32002');
    const { connect, token, start, network } = await fixture();
    network.answer = () => 'cut';
    start();
    const client = await connect(token, 'pipe', 'previous');
    await expect(client.callTool(toolCall('Anna Berg'))).rejects.toMatchObject({ code: -32002 });
    expect(network.asked).toHaveLength(4);
  });

  test('is checked for a log-out after an unexpected answer, and otherwise reported to the owner', async () => {
    verifies('002-RETRY-LOGGED-OUT', '002-SESSION-EXPIRY');
    const { connect, token, start, network, sql, logged } = await fixture();
    const reports = () => sql("SELECT 1 FROM events WHERE kind = 'whatsapp.unexpected'");
    start();
    const client = await connect(token, 'pipe', 'current');
    network.answer = () => {
      network.become({ state: 'logged_out' });
      return { refuse: 479 };
    };
    await expect(client.callTool(toolCall('Anna Berg', 'one'))).rejects.toMatchObject({
      code: -32000,
    });
    expect(await reports()).toEqual([]);
    network.become({ state: 'connected' });
    network.answer = () => ({ refuse: 479 });
    await expect(client.callTool(toolCall('Anna Berg', 'two'))).rejects.toMatchObject({
      code: -32003,
    });
    expect(await reports()).toHaveLength(1);
    expect(logged.map(({ message }) => message)).toContain('unexpected answer from WhatsApp');
  });
});

test('sends one client’s messages to one chat in the order of the calls', async () => {
  const { connect, token, start, network } = await fixture();
  start();
  const client = await connect(token, 'pipe', 'current');
  const texts = times(20, (n) => `${n}`);
  await Promise.all(texts.map((text) => client.callTool(toolCall('Anna Berg', text))));
  await expect.poll(() => network.wire.map(({ text }) => text)).toEqual(texts);
});

test('sends a message with the same key once, per client', async () => {
  const { connect, token, start, network, newToken } = await fixture();
  const other = await newToken({ scopes: [...SEND] });
  start();
  const keyed = (text: string) => ({
    ...toolCall('Anna Berg', text),
    _meta: { 'relay/idempotency-key': 'one' },
  });
  const client = await connect(token, 'http', 'current');
  const first = await client.callTool(keyed('Hello'));
  network.become({ state: 'logged_out' });
  expect((await client.callTool(keyed('Hello'))).structuredContent).toEqual(
    first.structuredContent,
  );
  network.become({ state: 'connected' });
  expect((await client.callTool(keyed('Hello!'))).isError).toBe(true);
  const second = await connect(other, 'http', 'current');
  await second.callTool(keyed('Hi'));
  expect(network.shown).toEqual(['Hello', 'Hi']);
});

test('returns the id of a pending approval, and the sentence of a refusal', async () => {
  verifies('002-SEND-GATE');
  const { connect, token, start, network, person, approvals, sql } = await fixture();
  await person('4915177000002', 'Draft', { replyMode: 'draft' });
  await person('4915177000003', 'Silent', { canReply: false });
  start();
  const client = await connect(token, 'pipe', 'current');
  const keyed = { ...toolCall('Draft'), _meta: { 'relay/idempotency-key': 'd' } };
  const { structuredContent, isError } = await client.callTool(keyed);
  const [waiting] = await approvals.list('pending');
  expect({ isError, structuredContent }).toEqual({
    isError: undefined,
    structuredContent: {
      status: 'waiting_for_approval',
      approval_id: waiting?.id,
      reason: expect.stringContaining('drafts'),
    },
  });
  expect((await client.callTool(keyed)).structuredContent).toEqual(structuredContent);
  const refused = await client.callTool(toolCall('Silent'));
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('You have not allowed replies here') }],
  });
  const ledger = await sql<{ actor: string; outcome: string }>(
    "SELECT split_part(actor, ':', 1) AS actor, outcome FROM ledger WHERE action = 'send_message' ORDER BY seq",
  );
  expect(ledger).toEqual([
    { actor: 'token', outcome: 'needs_approval' },
    { actor: 'token', outcome: 'deny' },
  ]);
  expect(network.asked).toEqual([]);
  if (waiting === undefined) throw new Error('nothing waits');
  await approvals.approve(waiting.id as Parameters<typeof approvals.approve>[0]);
  const { structuredContent: later } = await client.callTool(keyed);
  expect(later).toMatchObject({ status: 'sent' });
  expect(network.shown).toEqual(['Hello']);
});
