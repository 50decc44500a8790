// A batch of messages out of an exported chat, in one transaction. Each has an id made of what it says, so that
// it is stored once however often and in whatever pieces the chat is imported; and what came to the account
// over the wire is not stored again. Invariant: nothing is routed: these are only to be found.
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/core/ids';
import type { Content } from '@relay/core/ingest/media';
import { type Author, pair, SKEW_MS } from '@relay/core/ingest/pair';
import { essence } from '@relay/core/ingest/same';
import type { MessageDetails } from '@relay/core/messages/message';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import { putMessages, updateChats } from '../../store/messages.ts';

export interface OldMessage {
  readonly id: MessageId;
  readonly at: Date;
  readonly content: Content;
  /** Null when the owner wrote it. */
  readonly name: string | null;
  /** Those it may be by; null where nobody is called so. */
  readonly authors: ReadonlySet<Author> | null;
  readonly sender: ContactId | null;
}

/** `ids`: of this batch and of those beside it, whose rows are no others' messages. */
export async function storeBatch(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  batch: readonly OldMessage[],
  ids: ReadonlySet<MessageId>,
): Promise<number> {
  const known = await knownIds(tx, account, chat, batch);
  const unknown = batch.filter(({ id }) => !known.has(id));
  if (unknown.length === 0) return 0;
  const heard = await around(tx, account, chat, unknown, ids);
  const fresh = withoutHeard(unknown, heard);
  const stored = await putMessages(
    tx,
    account,
    fresh.map(({ id, at, content, name, sender }) => ({
      ...content,
      chat,
      sender,
      ...(name === null ? {} : { senderName: name }),
      id,
      sentAt: at,
      quotedId: null,
      late: false,
      source: 'import',
      inboxSeq: null,
    })),
  );
  if (stored.size > 0) {
    const last = new Date(fresh.reduce((latest, { at }) => Math.max(latest, +at), 0));
    await updateChats(tx, account, [{ chat, lastMessageAt: last, unread: 0, answered: false }]);
  }
  return stored.size;
}

async function knownIds(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  batch: readonly OldMessage[],
): Promise<ReadonlySet<MessageId>> {
  const { rows } = await sql<{ id: MessageId }>`SELECT message_id AS id FROM message_keys
    WHERE account_id = ${account} AND chat_id = ${chat} AND message_id = ANY(${batch.map(({ id }) => id)}::text[])`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}

interface Row {
  message_id: MessageId;
  sent_at: Date;
  sender_id: ContactId | null;
  from_me: boolean;
  kind: string;
  body: string;
  details: MessageDetails | null;
}

interface HeardMessage {
  readonly at: Date;
  readonly essence: string;
  readonly author: Author | null;
}

async function around(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  batch: readonly OldMessage[],
  ids: ReadonlySet<MessageId>,
): Promise<readonly HeardMessage[]> {
  const times = batch.map(({ at }) => +at);
  const from = new Date(times.reduce((a, b) => Math.min(a, b)) - SKEW_MS);
  const to = new Date(times.reduce((a, b) => Math.max(a, b)) + SKEW_MS);
  const { rows } = await sql<Row>`
    SELECT message_id, sent_at, sender_id, from_me, kind, body, details FROM messages
    WHERE account_id = ${account} AND chat_id = ${chat} AND sent_at BETWEEN ${from} AND ${to}`.execute(
    tx,
  );
  const others = rows.filter(({ message_id }) => !ids.has(message_id));
  return others.map((row) => ({
    at: row.sent_at,
    essence: essence(row),
    author: row.from_me ? 'me' : row.sender_id,
  }));
}

/** Compared only among those that may say the same; a mention is written in two ways, so those are together. */
const bucketOf = (said: string): string => (said.includes('@') ? '@' : said);

function withoutHeard(
  batch: readonly OldMessage[],
  heard: readonly HeardMessage[],
): readonly OldMessage[] {
  if (heard.length === 0) return batch;
  const told = batch
    .map((message) => ({ ...message, essence: essence(message.content), message }))
    // Whose author is certain chooses first.
    .sort((a, b) => Number(a.authors === null) - Number(b.authors === null));
  const places = Map.groupBy(heard, (one) => bucketOf(one.essence));
  const gone = new Set<OldMessage>();
  for (const [bucket, group] of Map.groupBy(told, (one) => bucketOf(one.essence))) {
    const pairs = pair(group, places.get(bucket) ?? []);
    group.forEach(({ message }, n) => {
      if (pairs[n] !== null) gone.add(message);
    });
  }
  return batch.filter((message) => !gone.has(message));
}
