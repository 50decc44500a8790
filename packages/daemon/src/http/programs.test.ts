// What programs keep open, over real sockets: who gets a pipe, and when it ends.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { PROGRAM_TOKEN } from './testing/programs.ts';
import { standIns } from './testing/stand-ins.ts';
import { bearer, type Listening, listening } from './testing/wire.ts';

const program = { authorization: `Bearer ${PROGRAM_TOKEN}` };
const upgrade = { connection: 'Upgrade', upgrade: 'relay-mcp' };

/** A daemon whose `/mcp` answers with a stream that says one thing and goes on. */
async function built(pollMs = 60_000) {
  const good = { holds: true };
  const piped: Duplex[] = [];
  const { deps, calls } = standIns({ limits: { pollMs } });
  const known = deps.programTokens.known;
  const server = await listening({
    ...deps,
    programTokens: { known, holds: async () => good.holds },
    programs: {
      ...deps.programs,
      pipe: (connection) => piped.push(connection.on('end', () => connection.end())),
      fetch: async () =>
        new Response(
          new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(': hello\n\n')) }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    },
  });
  return { server, calls, good, piped };
}

async function stream(server: Listening): Promise<IncomingMessage> {
  const headers = { ...program, 'content-type': 'application/json' };
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

const ended = (stream: IncomingMessage | Duplex): Promise<unknown> =>
  stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', resolve));

test('a stream and a pipe end when their token is rotated or revoked, and nobody else’s', async () => {
  for (const [method, path] of [
    ['POST', '/api/tokens/claude/rotate'],
    ['DELETE', '/api/tokens/claude'],
  ] as const) {
    const { server } = await built();
    const own = await server.open({ path: '/api/events', headers: bearer });
    own.on('error', () => {}).resume();
    const open = [await stream(server), await pipe(asking(server, program))];
    expect((await server.call({ method, path, headers: bearer })).status).toBe(200);
    await Promise.all(open.map(ended));
    expect(own.closed).toBe(false);
    own.destroy();
  }
});

test('what ran out, or was changed behind the daemon, ends at the next look', async () => {
  const { server, good } = await built(20);
  const open = [await stream(server), await pipe(asking(server, program))];
  good.holds = false;
  await Promise.all(open.map(ended));
});

test('a token that ended between the guard and the stream opens none', async () => {
  const { server, good } = await built();
  good.holds = false;
  // Cut off before or after the headers, whichever comes first.
  await stream(server).then(ended, () => {});
  await pipe(asking(server, program)).then(ended, () => {});
});

test('a server that closes leaves no stream and no pipe', async () => {
  const { server } = await built();
  const open = [await stream(server), await pipe(asking(server, program))];
  await server.app.close();
  await Promise.all(open.map(ended));
});

test.each([
  ['no token', {}, 401, 'unauthorized'],
  ['a wrong token', { authorization: 'Bearer wrong' }, 401, 'unauthorized'],
  ['the owner’s token', bearer, 403, 'program_needed'],
  ['an evil Origin', { ...program, origin: 'https://evil.example' }, 403, 'bad_origin'],
  ['an evil Host', { ...program, host: 'evil.example' }, 421, 'bad_host'],
  ['another protocol', { ...program, upgrade: 'websocket' }, 403, 'program_needed'],
])('no pipe is given to %s', async (_, headers, status, code) => {
  const { server, piped } = await built();
  const [response] = (await once(asking(server, headers), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  expect(response.statusCode).toBe(status);
  expect(JSON.parse(Buffer.concat(chunks).toString()).code).toBe(code);
  expect(piped).toEqual([]);
});
