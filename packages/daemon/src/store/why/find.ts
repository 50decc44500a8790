// Which message is meant: by WhatsApp's id or the outbox's, whole, or by its beginning where that fits one
// alone. The same id may stand in several chats: each sender chooses their own.
import { RelayError } from '@relay/core/errors';
import type { AccountId, ChatId, MessageId, OutboxId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

export interface Found {
  readonly messageId: MessageId;
  readonly chat: ChatId;
  /** Where it stands in `messages`; null of one that has not left. */
  readonly number: number | null;
  readonly sentAt: Date | null;
  /** Relay's own, of a message it sends. */
  readonly outbox: OutboxId | null;
}

const CANDIDATES = 5;
const BEGINNING = /^[\w.-]{4,128}$/;

/** All that fit, at most one more than are ever named. */
export async function findMessages(
  db: Reader,
  account: AccountId,
  given: string,
  chat: ChatId | null,
): Promise<readonly Found[]> {
  const id = given.trim();
  const whole = await matching(db, account, { id, beginning: false, chat });
  if (whole.length > 0) return whole;
  if (!BEGINNING.test(id)) throw new RelayError('message_unknown', { id });
  return matching(db, account, { id, beginning: true, chat });
}

/** By the whole id alone. */
export const findWhole = (db: Reader, account: AccountId, id: string): Promise<readonly Found[]> =>
  matching(db, account, { id, beginning: false, chat: null });

interface Wanted {
  readonly id: string;
  readonly beginning: boolean;
  readonly chat: ChatId | null;
}

async function matching(
  db: Reader,
  account: AccountId,
  { id, beginning, chat }: Wanted,
): Promise<readonly Found[]> {
  const pattern = `${id.replace(/[\\%_]/g, '\\$&')}%`;
  const fits = (column: string) =>
    beginning ? sql`${sql.ref(column)} LIKE ${pattern}` : sql`${sql.ref(column)} = ${id}`;
  const ours = beginning
    ? sql`o.id::text LIKE ${pattern.toLowerCase()}`
    : sql`o.id::text = ${id.toLowerCase()}`;
  const { rows } = await sql<Found>`
    SELECT message_id AS "messageId", chat_id AS chat, number, "sentAt", outbox FROM (
      SELECT o.message_id, o.chat_id, k.id AS number, k.sent_at AS "sentAt", o.id AS outbox
      FROM outbox o LEFT JOIN message_keys k ON k.account_id = o.account_id AND k.chat_id = o.chat_id
        AND k.message_id = o.message_id AND k.sender = 'me'
      WHERE o.account_id = ${account} AND (${fits('o.message_id')} OR ${ours})
      UNION ALL
      SELECT k.message_id, k.chat_id, k.id, k.sent_at, NULL FROM message_keys k
      WHERE k.account_id = ${account} AND ${fits('k.message_id')}
        AND NOT (k.sender = 'me' AND EXISTS (SELECT FROM outbox o
          WHERE o.account_id = k.account_id AND o.message_id = k.message_id))
    ) found WHERE ${chat}::uuid IS NULL OR chat_id = ${chat}
    ORDER BY "sentAt" DESC NULLS FIRST, number DESC LIMIT ${CANDIDATES + 1}`.execute(db);
  return rows;
}

/** For a person to choose from. */
export function candidates(found: readonly Found[], names: ReadonlyMap<ChatId, string>): string {
  const named = found.slice(0, CANDIDATES).map(({ messageId, chat, sentAt }) => {
    const time = sentAt === null ? 'not sent yet' : sentAt.toISOString();
    return `${messageId} (${names.get(chat) ?? 'a chat'}, ${time}, --chat ${chat})`;
  });
  return [...named, ...(found.length > CANDIDATES ? ['…'] : [])].join('; ');
}
