// Stores forwarded notifications of observed groups in one transaction: each becomes a message with a job to route it,
// as if the account had received it. Invariant: nothing from other groups is stored, and nothing that the linked
// account has already received is stored again.
import { createHash } from 'node:crypto';
import { MESSAGE_EVENT } from '@relay/contract/api/events';
import {
  type ForwardedNotification,
  type IngestReport,
  type IngestService,
  type PlaceholderKind,
  parseInstant,
} from '@relay/contract/api/ingest';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, MessageId } from '@relay/contract/ids';
import {
  isDeletionNotice,
  readPlaceholder,
  type StoredContent,
  toStoredContent,
} from '@relay/core/ingest/media';
import {
  cleanShownName,
  findGroupsByName,
  type NameResolver,
  onlyContactIn,
} from '@relay/core/ingest/names';
import { haveSameEssence, messageEssence } from '@relay/core/ingest/pairing';
import type { MessageDetails } from '@relay/core/messages/message';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvents, type PostgresEventLog } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { putMessages, updateChats } from '../../platform/db/messages.ts';
import { dedupeNotifications, loadChatMemberNames } from '../../platform/db/notification-dedupe.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';

interface IngestDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly events: Pick<PostgresEventLog, 'hint'>;
  readonly now: () => Date;
}

/** A phone shows a notification again when another one arrives: the same text within this time is a repetition. */
const REPEATED_WITHIN_MS = 120_000;
/** Older notifications are long digested, and no clock is a day ahead. */
const OLDEST_MS = 7 * 86_400_000;
const AHEAD_MS = 86_400_000;

export function createIngestService(deps: IngestDeps): IngestService {
  return {
    async take(notifications) {
      const given = notifications.map((notification) =>
        parseNotification(notification, deps.now()),
      );
      const report = await transaction(deps, ({ tx }) => takeAll(deps, tx, given));
      if (report.taken > 0) deps.jobs.wake('route');
      return report;
    },
  };
}

interface ParsedNotification {
  readonly group: string;
  readonly sender: string;
  readonly at: Date;
  /** Null if it says that a message was deleted. */
  readonly content: StoredContent | null;
}

function parseNotification(notification: ForwardedNotification, now: Date): ParsedNotification {
  const { group, sender, text, timestamp, media_type } = notification;
  const at = parseInstant(timestamp) ?? now;
  if (+at < +now - OLDEST_MS || +at > +now + AHEAD_MS) throw new RelayError('notification_time');
  const { media, words, seconds } = readPlaceholder(text, mediaOf(media_type));
  if (media === null && words === '') throw new RelayError('notification_empty');
  const content = isDeletionNotice(text) ? null : toStoredContent(media, words, seconds);
  return { group, sender: cleanShownName(sender) || sender.trim(), at, content };
}

function mediaOf(type: ForwardedNotification['media_type']): PlaceholderKind | null {
  if (type === 'voice') return 'audio';
  if (type === 'gif') return 'video';
  return type === undefined || type === 'text' ? null : type;
}

interface Observed {
  readonly chat: ChatId;
  readonly subject: string;
}

async function takeAll(
  deps: IngestDeps,
  tx: Transaction,
  given: readonly ParsedNotification[],
): Promise<IngestReport> {
  const { account } = deps.lease;
  const groups = await observedGroups(tx, account);
  const places = given.map(({ group }) => matchObservedGroup(groups, group));
  // Locked in a fixed order until the commit, so that two requests cannot both be the first.
  await sql`SELECT 1 FROM observed_groups WHERE account_id = ${account} AND chat_id = ANY(${places}::uuid[])
    ORDER BY chat_id FOR NO KEY UPDATE`.execute(tx);
  const people = new Map<ChatId, NameResolver>();
  for (const chat of new Set(places))
    people.set(chat, await loadChatMemberNames(tx, account, chat));
  const report = { taken: 0, repeated: 0, left_out: 0 };
  for (const [n, { content, ...one }] of given.entries()) {
    const chat = places[n] as ChatId;
    if (content === null) report.left_out += 1;
    else if (
      await takeOne(deps, tx, { ...one, content, chat, who: people.get(chat) as NameResolver })
    )
      report.taken += 1;
    else report.repeated += 1;
  }
  return report;
}

async function observedGroups(tx: Transaction, account: AccountId): Promise<readonly Observed[]> {
  const { rows } = await sql<Observed>`
    SELECT c.id AS chat, c.subject FROM observed_groups o
      JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
    WHERE o.account_id = ${account} AND c.subject IS NOT NULL`.execute(tx);
  return rows;
}

function matchObservedGroup(groups: readonly Observed[], name: string): ChatId {
  const [group, ...others] = findGroupsByName(groups, name);
  if (group === undefined) throw new RelayError('notification_group_unknown');
  if (others.length > 0) throw new RelayError('notification_group_ambiguous');
  return group.chat;
}

interface PlacedNotification extends Omit<ParsedNotification, 'content'> {
  readonly content: StoredContent;
  readonly chat: ChatId;
  readonly who: NameResolver;
}

/** False if it is already known. */
async function takeOne(
  deps: IngestDeps,
  tx: Transaction,
  given: PlacedNotification,
): Promise<boolean> {
  const { account } = deps.lease;
  const { chat, sender, at, content, who } = given;
  if (await isRepeated(tx, account, given)) return false;
  const id = idOf(given);
  const numbers = await putMessages(tx, account, [
    {
      ...content,
      chat,
      sender: onlyContactIn(who(sender)),
      senderName: sender,
      id,
      sentAt: at,
      quotedId: null,
      isLate: false,
      source: 'notification',
      inboxSeq: null,
    },
  ]);
  const number = numbers.get(0);
  if (number === undefined) return false;
  await sql`INSERT INTO notifications (account_id, chat_id, sender_name, at, message)
    VALUES (${account}, ${chat}, ${sender}, ${at}, ${number})`.execute(tx);
  const gone = await dedupeNotifications(tx, account, { chat, number, sentAt: at });
  if (gone.includes(number)) return false;
  await updateChats(tx, account, [{ chat, lastMessageAt: at, unread: 0, isAnswered: false }]);
  await appendEvents(tx, account, [
    { kind: MESSAGE_EVENT, subject: chat, data: { number, message: id } },
  ]);
  const data = { account, message: number, sentAt: at.toISOString() };
  await deps.jobs.enqueue(tx, 'route', [{ key: `${account}:${chat}`, data }]);
  return true;
}

interface SaidRow {
  sender_name: string;
  kind: string;
  body: string;
  details: MessageDetails | null;
}

async function isRepeated(
  tx: Transaction,
  account: AccountId,
  { chat, sender, at, content }: PlacedNotification,
): Promise<boolean> {
  const { rows } = await sql<SaidRow>`
    SELECT n.sender_name, m.kind, m.body, m.details
    FROM notifications n JOIN messages m ON m.account_id = n.account_id AND m.id = n.message
    WHERE n.account_id = ${account} AND n.chat_id = ${chat} AND n.at BETWEEN
      ${new Date(+at - REPEATED_WITHIN_MS)} AND ${new Date(+at + REPEATED_WITHIN_MS)}`.execute(tx);
  const said = messageEssence(content);
  return rows.some(
    (row) => row.sender_name === sender && haveSameEssence(said, messageEssence(row)),
  );
}

/** Derived from the notification, so that a repetition is recognized for as long as message keys are kept. */
function idOf({ chat, sender, at, content }: PlacedNotification): MessageId {
  const hash = createHash('sha256');
  for (const part of [
    chat,
    sender,
    at.toISOString(),
    content.kind,
    content.body,
    content.details?.words ?? '',
  ]) {
    hash.update(part).update('\0');
  }
  return `NOTE${hash.digest('hex').slice(0, 28).toUpperCase()}` as MessageId;
}
