// Digests and their facts as documents of search, written in the transaction that writes them and gone with
// them. Facts are found one by one, at the time they were said; who took part and the mood are not looked for.
import type { AccountId, ChatId, DigestId } from '@relay/core/ids';
import { wordsOf } from '@relay/core/search/words';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { toVector } from './vector.ts';

interface Row {
  kind: 'digest' | 'fact';
  id: string;
  chat: ChatId;
  at: string;
  text: string;
}

/** In the place of those that stood for it before: a vector of the old words goes with them. */
export async function putDigestDocuments(
  tx: Transaction,
  account: AccountId,
  digest: DigestId,
): Promise<void> {
  await sql`DELETE FROM search_documents WHERE account_id = ${account} AND source_kind = 'digest'
    AND source_id = ${digest}`.execute(tx);
  await put(tx, account, [digest]);
}

/** All that there are, where words were cut another way before. */
export async function indexDigestsAnew(tx: Transaction, account: AccountId): Promise<void> {
  await sql`DELETE FROM search_documents WHERE account_id = ${account}
    AND source_kind IN ('digest', 'fact')`.execute(tx);
  const { rows } = await sql<{ id: DigestId }>`
    SELECT id FROM digests WHERE account_id = ${account}`.execute(tx);
  await put(
    tx,
    account,
    rows.map(({ id }) => id),
  );
}

async function put(
  tx: Transaction,
  account: AccountId,
  digests: readonly DigestId[],
): Promise<void> {
  const { rows } = await sql<Row>`
    SELECT 'digest' AS kind, d.id::text, d.chat_id AS chat, d.period_start::text AS at, d.body AS text
    FROM digests d WHERE d.account_id = ${account} AND d.id = ANY(${digests}::uuid[])
    UNION ALL
    SELECT 'fact', f.id::text, d.chat_id, coalesce(f.data->>'said_at', d.period_start::text),
      concat_ws(' ', f.data->>'who', f.body, f.data->>'when')
    FROM digest_facts f JOIN digests d ON d.account_id = f.account_id AND d.id = f.digest_id
    WHERE f.account_id = ${account} AND f.digest_id = ANY(${digests}::uuid[])
      AND f.kind IN ('decision', 'event', 'action_item', 'open_question')`.execute(tx);
  const documents = rows.flatMap(({ kind, id, chat, at, text }) => {
    const words = wordsOf(text);
    if (words.length === 0) return [];
    const length = new Set(words.map(({ term }) => term)).size;
    return [{ kind, id, chat, at, terms: toVector(words), length }];
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
