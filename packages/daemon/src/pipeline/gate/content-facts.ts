// Checks what a message refers to, when it is submitted and again just before it is sent: its file must be stored, with
// the bytes that were named, and an agent may send only files that it was given; a message that it changes must exist in
// the chat and be the sender's own. A file taints like text of its author.
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { AccountId, ChatId, TokenId } from '@relay/contract/ids';
import { targetMessageId } from '@relay/core/messages/outgoing';
import type { Actor } from '@relay/core/policy/actors';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import type { ReasonFor } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { ownContactsSql } from '../../platform/db/names-and-addresses.ts';
import { actorName } from './actors.ts';

export interface ContentFacts {
  /** Why it cannot be sent; null if it can. */
  readonly fault: ReasonFor<'deny'> | null;
  /** The author of the content, for taint. */
  readonly taint: Taint;
}

export const NO_CONTENT: ContentFacts = { fault: null, taint: UNTAINTED };

interface ContentContext {
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly now: Date;
}

interface ContentQuery {
  readonly actor: Actor;
  readonly chat: ChatId;
  readonly content: OutgoingContent | null;
}

/** In the given order. Files are looked up in one statement, because all messages that wait are checked together. */
export async function loadContentFacts(
  tx: Transaction,
  { account, admins, now }: ContentContext,
  asked: readonly ContentQuery[],
): Promise<readonly ContentFacts[]> {
  const files = await findFiles(tx, { account, admins }, asked);
  const facts: ContentFacts[] = [];
  for (const [index, query] of asked.entries()) {
    const { content } = query;
    const target = content === null ? null : targetMessageId(content);
    if (content?.kind === 'media') facts.push(fileFacts(query, files.get(index)));
    else if (content === null || target === null) facts.push(NO_CONTENT);
    else {
      const fault = await targetFault(tx, { ...query, account, now }, content.kind, target);
      facts.push({ fault, taint: UNTAINTED });
    }
  }
  return facts;
}

const refused = (fault: ReasonFor<'deny'>): ContentFacts => ({ fault, taint: UNTAINTED });

interface FileRow {
  readonly chat_id: ChatId | null;
  readonly token_id: TokenId | null;
  /** It is in the owner's own chat: the owner put it there. */
  readonly own: boolean;
  /** The owner attached it to the conversation that sends it. */
  readonly given: boolean;
}

/** Stored files with the bytes that were named, by their place in the list. */
async function findFiles(
  tx: Transaction,
  { account, admins }: Pick<ContentContext, 'account' | 'admins'>,
  asked: readonly ContentQuery[],
): Promise<ReadonlyMap<number, FileRow>> {
  const wanted = asked.flatMap(({ actor, content }, at) =>
    content?.kind === 'media'
      ? [{ at, ...content, instance: actor.kind === 'conversation' ? actor.instance : null }]
      : [],
  );
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<FileRow & { readonly at: number }>`
    SELECT w.at, m.chat_id, m.token_id,
      EXISTS (SELECT FROM chats c WHERE c.account_id = m.account_id AND c.id = m.chat_id
        AND c.contact_id IN (${ownContactsSql(account, admins)})) AS own,
      EXISTS (SELECT FROM instances i WHERE i.account_id = m.account_id AND i.id = w.instance
        AND i.options->'media' ? w.media::text) AS given
    FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS w(at int, media uuid, sha256 text, bytes bigint,
        instance uuid)
      JOIN media m ON m.account_id = ${account} AND m.id = w.media AND m.state = 'stored' AND NOT m.view_once
        AND m.sha256 = decode(w.sha256, 'hex')
      JOIN media_objects o ON o.account_id = m.account_id AND o.sha256 = m.sha256 AND o.bytes = w.bytes
    ORDER BY m.id FOR KEY SHARE OF m`.execute(tx);
  return new Map(rows.map((row) => [row.at, row]));
}

function fileFacts({ actor, chat }: ContentQuery, file: FileRow | undefined): ContentFacts {
  if (file === undefined) return refused('no_such_file');
  const { chat_id: of, token_id: by } = file;
  if (
    (actor.kind === 'conversation' || actor.kind === 'auto_reply') &&
    of !== chat &&
    !file.given
  ) {
    return refused('file_not_given');
  }
  // A client can only guess the id of an upload of another client or of the owner.
  if (actor.kind === 'token' && of === null && by !== actor.token) return refused('no_such_file');
  const isOwnUpload = actor.kind === 'token' && by === actor.token;
  return {
    fault: null,
    taint: {
      // What the owner attached to the conversation, the owner wants to be sent there.
      chats: of === null || file.own || file.given ? [] : [of],
      outside: false,
      ...(by === null || of !== null || isOwnUpload ? {} : { clients: [by] }),
    },
  };
}

// The message that a reaction, an edit or a deletion is about.

/** How long WhatsApp lets a message be changed after it was sent. */
const CHANGEABLE_MS: Readonly<Record<'edit' | 'delete', number>> = {
  edit: 15 * 60_000,
  delete: 60 * 3_600_000,
};

interface TargetRow {
  readonly sender: string;
  readonly sent_at: Date;
  /** Who asked for it; null if Relay did not send it. */
  readonly actor: string | null;
}

async function targetFault(
  tx: Transaction,
  { account, actor, chat, now }: ContentQuery & Pick<ContentContext, 'account' | 'now'>,
  kind: OutgoingContent['kind'],
  target: string,
): Promise<ReasonFor<'deny'> | null> {
  const { rows } = await sql<TargetRow>`
    SELECT k.sender, k.sent_at, p.actor FROM message_keys k
      LEFT JOIN outbox o ON o.account_id = k.account_id AND o.chat_id = k.chat_id AND o.message_id = k.message_id
        AND k.sender = 'me'
      LEFT JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE k.account_id = ${account} AND k.chat_id = ${chat} AND k.message_id = ${target}
    ORDER BY k.sender = 'me' DESC LIMIT 1`.execute(tx);
  const [found] = rows;
  if (found === undefined) return 'no_such_message';
  if (kind !== 'edit' && kind !== 'delete') return null;
  if (found.sender !== 'me' || !wrote(actor, found.actor)) return 'not_own_message';
  const age = now.getTime() - found.sent_at.getTime();
  return age > CHANGEABLE_MS[kind] ? 'too_late_to_change' : null;
}

/** The owner may change everything that the account sent, an agent only what it sent itself. */
function wrote(actor: Actor, name: string | null): boolean {
  if (actor.kind === 'owner') return true;
  // Each run of the assistant has a name of its own.
  if (actor.kind === 'assistant') return name?.startsWith('assistant:') === true;
  return name === actorName(actor);
}
