// Rows of the ledger as the API tells them: who, what and about whom by name, the reason in words.
import type { LedgerLine } from '@relay/core/api/ledger';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { actorWords } from '@relay/core/ledger/actor-words';
import { actionWords, reasonWords } from '@relay/core/ledger/line';
import type { Place } from '@relay/core/ledger/story';
import { called } from '@relay/core/ledger/words';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { peopleNamed, placesOf } from '../names.ts';
import type { StoredRow } from './rows.ts';

export async function toLines(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  rows: readonly StoredRow[],
): Promise<LedgerLine[]> {
  const chats = rows.flatMap((row) => [chatOf(row) ?? [], readBefore(row)].flat());
  const contacts = rows.flatMap((row) => contactOf(row) ?? []);
  const places = await placesOf(db, account, admins, chats);
  const people = await peopleNamed(db, account, contacts);
  const names = await actorsNamed(
    db,
    account,
    rows.map(({ actor }) => actor),
  );
  const about = (row: StoredRow): string | null => {
    const [chat, contact] = [chatOf(row), contactOf(row)];
    const place = chat === null ? undefined : places.get(chat);
    if (place !== undefined) return place.kind === 'own' ? 'you' : called(place.name);
    const person = contact === null ? undefined : people.get(contact);
    return person === undefined ? null : called(person);
  };
  return rows.map((row) => ({
    seq: row.seq,
    at: row.at.toISOString(),
    actor: row.actor,
    who: actorWords(row.actor, names.get(row.actor) ?? null),
    action: row.action,
    what: actionWords(row.action),
    subject: { kind: row.subject_kind, id: row.subject_id },
    about: about(row),
    outcome: row.outcome,
    reason: row.reason,
    sentence: [reasonWords(row.action, row.reason), ...taintWords(readBefore(row), places)].join(
      ' ',
    ),
    detail: { ...row.detail },
  }));
}

const chatOf = ({ subject_kind, subject_id, detail }: StoredRow): ChatId | null =>
  subject_kind === 'chat' ? (subject_id as ChatId) : (detail.chat ?? null);

const readBefore = ({ detail }: StoredRow): readonly ChatId[] => detail.taint?.chats ?? [];

const MOST_NAMED = 3;

/** What makes it doubtful, by name; a chat that was erased has none. */
function taintWords(chats: readonly ChatId[], places: ReadonlyMap<ChatId, Place>): string[] {
  if (chats.length === 0) return [];
  const named = chats.flatMap((chat) => places.get(chat)?.name ?? []).map(called);
  const more = chats.length - Math.min(named.length, MOST_NAMED);
  const others =
    more === 0 ? [] : [`${more} ${named.length === 0 ? '' : 'other '}chat${more === 1 ? '' : 's'}`];
  return [`Read before: ${[...named.slice(0, MOST_NAMED), ...others].join(', ')}.`];
}

const contactOf = ({ subject_kind, subject_id, detail }: StoredRow): ContactId | null =>
  subject_kind === 'contact' ? (subject_id as ContactId) : (detail.contact ?? null);

/** What whoever acts is called: a conversation by its objective, a program as the owner named it. */
export async function actorsNamed(
  db: Reader,
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
