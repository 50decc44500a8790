// Streams and pipes of clients at /mcp, over real sockets: who gets one, and when the daemon cuts it off.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { tokenId } from '@relay/contract/ids';
import { expect, onTestFinished, test } from 'vitest';
import { hashSecret } from './guard.ts';
import { PROGRAM_TOKEN } from './testing/programs.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, type Listening, listening } from './testing/wire.ts';

const program = { authorization: `Bearer ${PROGRAM_TOKEN}` };
const OTHER_TOKEN = 'relay_program_secret_of_another_client';
const other = { authorization: `Bearer ${OTHER_TOKEN}` };
const upgrade = { connection: 'Upgrade', upgrade: 'relay-mcp' };

/** Longer than any test, so that the poll never happens in it. */
const NEVER_MS = 600_000;

/** A daemon whose `/mcp` answers with a stream that sends one event and stays open. */
async function built(pollMs = NEVER_MS) {
  const token = { isValid: true, checks: 0 };
  const piped: Duplex[] = [];
  const { deps, calls } = standIns({ limits: { pollMs, drainMs: NEVER_MS } });
  const findClient: typeof deps.clientTokens.findClient = async (hash) => {
    if (hash !== hashSecret(OTHER_TOKEN)) return deps.clientTokens.findClient(hash);
    const client = await deps.clientTokens.findClient(hashSecret(PROGRAM_TOKEN));
    return client && { ...client, id: tokenId('7f3c1a52-3a55-4a0c-9d0e-2f6f6f0c9a12') };
  };
  const server = await listening({
    ...deps,
    clientTokens: {
      findClient,
      isValid: async () => {
        token.checks++;
        return token.isValid;
      },
    },
    clients: {
      ...deps.clients,
      pipe: (connection) => piped.push(connection.on('end', () => connection.end())),
      fetch: async () =>
        new Response(
          new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(': hello\n\n')) }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    },
  });
  return { server, calls, token, piped };
}

async function stream(server: Listening, client = program): Promise<IncomingMessage> {
  const headers = { ...client, 'content-type': 'application/json' };
  const response = await server.open({ method: 'POST', path: '/mcp', headers, body: '{}' });
  response.on('error', () => {});
  await once(response, 'data');
  return response;
}

function asking({ port }: Listening, headers: Record<string, string>, path = '/mcp') {
  const asked = request({ port, path, headers: { ...upgrade, ...headers }, agent: false });
  onTestFinished(() => void asked.destroy());
  return asked.end();
}

async function pipe(asked: ClientRequest): Promise<Duplex> {
  const [, connection] = (await once(asked, 'upgrade')) as [unknown, Duplex];
  connection.on('error', () => {}).resume();
  return connection;
}

type Open = IncomingMessage | Duplex;

/** Fails unless each was reset: an answer that is complete would end without an error. */
const expectCutOff = (open: readonly Open[]): Promise<void> =>
  expect
    .poll(() => open.map(({ closed, errored }) => closed && errored))
    .toEqual(open.map(() => expect.objectContaining({ code: 'ECONNRESET' })));

test.each([
  ['rotated', 'POST', '/api/tokens/claude/rotate'],
  ['revoked', 'DELETE', '/api/tokens/claude'],
])('a %s token ends its own stream and pipe, and no other client’s', async (_, method, path) => {
  const { server } = await built();
  const own = await server.open({ path: '/api/events', headers: bearer });
  own.on('error', () => {}).resume();
  const others = [own, await stream(server, other), await pipe(asking(server, other))];
  const open = [await stream(server), await pipe(asking(server, program))];
  expect((await server.call({ method, path, headers: bearer })).status).toBe(200);
  await expectCutOff(open);
  expect(others.map(({ closed }) => closed)).toEqual([false, false, false]);
  for (const one of others) one.destroy();
});

test('keeps a stream and a pipe open while the token is valid, and cuts them off once it is not', async () => {
  const { server, token } = await built(20);
  const open = [await stream(server), await pipe(asking(server, program))];
  await expect.poll(() => token.checks).toBeGreaterThan(6);
  expect(open.map(({ closed }) => closed)).toEqual([false, false]);
  token.isValid = false;
  await expectCutOff(open);
});

test('checks a token again that expires after authentication, and cuts off at once', async () => {
  const { server, token, piped } = await built();
  token.isValid = false;
  // Cut off before or after the headers, whichever comes first.
  const opening: (() => Promise<Open>)[] = [
    () => stream(server),
    () => pipe(asking(server, program)),
  ];
  for (const [n, open] of opening.entries()) {
    const opened = await open().catch((error: NodeJS.ErrnoException) => error);
    if (opened instanceof Error) expect(opened.code).toBe('ECONNRESET');
    else await expectCutOff([opened]);
    expect(token.checks).toBe(n + 1);
  }
  expect(piped.map(({ destroyed }) => destroyed)).toEqual([true]);
});

test('cuts off streams and pipes when the server closes, without waiting for them to drain', async () => {
  const { server } = await built();
  const open = [await stream(server), await pipe(asking(server, program))];
  const closed = server.app.close();
  await expectCutOff(open);
  await closed;
});

test.each([
  ['no token', {}, 401, 'unauthorized'],
  ['a wrong token', { authorization: 'Bearer wrong' }, 401, 'unauthorized'],
  ['the owner’s token', bearer, 403, 'program_needed'],
  ['an evil Origin', { ...program, origin: 'https://evil.example' }, 403, 'bad_origin'],
  ['an evil Host', { ...program, host: 'evil.example' }, 421, 'bad_host'],
  ['another protocol', { ...program, upgrade: 'websocket' }, 403, 'program_needed'],
])('gives no pipe to %s', async (_, headers, status, code) => {
  const { server, piped } = await built();
  const [response] = (await once(asking(server, headers), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  expect(response.statusCode).toBe(status);
  expect(JSON.parse(Buffer.concat(chunks).toString()).code).toBe(code);
  expect(piped).toEqual([]);
});
