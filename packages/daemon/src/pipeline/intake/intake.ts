// Stores what the transport received, in order, while the daemon runs. A hint makes it immediate, a poll every second
// makes it certain. One unreadable row never stops the rest.

import { MESSAGE_EVENT } from '@relay/contract/api/events';
import { RelayError } from '@relay/contract/errors';
import type { ChatId, ContactId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { type InboxReader, TEXT_KINDS } from '@relay/core/messages/message';
import { sql } from 'kysely';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvents } from '../../platform/db/events.ts';
import { isDatabaseUnavailable } from '../../platform/db/failures.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { recordReceivedMedia } from '../../platform/db/media.ts';
import { type ChatUpdate, putMessages, updateChats } from '../../platform/db/messages.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { PollLoop } from '../../platform/poll-loop.ts';
import {
  type InboxRow,
  type PlacedMessage,
  parseInboxRow,
  type ReadableRow,
  type UnreadableRow,
  type UnsealRow,
} from './inbox-row.ts';
import { applyStrangerBudget, type StrangerBudget } from './stranger-budget.ts';

interface IntakeOptions extends IntakeDeps {
  readonly log: Log;
  /** Called after a commit that stored something. */
  readonly onStored?: () => void;
}

const BATCH_SIZE = 500;
const RETRY_MS = 1_000;

export class Intake {
  readonly #options: IntakeOptions;
  readonly #loop = new PollLoop({
    look: async () => ((await this.#batch()) ? 'more' : Number.POSITIVE_INFINITY),
    failed: (error) => {
      this.#options.log.warn('intake failed; retrying', { error });
      return RETRY_MS;
    },
  });

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.hint();
  }

  /** Resolves when everything that is in the inbox now has been stored. */
  waitUntilEmpty(): Promise<void> {
    return this.#loop.caughtUp();
  }

  /** Waits for the batch in progress. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** True if there may be more rows. */
  async #batch(): Promise<boolean> {
    try {
      return this.#note(await takeInBatch(this.#options, BATCH_SIZE)) === BATCH_SIZE;
    } catch (error) {
      if (!isRowFault(error)) throw error;
      this.#options.log.warn('inbox batch failed; trying each row alone', { error });
      return this.#oneByOne();
    }
  }

  async #oneByOne(): Promise<boolean> {
    for (let n = 0; n < BATCH_SIZE && !this.#loop.isStopping; n++) {
      try {
        if (this.#note(await takeInBatch(this.#options, 1)) === 0) return false;
      } catch (error) {
        if (!isRowFault(error)) throw error;
        await setFirstRowAside(this.#options, 'failed');
        this.#options.log.error('inbox row set aside', { reason: 'failed', error });
      }
    }
    return true;
  }

  #note(batch: IntakeBatch): number {
    const { log, onStored } = this.#options;
    for (const { failure } of batch.setAside) {
      log.warn('inbox row set aside', { reason: failure });
    }
    if (batch.stored > 0) onStored?.();
    return batch.rows;
  }
}

/** Whether the rows are the cause: data that the database refuses, or code that cannot handle them. */
function isRowFault(error: unknown): boolean {
  if (error instanceof RelayError || isDatabaseUnavailable(error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code !== 'string' || /^2[23]...$/.test(code);
}

// Stores one batch of the inbox in one transaction: contacts, chats, messages and a job for each message, then deletes
// the rows. After a crash either all of it is there or nothing. A message that is delivered again is recognized by its
// key in `message_keys`.

export interface IntakeDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly unseal: UnsealRow;
  readonly read: InboxReader;
  /** Without a budget, everything is stored. */
  readonly strangers?: StrangerBudget;
  /** The owner's other numbers, in digits. */
  readonly admins?: readonly string[];
}

interface IntakeBatch {
  readonly rows: number;
  readonly stored: number;
  readonly setAside: readonly { readonly seq: number; readonly failure: string }[];
}

/** Takes the first open rows, at most `limit`. */
export function takeInBatch(deps: IntakeDeps, limit: number): Promise<IntakeBatch> {
  return transaction(deps, async ({ tx }) => {
    const rows = await openRows(deps, tx, limit);
    const readings = rows.map((row) => parseInboxRow(row, deps.unseal, deps.read));
    const taken = readings.filter((reading): reading is ReadableRow => 'message' in reading);
    const refused = readings.filter((reading): reading is UnreadableRow => 'failure' in reading);
    const stored = taken.length === 0 ? 0 : await storeMessages(deps, tx, taken);
    const setAside = refused.flatMap(({ row, failure }) =>
      failure === null ? [] : [{ seq: row.seq, failure }],
    );
    await closeRows(deps, tx, rows, setAside);
    return { rows: rows.length, stored, setAside };
  });
}

/** Sets the first open row aside for a person to look at, so that the rest continues. */
function setFirstRowAside(deps: IntakeDeps, failure: string): Promise<void> {
  return transaction(deps, async ({ tx }) => {
    const rows = await openRows(deps, tx, 1);
    await closeRows(
      deps,
      tx,
      rows,
      rows.map(({ seq }) => ({ seq, failure })),
    );
  });
}

async function openRows(
  { lease }: IntakeDeps,
  tx: Transaction,
  limit: number,
): Promise<readonly InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    SELECT seq, chat, sender, message_id, stanza, content, received_at FROM inbox
    WHERE account_id = ${lease.account} AND done_at IS NULL
    ORDER BY seq LIMIT ${limit}`.execute(tx);
  return rows;
}

async function storeMessages(
  { lease: { account }, jobs, strangers, admins = [] }: IntakeDeps,
  tx: Transaction,
  taken: readonly ReadableRow[],
): Promise<number> {
  const all = await placeMessages(tx, account, taken);
  const placed =
    strangers === undefined ? all : await applyStrangerBudget(tx, account, strangers, all);
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
      isLate: message.late,
      source: 'whatsapp',
      inboxSeq: row.seq,
    })),
  );
  const fresh = placed.flatMap((item, n) => {
    const number = numbers.get(n);
    return number === undefined ? [] : [{ ...item, number }];
  });
  if (fresh.length === 0) return 0;
  await updateChats(tx, account, collectChatUpdates(fresh));
  await updatePeople(tx, account, collectContactUpdates(fresh));
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
  const toDownload = await recordReceivedMedia(tx, account, admins, fresh.flatMap(toReceivedMedia));
  await jobs.enqueue(
    tx,
    'media',
    toDownload.map((id) => ({ key: id, data: { account, subject: id } })),
  );
  return fresh.length;
}

function toReceivedMedia({ chat, message, number }: PlacedMessage & { readonly number: number }) {
  const { kind, viewOnce = false, ...media } = message.media ?? {};
  // An edit repeats the file of the message that it changes.
  if (message.media === null || kind === undefined || message.details?.edits) return [];
  const { id, sentAt } = message;
  return [
    {
      mimeType: null,
      fileName: null,
      seconds: null,
      size: null,
      ...media,
      kind,
      viewOnce,
      chat,
      message: number,
      id,
      sentAt,
    },
  ];
}

async function placeMessages(
  tx: Transaction,
  account: Lease['account'],
  taken: readonly ReadableRow[],
): Promise<readonly PlacedMessage[]> {
  const people = taken.filter(({ person }) => person.length > 0);
  const met = await resolveSightings(
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
      ? chats.byGroup.get(message.chat)
      : contact && chats.byContact.get(contact);
    if (!chat) throw new Error('a message without a chat');
    return { ...item, chat, sender: message.fromMe ? null : contact };
  });
}

async function updatePeople(
  tx: Transaction,
  account: Lease['account'],
  people: readonly ContactUpdate[],
): Promise<void> {
  await sql`UPDATE contacts c SET push_name = coalesce(n."pushName", c.push_name),
      last_message_at = greatest(c.last_message_at, n."lastMessageAt")
    FROM json_to_recordset(${JSON.stringify(people)}::json)
      AS n(contact uuid, "lastMessageAt" timestamptz, "pushName" text)
    WHERE c.account_id = ${account} AND c.id = n.contact`.execute(tx);
}

/** Deletes the rows except those set aside, and those of strangers' messages that are not stored. */
async function closeRows(
  { lease }: IntakeDeps,
  tx: Transaction,
  rows: readonly Pick<InboxRow, 'seq'>[],
  aside: IntakeBatch['setAside'],
): Promise<void> {
  if (aside.length > 0) {
    await sql`UPDATE inbox SET done_at = now(), failure = refused.failure
      FROM unnest(${aside.map(({ seq }) => seq)}::bigint[],
        ${aside.map(({ failure }) => failure)}::text[]) AS refused(seq, failure)
      WHERE account_id = ${lease.account} AND inbox.done_at IS NULL AND inbox.seq = refused.seq`.execute(
      tx,
    );
  }
  if (rows.length === 0) return;
  await sql`DELETE FROM inbox WHERE account_id = ${lease.account} AND done_at IS NULL
    AND seq = ANY(${rows.map(({ seq }) => seq)}::bigint[])`.execute(tx);
}

// Collects what a batch of new messages changes about its chats and contacts. The latest message counts.

function collectChatUpdates(messages: readonly PlacedMessage[]): readonly ChatUpdate[] {
  const chats = new Map<ChatId, ChatUpdate>();
  for (const { chat, message } of messages) {
    const before = chats.get(chat);
    const { sentAt, fromMe, expiresAfterS, kind } = message;
    // Text always carries the chat's timer for disappearing messages; for other kinds only one that is present counts.
    const timer = expiresAfterS !== null || TEXT_KINDS.has(kind) ? { expiresAfterS } : {};
    chats.set(chat, {
      ...before,
      ...timer,
      chat,
      lastMessageAt: latest(before?.lastMessageAt, sentAt),
      unread: fromMe ? 0 : (before?.unread ?? 0) + 1,
      isAnswered: fromMe || (before?.isAnswered ?? false),
    });
  }
  return [...chats.values()];
}

/** When a contact last wrote, and their profile name. */
interface ContactUpdate {
  readonly contact: ContactId;
  readonly lastMessageAt: Date;
  readonly pushName: string | null;
}

function collectContactUpdates(messages: readonly PlacedMessage[]): readonly ContactUpdate[] {
  const people = new Map<ContactId, ContactUpdate>();
  for (const { sender, message } of messages) {
    if (sender === null) continue;
    const before = people.get(sender);
    people.set(sender, {
      contact: sender,
      lastMessageAt: latest(before?.lastMessageAt, message.sentAt),
      pushName: message.pushName ?? before?.pushName ?? null,
    });
  }
  return [...people.values()];
}

const latest = (before: Date | undefined, now: Date): Date =>
  before !== undefined && before > now ? before : now;
