import { approvalId, chatId, contactId, type InstanceId, instanceId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import type { Actor } from '@relay/core/policy/actors';
import type { RecheckVerdict } from '@relay/daemon/pipeline/outbox/claim';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockInstance } from '../../features/conversations/sql.ts';
import { applyEvents } from '../../features/conversations/transitions.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { findReady, type ReadyQuery } from '../outbox/claim.ts';
import { recheckPermits } from './recheck.ts';
import { sendAsOwner } from './send-as-owner.ts';

const harness = await freshDaemonHarness();
await harness.acknowledges(false);
const { account, database, sql, conversations, create, reaches, service } = harness;
const pacing = pacingSchema.parse({ enabled: false });

const ASKED = (): ReadyQuery => ({
  now: new Date(),
  room: 100,
  inFlight: [],
  firstContacts: 'open',
  reconciled: true,
  horizon: new Date(0),
});

/** The verdict on each queued message, oldest first. */
const verdicts = (): Promise<readonly RecheckVerdict[]> =>
  database.kysely.transaction().execute(async (tx) => {
    const rows = await findReady(tx, account, ASKED());
    return recheckPermits(account, { pacing })(tx, rows);
  });

/** The texts that may be sent next, in the order of their numbers. */
const waiting = async () =>
  (await database.kysely.transaction().execute((tx) => findReady(tx, account, ASKED()))).map(
    ({ body }) => body,
  );

const empty = () => sql('DELETE FROM outbox');

/** As if it had been given to WhatsApp when it was withdrawn, and had come back. */
const requeue = (body: string) =>
  sql("UPDATE outbox SET state = 'pending', failure = NULL WHERE body = $1 AND state = 'failed'", [
    body,
  ]);

test('sends a conversation’s messages including the last one, and none once it is cancelled', async () => {
  await empty();
  harness.agent(() => ({ messages: ['Goodbye'], endReason: 'done' }));
  const id = await create();
  await reaches(id, 'COMPLETED');
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);

  harness.agent(() => ({ messages: ['Hello'] }));
  const other = await create();
  await reaches(other, 'WAITING_FOR_REPLY');
  await service.cancel(other);
  expect(await waiting()).toEqual(['Goodbye']);
  await requeue('Hello');
  expect((await verdicts())[1]).toMatchObject({ verdict: 'stop' });
});

test('stops queued messages whose grant was revoked, and makes all wait during a hold', async () => {
  await empty();
  const sent = await sendAsOwner(conversations, { to: '+49 151 7770000', text: 'Hello' });
  await sql("UPDATE outbox SET state = 'sent' WHERE id = $1", [sent.id]);
  const [row] = await sql<{ chat_id: string; contact_id: string }>(
    'SELECT o.chat_id, c.contact_id FROM outbox o JOIN chats c ON c.id = o.chat_id WHERE o.id = $1',
    [sent.id],
  );
  const actor: Actor = { kind: 'auto_reply', chat: chatId(row?.chat_id ?? '') };
  await sql(
    `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply)
    VALUES ($1, $2, 'x', true, true)`,
    [account, row?.contact_id],
  );
  const { message } = await database.kysely.transaction().execute((tx) =>
    conversations.gate.submit(tx, actor, {
      kind: 'send_message',
      chat: actor.chat,
      text: 'Reply',
    }),
  );
  expect(message).not.toBeNull();
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);

  await sql("INSERT INTO holds (account_id, reason) VALUES ($1, 'x')", [account]);
  expect(await verdicts()).toEqual([{ verdict: 'wait' }]);
  await sql('DELETE FROM holds');

  await sql('UPDATE grants SET can_reply = false');
  expect(await verdicts()).toMatchObject([
    { verdict: 'stop', sentence: expect.stringContaining('replies') },
  ]);
});

test('stops a message whose text is not the permitted one', async () => {
  await empty();
  await sendAsOwner(conversations, { to: '+49 151 8880000', text: 'Hello' });
  await sql("UPDATE outbox SET body = 'Something else'");
  expect(await verdicts()).toEqual([
    {
      verdict: 'stop',
      lost: true,
      reason: 'altered',
      sentence: expect.stringContaining('differs from the one that was allowed'),
    },
  ]);
});

describe('stops a message with a permit that the gate did not give:', () => {
  const forged = {
    verdict: 'stop',
    lost: true,
    reason: 'forged',
    sentence: expect.stringContaining('was not written by Relay'),
  };
  const hash = `sha256(convert_to(o.chat_id || chr(10) || 'By hand', 'UTF8'))`;

  /** A second message, copied from a genuine one by somebody who knows all the tables. */
  async function copy(permit: Record<string, string> = {}) {
    const columns = await sql<{ name: string }>(`SELECT attname AS name FROM pg_attribute
      WHERE attrelid = 'permits'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`);
    const changes: Record<string, string> = {
      id: 'gen_random_uuid()',
      content_hash: hash,
      ...permit,
    };
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => changes[name] ?? `p.${name}`);
    await sql(
      `WITH made AS (INSERT INTO permits (${names.join(', ')}) SELECT ${values.join(', ')}
         FROM outbox o JOIN permits p ON p.id = o.permit_id RETURNING id, chat_id)
       INSERT INTO outbox (account_id, id, permit_id, chat_id, message_id, body)
       SELECT $1, gen_random_uuid(), id, chat_id, '3EB0FF', 'By hand' FROM made`,
      [account],
    );
  }

  beforeEach(async () => {
    await empty();
    await sendAsOwner(conversations, { to: newPhone(), text: 'Hello' });
  });

  test('a permit inserted by hand, without a MAC', async () => {
    verifies('TRUST-FORGED-PERMIT');
    await copy({ mac: 'NULL' });
    expect(await verdicts()).toEqual([{ verdict: 'go' }, forged]);
  });

  test('a permit with the MAC of another one', async () => {
    verifies('TRUST-FORGED-PERMIT');
    await copy();
    expect(await verdicts()).toEqual([{ verdict: 'go' }, forged]);
  });

  test.each([
    ["actor = 'notifier'"],
    ['schedule_id = gen_random_uuid()'],
    ['run_id = gen_random_uuid()'],
    ['instance_id = gen_random_uuid()'],
    ['instance_epoch = 9'],
    ['follow_up_after = 9'],
    ["ledger_seq = (SELECT min(seq) FROM ledger WHERE outcome = 'allow')"],
  ])('a genuine permit in which somebody has set %s', async (change) => {
    await sql(`UPDATE permits SET ${change} WHERE id = (SELECT permit_id FROM outbox)`);
    expect(await verdicts()).toEqual([forged]);
  });

  test('a genuine permit of a message that was sent before, under a new id', async () => {
    await sql("UPDATE outbox SET message_id = '3EB0FE'");
    expect(await verdicts()).toEqual([forged]);
  });

  test('a genuine permit whose message was moved to another chat, with constraints dropped', async () => {
    const other = await sendAsOwner(conversations, { to: newPhone(), text: 'Other' });
    await sql('ALTER TABLE outbox DROP CONSTRAINT outbox_to_the_chat_permitted');
    await sql(
      `UPDATE outbox SET chat_id = (SELECT chat_id FROM outbox WHERE id = $1) WHERE body = 'Hello'`,
      [other.id],
    );
    expect(await verdicts()).toMatchObject([
      { verdict: 'stop', reason: 'altered' },
      { verdict: 'go' },
    ]);
    await sql(`UPDATE outbox o SET chat_id = p.chat_id FROM permits p WHERE p.id = o.permit_id`);
    await sql(`ALTER TABLE outbox ADD CONSTRAINT outbox_to_the_chat_permitted FOREIGN KEY
      (account_id, permit_id, chat_id) REFERENCES permits (account_id, id, chat_id) ON UPDATE CASCADE`);
  });
});

test('stops a message whose permit was revoked', async () => {
  await empty();
  await sendAsOwner(conversations, { to: '+49 151 8880001', text: 'Hello' });
  await sql('UPDATE permits SET revoked_at = now()');
  expect(await verdicts()).toEqual([
    {
      verdict: 'stop',
      lost: true,
      reason: 'revoked',
      sentence: expect.stringContaining('was revoked'),
    },
  ]);
});

const inConversation = async (id: InstanceId) => {
  const [row] = await sql<{ chat_id: string; contact_id: string }>(
    'SELECT chat_id, contact_id FROM instances WHERE id = $1',
    [id],
  );
  const chat = chatId(row?.chat_id ?? '');
  const contact = contactId(row?.contact_id ?? '');
  return { instance: id, chat, contact, ended: false, firstContactApproved: true };
};

const followUp = async (id: InstanceId, text: string) => {
  const conversation = await inConversation(id);
  const { chat } = conversation;
  await database.kysely
    .transaction()
    .execute((tx) =>
      conversations.gate.submit(
        tx,
        { kind: 'conversation', instance: id, chat },
        { kind: 'send_message', chat, text, followUp: true },
        { conversation },
      ),
    );
};

test('stops a follow-up when the contact has answered, and sends the reply and the next follow-up', async () => {
  await empty();
  harness.agent(() => ({ messages: ['Hello'] }));
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await followUp(id, 'Are you there?');
  expect(await verdicts()).toEqual([{ verdict: 'go' }, { verdict: 'go' }]);
  await harness.reply(id, 'Yes!');
  await harness.quiet();
  await followUp(id, 'And now?');
  expect(await waiting()).toEqual(['Hello', 'And now?']);
  await requeue('Are you there?');
  expect(await verdicts()).toEqual([
    {
      verdict: 'stop',
      reason: 'overtaken',
      sentence: 'The contact replied before this follow-up was sent, so it was not sent.',
    },
    { verdict: 'go' },
    { verdict: 'go' },
  ]);
});

test('stops an approved follow-up when the contact has answered', async () => {
  await empty();
  harness.agent(() => ({ messages: ['Hello'] }));
  const made = await service.create({
    objective: 'Sell the bicycle. The lock has the key KEY-4f3a-99bc-1d2e',
    target_contact: newPhone(),
    todos: [],
  });
  const id = instanceId(made.id);
  await harness.acknowledges(true);
  await reaches(id, 'WAITING_FOR_REPLY');
  await harness.acknowledges(false);
  harness.agent(() => ({ messages: ['The key is KEY-4f3a-99bc-1d2e'] }));
  await harness.heartbeat(id);
  await reaches(id, 'NEEDS_HUMAN_INTERVENTION');
  const [asked] = await harness.approvals.list('pending');
  await harness.approvals.approve(approvalId(asked?.id ?? ''));
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  harness.agent(() => ({ messages: [], nextHeartbeatMs: 3_600_000 }));
  await harness.reply(id, 'Here I am');
  expect(await waiting()).toEqual([]);
  await requeue('The key is KEY-4f3a-99bc-1d2e');
  expect(await verdicts()).toEqual([
    {
      verdict: 'stop',
      reason: 'overtaken',
      sentence: expect.stringContaining('replied before this follow-up'),
    },
  ]);
  await harness.quiet();
});

test('holds back only the agent’s messages of a paused conversation', async () => {
  await empty();
  harness.agent(() => ({ messages: ['Hello'] }));
  const [paused, other] = [await create(), await create()];
  for (const id of [paused, other]) await reaches(id, 'WAITING_FOR_REPLY');
  const { target_contact: phone } = await service.get(paused);
  await service.pause(paused);
  await sendAsOwner(conversations, { to: phone, text: 'From me' });
  expect(await waiting()).toEqual(['Hello', 'From me']);
  await service.resume(paused);
  expect(await waiting()).toEqual(['Hello', 'Hello', 'From me']);
  expect(await verdicts()).toEqual([{ verdict: 'go' }, { verdict: 'go' }, { verdict: 'go' }]);
});

test('stops the agent’s messages from before a takeover, and sends those after a resume', async () => {
  await empty();
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  await transaction(conversations, async (work) => {
    const row = await lockInstance(work.tx, conversations.lease, id);
    await applyEvents(conversations, work, row, [{ type: 'owner_takeover' }]);
  });
  const stopped = {
    verdict: 'stop',
    reason: 'taken_over',
    sentence: expect.stringContaining('took over this conversation'),
  };
  expect(await waiting()).toEqual([]);
  await requeue('Hello');
  expect(await verdicts()).toEqual([stopped]);
  await empty();
  await service.resume(id);
  await harness.reply(id, 'Hm');
  await harness.quiet();
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
});
