// First messages that the daily limit of first contacts, or a pause that WhatsApp has ordered, keeps in the outbox: when
// each can leave at the earliest. Looked up for whoever is shown them; what is told is decided again when it leaves.
import type { AccountId, InstanceId, OutboxId } from '@relay/core/ids';
import { activeFreeze } from '@relay/core/outbox/freeze';
import { firstContactTimes } from '@relay/core/outbox/pacing';
import type { Pacing } from '@relay/core/settings';
import { sql } from 'kysely';
import { readFreezes } from '../outbox/freezes.ts';
import { isFirst, sendingsOf } from '../outbox/ready.ts';
import type { Reader } from '../store/database.ts';

export interface QueuedFirstContact {
  readonly id: OutboxId;
  readonly instance: InstanceId | null;
  /** It leaves no earlier than this. */
  readonly from: Date;
}

/** For people: why it waits, and until when. */
export const queuedSentence = ({ from }: Pick<QueuedFirstContact, 'from'>): string =>
  `Writing to new people is limited. It can leave from ${from.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;

/** How many are looked at: more than leave in weeks. */
const MOST = 200;

export async function queuedFirstContacts(
  db: Reader,
  account: AccountId,
  pacing: Pacing,
  now: Date,
): Promise<readonly QueuedFirstContact[]> {
  // Of several to one person the first alone counts as a first contact, and the others wait behind it.
  const { rows } = await sql<{ id: OutboxId; instance: InstanceId | null }>`
    SELECT o.id, o.instance_id AS instance FROM outbox o
    WHERE o.account_id = ${account} AND o.state = 'pending' AND NOT o.in_doubt AND ${isFirst(sql.ref('o'))}
      AND NOT EXISTS (SELECT FROM outbox e WHERE e.account_id = o.account_id AND e.chat_id = o.chat_id
        AND e.state = 'pending' AND e.seq < o.seq)
    ORDER BY o.seq LIMIT ${MOST}`.execute(db);
  if (rows.length === 0) return [];
  const freeze = activeFreeze(await readFreezes(db, account), 'first_contacts', now);
  const history = pacing.enabled ? await sendingsOf(db, account, now) : [];
  const times = firstContactTimes(history, pacing, freeze?.until ?? now, rows.length);
  return rows.flatMap(({ id, instance }, nth) => {
    const from = times[nth];
    return from !== undefined && from > now ? [{ id, instance, from }] : [];
  });
}
