// The fixture: contacts who have written and may be answered, tokens with different scopes, their tools, and a
// conversation that one of them started.
import type { TokenSecret } from '@relay/contract/api/credentials';
import type { ListedTool } from '@relay/contract/api/tools';
import type { Scope } from '@relay/contract/policy/scopes';
import type { Demo } from '@relay/testing/e2e/demo';
import { eventually } from '@relay/testing/e2e/gateway';
import { OWNER } from '../harness.ts';
import type { KnownIds } from './calls.ts';
import { sendPlain } from './transports.ts';

const PEOPLE = ['Ann', 'Ben', 'Cleo'] as const;
const phoneOf = (n: number) => `1555000010${n}`;

const LOOKS: readonly Scope[] = [
  'messages:read',
  'search:read',
  'digests:read',
  'conversations:read',
  'schedules:read',
  'permissions:read',
  'ledger:read',
  'link:write',
];
const ACTS: readonly Scope[] = ['messages:send', 'schedules:write', 'conversations:write'];

export interface Secrets {
  /** Reads, and sends nothing. */
  readonly reader: string;
  /** Sends without an approval. */
  readonly writer: string;
  /** Needs approvals. */
  readonly asker: string;
  /** Has almost no scopes. */
  readonly limited: string;
  /** Was revoked. */
  readonly dead: string;
}

export interface McpFixture {
  readonly port: number;
  readonly secrets: Secrets;
  readonly tools: readonly [ListedTool, ...ListedTool[]];
  readonly known: KnownIds;
}

export function invite({ simulator: { network } }: Demo): void {
  network.addAccount({ phone: OWNER, name: 'Owner' });
  for (const [n, name] of PEOPLE.entries()) network.addAccount({ phone: phoneOf(n), name });
}

export async function createMcpFixture({ relay, phones, api }: Demo): Promise<McpFixture> {
  for (const [n, displayName] of PEOPLE.entries()) {
    const may = { canRead: true, canReply: true, canInitiate: true };
    const person = { phoneNumber: phoneOf(n), displayName, ...may };
    await relay.ok('POST', '/api/whatsapp/permissions', person);
    await phones.send(phoneOf(n), OWNER, `Hello from ${displayName}: shall we have dinner?`);
  }
  const [message] = await eventually('everybody to have written', async () => {
    const said = await relay.messages({ limit: 50 });
    return PEOPLE.every((name) => said.some(({ body }) => body.includes(name))) ? said : undefined;
  });
  const secrets = await makeTokens({ relay });
  const port = Number(new URL(api).port);
  const tools = await toolsOf(port, [secrets.reader, secrets.writer]);
  const conversation = await beginConversation(port, secrets.writer);
  const schedules = await beginSchedules(port, secrets.writer);
  const known = { people: PEOPLE, conversation, message: message?.id ?? '', schedules };
  return { port, secrets, tools, known };
}

async function makeTokens({ relay }: Pick<Demo, 'relay'>): Promise<Secrets> {
  const make = async (name: string, scopes: readonly Scope[], confirm: boolean) =>
    (await relay.ok<TokenSecret>('POST', '/api/tokens', { name, scopes, confirm })).secret;
  const dead = await make('dead', ACTS, false);
  await relay.ok('DELETE', '/api/tokens/dead');
  return {
    reader: await make('reader', LOOKS, true),
    writer: await make('writer', ACTS, false),
    asker: await make('asker', ACTS, true),
    limited: await make('limited', ['permissions:read'], true),
    dead,
  };
}

async function toolsOf(port: number, secrets: readonly string[]): Promise<McpFixture['tools']> {
  const lists = await Promise.all(
    secrets.map(async (secret) => {
      const { text } = await sendPlain({ port, secret }, { method: 'GET', path: '/api/tools' });
      return (JSON.parse(text) as { tools: ListedTool[] }).tools;
    }),
  );
  const [first, ...others] = lists.flat();
  if (first === undefined) throw new Error('there are no tools');
  return [first, ...others];
}

/** A conversation that the writer may pause and resume. */
async function beginConversation(port: number, secret: string): Promise<string> {
  const body = JSON.stringify({ chat_id: 'Cleo', objective: 'Agree on a day for dinner.' });
  const path = '/api/tools/create_conversation';
  const { text } = await sendPlain({ port, secret }, { method: 'POST', path, body });
  const { id } = JSON.parse(text) as { id?: string };
  if (id === undefined) throw new Error(`no conversation could be begun: ${text}`);
  return id;
}

/** Schedules to cancel, however few calls follow. */
async function beginSchedules(port: number, secret: string): Promise<string[]> {
  const made: string[] = [];
  const date = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  for (let n = 0; n < 10; n += 1) {
    const body = JSON.stringify({ chat_id: 'Ann', message: `Merry ${n}`, time: '09:00', date });
    const path = '/api/tools/schedule_message';
    const { text } = await sendPlain({ port, secret }, { method: 'POST', path, body });
    const { schedule_id: id } = JSON.parse(text) as { schedule_id?: string };
    if (id === undefined) throw new Error(`nothing could be scheduled: ${text}`);
    made.push(id);
  }
  return made;
}

export const secretFor = ({ secrets }: McpFixture, tool: ListedTool): string =>
  tool.read_only || tool.scope === 'link:write' ? secrets.reader : secrets.writer;
