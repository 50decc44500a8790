// The end of messages, a bounded number at a time: the words, every copy of them that stands under the same
// message, and what was made to find them (by triggers). Invariant: one that WhatsApp delivers again stays erased.
import type { AccountId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from '../database.ts';
import { fenced } from '../fenced.ts';
import type { Lease } from '../lease.ts';

/** So many in one transaction: short enough to disturb nobody. */
const AT_ONCE = 1_000;

/** `which` speaks of `messages m`. Returns how many went. */
export async function eraseSome(
  tx: Transaction,
  account: AccountId,
  which: RawBuilder<unknown>,
  limit = AT_ONCE,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH doomed AS MATERIALIZED (
      SELECT m.id, m.sent_at, m.chat_id, m.message_id, m.received_at, m.source FROM messages m
      WHERE m.account_id = ${account} AND (${which}) LIMIT ${limit} FOR UPDATE
    ), marked AS (
      INSERT INTO erased_messages (account_id, mark)
      SELECT DISTINCT ${account}::bigint, erased_mark(${account}, message_id) FROM doomed
      WHERE source IN ('whatsapp', 'relay') ON CONFLICT DO NOTHING
    ), keys AS (
      DELETE FROM message_keys k USING doomed d WHERE k.account_id = ${account}
        AND k.message_id = d.message_id AND k.chat_id = d.chat_id AND k.id = d.id
    ), received AS (
      DELETE FROM inbox i USING doomed d WHERE i.account_id = ${account}
        AND i.message_id = d.message_id AND i.received_at = d.received_at
    ), journal AS (
      -- Written in the same transaction as what was received, hence at the very same time.
      DELETE FROM decrypt_journal j USING doomed d WHERE j.account_id = ${account} AND j.at = d.received_at
    ), heard AS (
      DELETE FROM session_messages l USING doomed d, sessions s WHERE l.account_id = ${account}
        AND l.message_id = d.message_id AND s.account_id = ${account} AND s.id = l.session_id AND s.chat_id = d.chat_id
    ), gone AS (
      DELETE FROM messages m USING doomed d
      WHERE m.account_id = ${account} AND m.sent_at = d.sent_at AND m.id = d.id RETURNING m.id
    )
    SELECT count(*) AS count FROM gone`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** All of them, in as many transactions as it takes. */
export async function eraseAll(
  db: Reader,
  lease: Lease,
  which: RawBuilder<unknown>,
  onProgress: (erased: number) => void = () => {},
): Promise<number> {
  let total = 0;
  for (;;) {
    const erased = await fenced(db, lease, (tx) => eraseSome(tx, lease.account, which));
    total += erased;
    if (erased > 0) onProgress(total);
    if (erased < AT_ONCE) return total;
  }
}
