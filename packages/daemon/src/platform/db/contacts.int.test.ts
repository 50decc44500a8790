import { randomUUID } from 'node:crypto';
import type { ContactId } from '@relay/contract/ids';
import { times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { aliasesOfAddresses, noteAliases } from './contacts.ts';
import { ALL, freshPeople, id, lid, phone, READ } from './testing/people.ts';

const { account, db, grantOf, lease, put, sight, sql, wipe } = await freshPeople();

beforeEach(wipe);

describe('resolving sightings', () => {
  test('an unknown person becomes a new contact with all given addresses and no grant', async () => {
    const [first] = await sight([phone(1), lid(1)]);
    expect(await sight([lid(1)], [phone(1)])).toEqual([first, first]);
    expect(await grantOf(phone(1))).toBeNull();
  });

  test('a LID first met together with a granted number is that contact', async () => {
    await put({ id: id(1), aliases: [phone(1)], grant: ALL });
    expect(await sight([lid(1), phone(1)])).toEqual([id(1)]);
    expect(await grantOf(lid(1))).toEqual(ALL);
  });

  test('two concurrent sightings of the same unknown person create one contact', async () => {
    await Promise.all(
      times(8, () => noteAliases(db, lease, ['14155550001@s.whatsapp.net', '90001:3@lid'])),
    );
    expect(await sql('SELECT id FROM contacts')).toHaveLength(1);
  });

  test("an address that is not a person's has no alias", () => {
    expect(
      aliasesOfAddresses(['1203@g.us', 'status@broadcast', 'x', '14155550001:7@s.whatsapp.net']),
    ).toEqual([phone(1)]);
  });
});

describe('merging two contacts', () => {
  test('a grant that only one contact had is withdrawn, and the owner is notified', async () => {
    await put({ id: id(1), aliases: [phone(1)], grant: ALL });
    await put({ id: id(2), aliases: [lid(1)], grant: null });
    expect(await sight([phone(1), lid(1)])).toEqual([id(1)]);
    expect(await grantOf(phone(1))).toBeNull();
    expect(await sql('SELECT kind, subject, data FROM events ORDER BY id')).toEqual([
      { kind: 'contact.merged', subject: id(1), data: { from: id(2) } },
      { kind: 'grant.withdrawn', subject: id(1), data: { withdrawn: [ALL], left: null } },
    ]);
    const [row] = await sql('SELECT * FROM ledger ORDER BY seq DESC LIMIT 1');
    expect(row).toMatchObject({
      action: 'merge_contacts',
      subject_id: id(1),
      outcome: 'narrowed',
      reason: 'same_person',
      detail: { from: id(2), withdrawn: [ALL], left: null },
    });
  });

  test('rights that both contacts had stay', async () => {
    await put({ id: id(1), aliases: [phone(1)], grant: ALL });
    await put({ id: id(2), aliases: [lid(1)], grant: READ });
    await sight([phone(1), lid(1)]);
    expect(await grantOf(lid(1))).toEqual(READ);
    expect(await sql('SELECT 1 FROM grants')).toHaveLength(1);
  });

  test('a token keeps the contact only if it named both', async () => {
    await put({ id: id(1), aliases: [phone(1)], grant: null });
    await put({ id: id(2), aliases: [lid(1)], grant: null });
    const lists = [[id(1)], [id(2)], [id(1), id(2)], [id(2), id(9)], null];
    for (const [n, contacts] of lists.entries()) {
      await sql(
        "INSERT INTO tokens (account_id, name, hash, scopes, contacts) VALUES ($1, $2, $3, '{}', $4)",
        [account, String(n), Buffer.from([n]), contacts],
      );
    }
    await sight([phone(1), lid(1)]);
    const tokens = await sql('SELECT contacts FROM tokens ORDER BY name');
    expect(tokens.map((token) => token.contacts)).toEqual([[], [], [id(1)], [id(9)], null]);
  });

  test('message requests are added up, group memberships joined and names kept', async () => {
    await put({ id: id(1), aliases: [phone(1)], grant: null });
    await put({ id: id(2), aliases: [lid(1)], grant: null });
    await sql("UPDATE contacts SET push_name = 'Al' WHERE id = $1", [id(2)]);
    const group = await addChat(null, '1@g.us');
    for (const [contact, role] of [
      [id(1), 'member'],
      [id(2), 'admin'],
    ]) {
      await sql('INSERT INTO chat_members VALUES ($1, $2, $3, $4)', [
        account,
        group,
        contact,
        role,
      ]);
      await sql("INSERT INTO knocks VALUES ($1, $2, 2, '2026-01-01', '2026-01-02')", [
        account,
        contact,
      ]);
    }
    await sight([phone(1), lid(1)]);
    expect(await sql('SELECT contact_id, count FROM knocks')).toEqual([
      { contact_id: id(1), count: 4 },
    ]);
    expect(await sql('SELECT contact_id, role FROM chat_members')).toEqual([
      { contact_id: id(1), role: 'admin' },
    ]);
    expect(await sql('SELECT id, push_name FROM contacts')).toEqual([
      { id: id(1), push_name: 'Al' },
    ]);
  });

  test('two direct chats become one, with each message once', async () => {
    const [kept, gone, group] = await twoChats();
    await message(kept, id(1), 'SAME');
    await message(kept, null, 'MINE');
    await message(gone, id(2), 'SAME');
    await message(gone, id(2), 'OTHER');
    await message(gone, null, 'MINE');
    await message(group, id(2), 'IN GROUP');
    await message(group, id(1), 'IN BOTH');
    await message(group, id(2), 'IN BOTH');
    await sight([phone(1), lid(1)]);
    const rows = await sql(
      `SELECT m.chat_id, m.sender_id, m.message_id, k.id IS NOT NULL AS known FROM messages m
       LEFT JOIN message_keys k ON k.chat_id = m.chat_id AND k.message_id = m.message_id AND k.id = m.id
         AND k.sender = coalesce(m.sender_id::text, 'me') ORDER BY m.id`,
    );
    expect(rows).toEqual([
      { chat_id: kept, sender_id: id(1), message_id: 'SAME', known: true },
      { chat_id: kept, sender_id: null, message_id: 'MINE', known: true },
      { chat_id: kept, sender_id: id(1), message_id: 'OTHER', known: true },
      { chat_id: group, sender_id: id(1), message_id: 'IN GROUP', known: true },
      { chat_id: group, sender_id: id(1), message_id: 'IN BOTH', known: true },
    ]);
    expect(await sql('SELECT id FROM chats WHERE contact_id IS NOT NULL')).toEqual([{ id: kept }]);
  });

  test('a client that has read one chat counts as having read the other, and nothing else', async () => {
    const [kept, gone] = await twoChats();
    const other = randomUUID();
    const [token] = await sql<{ id: string }>(
      "INSERT INTO tokens (account_id, name, hash, scopes) VALUES ($1, 'reader', 'x', '{}') RETURNING id",
      [account],
    );
    for (const chat of [gone, other]) {
      await sql('INSERT INTO token_reads VALUES ($1, $2, $3)', [account, token?.id, chat]);
    }
    await sight([phone(1), lid(1)]);
    const read = await sql('SELECT chat_id FROM token_reads WHERE token_id = $1', [token?.id]);
    expect(read.map(({ chat_id }) => chat_id).sort()).toEqual([kept, other].sort());
  });

  test('runs that read either chat count as having read the kept chat', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    const [kept, gone] = await twoChats();
    const other = randomUUID();
    for (const [actor, chats] of [
      ['assistant', [other, gone, kept]],
      [`auto_reply:${gone}`, [gone]],
      ['conversation', [other]],
    ] as const) {
      await sql(
        `INSERT INTO runs (account_id, actor, state, taint)
         VALUES ($1, $2, 'done', jsonb_build_object('chats', $3::text[], 'outside', false))`,
        [account, actor, chats],
      );
    }
    await sight([phone(1), lid(1)]);
    const runs = await sql("SELECT actor, taint->'chats' AS chats FROM runs ORDER BY actor");
    expect(runs).toEqual([
      { actor: 'assistant', chats: [other, kept] },
      { actor: `auto_reply:${kept}`, chats: [kept] },
      { actor: 'conversation', chats: [other] },
    ]);
  });

  test('the only chat of the two contacts is taken over unchanged', async () => {
    await put({ id: id(1), aliases: [phone(1)], grant: null });
    await put({ id: id(2), aliases: [lid(1)], grant: null });
    const chat = await addChat(id(2));
    await sight([phone(1), lid(1)]);
    expect(await sql('SELECT id, contact_id FROM chats')).toEqual([
      { id: chat, contact_id: id(1) },
    ]);
  });

  test('messages and their permits move to the kept chat, and none is revoked', async () => {
    const [kept, gone] = await twoChats();
    const states = ['pending', 'sent'];
    for (const chat of [kept, gone]) for (const state of states) await addOutbox(chat, state);
    await sight([phone(1), lid(1)]);
    expect(
      await sql(`SELECT o.chat_id, p.chat_id AS permitted, o.state, p.revoked_at
        FROM outbox o JOIN permits p ON p.id = o.permit_id ORDER BY o.seq`),
    ).toEqual(
      [...states, ...states].map((state) => ({
        chat_id: kept,
        permitted: kept,
        state,
        revoked_at: null,
      })),
    );
  });

  test('approvals move to the kept chat and stay pending', async () => {
    const [kept, gone, group] = await twoChats();
    for (const chat of [kept, gone, group]) {
      await sql(
        `INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, expires_at)
         VALUES ($1, json_build_object('kind', 'send_message', 'chat', $2::text, 'text', 'x'), $3, 'draft', $4,
           now() + interval '1 day')`,
        [account, chat, Buffer.from(chat), `auto_reply:${chat}`],
      );
    }
    await sight([phone(1), lid(1)]);
    expect(
      await sql(
        "SELECT intent->>'chat' AS chat, requested_by, state FROM approvals ORDER BY created_at",
      ),
    ).toEqual(
      [kept, kept, group].map((chat) => ({
        chat,
        requested_by: `auto_reply:${chat}`,
        state: 'pending',
      })),
    );
  });

  test('of two open conversations the older continues and the younger waits', async () => {
    const [kept, gone] = await twoChats();
    const older = await addInstance(id(2), gone, 'WAITING_FOR_REPLY');
    const younger = await addInstance(id(1), kept, 'ACTIVE');
    const ended = await addInstance(id(2), gone, 'COMPLETED');
    await sight([phone(1), lid(1)]);
    expect(
      await sql(
        'SELECT id, contact_id, chat_id, state, previous_state, epoch FROM instances ORDER BY queue_seq',
      ),
    ).toEqual([
      {
        id: older,
        contact_id: id(1),
        chat_id: kept,
        state: 'WAITING_FOR_REPLY',
        previous_state: null,
        epoch: 1,
      },
      {
        id: younger,
        contact_id: id(1),
        chat_id: kept,
        state: 'PAUSED',
        previous_state: 'QUEUED',
        epoch: 2,
      },
      {
        id: ended,
        contact_id: id(1),
        chat_id: kept,
        state: 'COMPLETED',
        previous_state: null,
        epoch: 1,
      },
    ]);
    expect(await sql('SELECT instance_id, from_state, to_state FROM instance_transitions')).toEqual(
      [{ instance_id: younger, from_state: 'ACTIVE', to_state: 'PAUSED' }],
    );
  });

  test('every row of the removed contact and chat is moved to the kept ones', async () => {
    const [kept, gone, group] = await twoChats();
    await addOneOfEverything(id(2), gone, group);
    const before = await rowsNaming([id(2), gone]);
    // A new column that names a contact or a chat fails here until it is filled above, or listed as for groups only.
    expect(
      Object.entries(before).flatMap(([column, rows]) => (rows === 0 ? [column] : [])),
    ).toEqual([]);
    await sight([phone(1), lid(1)]);
    const none = Object.fromEntries(Object.keys(before).map((column) => [column, 0]));
    expect(await rowsNaming([id(2), gone])).toEqual(none);
    const both = { 'chats.contact_id': 1, 'contact_aliases.contact_id': 2 };
    expect(await rowsNaming([id(1), kept])).toEqual({ ...before, ...both });
  });
});

/** For groups only: they have no rows for the chat of two people. */
const ONLY_GROUPS = [
  'chat_members.chat_id',
  'digest_failures.chat_id',
  'digests.chat_id',
  'grants.chat_id',
  'notifications.chat_id',
  'observed_groups.chat_id',
  'observed_messages.chat_id',
  'observer_requests.chat_id',
  'observer_usage.chat_id',
  'once_observed.chat_id',
];
/** Rights that both had stay, and nothing else: separate tests above check that. */
const NOT_MOVED = ['grants.contact_id'];

/** How many rows name one of these, for every column that names a contact or a contact's chat. */
async function rowsNaming(ids: readonly string[]): Promise<Record<string, number>> {
  const columns = await sql<{ table: string; column: string }>(
    `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE table_schema = 'relay' AND t.table_type = 'BASE TABLE' AND c.data_type = 'uuid'
       AND c.table_name !~ '^messages_' AND c.column_name ~ '^(.*_)?(chat|contact|sender)_id$'`,
  );
  const counts: Record<string, number> = {};
  for (const { table, column } of columns) {
    const name = `${table}.${column}`;
    if (ONLY_GROUPS.includes(name) || NOT_MOVED.includes(name)) continue;
    const rows = await sql(`SELECT 1 FROM ${table} WHERE ${column} = ANY($1)`, [ids]);
    counts[name] = rows.length;
  }
  return counts;
}

/** Adds a row to each table that can name the contact or their chat. */
async function addOneOfEverything(contact: ContactId, chat: string, group: string): Promise<void> {
  await addInstance(contact, chat, 'QUEUED');
  await addOutbox(chat, 'pending');
  await message(chat, contact, 'M');
  await sql('INSERT INTO chat_members VALUES ($1, $2, $3)', [account, group, contact]);
  await sql('INSERT INTO knocks (account_id, contact_id) VALUES ($1, $2)', [account, contact]);
  await sql("INSERT INTO stranger_use VALUES ($1, '2026-02-01', $2, 10, 1)", [account, contact]);
  await sql(
    `INSERT INTO sessions (account_id, kind, title, key, chat_id, contact_id)
     VALUES ($1, 'auto_reply', 'x', $2::text, $3, $2::uuid)`,
    [account, contact, chat],
  );
  await sql(
    `INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, contact_id, at, terms, length)
     VALUES ($1, 'message', '1', $2, $3, now(), '', 1)`,
    [account, chat, contact],
  );
  await sql(
    `INSERT INTO media (account_id, chat_id, origin, kind, mime_type, state)
     VALUES ($1, $2, 'uploaded', 'image', 'image/png', 'waiting')`,
    [account, chat],
  );
  await sql(
    `INSERT INTO schedules (account_id, rule, zone, chat_id, body, created_by)
     VALUES ($1, '{}', 'UTC', $2, 'x', 'owner')`,
    [account, chat],
  );
  await sql(
    `WITH token AS (INSERT INTO tokens (account_id, name, hash, scopes)
       VALUES ($1, 'client', 'client', '{}') RETURNING id)
     INSERT INTO token_reads SELECT $1, id, $2 FROM token`,
    [account, chat],
  );
}

async function addChat(contact: ContactId | null, group: string | null = null): Promise<string> {
  const chat = randomUUID();
  await sql(
    "INSERT INTO chats (account_id, id, kind, contact_id, group_address) VALUES ($1, $2, CASE WHEN $3::uuid IS NULL THEN 'group' ELSE 'direct' END, $3, $4)",
    [account, chat, contact, group],
  );
  return chat;
}

async function twoChats(): Promise<[kept: string, gone: string, group: string]> {
  await put({ id: id(1), aliases: [phone(1)], grant: null });
  await put({ id: id(2), aliases: [lid(1)], grant: null });
  return [await addChat(id(1)), await addChat(id(2)), await addChat(null, '1@g.us')];
}

async function message(chat: string, sender: ContactId | null, messageId: string): Promise<void> {
  await sql("SELECT ensure_message_month('2026-02-01')");
  await sql(
    `WITH key AS (INSERT INTO message_keys VALUES ($1, $2, coalesce($3::text, 'me'), $4, nextval('message_ids'), '2026-02-01') RETURNING id)
     INSERT INTO messages (account_id, sent_at, id, chat_id, sender_id, from_me, message_id, kind, body)
     SELECT $1, '2026-02-01', id, $2, $3::uuid, $3::uuid IS NULL, $4, 'conversation', '' FROM key`,
    [account, chat, sender, messageId],
  );
}

async function addOutbox(chat: string, state: string): Promise<void> {
  const permit = randomUUID();
  await sql("SELECT ledger_add($1, 'owner', 'send', 'chat', 'x', 'allow', 'owner', '{}')", [
    account,
  ]);
  await sql(
    `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, content_hash)
     SELECT $1, $2, max(seq), 'owner', 'send_message', $3, '' FROM ledger WHERE account_id = $1`,
    [account, permit, chat],
  );
  await sql(
    `INSERT INTO outbox (account_id, id, permit_id, chat_id, message_id, body, state)
     VALUES ($1, gen_random_uuid(), $2, $3, $4, 'hello', $5)`,
    [account, permit, chat, randomUUID(), state],
  );
}

async function addInstance(contact: ContactId, chat: string, state: string): Promise<string> {
  const instance = randomUUID();
  await sql(
    `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups)
     VALUES ($1, $2, $3, $4, '+49', 'x', $5, 1000, 5)`,
    [account, instance, contact, chat, state],
  );
  return instance;
}
