// Reads ledger rows by subject, for explanations of what happened.

import type { LedgerLine } from '@relay/contract/api/ledger';
import type { AccountId, ApprovalId, ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { describeActor, shortName } from '@relay/core/ledger/format';
import { describeAction, describeReason } from '@relay/core/ledger/line-format';
import type { LedgerDetail } from '@relay/core/ledger/rows';
import type { StoryChat } from '@relay/core/ledger/story';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import { loadChatNames, loadContactNames } from './names-and-addresses.ts';

export interface StoredLedgerRow {
  readonly seq: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly outcome: string;
  readonly reason: string;
  readonly detail: LedgerDetail & Readonly<Record<string, unknown>>;
}

export const LEDGER_COLUMNS = sql`l.seq, l.at, l.actor, l.action, l.subject_kind, l.subject_id, l.outcome, l.reason, l.detail`;

/** The rows about one subject, oldest first. */
export async function ledgerRowsAbout(
  db: Db,
  account: AccountId,
  kind: string,
  id: string,
): Promise<readonly StoredLedgerRow[]> {
  const { rows } = await sql<StoredLedgerRow>`SELECT ${LEDGER_COLUMNS} FROM ledger l
    WHERE l.account_id = ${account} AND l.subject_kind = ${kind} AND l.subject_id = ${id}
    ORDER BY l.seq`.execute(db);
  return rows;
}

/**
 * The rows about one message. The chat is compared only if the message id exists in several chats: a chat that was
 * merged into another had a different id when the rows were written.
 */
export async function ledgerRowsAboutMessage(
  db: Db,
  account: AccountId,
  { id, chat, number }: { readonly id: MessageId; readonly chat: ChatId; readonly number: number },
): Promise<readonly StoredLedgerRow[]> {
  const rows = await ledgerRowsAbout(db, account, 'message', id);
  const { rows: same } = await sql`SELECT 1 FROM message_keys
    WHERE account_id = ${account} AND message_id = ${id} LIMIT 2`.execute(db);
  if (same.length < 2) return rows;
  return rows.filter(({ detail }) =>
    detail.number === undefined ? detail.chat === chat : detail.number === number,
  );
}

/** At most this many rows about one approval, the newest ones; the same approval may be requested many times. */
const MAX_ROWS_ABOUT_APPROVAL = 20;

/** The request, the owner's answer and what it released, over all edited versions of the text. */
export async function ledgerRowsAboutApproval(
  db: Db,
  account: AccountId,
  id: ApprovalId,
): Promise<readonly StoredLedgerRow[]> {
  const { rows } = await sql<StoredLedgerRow>`
    WITH questions AS MATERIALIZED (
      SELECT q.id, p.kind, p.id AS place, ledger_commitment(q.account_id, p.kind, p.id, encode(q.intent_hash, 'hex')) AS hash
      FROM approvals a JOIN approvals q ON q.account_id = a.account_id
          AND (q.id = coalesce(a.began_as, a.id) OR q.began_as = coalesce(a.began_as, a.id)),
        LATERAL (SELECT CASE WHEN q.intent->'of' ? 'contact' THEN 'contact' ELSE 'chat' END AS kind,
          coalesce(q.intent->>'chat', q.intent->'of'->>'chat', q.intent->'of'->>'contact') AS id) p
      WHERE a.account_id = ${account} AND a.id = ${id}
    )
    SELECT ${LEDGER_COLUMNS} FROM ledger l JOIN questions q ON l.subject_kind = 'approval' AND l.subject_id = q.id::text
    WHERE l.account_id = ${account}
    UNION SELECT ${LEDGER_COLUMNS} FROM ledger l JOIN questions q
      ON l.subject_kind = q.kind AND l.subject_id = q.place AND l.detail->>'hash' = q.hash
    WHERE l.account_id = ${account}
    ORDER BY seq DESC LIMIT ${MAX_ROWS_ABOUT_APPROVAL}`.execute(db);
  return rows.toReversed();
}

export async function ledgerRowBySeq(
  db: Db,
  account: AccountId,
  seq: number,
): Promise<StoredLedgerRow | null> {
  const { rows } = await sql<StoredLedgerRow>`SELECT ${LEDGER_COLUMNS} FROM ledger l
    WHERE l.account_id = ${account} AND l.seq = ${seq}`.execute(db);
  return rows[0] ?? null;
}

// Ledger rows as the API returns them: actor, action and subject by name, the reason as a sentence.

export async function toLedgerLines(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  rows: readonly StoredLedgerRow[],
): Promise<LedgerLine[]> {
  const chats = rows.flatMap((row) => [chatOfRow(row) ?? [], readBefore(row)].flat());
  const contacts = rows.flatMap((row) => contactOfRow(row) ?? []);
  const places = await loadChatNames(db, account, admins, chats);
  const people = await loadContactNames(db, account, contacts);
  const names = await loadActorNames(
    db,
    account,
    rows.map(({ actor }) => actor),
  );
  const about = (row: StoredLedgerRow): string | null => {
    const [chat, contact] = [chatOfRow(row), contactOfRow(row)];
    const place = chat === null ? undefined : places.get(chat);
    if (place !== undefined) return place.kind === 'own' ? 'you' : shortName(place.name);
    const person = contact === null ? undefined : people.get(contact);
    return person === undefined ? null : shortName(person);
  };
  return rows.map((row) => {
    const read = sourcesReadBefore(row, places);
    return {
      seq: row.seq,
      at: row.at.toISOString(),
      actor: row.actor,
      who: describeActor(row.actor, names.get(row.actor) ?? null),
      action: row.action,
      what: describeAction(row.action),
      subject: { kind: row.subject_kind, id: row.subject_id },
      about: about(row),
      outcome: row.outcome,
      reason: row.reason,
      sentence: [describeReason(row.action, row.reason), ...taintWords(read)].join(' '),
      read_before: read,
      detail: { ...row.detail },
    };
  });
}

const chatOfRow = ({ subject_kind, subject_id, detail }: StoredLedgerRow): ChatId | null =>
  subject_kind === 'chat' ? (subject_id as ChatId) : (detail.chat ?? null);

const readBefore = ({ detail }: StoredLedgerRow): readonly ChatId[] => detail.taint?.chats ?? [];

const MAX_NAMED_CHATS = 3;

/** The chats whose text tainted the decision, by name; an erased chat has none. */
function sourcesReadBefore(
  row: StoredLedgerRow,
  places: ReadonlyMap<ChatId, StoryChat>,
): LedgerLine['read_before'] {
  const chats = readBefore(row);
  const outside = row.detail.taint?.outside ?? false;
  if (chats.length === 0 && !outside) return null;
  const names = chats.flatMap((chat) => places.get(chat)?.name ?? []).map(shortName);
  const shown = names.slice(0, MAX_NAMED_CHATS);
  return { names: shown, more: chats.length - shown.length, outside };
}

function taintWords(read: LedgerLine['read_before']): string[] {
  if (read === null) return [];
  const { names, more, outside } = read;
  const others = `${more} ${names.length === 0 ? '' : 'other '}chat${more === 1 ? '' : 's'}`;
  const all = [
    ...names,
    ...(more === 0 ? [] : [others]),
    ...(outside ? ['text from outside WhatsApp'] : []),
  ];
  return [`Read before: ${all.join(', ')}.`];
}

const contactOfRow = ({ subject_kind, subject_id, detail }: StoredLedgerRow): ContactId | null =>
  subject_kind === 'contact' ? (subject_id as ContactId) : (detail.contact ?? null);

/** Display names of actors: a conversation by its objective, a client by the name the owner gave it. */
export async function loadActorNames(
  db: Db,
  account: AccountId,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const named = actors.filter((actor) => /^(conversation|token):/.test(actor));
  if (named.length === 0) return new Map();
  const ids = named.map((actor) => actor.split(':')[1]);
  const { rows: found } = await sql<{ actor: string; name: string }>`
    SELECT 'conversation:' || id AS actor, objective AS name FROM instances
    WHERE account_id = ${account} AND id::text = ANY(${ids}::text[])
    UNION ALL SELECT 'token:' || id, name FROM tokens
    WHERE account_id = ${account} AND id::text = ANY(${ids}::text[])`.execute(db);
  return new Map(found.map(({ actor, name }) => [actor, name]));
}
