// A stored message as its owner reads it: who wrote it, in which name, and what it is in words. The columns are of
// `messages m`; an author is told by whom the gate let it out for.
import type { Author, ChatMessage } from '@relay/core/api/chats';
import type { ContactId } from '@relay/core/ids';
import type { IncomingMedia, MessageDetails } from '@relay/core/messages/message';
import { saidIn } from '@relay/core/messages/said';
import { sql } from 'kysely';

export type Said = Pick<ChatMessage, 'author' | 'name' | 'label' | 'text'>;

export interface SaidRow {
  kind: string;
  body: string;
  media: IncomingMedia | null;
  details: MessageDetails | null;
  from_me: boolean;
  sender_id: ContactId | null;
  sender_name: string | null;
  /** Who had it sent, as permits name them; null for what Relay did not send. */
  actor: string | null;
  program: string | null;
}

/** Of `messages m`, with `OUT` joined. */
export const SAID = sql`m.kind, m.body, m.media, m.details, m.from_me, m.sender_id, m.sender_name,
  permit.actor, token.name AS program`;

/** What Relay sent itself, of `messages m`: its way out, who asked for it, and their name if they are a program. */
export const OUT = sql`
  LEFT JOIN outbox o ON o.account_id = m.account_id AND o.message_id = m.message_id AND m.from_me
  LEFT JOIN permits permit ON permit.account_id = o.account_id AND permit.id = o.permit_id
  LEFT JOIN tokens token ON token.account_id = permit.account_id AND permit.actor = 'token:' || token.id`;

const AUTHORS: Readonly<Record<string, Author>> = {
  owner: 'owner',
  conversation: 'conversation',
  auto_reply: 'auto_reply',
  observer: 'auto_reply',
  assistant: 'assistant',
  token: 'program',
  scheduler: 'schedule',
  notifier: 'relay',
};

export function toSaid(row: SaidRow, names: ReadonlyMap<ContactId, string>): Said {
  const author = authorOf(row);
  const person = row.sender_id === null ? undefined : names.get(row.sender_id);
  const named = author === 'contact' ? (person ?? row.sender_name ?? 'somebody') : row.program;
  return { author, name: named, ...saidIn(row) };
}

function authorOf({ from_me, actor }: SaidRow): Author {
  if (!from_me) return 'contact';
  return AUTHORS[actor?.split(':', 1)[0] ?? ''] ?? 'phone';
}

export const sendersOf = (rows: readonly Pick<SaidRow, 'sender_id'>[]): ContactId[] =>
  rows.flatMap(({ sender_id }) => (sender_id === null ? [] : [sender_id]));
