// The page for Home Assistant against the shipped daemon: its commands run as printed, its REST command sends, and its
// automation reads the webhook that Relay calls. Home Assistant itself does not run here.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../../verifies.ts';
import { blocksOf } from '../guides/blocks.ts';
import { BEN, type LinkedRelay, ME, openLinkedRelay } from '../linked.ts';

const PAGE = readFileSync(
  join(import.meta.dirname, '../../../../docs/guides/home-assistant.md'),
  'utf8',
);
const SHOWN_NUMBER = '+49 151 12345678';

let linked: LinkedRelay;
const received: { readonly method: string; readonly type: string; readonly body: object }[] = [];
const home = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', headers } = request;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    received.push({ method, type: headers['content-type'] ?? '', body });
    response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => home.listen(0, '127.0.0.1', resolve));
  linked = await openLinkedRelay({ database: 'beside', settings: { pacing: { enabled: false } } });
  await linked.talk('Hello');
  await linked.demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
    canReply: true,
  });
}, 180_000);
afterAll(async () => {
  home.close();
  await linked?.demo.stop();
}, 120_000);

/** Runs a command of the page for this account's contact and this test's Home Assistant. */
async function runShown(command: string): Promise<string> {
  if (command === 'relay stop && relay start') {
    await linked.demo.rest();
    await linked.demo.restart();
    return '';
  }
  const { port } = home.address() as AddressInfo;
  const words = command
    .replaceAll(SHOWN_NUMBER, `+${BEN}`)
    .replaceAll('192.168.1.10:8123', `127.0.0.1:${port}`)
    .match(/"[^"]*"|\S+/g);
  const [, ...args] = (words ?? []).map((word) => word.replaceAll('"', ''));
  const { exit, out, err } = await linked.command(...args);
  expect({ command, exit, err }).toEqual({ command, exit: 0, err: '' });
  return out;
}

const [tokenCommand = '', webhookCommands = ''] = blocksOf(PAGE).flatMap(({ steps }) =>
  steps.map(({ command }) => command),
);

/** The value of a key in the page's YAML. */
function yamlValue(key: string): string {
  const [, value = ''] = new RegExp(`^ *${key}: (.*)$`, 'm').exec(PAGE) ?? [];
  return value.replace(/^(["'])(.*)\1$/, '$2');
}

/** A template of the page that writes an object as JSON, with these variables. */
function rendered(template: string, variables: Readonly<Record<string, string>>): string {
  const [, object = ''] = /^\{\{ (\{.*\}) \| tojson \}\}$/.exec(template) ?? [];
  return object.replace(
    /: (\w+)/g,
    (_whole, name: string) => `: ${JSON.stringify(variables[name])}`,
  );
}

test('the REST command for Home Assistant sends its message', async () => {
  verifies('API-V1-HOME-ASSISTANT');
  const secret = /relay_\S+/.exec(await runShown(tokenCommand))?.[0] ?? '';
  expect(yamlValue('authorization')).toBe('!secret relay_authorization');
  const authorization = yamlValue('relay_authorization').replace('relay_…', secret);
  const text = 'The "washing machine"\nis done. {{ to }} 👍';
  const response = await fetch(yamlValue('url').replace('http://127.0.0.1:3214', linked.demo.api), {
    method: yamlValue('method').toUpperCase(),
    headers: { authorization, 'content-type': yamlValue('content_type') },
    body: rendered(yamlValue('payload'), { to: `+${BEN}`, text }),
  });
  expect(await response.json()).toMatchObject({ state: 'pending', approval_id: null });
  await linked.demo.phones.sees(BEN, { text });
});

test('the automation of Home Assistant reads the text of a message', async () => {
  verifies('API-V1-HOME-ASSISTANT');
  // `relay config set`, then `relay webhook add`.
  for (const command of webhookCommands.split('\n')) await runShown(command);
  received.length = 0;
  await linked.demo.phones.send(BEN, ME, 'Open the gate');
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1);
  const [{ method, type, body } = { method: '', type: '', body: {} }] = received;
  expect(yamlValue('allowed_methods')).toBe(`[${method}]`);
  expect(type).toBe('application/json');
  const [, path = '', wanted] =
    /^\{\{ trigger\.json\.(\S+) \| lower == '(.*)' \}\}$/.exec(yamlValue('value_template')) ?? [];
  const found = path
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], body);
  expect(String(found).toLowerCase()).toBe(wanted);
});
