// The clients in TypeScript and Python go through the same scenarios (scenarios.json) on the shipped daemon.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RelayApiError } from '@relay/contract/client/api-error';
import { streamV1Events } from '@relay/contract/client/event-stream';
import { createRelayClient } from '@relay/contract/client/relay-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../../verifies.ts';
import { BEN, type LinkedRelay, openLinkedRelay } from '../linked.ts';

const CARA = '15550000002';
const FILE = join(import.meta.dirname, 'scenarios.json');
const PYTHON = join(import.meta.dirname, '../../../../integrations/python');

type Values = Record<string, unknown>;

interface Step {
  readonly do: string;
  readonly follow?: string;
  readonly from?: string;
  /** Whose token: the owner's if left out. */
  readonly as?: string;
  readonly account?: string;
  readonly path?: Record<string, string>;
  readonly query?: Record<string, string | number>;
  readonly body?: unknown;
  /** Bytes in base64, with their type. */
  readonly file?: { readonly type: string; readonly base64: string };
  readonly key?: string;
  /** Follows the cursors to the last page. */
  readonly pages?: boolean;
  readonly expect?: Values;
  readonly contains?: Values;
  readonly error?: string;
  readonly save?: Record<string, string>;
}

const scenarios: Readonly<Record<string, readonly Step[]>> = JSON.parse(readFileSync(FILE, 'utf8'));

let linked: LinkedRelay;
let known: Record<string, string>;
const receiver = createServer((_request, response) => response.end());

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  linked = await openLinkedRelay({
    database: 'beside',
    settings: { pacing: { enabled: false }, webhooks: { allow: [`127.0.0.1:${port}`] } },
  });
  const { demo } = linked;
  await demo.phones.add(CARA, 'Cara');
  await linked.talk('Hello');
  await demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: BEN,
    displayName: 'Ben',
    canRead: true,
    canReply: true,
  });
  const made = async (name: string, wish: object): Promise<string> => {
    const { secret } = await demo.relay.ok<{ secret: string }>('POST', '/api/tokens', {
      name,
      contacts: [`+${BEN}`],
      ...wish,
    });
    return secret;
  };
  known = {
    url: demo.api,
    ben: BEN,
    cara: CARA,
    receiver: `http://127.0.0.1:${port}/`,
    token_owner: demo.token,
    token_nobody: 'relay_of_nobody',
    token_writer: await made('writer', {
      scopes: ['messages:send', 'messages:read', 'events:read', 'media:write', 'media:read'],
      confirm: false,
    }),
    token_asker: await made('asker', {
      scopes: ['messages:send', 'approvals:read'],
      confirm: true,
    }),
  };
}, 120_000);
afterAll(async () => {
  receiver.close();
  await linked?.demo.stop();
});

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce((part, name) => (part as Values)?.[name], value);

const filled = (step: Step, values: Record<string, string>): Step =>
  JSON.parse(
    JSON.stringify(step).replace(/\$\{(\w+)\}/g, (_found, name: string) =>
      JSON.stringify(values[name] ?? '').slice(1, -1),
    ),
  );

async function take(step: Step, values: Record<string, string>): Promise<unknown> {
  const relay = createRelayClient({
    baseUrl: String(values.url),
    token: String(values[`token_${step.as ?? 'owner'}`]),
  });
  if (step.follow !== undefined) return follow(relay, step);
  const [noun = '', verb = ''] = step.do.split('.');
  const operations = relay.v1 as unknown as Record<
    string,
    Record<string, (input: object) => Promise<Values>>
  >;
  const call = operations[noun]?.[verb];
  if (call === undefined) throw new Error(`there is no operation ${step.do}`);
  const input = {
    path: { ...step.path, ...(step.account && { account: step.account }) },
    ...(step.body !== undefined && { body: step.body }),
    ...(step.file && { body: blobOf(step.file) }),
    ...(step.key && { header: { 'idempotency-key': step.key } }),
  };
  if (step.pages !== true) return shown(await call({ ...input, query: step.query }));
  const data: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await call({ ...input, query: { ...step.query, ...(cursor && { cursor }) } });
    data.push(...(page.data as unknown[]));
    cursor = (page.next_cursor as string | null) ?? undefined;
  } while (cursor !== undefined);
  return { data };
}

const blobOf = ({ type, base64 }: NonNullable<Step['file']>): Blob =>
  new Blob([Buffer.from(base64, 'base64')], { type });

/** A file as scenarios show it. */
const shown = async (answer: unknown): Promise<unknown> =>
  answer instanceof Blob
    ? { base64: Buffer.from(await answer.arrayBuffer()).toString('base64') }
    : answer;

async function follow(
  relay: Parameters<typeof streamV1Events>[0],
  { follow: type, from = '' }: Step,
): Promise<void> {
  const ended = new AbortController();
  for await (const { event } of streamV1Events(relay, {
    signal: ended.signal,
    lastEventId: from,
  })) {
    if (event?.type === type) ended.abort();
  }
}

async function run(written: Step, values: Record<string, string>): Promise<void> {
  const step = filled(written, values);
  const answer = await take(step, values).catch((error: unknown) => {
    if (error instanceof RelayApiError && error.code === step.error) return undefined;
    throw error;
  });
  if (step.error !== undefined) return expect(answer).toBeUndefined();
  if (step.expect !== undefined) expect(answer).toMatchObject(step.expect);
  if (step.contains !== undefined) {
    expect((answer as { data: unknown[] }).data).toContainEqual(
      expect.objectContaining(step.contains),
    );
  }
  for (const [name, path] of Object.entries(step.save ?? {}))
    values[name] = String(at(answer, path));
}

test('the TypeScript client goes through all scenarios', { timeout: 60_000 }, async () => {
  verifies('API-V1-CLIENTS');
  expect(Object.keys(scenarios)).toHaveLength(31);
  const values = { ...known, run: 'node' };
  for (const [name, steps] of Object.entries(scenarios)) {
    for (const step of steps) {
      await run(step, values).catch((cause: unknown) => {
        throw new Error(`“${name}” failed at ${JSON.stringify(step)}: ${cause}`, { cause });
      });
    }
  }
});

test('the Python client goes through the same scenarios', { timeout: 60_000 }, async () => {
  verifies('API-V1-CLIENTS');
  const values = JSON.stringify({ ...known, run: 'python' });
  const { stdout } = await promisify(execFile)(
    'python3',
    [join(import.meta.dirname, 'scenarios.py'), FILE, values],
    { env: { PATH: process.env.PATH, PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toEqual(Object.keys(scenarios).map((name) => [name, null]));
});
