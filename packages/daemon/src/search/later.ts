// What overtook a message: later ones of its chat that say that something has changed, as far as whoever asks
// may read. The newest few hundred of a chat are looked at.
import { type Later, overtaking } from '@relay/core/search/changed';
import { sql } from 'kysely';
import { narrowed, type Place, type Where } from './candidates.ts';
import { readableChats, type SearchScope } from './scope.ts';

interface Row {
  readonly id: number;
  readonly words: readonly string[];
  readonly later: readonly { id: number; at: number; words: readonly string[] }[];
}

const MOST = 300;

/** By the document that was overtaken, the one that did it. */
export async function findOvertaking(
  { db, account, admins }: Place,
  scope: SearchScope,
  where: Where,
  documents: readonly number[],
): Promise<ReadonlyMap<number, Later<number>>> {
  if (documents.length === 0) return new Map();
  const { rows } = await sql<Row>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)})
    SELECT h.id, tsvector_to_array(h.terms) AS words, l.later
    FROM search_documents h, LATERAL (
      SELECT json_agg(json_build_object('id', c.id, 'at', extract(epoch FROM c.at) * 1000,
        'words', tsvector_to_array(c.terms))) AS later
      FROM (
        SELECT d.id, d.at, d.terms FROM search_documents d
        WHERE d.account_id = ${account} AND d.chat_id = h.chat_id AND d.at > h.at AND d.changes
          AND ${narrowed([], where)}
        ORDER BY d.at DESC LIMIT ${MOST}
      ) c
    ) l
    WHERE h.account_id = ${account} AND h.id = ANY(${documents}::bigint[])
      AND h.source_kind = 'message' AND l.later IS NOT NULL AND h.chat_id IN (SELECT id FROM readable)`.execute(
    db,
  );
  return new Map(
    rows.flatMap(({ id, words, later }) => {
      const found = overtaking(
        words,
        later.map((each) => ({ ...each, at: new Date(each.at) })),
      );
      return found === null ? [] : [[id, found]];
    }),
  );
}
