import { chatId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { pacingSchema } from '@relay/core/settings';
import type { Verdict } from '@relay/daemon/outbox/claim';
import { findReady } from '@relay/daemon/outbox/ready';
import { freshWorld } from '@relay/testing/world';
import { expect, test } from 'vitest';
import { recheckPermits } from './recheck.ts';
import { sendAsOwner } from './send.ts';

const world = await freshWorld();
const { account, database, sql, conversations, create, reaches, verbs } = world;
const pacing = pacingSchema.parse({ enabled: false });

/** The verdict on each message that waits, oldest first. */
const verdicts = (): Promise<readonly Verdict[]> =>
  database.kysely.transaction().execute(async (tx) => {
    const now = new Date();
    const rows = await findReady(tx, account, {
      now,
      room: 100,
      inFlight: [],
      firstContacts: 'open',
      reconciled: true,
      horizon: new Date(0),
    });
    return recheckPermits(account, pacing)(tx, rows);
  });

const empty = () => sql('DELETE FROM outbox');

test('what a conversation said may leave, also its farewell; once cancelled it says no more', async () => {
  await empty();
  world.agent(() => ({ messages: ['Goodbye'], end: 'done' }));
  const id = await create();
  await reaches(id, 'COMPLETED');
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);

  world.agent(() => ({ messages: ['Hello'] }));
  const other = await create();
  await reaches(other, 'WAITING_FOR_REPLY');
  await verbs.cancel(other);
  expect((await verdicts())[1]).toMatchObject({ verdict: 'stop' });
});

test('a grant taken back stops what waits under it, and a hold lets everything wait', async () => {
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
    { verdict: 'stop', sentence: expect.stringContaining('writing') },
  ]);
});

test('words that are not the ones permitted do not leave', async () => {
  await empty();
  await sendAsOwner(conversations, { to: '+49 151 8880000', text: 'Hello' });
  await sql("UPDATE outbox SET body = 'Something else'");
  expect(await verdicts()).toMatchObject([{ verdict: 'stop' }]);
});
