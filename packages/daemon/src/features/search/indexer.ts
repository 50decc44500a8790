// Follows `messages` and indexes them for search while the daemon runs: never in the transaction that stores a message,
// always after it. Its position is in `search_progress`, so a restart continues there.
// Invariant: the position passes a message only when no running transaction can still add one before it.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { AccountId, ChatId, ContactId, DigestId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { isMark } from '@relay/core/messages/message';
import { saysChange } from '@relay/core/search/overtaken';
import { INDEX_VERSION, splitIntoWords } from '@relay/core/search/words';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { PostgresEventLog } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { PIECE_CHARACTERS } from '../../platform/db/message-text.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type NextLook, PollLoop } from '../../platform/poll-loop.ts';
import { toTsvector } from './tsvector.ts';

interface IndexerOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly log: Log;
  readonly events: Pick<PostgresEventLog, 'subscribe' | 'hint'>;
  /** Called when everything is indexed. */
  readonly onIndexed?: () => void;
}

const BATCH = 500;
/** Others decide how long messages are, so a batch ends after this many bytes and pauses after this many characters. */
const BATCH_BYTES = 2_000_000;
const CHARACTERS_AT_A_STRETCH = 50_000;
/**
 * Indexing is not urgent: messages that arrive within this time form one batch, so that it does not slow down storing
 * them.
 */
const GATHER_MS = 150;
const RETRY_MS = 2_000;

export class Indexer {
  readonly #options: IndexerOptions;
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#options.log.warn('search index failed; retrying', { error });
      this.#upTo = null;
      return RETRY_MS;
    },
    gatherMs: GATHER_MS,
  });
  /** The position; unknown at first, and after a failure. */
  #upTo: number | null = null;
  #unsubscribe: () => void = () => {};

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.events.subscribe(() => this.hint());
    this.#loop.start();
  }

  hint(): void {
    this.#loop.hint();
  }

  /** Resolves when every message that is stored now can be found. */
  caughtUp(): Promise<void> {
    return this.#loop.caughtUp();
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#loop.stop();
  }

  async #look(): Promise<NextLook> {
    const { db, lease } = this.#options;
    const newest = await newestMessage(db);
    if (newest === this.#upTo) return Number.POSITIVE_INFINITY;
    if (!(await waitForOlderTransactions(db, () => this.#loop.isStopping))) return 'more';
    while (await indexNext(db, lease, newest)) if (this.#loop.isStopping) return 'more';
    this.#upTo = newest;
    this.#options.onIndexed?.();
    return Number.POSITIVE_INFINITY;
  }
}

async function newestMessage(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END AS id FROM message_ids`.execute(db);
  return rows[0]?.id ?? 0;
}

interface MessageToIndex {
  id: number;
  chat_id: ChatId;
  sender_id: ContactId | null;
  /** As the database formats it: to the microsecond, which a Date would lose. */
  sent_at: string;
  kind: string;
  body: string;
}

/**
 * Indexes the next messages up to the number `newest` and saves the position, in one transaction. True when there may
 * be more.
 */
async function indexNext(db: Db, lease: Lease, newest: number): Promise<boolean> {
  return transaction({ db, lease }, async ({ tx }) => {
    const from = await lockIndexProgress(tx, lease.account);
    if (from >= newest) return false;
    const { rows: next } = await sql<{ id: number; bytes: number }>`
      SELECT id, sum(octet_length(body)) OVER (ORDER BY id)::float8 AS bytes FROM messages
      WHERE account_id = ${lease.account} AND id > ${from} AND id <= ${newest}
      ORDER BY id LIMIT ${BATCH}`.execute(tx);
    const taken = next.filter(({ bytes }, n) => n === 0 || bytes <= BATCH_BYTES);
    const isMore = taken.length < next.length || next.length === BATCH;
    const upTo = isMore ? (taken.at(-1)?.id ?? newest) : newest;
    // Locked against deletion, so that no document outlives its message.
    const { rows } = await sql<MessageToIndex>`
      SELECT id, chat_id, sender_id, sent_at::text, kind, body FROM messages
      WHERE account_id = ${lease.account} AND id > ${from} AND id <= ${upTo}
      ORDER BY id FOR KEY SHARE`.execute(tx);
    const documents = await toDocuments(lease.account, rows);
    await sql`
      WITH added AS (
        INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, contact_id, at, terms, length,
          changes)
        SELECT ${lease.account}::bigint, 'message', d.id, d.chat, d.contact, d.at, d.terms::tsvector, d.length,
          d.changes
        FROM json_to_recordset(${JSON.stringify(documents)}::json) AS d(id text, chat uuid, contact uuid,
          at timestamptz, terms text, length int, changes boolean)
        ON CONFLICT DO NOTHING RETURNING 1
      )
      UPDATE search_progress SET indexed_up_to = ${upTo}, documents = documents + (SELECT count(*) FROM added)
      WHERE account_id = ${lease.account}`.execute(tx);
    return isMore;
  });
}

/** A long message takes up to a tenth of a second, so other work runs in between. */
export async function toDocuments(account: AccountId, rows: readonly MessageToIndex[]) {
  const documents: ReturnType<typeof toDocument> = [];
  let characters = 0;
  for (const row of rows) {
    documents.push(...toDocument(account, row));
    characters += row.body.length;
    if (characters < CHARACTERS_AT_A_STRETCH) continue;
    await nextTurn();
    characters = 0;
  }
  return documents;
}

function toDocument(
  account: AccountId,
  { id, chat_id, sender_id, sent_at, kind, body }: MessageToIndex,
) {
  if (isMark(kind)) return [];
  const words = splitIntoWords(body);
  if (words.length === 0) return [];
  const length = new Set(words.map(({ term }) => term)).size;
  return [
    {
      id: String(id),
      chat: chat_id,
      contact: sender_id,
      at: sent_at,
      terms: toTsvector(account, words),
      length,
      changes: saysChange(words),
    },
  ];
}

/** Locks and returns the position; starts again from the beginning when the index version has changed. */
async function lockIndexProgress(tx: Transaction, account: AccountId): Promise<number> {
  const { rows } = await sql<{ version: number; indexed_up_to: number }>`
    SELECT version, indexed_up_to FROM search_progress WHERE account_id = ${account} FOR UPDATE`.execute(
    tx,
  );
  const row = rows[0];
  if (row?.version === INDEX_VERSION) return row.indexed_up_to;
  await sql`DELETE FROM search_documents WHERE account_id = ${account} AND source_kind = 'message'`.execute(
    tx,
  );
  await sql`INSERT INTO search_progress (account_id, version) VALUES (${account}, ${INDEX_VERSION})
    ON CONFLICT (account_id) DO UPDATE
      SET version = excluded.version, indexed_up_to = 0, documents = 0`.execute(tx);
  await reindexDigests(tx, account);
  await reindexMedia(tx, account);
  return 0;
}

// What was understood of media, in pieces, so that a long document is found by any of its words. Written in the
// transaction that stores it, deleted with the media.

interface MediaTextRow extends Omit<MessageToIndex, 'body'> {
  text: string;
}

/** By the number of its message. Adds nothing if it is indexed already. */
export async function indexMedia(
  tx: Transaction,
  account: AccountId,
  message: number | null,
): Promise<void> {
  const { rows } = await sql<MediaTextRow>`
    SELECT m.id, m.chat_id, m.sender_id, m.sent_at::text, m.kind, coalesce(x.transcript, x.extracted) AS text
    FROM media x JOIN messages m ON m.account_id = x.account_id AND m.sent_at = x.message_at AND m.id = x.message
    WHERE x.account_id = ${account} AND (${message}::bigint IS NULL OR x.message = ${message}::bigint)
      AND coalesce(x.transcript, x.extracted) IS NOT NULL`.execute(tx);
  for (const { text, ...row } of rows) {
    const pieces = Array.from({ length: Math.ceil(text.length / PIECE_CHARACTERS) }, (_, n) => ({
      ...row,
      body: text.slice(n * PIECE_CHARACTERS, (n + 1) * PIECE_CHARACTERS),
    }));
    const documents: object[] = [];
    for (const [n, piece] of pieces.entries()) {
      const [document] = await toDocuments(account, [piece]);
      if (document !== undefined) documents.push({ ...document, id: `${row.id}.${n}` });
      await nextTurn();
    }
    await sql`
      WITH added AS (
        INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, contact_id, at, terms, length)
        SELECT ${account}::bigint, 'media', d.id, d.chat, d.contact, d.at, d.terms::tsvector, d.length
        FROM json_to_recordset(${JSON.stringify(documents)}::json) AS d(id text, chat uuid, contact uuid,
          at timestamptz, terms text, length int)
        ON CONFLICT DO NOTHING RETURNING 1
      )
      UPDATE search_progress SET documents = documents + (SELECT count(*) FROM added)
      WHERE account_id = ${account}`.execute(tx);
  }
}

/** Indexes all of it again when the index version has changed. */
async function reindexMedia(tx: Transaction, account: AccountId): Promise<void> {
  await sql`DELETE FROM search_documents WHERE account_id = ${account} AND source_kind = 'media'`.execute(
    tx,
  );
  await indexMedia(tx, account, null);
}

// Digests and their facts as search documents, written and deleted together with them. Facts are found one by one, at
// the time they refer to; participants and mood are not indexed.

interface DigestDocumentRow {
  kind: 'digest' | 'fact';
  id: string;
  chat: ChatId;
  at: string;
  text: string;
}

/** Replaces the digest's former documents; the vectors of the old text are deleted with them. */
export async function indexDigest(
  tx: Transaction,
  account: AccountId,
  digest: DigestId,
): Promise<void> {
  await sql`DELETE FROM search_documents WHERE account_id = ${account} AND source_kind = 'digest'
    AND source_id = ${digest}`.execute(tx);
  await insertDigestDocuments(tx, account, [digest]);
}

/** Indexes all digests again when the index version has changed. */
async function reindexDigests(tx: Transaction, account: AccountId): Promise<void> {
  await sql`DELETE FROM search_documents WHERE account_id = ${account}
    AND source_kind IN ('digest', 'fact')`.execute(tx);
  const { rows } = await sql<{ id: DigestId }>`
    SELECT id FROM digests WHERE account_id = ${account}`.execute(tx);
  await insertDigestDocuments(
    tx,
    account,
    rows.map(({ id }) => id),
  );
}

async function insertDigestDocuments(
  tx: Transaction,
  account: AccountId,
  digests: readonly DigestId[],
): Promise<void> {
  const { rows } = await sql<DigestDocumentRow>`
    SELECT 'digest' AS kind, d.id::text, d.chat_id AS chat, d.period_start::text AS at, d.body AS text
    FROM digests d WHERE d.account_id = ${account} AND d.id = ANY(${digests}::uuid[])
    UNION ALL
    SELECT 'fact', f.id::text, d.chat_id, coalesce(f.data->>'said_at', d.period_start::text),
      concat_ws(' ', f.data->>'who', f.body, f.data->>'when')
    FROM digest_facts f JOIN digests d ON d.account_id = f.account_id AND d.id = f.digest_id
    WHERE f.account_id = ${account} AND f.digest_id = ANY(${digests}::uuid[])
      AND f.kind IN ('decision', 'event', 'action_item', 'open_question')`.execute(tx);
  const documents = rows.flatMap(({ kind, id, chat, at, text }) => {
    const words = splitIntoWords(text);
    if (words.length === 0) return [];
    const length = new Set(words.map(({ term }) => term)).size;
    return [{ kind, id, chat, at, terms: toTsvector(account, words), length }];
  });
  await sql`
    WITH added AS (
      INSERT INTO search_documents (account_id, source_kind, source_id, chat_id, at, terms, length)
      SELECT ${account}::bigint, d.kind, d.id, d.chat, d.at, d.terms::tsvector, d.length
      FROM json_to_recordset(${JSON.stringify(documents)}::json) AS d(kind text, id text, chat uuid,
        at timestamptz, terms text, length int)
      RETURNING 1
    )
    UPDATE search_progress SET documents = documents + (SELECT count(*) FROM added)
    WHERE account_id = ${account}`.execute(tx);
}

// A message gets its number before other transactions can see it. So after reading the newest number, the indexer waits
// here until no transaction can add a message before it.

/** How long to wait for a transaction that is writing. */
const UNSETTLED_MS = 20;

/** False when stopped before. */
export async function waitForOlderTransactions(db: Db, stopping: () => boolean): Promise<boolean> {
  const after = await laterTransaction(db);
  while (!(await areOlderTransactionsOver(db, after))) {
    if (stopping()) return false;
    await pause(UNSETTLED_MS);
  }
  return true;
}

/**
 * A transaction of our own, begun after the newest number was read: every transaction with a number up to it began
 * before. A snapshot alone is not enough: its upper bound does not cover running transactions if none that began after
 * them has ended.
 */
async function laterTransaction(db: Db): Promise<string> {
  const { rows } = await sql<{ xid: string }>`SELECT pg_current_xact_id()::text AS xid`.execute(db);
  return rows[0]?.xid ?? '0';
}

async function areOlderTransactionsOver(db: Db, xid: string): Promise<boolean> {
  const { rows } = await sql<{ settled: boolean }>`
    SELECT pg_snapshot_xmin(pg_current_snapshot()) >= ${xid}::xid8 AS settled`.execute(db);
  return rows[0]?.settled === true;
}
