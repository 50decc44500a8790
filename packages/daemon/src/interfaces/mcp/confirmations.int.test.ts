// Tests confirmations: the person at the client is asked where the client can ask, and can only stop an action. With
// the official client, and without it where a client would cheat.
import type { Client } from '@modelcontextprotocol/client';
import type { TokenSecret } from '@relay/contract/api/credentials';
import {
  type McpTransportKind,
  TRANSPORT_VERSIONS,
  VERSIONS,
  type Version,
} from '@relay/testing/e2e/programs/client';
import { expect, onTestFinished, test } from 'vitest';
import { freshMcpHarness } from './testing/fixture.ts';

const ANNA = '4915177000001';
const ASKS = { capabilities: { elicitation: {} } };

const toolCall = (message = 'Hello', chat_id = 'Anna') => ({
  name: 'send_message',
  arguments: { chat_id, message },
});

async function fixture() {
  const harness = await freshMcpHarness(onTestFinished);
  await harness.person(ANNA, 'Anna');
  harness.start();
  const token = await harness.newToken({ scopes: ['messages:send'], confirm: true });
  return { ...harness, token };
}

type Said = { action: 'accept' | 'decline' | 'cancel'; content?: { send: boolean } };
const YES: Said = { action: 'accept', content: { send: true } };

/** Answers every question with this, and keeps the questions. */
function answering(client: Client, said: Said): string[] {
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    asked.push(params.message);
    return said;
  });
  return asked;
}

/** The ways in which a client can ask: the previous protocol version cannot over HTTP. */
const ASKING = TRANSPORT_VERSIONS.filter(
  ([way, version]) => way === 'pipe' || version === 'current',
);

test('asks once with the text and the recipient, and sends after a confirmation', async () => {
  const { connect, token, network, approvals } = await fixture();
  for (const [way, version] of ASKING) {
    const client = await connect(token, way, version, ASKS);
    const asked = answering(client, YES);
    const text = `${way} ${version} ${'long '.repeat(900)}`;
    const { structuredContent } = await client.callTool(toolCall(text));
    expect(structuredContent).toMatchObject({ status: 'sent' });
    expect(asked).toEqual([`Send this message to Anna (+${ANNA})?\n\n${text}`]);
    expect(network.shown.at(-1)).toBe(text);
    await client.close();
  }
  expect(await approvals.list('pending')).toEqual([]);
});

test('ends the call at once when the person declines in any way, without asking again', async () => {
  const { connect, token, network, approvals, sql } = await fixture();
  const noes: Said[] = [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { send: false } },
  ];
  for (const [way, version] of ASKING) {
    for (const no of noes) {
      const client = await connect(token, way, version, ASKS);
      const asked = answering(client, no);
      expect(await client.callTool(toolCall())).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('was declined') }],
        _meta: { 'relay/code': 'declined' },
      });
      expect(asked).toHaveLength(1);
      await client.close();
    }
  }
  expect(network.asked).toEqual([]);
  expect(await approvals.list('pending')).toEqual([]);
  expect(await sql("SELECT 1 FROM ledger WHERE actor LIKE 'token:%'")).toEqual([]);
});

test('waits for the owner’s approval when nobody can be asked', async () => {
  const { connect, token, network, approvals, clientApi, hashOf } = await fixture();
  const cannot: readonly (readonly [McpTransportKind, Version, object])[] = [
    ['http', 'previous', ASKS],
    ['http', 'current', {}],
    ['pipe', 'current', {}],
    ['pipe', 'previous', {}],
    ['pipe', 'previous', { capabilities: { elicitation: { url: {} } } }],
  ];
  for (const [index, [way, version, can]] of cannot.entries()) {
    const client = await connect(token, way, version, can);
    const { structuredContent } = await client.callTool(toolCall(`${index}`));
    const waiting = await approvals.list('pending');
    expect(structuredContent).toMatchObject({
      status: 'waiting_for_approval',
      approval_id: waiting.at(-1)?.id,
    });
    expect(waiting).toHaveLength(index + 1);
    await client.close();
  }
  const plain = await clientApi.call(
    hashOf(token),
    'send_message',
    toolCall('plain').arguments,
    null,
  );
  expect(plain).toMatchObject({ status: 'waiting_for_approval' });
  expect(network.asked).toEqual([]);
});

test('waits for the owner and asks nobody else when the gate requires an approval', async () => {
  const { connect, token, network, person } = await fixture();
  await person('4915177000002', 'Draft', { replyMode: 'draft' });
  for (const [way, version] of ASKING) {
    const client = await connect(token, way, version, ASKS);
    const asked = answering(client, YES);
    const { structuredContent } = await client.callTool(toolCall('Hello', 'Draft'));
    expect(structuredContent).toMatchObject({ status: 'waiting_for_approval' });
    expect(asked).toEqual([]);
    await client.close();
  }
  expect(network.asked).toEqual([]);
});

/** A client that claims and returns whatever it likes. */
function cheat(harness: Awaited<ReturnType<typeof fixture>>, token: TokenSecret) {
  return async (params: object): Promise<Record<string, unknown>> => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': VERSIONS.current,
          'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        },
      },
    };
    const request = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSIONS.current,
        'mcp-method': 'tools/call',
        'mcp-name': 'send_message',
      },
    });
    const response = await harness.clientApi.fetch(request, harness.hashOf(token), body);
    return (await response.json()) as Record<string, unknown>;
  };
}

const accepted = { inputResponses: { confirm: YES } };

interface Round {
  readonly result: { readonly resultType: string; readonly requestState: string };
}

test('accepts a confirmation for one message only, and only once', async () => {
  const harness = await fixture();
  const { token, network, newToken, person } = harness;
  await person('4915177000002', 'Ben');
  const call = cheat(harness, token);
  const asks = { result: { resultType: 'input_required' } };

  const { result } = (await call(toolCall('Pay 10'))) as unknown as Round;
  const { requestState } = result;
  expect(result.resultType).toBe('input_required');
  const yes = { ...accepted, requestState };
  // Without the question; with one byte changed; to another contact; by another client.
  expect(await call({ ...toolCall('Pay 10'), ...accepted })).toMatchObject(asks);
  expect(await call({ ...toolCall('Pay 19'), ...yes })).toMatchObject(asks);
  expect(await call({ ...toolCall('Pay 10', 'Ben'), ...yes })).toMatchObject(asks);
  const other = await newToken({ scopes: ['messages:send'], confirm: true });
  expect(await cheat(harness, other)({ ...toolCall('Pay 10'), ...yes })).toMatchObject(asks);
  for (const at of [3, 20, requestState.length - 2]) {
    const flipped = requestState[at] === 'A' ? 'B' : 'A';
    const forged = `${requestState.slice(0, at)}${flipped}${requestState.slice(at + 1)}`;
    expect(await call({ ...toolCall('Pay 10'), ...accepted, requestState: forged })).toMatchObject({
      error: { code: -32602 },
    });
  }
  expect(network.asked).toEqual([]);

  expect(await call({ ...toolCall('Pay 10'), ...yes })).toMatchObject({
    result: { structuredContent: { status: 'sent' } },
  });
  expect(await call({ ...toolCall('Pay 10'), ...yes })).toMatchObject(asks);
  expect(network.shown).toEqual(['Pay 10']);
});

test('locks nothing while a person is being asked', async () => {
  const harness = await fixture();
  const { connect, token, network, newToken } = harness;
  const slow = await connect(token, 'pipe', 'previous', ASKS);
  const thinking = Promise.withResolvers<Said>();
  const asked = Promise.withResolvers<void>();
  slow.setRequestHandler('elicitation/create', async ({ params }) => {
    if (!params.message.endsWith('slow')) return YES;
    asked.resolve();
    return thinking.promise;
  });
  const waiting = slow.callTool(toolCall('slow'));
  await asked.promise;
  await slow.callTool(toolCall('quick, the same client'));
  const free = await newToken({ scopes: ['messages:send'] });
  const other = await connect(free, 'http', 'current');
  await other.callTool(toolCall('quick, another client'));
  thinking.resolve(YES);
  await waiting;
  expect(network.shown).toEqual(['quick, the same client', 'quick, another client', 'slow']);
});
