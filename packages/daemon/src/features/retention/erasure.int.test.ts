import { randomUUID } from 'node:crypto';
import type { ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn, newPhone } from '@relay/testing/daemon-harness';
import { plant } from '@relay/testing/erase/plant';
import { expect, onTestFinished, test } from 'vitest';
import { aliasesOfAddresses, resolveSightings } from '../../platform/db/contacts.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { verifyLedger } from '../../platform/db/ledger-chain.ts';
import { putMessages } from '../../platform/db/messages.ts';
import { contentHash } from '../../platform/db/seal.ts';
import { cancelAllWithContact } from '../conversations/service.ts';
import { openRetention } from './feature.ts';
import { openRetentionFixture } from './testing/fixture.ts';

const fixture = await openRetentionFixture();
const { account, database, retention, sql, deps } = fixture;
const db = database.kysely;

const receive = (chat: ChatId, sender: ContactId, id: MessageId) =>
  db.transaction().execute((tx) =>
    putMessages(tx, account, [
      {
        chat,
        sender,
        id,
        sentAt: new Date(),
        kind: 'conversation',
        body: 'again',
        quotedId: null,
        media: null,
        isLate: false,
        source: 'whatsapp',
        inboxSeq: null,
      },
    ]),
  );

test('keeps an erased message erased when WhatsApp delivers it again, and stores new ones', async () => {
  const { contact, messages, group } = await plant(sql, account);
  await retention.service.forget(contact);
  const [again] = await db
    .transaction()
    .execute((tx) =>
      resolveSightings(tx, account, [aliasesOfAddresses(['4917099@s.whatsapp.net'])]),
    );
  if (again === undefined) throw new Error('nobody was met');
  for (const id of messages) {
    expect((await receive(group, again, id as MessageId)).size).toBe(0);
  }
  expect((await receive(group, again, randomUUID() as unknown as MessageId)).size).toBe(1);
  const marks = await sql('SELECT encode(mark, $1) AS mark FROM erased_messages', ['escape']);
  for (const id of messages) expect(JSON.stringify(marks)).not.toContain(id);
});

test('salts hashes in the ledger, so that texts cannot be guessed once the chat is erased', async () => {
  const { chat, contact } = await plant(sql, account);
  const entry = {
    actor: 'owner',
    action: 'send_message',
    subject: { kind: 'chat', id: chat },
    outcome: 'allow',
    reason: 'owner',
  };
  const hash = contentHash({ chat, text: 'yes' });
  const seq = await db
    .transaction()
    .execute((tx) => appendLedger(tx, account, { ...entry, detail: { hash } }));
  const stored = async (): Promise<unknown> =>
    (
      await sql(`SELECT detail->>'hash' AS hash FROM ledger WHERE account_id = $1 AND seq = $2`, [
        account,
        seq,
      ])
    )[0]?.hash;
  const tried = async (): Promise<unknown> =>
    (await sql(`SELECT ledger_commitment($1, 'chat', $2, $3) AS hash`, [account, chat, hash]))[0]
      ?.hash;
  expect(await stored()).not.toBe(hash);
  expect(await tried()).toBe(await stored());
  await retention.service.forget(contact);
  expect(await tried()).not.toBe(await stored());
  expect(await verifyLedger(db, account)).toBeNull();
});

test('removes only the quote and the number that WhatsApp inserted into messages of others', async () => {
  const cleo = await plant(sql, account);
  const ben = await plant(sql, account, { group: cleo.group });
  const [own] = cleo.messages.slice(-1);
  await sql(
    `UPDATE messages SET quoted_id = $2, body = $3, details = $4, content = 'quotes Ben' WHERE message_id = $1`,
    [
      own,
      ben.messages[2],
      `Ask @${ben.phone} and @${cleo.phone}`,
      JSON.stringify({
        mentions: [`${ben.phone}@s.whatsapp.net`, `${cleo.phone}:2@s.whatsapp.net`],
      }),
    ],
  );
  await retention.service.forget(ben.contact);
  expect(
    await sql('SELECT body, details, content FROM messages WHERE message_id = $1', [own]),
  ).toEqual([
    {
      body: `Ask @… and @${cleo.phone}`,
      details: { mentions: [`${cleo.phone}:2@s.whatsapp.net`] },
      content: null,
    },
  ]);
});

test('erases somebody known only from notifications by that name', async () => {
  const { group } = await plant(sql, account);
  await sql(
    `INSERT INTO messages (account_id, chat_id, sent_at, from_me, message_id, kind, body, sender_name, source)
     VALUES ($1, $2, now(), false, 'n1', 'conversation', 'hello', 'Aunt May', 'notification')`,
    [account, group],
  );
  await expect(retention.service.preview('name:Aunt Mary')).rejects.toMatchObject({
    code: 'not_found',
  });
  const preview = await retention.service.preview('name:Aunt May');
  expect(preview).toMatchObject({ name: 'Aunt May', counts: { messages: 1 } });
  await retention.service.forget('name:Aunt May');
  expect(await sql(`SELECT FROM messages WHERE sender_name = 'Aunt May'`)).toEqual([]);
});

test('refuses to erase the account itself or an unknown contact', async () => {
  const { contact, phone } = await plant(sql, account);
  await sql('UPDATE accounts SET phone = $2 WHERE id = $1', [account, phone]);
  await expect(retention.service.forget(contact)).rejects.toMatchObject({ code: 'forget_self' });
  await sql('UPDATE accounts SET phone = NULL WHERE id = $1', [account]);
  for (const id of [randomUUID(), 'Ben', '']) {
    await expect(retention.service.forget(id)).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('ends a running conversation first, and its turn leaves nothing behind', async () => {
  const conversations = await freshDaemonHarness(onTestFinished);
  const { sql } = conversations;
  const turn = heldTurn();
  conversations.agent(turn.act);
  const phone = newPhone();
  const ids = [await conversations.create(phone), await conversations.create(phone)];
  await turn.begun;
  const [row] = await sql('SELECT contact_id AS contact FROM instances WHERE id = $1', [ids[0]]);
  const forgetful = openRetention({
    ...deps,
    ...conversations.conversations,
    endConversations: cancelAllWithContact(conversations.conversations, conversations.service),
  });
  const { open_conversations } = await forgetful.service.preview(String(row?.contact));
  expect(open_conversations).toBe(2);
  const receipt = await forgetful.service.forget(String(row?.contact));
  expect(receipt.erased.conversations).toBe(2);
  turn.release();
  await conversations.quiet();
  for (const table of ['instances', 'instance_messages', 'runs', 'timers', 'outbox']) {
    const left = await sql(`SELECT FROM ${table} t WHERE t::text LIKE ANY($1)`, [
      ids.map((id) => `%${id}%`),
    ]);
    expect([table, left.length]).toEqual([table, 0]);
  }
  expect(
    await sql(`SELECT FROM relay_jobs.job WHERE singleton_key = ANY($1) AND state < 'completed'`, [
      ids,
    ]),
  ).toEqual([]);
  expect(conversations.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
