import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as soon } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { lineTransport } from './server.ts';

/** A connection whose other end echoes each request once the test releases it. */
async function open() {
  const [here, there] = duplexPair();
  const heard: JSONRPCMessage[] = [];
  const transport = lineTransport(there);
  transport.onmessage = (message) => {
    heard.push(message);
  };
  await transport.start();
  const answer = async (id: number) => transport.send({ jsonrpc: '2.0', id, result: {} });
  return { here, there, heard, transport, answer };
}

const call = (id: number, more: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: more } })}\n`;

const linesOf = async (connection: Duplex) =>
  (await text(connection)).split('\n').filter((line) => line !== '');

test('reads one message per line, whatever characters it contains and however it arrives', async () => {
  const { here, heard } = await open();
  const letters = { said: 'one\u2028two\u2029three\u0085four \u{1F600}\r\n' };
  const bytes = Buffer.from(call(1, letters) + call(2).trim());
  for (const byte of bytes) here.write(Buffer.from([byte]));
  here.end();
  await soon();
  expect(heard).toMatchObject([{ id: 1, params: { _meta: letters } }, { id: 2 }]);
});

test('waits for running requests at the end of the input', async () => {
  const { here, answer } = await open();
  const lines = linesOf(here);
  here.end(call(1) + call(2));
  await soon();
  await answer(2);
  await answer(1);
  expect(await lines).toHaveLength(2);
});

test('does not wait for cancelled requests or endless subscriptions', async () => {
  const { here } = await open();
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const listen = { jsonrpc: '2.0', id: 2, method: 'subscriptions/listen', params: {} };
  here.end(`${call(1)}${JSON.stringify(cancelled)}\n${JSON.stringify(listen)}\n`);
  expect(await linesOf(here)).toEqual([]);
});

test.each([
  ['{"jsonrpc":"2.0",', -32700, null],
  ['\u0000', -32700, null],
  ['null', -32600, null],
  ['7', -32600, null],
  ['[]', -32600, null],
  [`[${call(1).trim()}]`, -32600, null],
  ['{"id":5,"method":"ping"}', -32600, 5],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
  ['{"jsonrpc":"2.0","id":"x","method":7}', -32600, 'x'],
])('answers a line that is no message with an error and drops it: %s', async (line, code, id) => {
  const { here, heard } = await open();
  here.end(`${line}\n`);
  const answers = (await linesOf(here)).map((each) => JSON.parse(each));
  expect(answers).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }]);
  expect(heard).toEqual([]);
});

test('does not keep a line without an end', async () => {
  const { here, there } = await open();
  here.on('error', () => {});
  for (let sent = 0; sent <= 17 && !there.destroyed; sent++) {
    here.write('x'.repeat(65_536));
    await soon();
  }
  expect(there.destroyed).toBe(true);
});

test('reads no more than it is answering, and loses nothing', async () => {
  const { here, heard, answer } = await open();
  here.resume();
  for (let id = 1; id <= 300; id++) here.write(call(id, { padding: 'x'.repeat(10_000) }));
  await soon();
  const before = heard.length;
  expect(before).toBeLessThan(100);
  for (let id = 1; id <= 300; id++) {
    while (heard.length < id) await soon();
    await answer(id);
  }
  expect(heard).toHaveLength(300);
});

test('disconnects a client that has stopped reading', async () => {
  const { there, transport } = await open();
  const gone = once(there, 'close');
  const news = { jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(1e6) } };
  for (let sent = 0; sent < 40 && !there.destroyed; sent++) {
    await transport.send(news as JSONRPCMessage);
  }
  await gone;
});
