// The shipped command forgets a person who wrote everywhere. Then every file of the home is searched, including the
// private PostgreSQL's tables and log, and what they write again counts as a stranger's.
import type { ErasureReceipt } from '@relay/contract/api/retention';
import type { AccountId } from '@relay/contract/ids';
import { expect, it } from 'vitest';
import { plant } from '../erase/plant.ts';
import { scanFolder } from '../erase/scan.ts';
import { onServer } from '../postgres.ts';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';

const SAID = 'z7f0c4b9e1d2a8350f6b7c1d9e4a2q said by Ben';
const FIRST_SEEN = { display_name: null, push_name: 'Ben' };

async function heard(linked: LinkedRelay, text: string): Promise<void> {
  await eventually(`"${text}" to arrive`, async () => {
    const messages = await linked.demo.relay.messages({ limit: 100 });
    return messages.some(({ body }) => body === text) || undefined;
  });
}

/** Everything a person can leave behind: a chat, a grant with answers, a conversation, a group. */
async function live(linked: LinkedRelay): Promise<void> {
  const { phones, relay } = linked.demo;
  await linked.talk(SAID);
  await relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: `+${BEN}`,
    displayName: `${SAID} as he is called`,
    canRead: true,
    canReply: true,
  });
  await phones.send(BEN, ME, `${SAID}, to be answered`);
  await heard(linked, `${SAID}, to be answered`);
  const group = await phones.group(`${SAID} at the lake`, BEN, [ME]);
  await phones.send(BEN, group, `${SAID} in the group`);
  await heard(linked, `${SAID} in the group`);
  const { id } = await relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: `find out what ${SAID} means`,
    target_contact: `+${BEN}`,
    todos: [{ text: SAID }],
  });
  await eventually('the conversation to begin', async () => {
    const { state } = await relay.ok<{ state: string }>('GET', `/api/instances/${id}`);
    return state !== 'CREATED' || undefined;
  });
  await phones.send(BEN, ME, `${SAID} in the conversation`);
  await heard(linked, `${SAID} in the conversation`);
  await relay.ok('POST', '/api/schedules', { to: `+${BEN}`, text: SAID, when: 'tomorrow at 9am' });
}

/** The command deletes what is too old in an observed group, including the bytes; newer messages stay. */
async function proveLimits(linked: LinkedRelay, group: string): Promise<void> {
  const tags = { old: 'w1c9e7a3b5d0f2846c8e0a1b3d5f7q', young: 'v0a8d6c4e2f1b3957d9b7e5c3a1f8q' };
  for (const [days, tag] of [
    [31, tags.old],
    [29, tags.young],
  ] as const) {
    const at = new Date(Date.now() - days * 86_400_000);
    await linked.query(
      `SELECT set_config('search_path', 'relay', false), relay.ensure_message_month($1)`,
      [at],
    );
    await linked.query(
      `INSERT INTO relay.messages (account_id, chat_id, sent_at, from_me, message_id, kind, body)
       SELECT account_id, id, $2, false, $3, 'conversation', $3 FROM relay.chats WHERE id = $1`,
      [group, at, tag],
    );
    await linked.query(
      `INSERT INTO relay.digests (account_id, chat_id, kind, period_start, period_end, body, tokens)
       SELECT account_id, id, 'daily', $2, $2, $3, 1 FROM relay.chats WHERE id = $1`,
      [group, new Date(at.getTime() + 86_400_000), tag],
    );
  }
  await linked.query('CHECKPOINT');
  expect(await scanFolder(linked.demo.home, tags.old)).not.toEqual([]);
  const run = await linked.command('retention', 'run', '--json');
  expect(JSON.parse(run.out)).toMatchObject({ messages: 1, digests: 2, scoured: true });
  expect(await scanFolder(linked.demo.home, tags.old)).toEqual([]);
  expect(await scanFolder(linked.demo.home, tags.young)).not.toEqual([]);
  const { out } = await linked.command('retention');
  expect(out).toMatch(/kept for 30 days, digests for 28 days/);
  expect(out).toMatch(/Oldest message +29 d( \d+ \w+)? \(3 messages\)/);
}

it('a forgotten person leaves no byte in the home, and is a stranger again', {
  timeout: 300_000,
}, async () => {
  const linked = await startLinkedRelay({ database: 'private' });
  const { demo } = linked;
  await live(linked);
  const [account] = await linked.query<{ id: string }>('SELECT id FROM relay.accounts');
  const planted = await onServer(linked.url, async (client) => {
    await client.query('SET search_path = relay');
    return plant(
      async (text, values = []) => (await client.query(text, [...values])).rows,
      Number(account?.id) as AccountId,
      { long: true },
    );
  });
  await proveLimits(linked, planted.group);
  await linked.query('ANALYZE');
  await linked.query('CHECKPOINT');
  const before = await scanFolder(demo.home, SAID.slice(0, 30));
  expect(before.map(({ file }) => file).join('\n')).toMatch(/base[\s\S]*pg_wal|pg_wal[\s\S]*base/);
  expect(await scanFolder(demo.home, planted.tag)).not.toEqual([]);

  const erased = await linked.command('forget', `+${BEN}`, '--yes', '--json');
  expect(erased).toMatchObject({ exit: 0 });
  const receipt = JSON.parse(erased.out) as ErasureReceipt;
  expect(receipt).toMatchObject({ kind: 'person', scoured: 'all' });
  expect(receipt.erased).toMatchObject({ conversations: 1, grants: 1, schedules: 1 });
  for (const id of [planted.contact, planted.group])
    await demo.relay.ok('POST', '/api/forget', { id });

  // The group's own name stays until the group is forgotten too.
  const [group] = await linked.query<{ id: string }>(
    `SELECT id FROM relay.chats WHERE kind = 'group' AND subject IS NOT NULL`,
  );
  await demo.relay.ok('POST', '/api/forget', { id: group?.id });
  expect(await scanFolder(demo.home, SAID.slice(0, 30))).toEqual([]);
  expect(await scanFolder(demo.home, planted.tag)).toEqual([]);
  const { checks } = await demo.relay.ok<{ checks: { name: string; ok: string }[] }>(
    'GET',
    '/api/doctor?full=true',
  );
  expect(checks).toContainEqual(expect.objectContaining({ name: 'ledger', ok: 'yes' }));

  await demo.phones.send(BEN, ME, 'Do you remember me?');
  await heard(linked, 'Do you remember me?');
  await eventually('a knock', async () => {
    const rows = await linked.query(`SELECT c.display_name, c.push_name FROM relay.knocks k
      JOIN relay.contacts c ON c.id = k.contact_id JOIN relay.contact_aliases a ON a.contact_id = c.id
      WHERE a.value = '${BEN}' AND NOT EXISTS (SELECT FROM relay.grants g WHERE g.contact_id = c.id)`);
    return rows.length === 1 ? (expect(rows).toEqual([FIRST_SEEN]) ?? true) : undefined;
  });
});
