// Ends every conversation with one contact, before that contact is erased. Those in the queue first: ending
// the one that holds the contact would otherwise wake the next.
import type { ContactId } from '@relay/core/ids';
import { instanceId } from '@relay/core/ids';
import type { ConversationVerbs } from '@relay/core/ports/conversations';
import { sql } from 'kysely';
import type { ConversationWorld } from './work.ts';

export const endAll =
  ({ db, lease }: Pick<ConversationWorld, 'db' | 'lease'>, { cancel }: ConversationVerbs) =>
  async (contact: ContactId): Promise<void> => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM instances WHERE account_id = ${lease.account} AND contact_id = ${contact}
        AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')
      ORDER BY state = 'QUEUED' OR previous_state IS NOT DISTINCT FROM 'QUEUED' DESC, queue_seq DESC`.execute(
      db,
    );
    for (const { id } of rows) await cancel(instanceId(id));
  };
