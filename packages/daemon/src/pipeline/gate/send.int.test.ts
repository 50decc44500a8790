import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { sql as statement } from 'kysely';
import { describe, expect, test } from 'vitest';
import { appendLedger } from '../../platform/db/ledger.ts';
import { findReady } from '../outbox/claim.ts';
import { findSent } from '../outbox/outbox.ts';
import { recheckPermits } from './recheck.ts';
import { sendAsOwner } from './send-as-owner.ts';

const { conversations, sql, account } = await freshDaemonHarness();
const send = (to: string, text = 'Hello') => sendAsOwner(conversations, { to, text });

test('resolves a number, its JID with or without a device and its old form to one person', async () => {
  const answers = [
    await send('+49 (151) 123-4567'),
    await send('491511234567@s.whatsapp.net'),
    await send('491511234567:12@s.whatsapp.net'),
    await send('491511234567@c.us'),
  ];
  expect(new Set(answers.map(({ jid }) => jid))).toEqual(new Set(['491511234567@s.whatsapp.net']));
  expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(4);
  expect(answers[0]).toMatchObject({ state: 'pending' });
});

test('accepts the address of a LID and of a group', async () => {
  expect((await send('123456789@lid')).jid).toBe('123456789@lid');
  expect((await send('120363000000000001@g.us')).jid).toBe('120363000000000001@g.us');
});

test.each(['', 'mum', '12', 'status@broadcast', '123@newsletter', '+49151@g.us'])(
  'refuses %j as an address',
  async (to) => {
    await expect(send(to)).rejects.toThrow('Invalid phone number');
  },
);

test('creates one contact and one chat for twenty concurrent messages to a new number', async () => {
  await Promise.all(times(20, (n) => send('+49 151 5550000', `${n}`)));
  const contacts = await sql(
    `SELECT c.id FROM contacts c JOIN contact_aliases a ON a.contact_id = c.id WHERE a.value = '491515550000'`,
  );
  expect(contacts).toHaveLength(1);
  expect(
    await sql(
      'SELECT 1 FROM contacts c WHERE NOT EXISTS (SELECT FROM contact_aliases a WHERE a.contact_id = c.id)',
    ),
  ).toEqual([]);
});

test('refuses a text with a character that cannot be sent', async () => {
  await expect(send('+49 151 6660000', 'a\0b')).rejects.toThrow('cannot be sent');
});

describe('a reply to a message', () => {
  const ANA = '+49 151 7770000';

  async function received(id: string, body: string): Promise<void> {
    const { chatId } = await send(ANA, `before ${id}`);
    await sql('SELECT ensure_message_month(now())');
    const [row] = await sql<{ id: number; at: Date; who: string }>(
      `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body, sender_address)
       SELECT account_id, date_trunc('second', now()), id, contact_id, false, $3, 'conversation', $4, '491517770000:4@s.whatsapp.net'
       FROM chats WHERE account_id = $1 AND id = $2 RETURNING id, sent_at AS at, sender_id AS who`,
      [account, chatId, id, body],
    );
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [account, chatId, row?.who, id, row?.id, row?.at],
    );
  }

  test('is queued with what it quotes, found by the beginning of the id', async () => {
    verifies('WRITE-QUOTE');
    await received('3EB0AAAA01', 'At eight?');
    const sent = await sendAsOwner(conversations, { to: ANA, text: 'Yes', replyTo: '3EB0AAAA' });
    const [row] = await sql('SELECT quotes FROM outbox WHERE id = $1', [sent.id]);
    expect(row).toEqual({ quotes: '3EB0AAAA01' });
    expect(await findSent(conversations.db, account, sent.messageId)).toEqual({
      text: 'Yes',
      quote: { id: '3EB0AAAA01', author: '491517770000:4@s.whatsapp.net', text: 'At eight?' },
    });
  });

  test('is refused if its chat has no such message', async () => {
    await received('3EB0BBBB01', 'Mine alone');
    const other = { to: '+49 151 8880000', text: 'Yes', replyTo: '3EB0BBBB01' };
    await expect(sendAsOwner(conversations, other)).rejects.toMatchObject({
      code: 'reply_to_unknown',
    });
    await expect(
      sendAsOwner(conversations, { to: ANA, text: 'Yes', replyTo: '%' }),
    ).rejects.toMatchObject({ code: 'reply_to_unknown' });
  });

  test('refuses the key of the same text that quoted something else', async () => {
    await received('3EB0CCCC01', 'At nine?');
    const message = { to: ANA, text: 'Yes', replyTo: '3EB0CCCC01', key: 'reply-1' };
    const first = await sendAsOwner(conversations, message);
    expect(await sendAsOwner(conversations, message)).toEqual(first);
    await expect(
      sendAsOwner(conversations, { to: ANA, text: 'Yes', key: 'reply-1' }),
    ).rejects.toMatchObject({ code: 'key_reused' });
  });

  test('is not sent if another message was quoted after it was allowed', async () => {
    await received('3EB0DDDD01', 'Lunch?');
    await received('3EB0DDDD02', 'Lend me 1,000?');
    const { id } = await sendAsOwner(conversations, {
      to: ANA,
      text: 'Yes!',
      replyTo: '3EB0DDDD01',
    });
    await sql("UPDATE outbox SET quotes = '3EB0DDDD02' WHERE id = $1", [id]);
    const { db, lease } = conversations;
    const verdicts = await db.transaction().execute(async (tx) => {
      const ready = await findReady(tx, lease.account, {
        now: new Date(),
        room: 100,
        inFlight: [],
        firstContacts: 'open',
        reconciled: true,
        horizon: new Date(0),
      });
      const row = ready.filter((one) => one.id === id);
      return recheckPermits(lease.account, { pacing: conversations.settings.pacing })(tx, row);
    });
    expect(verdicts).toEqual([expect.objectContaining({ verdict: 'stop', reason: 'altered' })]);
  });
});

test('records a refusal with its reason and queues nothing', async () => {
  await sql("INSERT INTO holds (account_id, reason) VALUES ($1, 'x')", [account]);
  await expect(send('+49 151 6660000')).rejects.toThrow('Sending is on hold');
  await sql('DELETE FROM holds');
  const [last] = await sql('SELECT outcome, reason FROM ledger ORDER BY seq DESC LIMIT 1');
  expect(last).toEqual({ outcome: 'deny', reason: 'hold' });
});

test('queues the owner’s message despite a deadlock with a merge of contacts', async () => {
  const to = '+49 151 7770000';
  await send(to, 'first');
  const isBlocked = async () =>
    (
      await sql(`SELECT FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event_type = 'Lock'`)
    ).length > 0;
  let sending: ReturnType<typeof send> | undefined;
  // Locks chats first and the ledger last, like a merge; the message holds the ledger and waits for its chat.
  const merging = conversations.db.transaction().execute(async (tx) => {
    await statement`SELECT FROM chats WHERE account_id = ${account} ORDER BY id FOR UPDATE`.execute(
      tx,
    );
    sending = send(to, 'second');
    sending.catch(() => {});
    await eventually(isBlocked);
    await appendLedger(tx, account, {
      actor: 'relay',
      action: 'merge_contacts',
      subject: { kind: 'contact', id: 'x' },
      outcome: 'merged',
      reason: 'same_person',
    });
  });
  // The database ends one of the two; a merge is retried as well.
  await merging.catch(() => {});
  expect(await sending).toMatchObject({ state: 'pending' });
});
