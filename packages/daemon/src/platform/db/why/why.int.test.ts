import type { MessageId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { answerLedgerRow } from '@relay/core/ledger/rows';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { takeInBatch } from '../../../pipeline/intake/intake.ts';
import {
  group,
  incoming,
  ME,
  openPlain,
  phone,
  readJson,
  receive,
} from '../../../pipeline/intake/testing/inbox.ts';
import { onRoute } from '../../../pipeline/router/router.ts';
import { appendLedger } from '../ledger.ts';
import { createLedgerReader } from '../ledger-reader.ts';

const harness = await freshDaemonHarness();
await harness.acknowledges(false);
const { sql, account, conversations, jobs } = harness;
const { db, lease } = conversations;
const reader = createLedgerReader({ db, account, admins: [], now: () => new Date(), zone: 'UTC' });
const _pacing = pacingSchema.parse({ enabled: false });
jobs.work('route', 4, onRoute(conversations));

async function arrives(...messages: Parameters<typeof incoming>[0][]): Promise<MessageId[]> {
  const all = messages.map(incoming);
  await receive(harness, account, all);
  const intake = { db, lease, jobs, unseal: openPlain, read: readJson };
  while ((await takeInBatch(intake, 200)).rows > 0);
  jobs.wake('route');
  await eventually(async () => {
    const open =
      "SELECT 1 FROM relay_jobs.job WHERE name = 'route' AND state < 'completed' LIMIT 1";
    return (await sql(open)).length === 0;
  });
  return all.map(({ id }) => id);
}

const why = async (id: string | undefined) => (await reader.why(id ?? '')).sentence;

async function grant(n: number, name: string): Promise<void> {
  await sql(
    `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply)
     SELECT account_id, contact_id, $2, true, true FROM contact_aliases WHERE value = $1`,
    [phone(n).split('@')[0], name],
  );
}

test('messages of a stranger, of a group and of the owner each have their own explanation', async () => {
  const [stranger, family, own] = await arrives(
    { chat: phone(1), pushName: 'Eve' },
    { chat: group(1), sender: phone(1) },
    { chat: phone(1), fromMe: true, sender: ME },
  );
  expect(await why(stranger)).toBe(
    'Stored, not answered: Eve (+4915100000001) had no grant; it was counted as a message request.',
  );
  expect(await why(family)).toBe(`Stored, not answered: the group “${group(1)}” is not observed.`);
  expect(await why(own)).toBe('Ignored because you wrote it.');
});

test('finds a message by a prefix of its id, and lists the candidates if it is ambiguous', async () => {
  const [one, two] = await arrives(
    { chat: phone(2), id: 'ABCD0001' as MessageId },
    { chat: phone(2), id: 'ABCD0002' as MessageId },
  );
  expect(await why('ABCD0001')).toBe(await why(one));
  expect((await reader.why('ABCD0002')).message_id).toBe(two);
  await expect(reader.why('ABCD')).rejects.toMatchObject({ code: 'message_ambiguous' });
  await expect(reader.why('ABCD')).rejects.toThrow(/ABCD0001.*ABCD0002|ABCD0002.*ABCD0001/);
  await expect(reader.why('nobody-sent-this')).rejects.toMatchObject({ code: 'message_unknown' });
  await expect(reader.why('A%')).rejects.toMatchObject({ code: 'message_unknown' });
});

test('the same id in two chats is distinguished by the chat', async () => {
  const id = 'SAMEID01' as MessageId;
  await arrives({ chat: phone(3), id });
  await grant(3, 'Mom');
  await arrives({ chat: phone(3) }, { chat: phone(4), id, pushName: 'Eve' });
  await expect(reader.why(id)).rejects.toMatchObject({ code: 'message_ambiguous' });
  const chats = await sql<{ id: string; value: string }>(
    `SELECT c.id, a.value FROM chats c JOIN contact_aliases a USING (account_id, contact_id)
     WHERE a.value = ANY($1) ORDER BY a.value`,
    [[phone(3), phone(4)].map((address) => address.split('@')[0])],
  );
  const names = await Promise.all(
    chats.map(async ({ id: chat }) => (await reader.why(id, chat as never)).chat.name),
  );
  expect(names).toEqual(['Mom', 'Eve (+4915100000004)']);
});

test('explains what auto-reply did with a message from its last ledger row about it', async () => {
  await arrives({ chat: phone(5) });
  await grant(5, 'Dad');
  const [id] = await arrives({ chat: phone(5) });
  expect(await why(id)).toBe(
    'Waiting: it was handed to auto-reply, because your grant for Dad allowed reading, and is queued.',
  );
  const { chat } = await reader.why(id ?? '');
  for (const reason of ['quiet_hours', 'nothing_said'] as const) {
    await db.transaction().execute((tx) =>
      appendLedger(
        tx,
        account,
        answerLedgerRow({
          actor: `auto_reply:${chat.id}`,
          message: id as MessageId,
          reason,
          detail: { chat: chat.id as never },
        }),
      ),
    );
  }
  expect(await why(id)).toBe(
    'Not answered: it was handed to auto-reply, because your grant for Dad allowed reading, but the model gave no answer.',
  );
});

test("explains whether a conversation's agent has read a message and what it answered", async () => {
  const id = await harness.create('+49 151 00000006');
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  harness.agent(() => ({ messages: ['I see'] }));
  const [message] = await arrives({ chat: phone(6) });
  await harness.quiet();
  expect(await why(message)).toMatch(
    /^Handed to the conversation “Get a quote” with \+4915100000006, whose agent \(run [0-9a-f]{8}\) read it and answered; the answer is queued\.$/,
  );
  const [taken] = await arrives({ chat: phone(6), fromMe: true, sender: ME });
  expect(await why(taken)).toBe(
    'You wrote this to +4915100000006 yourself, so the conversation “Get a quote” was paused.',
  );
  const [later] = await arrives({ chat: phone(6) });
  expect(await why(later)).toBe(
    'Handed to the conversation “Get a quote” with +4915100000006, which is paused, so its agent has not read it.',
  );
  const said = await sql<{ id: string; message_id: string }>(
    'SELECT id, message_id FROM outbox WHERE instance_id = $1 ORDER BY seq DESC LIMIT 1',
    [id],
  );
  expect(await why(said[0]?.id)).toBe(await why(said[0]?.message_id));
  expect(await why(said[0]?.id.slice(0, 10))).toMatch(
    /^The agent of the conversation “Get a quote” \(run [0-9a-f]{8}\) wrote this to \+4915100000006, which the permission of that conversation allowed; it was not sent, because you took over the conversation before it was sent\.$/,
  );
  const { rows } = await reader.why(said[0]?.id ?? '');
  expect(rows.map(({ action, outcome }) => `${action}: ${outcome}`)).toEqual([
    'send_message: allow',
    'stop_message: stopped',
  ]);
});

test('the ledger is read page by page in either order, with filters, and contains no message text', async () => {
  const all = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await reader.list({ order: 'oldest', limit: 3, cursor });
    all.push(...page.entries);
    cursor = page.cursor ?? undefined;
    if (!page.more) break;
  }
  const newest = await reader.list({ order: 'newest', limit: 500 });
  expect(newest.entries.toReversed()).toEqual(all);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, n) => n + 1));
  const knocks = await reader.list({
    order: 'newest',
    limit: 500,
    actor: 'router',
    outcome: 'stored',
  });
  expect(knocks.entries.map(({ reason }) => reason)).toContain('no_grant');
  expect(new Set(knocks.entries.map(({ who }) => who))).toEqual(new Set(['router']));
  expect(
    (await reader.list({ order: 'newest', limit: 9, actor: 'conversation' })).entries[0],
  ).toMatchObject({
    who: 'conversation “Get a quote”',
    about: '+4915100000006',
    sentence: 'You allowed it when you created this conversation.',
  });
  expect(JSON.stringify(all)).not.toContain('hello');
  // Later rows are found after the last cursor.
  await arrives({ chat: phone(1) });
  expect((await reader.list({ order: 'oldest', limit: 9, cursor })).entries).toHaveLength(1);
});
