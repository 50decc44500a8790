// Inputs that are not tool calls: invalid JSON-RPC messages and invalid HTTP requests. None may have an effect, and all
// must be answered or refused.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type McpReply, readStatusReply } from './answers.ts';
import type { CallTarget, PlainRequest } from './transports.ts';
import { chance, ODD_NAMES, oddJson, pick, type Random } from './values.ts';

const METHODS = [
  'tools/call',
  'tools/list',
  'tools/listt',
  'tools',
  'initialize',
  'server/discover',
  'ping',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'tasks/get',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  ...ODD_NAMES,
] as [string, ...string[]];

/** A line or a body; `inner` is a call that would be valid by itself. */
export function brokenMessage(random: Random, inner: string): string {
  const method = JSON.stringify(pick(random, METHODS));
  const odd = () => oddJson(random);
  const id = pick(random, [
    '1',
    '"x"',
    'null',
    '{}',
    '[]',
    '1.5',
    '-1',
    '1e400',
    '""',
    'true',
  ] as const);
  switch (Math.floor(random() * 12)) {
    case 0:
      return inner.slice(0, Math.floor(random() * (inner.length - 1)));
    case 1:
      return `${inner}${inner}`;
    case 2:
      return `[${inner},${inner}]`;
    case 3:
      return pick(random, [
        'null',
        '7',
        '""',
        '[]',
        '{}',
        'undefined',
        '\u0000',
        '{,}',
        '<xml/>',
      ] as const);
    case 4:
      return inner.replace(
        '"2.0"',
        pick(random, ['"1.0"', '2.0', '"2.0 "', 'null', '{}'] as const),
      );
    case 5:
      return inner.replace(
        'tools/call',
        pick(random, ['tools/Call', 'tools/call\u0000', 'call', '']),
      );
    case 6:
      return `{"jsonrpc":"2.0","id":${id},"result":${odd()}}`;
    case 7:
      return `{"jsonrpc":"2.0","id":${id},"error":{"code":${odd()},"message":${odd()}}}`;
    case 8:
      return `{"jsonrpc":"2.0","method":${method},"params":${odd()}}`;
    case 9:
      return inner.replace('"arguments":', `"arguments":${odd()},"argument":`);
    case 10:
      return inner.replace('"name":', `"name":${odd()},"nam":`);
    default:
      return `{"jsonrpc":"2.0","id":${id},"method":${method},"params":${odd()}}`;
  }
}

/** Wrong headers and methods around a valid body. */
export function wrongRequest(
  random: Random,
  body: string,
  headers: PlainRequest['headers'] = {},
): PlainRequest {
  const long = 'x'.repeat(2_000);
  const other = pick(random, [
    { 'content-type': 'text/plain' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { accept: 'image/png' },
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'content-encoding': 'gzip' },
    { authorization: 'Basic eDp4' },
    { 'mcp-protocol-version': '1999-01-01' },
    { 'mcp-protocol-version': long },
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'why' },
    { 'mcp-session-id': long },
    { 'mcp-session-id': '__proto__', 'last-event-id': '7' },
    { 'idempotency-key': long },
  ] as [Record<string, string>, ...Record<string, string>[]]);
  const method = pick(random, [
    'POST',
    'POST',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
  ] as const);
  const path = pick(random, [
    '/mcp',
    '/mcp',
    '/mcp/',
    '/mcp?x=1',
    '/MCP',
    '/api/tools',
    '/api/tools/',
    '/api/tools/%ZZ',
    '/api/tools/%00',
    '/api/tools/..%2Ftokens',
    '/api/tools/__proto__',
    `/api/tools/${long}`,
    '/api/tools/send_message/extra',
  ] as const);
  const wrongWay = path === '/mcp' && method === 'POST';
  return { method, path, headers: wrongWay ? { ...headers, ...other } : headers, body };
}

/** Raw bytes on a separate connection: partial requests, wrong lengths, other protocols. */
export async function rawBytes(
  { port, secret }: CallTarget,
  random: Random,
  body: string,
): Promise<McpReply> {
  const head = (length: number | string, more = '') =>
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${more}Content-Length: ${length}\r\n\r\n`;
  const size = Buffer.byteLength(body);
  const upgrade = (to: string, more = '') =>
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${secret}\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n\r\n${more}`;
  const bytes = pick(random, [
    head(size + 10) + body,
    head(size).slice(0, 60),
    head(Math.floor(size / 2)) + body,
    head('-1') + body,
    head('1e3') + body,
    head(size, `X-Long: ${'x'.repeat(40_000)}\r\n`) + body,
    head(size, 'Transfer-Encoding: chunked\r\n') + body,
    `${head(size).replace(/Content-Length.*\r\n/, 'Transfer-Encoding: chunked\r\n')}zz\r\n${body}`,
    head(size).replace('HTTP/1.1', 'HTTP/9.9') + body,
    '\u0000\u0001\u0002'.repeat(50),
    upgrade('websocket'),
    upgrade('relay-mcp', '{"half'),
    upgrade('relay-mcp', 'x'.repeat(1_100_000)),
    upgrade('h2c', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  ]);
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.on('error', () => {});
  socket.on('data', (part: Buffer) => {
    if (said.length < 10_000) said += part.toString('latin1');
  });
  await once(socket, 'connect').catch(() => {});
  socket.write(bytes);
  await Promise.race([
    once(socket, 'close').catch(() => {}),
    sleep(chance(random, 0.7) ? 150 : 1_000),
  ]);
  socket.destroy();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0);
  return { ...readStatusReply(status, said), what: `raw ${status}` };
}
