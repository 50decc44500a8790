// Erases a contact or a group: ends their conversations, then deletes everything in batches, and the rows that name
// them last. After a kill it can be requested again and continues with what is left.
import type { ErasedCounts, ErasureReceipt, ForgetPreview } from '@relay/contract/api/retention';
import { RelayError } from '@relay/contract/errors';
import type { ChatId, ContactId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { eraseDigestsEverywhere, type RetentionDeps } from './enforce.ts';
import {
  eraseAllMessages,
  eraseAssistantAnswers,
  eraseQuotesAndMentions,
  eraseWhole,
  findDigestIds,
} from './erase.ts';
import { scourDatabase } from './scour.ts';
import {
  countErasure,
  digestsOfSubject,
  type ErasureSubject,
  findChatToErase,
  findNamedSenderToErase,
  findPersonToErase,
  messagesOfSubject,
} from './subject.ts';

const NAME_PREFIX = 'name:';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function previewForget(deps: RetentionDeps, id: string): Promise<ForgetPreview> {
  const whom = await getErasureSubject(deps, id);
  return {
    id,
    kind: whom.kind,
    name: nameOf(whom),
    counts: await countErasure(deps.db, deps.lease.account, whom),
    open_conversations: await countOpen(deps, whom),
  };
}

export async function forgetContactOrGroup(
  deps: RetentionDeps,
  id: string,
): Promise<ErasureReceipt> {
  const began = performance.now();
  const { db, lease, jobs, log, server } = deps;
  const whom = await getErasureSubject(deps, id);
  if (whom.kind === 'person' && whom.contact !== null) await deps.endConversations(whom.contact);
  const erased = await countErasure(db, lease.account, whom);
  const outside_lines = await eraseDerived(deps, whom);
  await eraseAllMessages(db, lease, messagesOfSubject(whom));
  await transaction(deps, async ({ tx }) => {
    const ids = await eraseWhole(tx, lease.account, whom, figuresOf(erased));
    await jobs.deleteJobsOf(tx, ids);
  });
  await deps.removeUnusedMedia();
  const scoured = await scourDatabase({ db, server });
  const ms = Math.round(performance.now() - began);
  log.info('contact or group erased', { event: whom.kind, count: erased.messages, ms });
  return {
    kind: whom.kind,
    erased,
    outside_lines,
    scoured,
    ms,
    stays: describeWhatStays({
      kind: whom.kind,
      scoured,
      server,
      logsMessageText: deps.logsMessageText,
    }),
  };
}

/** Erases what was derived from their messages, while these still show what it is. */
async function eraseDerived(deps: RetentionDeps, whom: ErasureSubject): Promise<number> {
  const { db, lease } = deps;
  const lines = await eraseDigestsEverywhere(
    deps,
    await findDigestIds(db, lease.account, digestsOfSubject(whom)),
  );
  await transaction(deps, async ({ tx }) => {
    if (whom.kind === 'person') await eraseQuotesAndMentions(tx, lease.account, whom);
    await eraseAssistantAnswers(tx, lease.account, whom);
  });
  return lines;
}

async function getErasureSubject(
  { db, lease }: RetentionDeps,
  id: string,
): Promise<ErasureSubject> {
  const found = await findErasureSubject(db, lease.account, id);
  if (found === null) throw new RelayError('not_found');
  if (found === 'self') throw new RelayError('forget_self');
  return found;
}

async function findErasureSubject(db: Db, account: RetentionDeps['lease']['account'], id: string) {
  if (id.startsWith(NAME_PREFIX))
    return findNamedSenderToErase(db, account, id.slice(NAME_PREFIX.length));
  if (!UUID.test(id)) return null;
  return (
    (await findPersonToErase(db, account, id as ContactId)) ??
    (await findChatToErase(db, account, id as ChatId))
  );
}

const nameOf = (whom: ErasureSubject): string | null =>
  whom.kind === 'group' ? whom.name : (whom.names[0] ?? null);

async function countOpen({ db, lease }: RetentionDeps, whom: ErasureSubject): Promise<number> {
  if (whom.kind === 'group') return 0;
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM instances WHERE account_id = ${lease.account} AND contact_id = ${whom.contact}
      AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')`.execute(db);
  return rows[0]?.count ?? 0;
}

const figuresOf = (counts: ErasedCounts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

// Describes for the owner what an erasure does not reach. That depends on whose database it is.

type FinishedErasure = Pick<ErasureReceipt, 'kind' | 'scoured'> &
  Pick<RetentionDeps, 'server' | 'logsMessageText'>;

function describeWhatStays({ kind, scoured, server, logsMessageText }: FinishedErasure): string[] {
  return [
    'The ledger records that something was erased, when and how much, but not whom. Earlier decisions stay, without text and with ids that no longer refer to anyone.',
    'Nothing was deleted on WhatsApp, on your phone or on theirs.',
    'Earlier backups (`relay backup`, `relay export`, copies of the home) still contain the data. Delete them, or make new ones.',
    ...(kind === 'person'
      ? OF_A_PERSON
      : ['If you are still in the group, Relay stores its next messages again.']),
    ...(scoured === 'none' ? [BUSY] : []),
    ...(server.kind === 'external' ? [NOT_OURS] : scoured === 'tables' ? [LOG_LEFT] : []),
    ...(logsMessageText
      ? [
          'Logs at level debug contain the beginnings of messages until they are overwritten. See their location with `relay logs`.',
        ]
      : []),
  ];
}

const OF_A_PERSON = [
  'Messages of you and others about them stay.',
  'The keys to decrypt their future messages stay under their number until this device is unlinked.',
  'While you share a group, WhatsApp reports their number again as a member.',
];

const BUSY =
  'The rows were deleted, but the database files could not be rewritten because they were in use. Rewrite them later with `relay retention run`.';
const NOT_OURS =
  'Relay does not control the write-ahead log, statistics, replicas and backups of your PostgreSQL server. They keep the data as long as the server is configured to.';

const LOG_LEFT =
  'The write-ahead log of the database still contains old pages until it is overwritten. Try again with `relay retention run`.';
