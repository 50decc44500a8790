// One batch of the inbox, in one transaction: people, chats and messages are written, what becomes of each
// message is left to a job, and the rows are done. A crash at any point leaves all of it or nothing.
import { MESSAGE_EVENT } from '@relay/core/api/events';
import type { InboxReader } from '@relay/core/messages/message';
import { sql } from 'kysely';
import type { Jobs } from '../jobs/jobs.ts';
import { findOrMakeChats } from '../store/chats.ts';
import { meet } from '../store/contacts.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { appendEvents } from '../store/events.ts';
import { fenced } from '../store/fenced.ts';
import type { Lease } from '../store/lease.ts';
import { putMessages, updateChats } from '../store/messages.ts';
import type { PersonNews } from './news.ts';
import { newsOf, peopleOf } from './news.ts';
import type { Placed } from './placed.ts';
import type { InboxRow, OpenRow, Refused, Taken } from './read.ts';
import { readRow } from './read.ts';
import { type StrangerBudget, withinBudget } from './strangers.ts';

export interface IntakeWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly open: OpenRow;
  readonly read: InboxReader;
  /** Without one, everything is stored. */
  readonly strangers?: StrangerBudget;
}

export interface Batch {
  readonly rows: number;
  readonly stored: number;
  readonly setAside: readonly { readonly seq: number; readonly failure: string }[];
}

/** The first open rows, at most `limit`. */
export function takeIn(world: IntakeWorld, limit: number): Promise<Batch> {
  return fenced(world.db, world.lease, async (tx) => {
    const rows = await openRows(world, tx, limit);
    const readings = rows.map((row) => readRow(row, world.open, world.read));
    const taken = readings.filter((reading): reading is Taken => 'message' in reading);
    const refused = readings.filter((reading): reading is Refused => 'failure' in reading);
    const stored = taken.length === 0 ? 0 : await store(world, tx, taken);
    const setAside = refused.flatMap(({ row, failure }) =>
      failure === null ? [] : [{ seq: row.seq, failure }],
    );
    await markDone(world, tx, rows, setAside);
    return { rows: rows.length, stored, setAside };
  });
}

/** Leaves the first open row for a person to look at, so that the rest goes on. */
export function setFirstAside(world: IntakeWorld, failure: string): Promise<void> {
  return fenced(world.db, world.lease, async (tx) => {
    const rows = await openRows(world, tx, 1);
    await markDone(
      world,
      tx,
      rows,
      rows.map(({ seq }) => ({ seq, failure })),
    );
  });
}

async function openRows(
  { lease }: IntakeWorld,
  tx: Transaction,
  limit: number,
): Promise<readonly InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    SELECT seq, chat, sender, message_id, stanza, content, digest, received_at FROM inbox
    WHERE account_id = ${lease.account} AND done_at IS NULL
    ORDER BY seq LIMIT ${limit}`.execute(tx);
  return rows;
}

async function store(
  { lease: { account }, jobs, strangers }: IntakeWorld,
  tx: Transaction,
  taken: readonly Taken[],
): Promise<number> {
  const all = await place(tx, account, taken);
  const placed = strangers === undefined ? all : await withinBudget(tx, account, strangers, all);
  const numbers = await putMessages(
    tx,
    account,
    placed.map(({ row, message, chat, sender }) => ({
      chat,
      sender,
      id: message.id,
      sentAt: message.sentAt,
      kind: message.kind,
      body: message.body,
      quotedId: message.quotedId,
      media: message.media,
      details: message.details,
      late: message.late,
      source: 'whatsapp',
      inboxSeq: row.seq,
    })),
  );
  const fresh = placed.flatMap((item, n) => {
    const number = numbers.get(n);
    return number === undefined ? [] : [{ ...item, number }];
  });
  if (fresh.length === 0) return 0;
  await updateChats(tx, account, newsOf(fresh));
  await updatePeople(tx, account, peopleOf(fresh));
  await appendEvents(
    tx,
    account,
    fresh.map(({ chat, message, number }) => ({
      kind: MESSAGE_EVENT,
      subject: chat,
      data: { number, message: message.id },
    })),
  );
  await jobs.enqueue(
    tx,
    'route',
    fresh.map(({ chat, message, number }) => ({
      key: `${account}:${chat}`,
      data: { account, message: number, sentAt: message.sentAt.toISOString() },
    })),
  );
  return fresh.length;
}

async function place(
  tx: Transaction,
  account: Lease['account'],
  taken: readonly Taken[],
): Promise<readonly Placed[]> {
  const people = taken.filter(({ person }) => person.length > 0);
  const met = await meet(
    tx,
    account,
    people.map(({ person }) => person),
  );
  const contacts = new Map(people.map((item, i) => [item, met[i]]));
  const direct = taken.filter(({ message }) => !message.isGroup);
  const chats = await findOrMakeChats(tx, account, {
    contacts: direct.flatMap((item) => contacts.get(item) ?? []),
    groups: taken.filter(({ message }) => message.isGroup).map(({ message }) => message.chat),
  });
  return taken.map((item) => {
    const { message } = item;
    const contact = contacts.get(item) ?? null;
    const chat = message.isGroup
      ? chats.ofGroup.get(message.chat)
      : contact && chats.ofContact.get(contact);
    if (!chat) throw new Error('a message without a chat');
    return { ...item, chat, sender: message.fromMe ? null : contact };
  });
}

async function updatePeople(
  tx: Transaction,
  account: Lease['account'],
  people: readonly PersonNews[],
): Promise<void> {
  await sql`UPDATE contacts c SET push_name = coalesce(n."pushName", c.push_name),
      last_message_at = greatest(c.last_message_at, n."lastMessageAt")
    FROM json_to_recordset(${JSON.stringify(people)}::json)
      AS n(contact uuid, "lastMessageAt" timestamptz, "pushName" text)
    WHERE c.account_id = ${account} AND c.id = n.contact`.execute(tx);
}

async function markDone(
  { lease }: IntakeWorld,
  tx: Transaction,
  rows: readonly Pick<InboxRow, 'seq'>[],
  aside: Batch['setAside'],
): Promise<void> {
  if (rows.length === 0) return;
  const failures = new Map(aside.map(({ seq, failure }) => [seq, failure]));
  await sql`UPDATE inbox SET done_at = now(), failure = done.failure
    FROM unnest(${rows.map(({ seq }) => seq)}::bigint[],
      ${rows.map(({ seq }) => failures.get(seq) ?? null)}::text[]) AS done(seq, failure)
    WHERE account_id = ${lease.account} AND inbox.seq = done.seq`.execute(tx);
}
