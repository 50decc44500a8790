// Nothing bypasses the gate: every published route is tried with input that would make it send, and afterwards every
// queued or sent message has its permit and its outbox row.
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { ChatId } from '@relay/contract/ids';
import { contentHash } from '@relay/daemon/platform/db/seal';
import { expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { eventually } from './gateway.ts';
import { BEN, jid, ME, startLinkedRelay } from './linked.ts';

/** Bodies that would make each route send a message. */
const bodies = (id: string): Readonly<Record<string, unknown>> => ({
  '/api/instances': { objective: 'Say hello', target_contact: `+${BEN}`, todos: [] },
  '/api/instances/{id}/send': { message: `to ${id}` },
  '/api/whatsapp/messages': { to: `+${BEN}`, text: 'by route' },
  '/api/hold': { reason: 'to be released' },
});

/** What `POST /api/whatsapp/messages` sends besides text; `id` is a stored file, `message` one of the chat. */
const contents = (id: string, message: string): readonly object[] => [
  { media: { id, kind: 'document', caption: 'a file' } },
  { reaction: { to: message, emoji: '👍' } },
  { edit: { of: message }, text: 'by route, edited' },
  { delete: { of: message } },
  { poll: { question: 'When?', options: ['Mon', 'Tue'] } },
  { location: { latitude: 1, longitude: 2 } },
];

/** They end the link, the session or the daemon's data, and have their own tests. */
const ENDING = ['/api/whatsapp/disconnect', '/api/whatsapp/connect', '/api/init', '/api/import'];
const STREAMS = /stream|\/events|\/export|\/login|rotate/;

it('no route sends anything without a permit, a ledger row and an outbox row', async () => {
  const linked = await startLinkedRelay({ database: 'beside' });
  const { demo } = linked;
  const { id } = await demo.relay.ok<{ id: string }>(
    'POST',
    '/api/instances',
    bodies('')['/api/instances'],
  );
  const { paths } = await demo.relay.ok<{ paths: Record<string, Record<string, unknown>> }>(
    'GET',
    '/api/openapi.json',
  );
  const tried: string[] = [];
  // Routes that end the conversation come last: the others need it open.
  const ordered = Object.entries(paths).sort(
    ([a], [b]) => Number(a.endsWith('/cancel')) - Number(b.endsWith('/cancel')),
  );
  for (const [path, methods] of ordered) {
    if (ENDING.includes(path) || STREAMS.test(path)) continue;
    for (const method of Object.keys(methods)) {
      const body = method === 'get' ? undefined : (bodies(id)[path] ?? {});
      await demo.relay.call(method.toUpperCase(), path.replace('{id}', id), body);
      tried.push(`${method} ${path}`);
    }
  }
  await demo.relay.call('POST', '/api/release');
  expect(tried).toEqual(
    expect.arrayContaining([
      'post /api/instances',
      'post /api/instances/{id}/send',
      'post /api/instances/{id}/resume',
      'post /api/whatsapp/messages',
      'post /api/whatsapp/probe',
      'post /api/approvals/{id}/approve',
      'post /api/hold',
    ]),
  );
  verifies('MEDIA-OUT-GATE');
  const { messageId } = await demo.relay.send(`+${BEN}`, 'to be changed');
  await eventually('the stored message', async () => {
    const last = await demo.relay.messages({ limit: 5 });
    return last.some(({ id }) => id === messageId) || undefined;
  });
  const { id: file } = await demo.relay.ok<{ id: string }>('POST', '/api/media', { a: 'file' });
  for (const content of contents(file, messageId)) {
    await demo.relay.ok('POST', '/api/whatsapp/messages', { to: `+${BEN}`, ...content });
  }
  await demo.relay.send(`+${BEN}`, 'the last');
  await demo.phones.sees(BEN, { text: 'the last', status: 'received' });
  await eventually('an outbox at rest', async () => {
    const open = await linked.query("SELECT 1 FROM relay.outbox WHERE state = 'pending'");
    return open.length === 0 || undefined;
  });

  const rows = await linked.query<{
    message_id: string;
    chat_id: ChatId;
    body: string;
    content: OutgoingContent | null;
    hash: string;
  }>(
    `SELECT o.message_id, p.chat_id, o.body, o.content, encode(p.content_hash, 'hex') AS hash
     FROM relay.outbox o JOIN relay.permits p ON p.account_id = o.account_id AND p.id = o.permit_id
     JOIN relay.chats c ON c.account_id = p.account_id AND c.id = p.chat_id
     JOIN relay.ledger l ON l.account_id = p.account_id AND l.seq = p.ledger_seq
       AND l.outcome = 'allow' AND l.action = 'send_message'
       AND l.detail->>'permit' = p.id::text AND l.detail->>'hash' = encode(sha256(c.salt || p.content_hash), 'hex')`,
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(await linked.query('SELECT id FROM relay.outbox')).toHaveLength(rows.length);
  for (const { chat_id: chat, body: text, content, hash } of rows) {
    expect(contentHash({ chat, text, content })).toBe(hash);
  }
  const kinds = new Set(rows.flatMap(({ content }) => content?.kind ?? []));
  expect([...kinds].sort()).toEqual(['delete', 'edit', 'location', 'media', 'poll', 'reaction']);
  const permitted = new Set(rows.map(({ message_id }) => message_id));
  const crossed = demo.simulator.network.stanzas
    .filter(
      ({ direction, account, stanza }) =>
        direction === 'in' && account === ME && stanza.tag === 'message',
    )
    .filter(({ stanza }) => stanza.attrs.to !== jid(ME));
  expect(crossed.length).toBeGreaterThan(0);
  for (const { stanza } of crossed) expect(permitted).toContain(stanza.attrs.id);
}, 180_000);
