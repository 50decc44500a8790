// Every scope × every tool × every transport, from the registry itself: only the token's scopes on the server at the
// time of a call decide, and no claim of the client.
import type { Client } from '@modelcontextprotocol/client';
import { CLIENT_SCOPES, SCOPES, type Scope } from '@relay/contract/policy/scopes';
import { CLIENT_TOOLS } from '@relay/daemon/interfaces/mcp/call';
import { expect, test } from 'vitest';
import { eventually } from '../gateway.ts';
import { BEN, jid, type LinkedRelay, ME, startLinkedRelay } from '../linked.ts';
import { connect, makeToken, TRANSPORT_VERSIONS } from './client.ts';

const CARA = '15550000002';
const CANARY = 'the code of the safe is 4711';

/** What the client claims: all of it is ignored. */
const CLAIMED = { scopes: [...SCOPES], scope: SCOPES.join(' '), contacts: null, admin: true };
const CAPABILITIES = { experimental: { relay: CLAIMED } };

interface Answer {
  /** The code of a refusal; null if there was none. */
  readonly code: string | null;
  readonly text: string;
}

interface Door {
  readonly name: string;
  list(): Promise<string[]>;
  call(tool: string, input: Record<string, unknown>): Promise<Answer>;
}

const overMcp = (name: string, client: Client): Door => ({
  name,
  list: async () => (await client.listTools({ _meta: CLAIMED })).tools.map((tool) => tool.name),
  async call(tool, input) {
    const asked = { name: tool, arguments: input, _meta: CLAIMED };
    try {
      const { isError, content, structuredContent, _meta } = await client.callTool(asked);
      const code = isError === true ? String(_meta?.['relay/code']) : null;
      return { code, text: JSON.stringify([content, structuredContent]) };
    } catch (error) {
      return { code: 'protocol', text: String(error) };
    }
  },
});

const overRest = ({ demo }: LinkedRelay, secret: string): Door => {
  const headers = {
    authorization: `Bearer ${secret}`,
    'x-scopes': SCOPES.join(' '),
    'x-relay-scopes': SCOPES.join(','),
  };
  const ask = (method: string, path: string, body?: unknown) =>
    demo.relay.call(method, path, body, headers);
  return {
    name: 'REST',
    async list() {
      const { tools } = (await ask('GET', '/api/tools')).json as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    },
    async call(tool, input) {
      const { status, json, text } = await ask('POST', `/api/tools/${tool}`, input);
      return { code: status === 200 ? null : (json as { code: string }).code, text };
    },
  };
};

async function doorsOf(linked: LinkedRelay, secret: string): Promise<readonly Door[]> {
  const open = TRANSPORT_VERSIONS.map(async ([way, version]) => {
    const options = { capabilities: CAPABILITIES };
    const client = await connect(linked.demo.api, secret, way, version, options);
    return overMcp(`${way}, ${version}`, client);
  });
  return [...(await Promise.all(open)), overRest(linked, secret)];
}

const NAMES = [...CLIENT_TOOLS.keys()].sort();
const namesWith = (...scopes: readonly Scope[]) =>
  NAMES.filter((name) => scopes.some((scope) => CLIENT_TOOLS.get(name)?.scope === scope));

/** No tool accepts this, and access is checked first: so a call has no effect. */
const NO_INPUT = { 'no such field': true };

async function openedBy(door: Door): Promise<string[]> {
  const answers = await Promise.all(
    NAMES.map(async (name) => ({ name, code: (await door.call(name, NO_INPUT)).code })),
  );
  const other = answers.filter(({ code }) => code !== 'denied' && code !== 'invalid_request');
  expect({ door: door.name, other }).toEqual({ door: door.name, other: [] });
  return answers.filter(({ code }) => code === 'invalid_request').map(({ name }) => name);
}

test('a tool can be called only with the scopes its token has on the server at that moment, over every transport', {
  timeout: 240_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { id, secret } = await makeToken(linked, { scopes: ['messages:read'] });
  const doors = await doorsOf(linked, secret);
  const sets: readonly (readonly Scope[])[] = [
    ...SCOPES.map((scope) => [scope]),
    [],
    CLIENT_SCOPES,
    ['messages:read', 'schedules:write'],
  ];
  for (const scopes of sets) {
    // Directly in the database, under connections that are already open.
    await linked.query('UPDATE tokens SET scopes = $1 WHERE id = $2', [scopes, id]);
    const expected = namesWith(...scopes);
    for (const door of doors) {
      const listed = (await door.list()).sort();
      expect({ scopes, door: door.name, listed }).toEqual({
        scopes,
        door: door.name,
        listed: expected,
      });
      const opened = await openedBy(door);
      expect({ scopes, door: door.name, opened }).toEqual({
        scopes,
        door: door.name,
        opened: expected,
      });
    }
  }
  expect(namesWith(...CLIENT_SCOPES)).toEqual(NAMES);
  expect(namesWith('admin', 'permissions:write')).toEqual([]);
  const refused = await linked.demo.relay.call('POST', '/api/tokens', {
    name: 'all',
    scopes: ['admin'],
  });
  expect(refused.status).toBe(400);
});

/** Valid input for a tool, with a contact that is not on the token's list. */
function aimedAt(name: string, number: string): Record<string, unknown> {
  const fields = Object.keys(CLIENT_TOOLS.get(name)?.input.shape ?? {});
  const whom = ['chat_id', 'contact', 'target_contact', 'to', 'group'];
  const words = ['message', 'text', 'query', 'objective'];
  return Object.fromEntries([
    ...whom.filter((field) => fields.includes(field)).map((field) => [field, number]),
    ...words.filter((field) => fields.includes(field)).map((field) => [field, 'safe']),
    ...(fields.includes('unread_only') ? [['unread_only', false]] : []),
    ...(fields.includes('when') ? [['when', 'tomorrow 9:00']] : []),
  ]);
}

test('a list of contacts holds for every tool over every transport; an empty one allows nobody', {
  timeout: 240_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { phones, relay } = linked.demo;
  await phones.add(CARA, 'Cara');
  for (const [phoneNumber, displayName] of [
    [BEN, 'Ben'],
    [CARA, 'Cara'],
  ]) {
    const all = { canRead: true, canReply: true, canInitiate: true };
    await relay.ok('POST', '/api/whatsapp/permissions', { phoneNumber, displayName, ...all });
  }
  await linked.talk('Hello');
  await phones.send(CARA, ME, CANARY);
  await eventually('the canary to arrive', async () => {
    const bodies = (await relay.messages({ chat: jid(CARA) })).map(({ body }) => body);
    return bodies.includes(CANARY) || undefined;
  });
  const wish = { scopes: CLIENT_SCOPES, confirm: false };
  const { id, secret } = await makeToken(linked, { ...wish, contacts: ['Ben'] });
  const doors = await doorsOf(linked, secret);
  for (const door of doors) {
    expect((await door.call('get_chats', { unread_only: false })).text).toContain('Ben');
    for (const name of NAMES.filter((tool) => tool !== 'authenticate_qr')) {
      const { text } = await door.call(name, aimedAt(name, `+${CARA}`));
      expect({ name, leaked: /4711|Cara/.test(text) }).toEqual({ name, leaked: false });
    }
  }
  await linked.query("UPDATE tokens SET contacts = '{}' WHERE id = $1", [id]);
  for (const door of doors) {
    const { text } = await door.call('get_chats', { unread_only: false });
    expect(text).not.toContain('Ben');
  }
  const acted = `SELECT action, outcome FROM ledger WHERE actor LIKE 'token:%' AND outcome <> 'deny'`;
  expect(await linked.query(acted)).toEqual([]);
  expect(await linked.query('SELECT id FROM approvals')).toEqual([]);
});
