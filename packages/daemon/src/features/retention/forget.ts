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
    'One row of the ledger says that something was erased, when and how much, not whom. Earlier decisions stay, with ids that lead nowhere and no words.',
    'WhatsApp, your phone and theirs keep what they have: nothing was deleted there.',
    'Backups from before (`relay backup`, `relay export`, copies of the home) still hold it. Delete them, or make new ones.',
    ...(kind === 'person'
      ? OF_A_PERSON
      : ['If you are still in the group, its next message begins it anew.']),
    ...(scoured === 'none' ? [BUSY] : []),
    ...(server.kind === 'external' ? [NOT_OURS] : scoured === 'tables' ? [LOG_LEFT] : []),
    ...(logsMessageText
      ? [
          'Logs at the level debug hold the beginnings of messages until they are overwritten; `relay logs` says where they are.',
        ]
      : []),
  ];
}

const OF_A_PERSON = [
  'What you and others wrote about them stays: it is yours and theirs.',
  'The keys that open what they may write again stay under their number, until this device is unlinked.',
  'While you share a group, WhatsApp tells their number again with its members.',
];

const BUSY =
  'The rows are gone, but the files could not be written anew because somebody was reading them: `relay retention run` does it later.';
const NOT_OURS =
  "Your PostgreSQL server's write-ahead log, statistics, replicas and backups are not in Relay's hands: they lose it as its operator has set it up.";

const LOG_LEFT =
  "The database's log still holds old pages until it is written over: `relay retention run` tries again.";
