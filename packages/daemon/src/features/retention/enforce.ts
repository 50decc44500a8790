// Enforces the retention limits: deletes old messages, and digests of observed groups, in transactions short enough not
// to block others. It can be repeated, and killed at any point: the next run deletes what is left.
import type { ExportedDigestCopies, RetentionRun } from '@relay/contract/api/retention';
import type { ContactId, DigestId } from '@relay/contract/ids';
import type { RetentionSettings } from '@relay/contract/settings';
import { sql } from 'kysely';
import { appendLedger } from '../../platform/db/ledger.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import { eraseAllMessages, eraseDigests, eraseOutboxMessages, findDigestIds } from './erase.ts';
import {
  dropStaleMarks,
  noteRetentionRun,
  overdueAnswersSql,
  overdueMessagesSql,
  type RetentionCutoffs,
  readOverdueChats,
} from './retention-limits.ts';
import { readScourSize, type ScourOptions, scourDatabase } from './scour.ts';

const DAY_MS = 86_400_000;
const DIGESTS_AT_ONCE = 200;
/** A database up to this size is rewritten every night within seconds; a larger one only when the owner asks. */
const SMALL_BYTES = 256 << 20;

export function cutoffsAt(
  now: Date,
  { messages_days, observed_messages_days, digests_days }: RetentionDeps['limits'],
): RetentionCutoffs {
  return {
    now,
    days: messages_days,
    messages: new Date(now.getTime() - observed_messages_days * DAY_MS),
    digests: new Date(now.getTime() - digests_days * DAY_MS),
  };
}

export async function enforceRetention(
  deps: RetentionDeps,
  cause: RetentionRun['cause'],
): Promise<RetentionRun> {
  const { lease, log, now, limits } = deps;
  const began = performance.now();
  const at = now();
  const cutoffs = cutoffsAt(at, limits);
  const digests = await enforceDigests(deps, cutoffs);
  const messages = await enforceMessages(deps, cutoffs);
  const deleted = messages + digests > 0;
  if (messages > 0) await deps.removeUnusedMedia();
  const scoured = await scourIfDue(deps, cause, deleted);
  const ms = Math.round(performance.now() - began);
  const run = { at: at.toISOString(), cause, messages, digests, scoured, ms };
  await transaction(deps, async ({ tx }) => {
    await dropStaleMarks(tx, lease.account, cutoffs);
    await noteRetentionRun(tx, lease.account, run);
    if (!deleted) return;
    await appendLedger(tx, lease.account, {
      actor: cause === 'owner' ? 'owner' : 'relay',
      action: 'enforce_retention',
      subject: { kind: 'retention', id: at.toISOString() },
      outcome: 'erased',
      reason: 'too_old',
      detail: { messages, digests },
    });
  });
  if (deleted) log.info('retention enforced', { event: cause, count: messages + digests, ms });
  return run;
}

async function enforceDigests(deps: RetentionDeps, cutoffs: RetentionCutoffs): Promise<number> {
  const { account } = deps.lease;
  const all = await findDigestIds(deps.db, account, sql`g.period_end < ${cutoffs.digests}`);
  for (let from = 0; from < all.length; from += DIGESTS_AT_ONCE) {
    await eraseDigestsEverywhere(deps, all.slice(from, from + DIGESTS_AT_ONCE));
  }
  return all.length;
}

/** Exported copies first, because the rows say where they are. Returns the number of lines removed from files. */
export async function eraseDigestsEverywhere(
  deps: RetentionDeps,
  digests: readonly DigestId[],
): Promise<number> {
  if (digests.length === 0) return 0;
  const lines = await deps.exportedCopies.erase(digests);
  await transaction(deps, async ({ tx }) => {
    await eraseDigests(tx, deps.lease.account, digests);
    await deps.jobs.deleteJobsOf(tx, digests);
  });
  return lines;
}

async function enforceMessages(deps: RetentionDeps, cutoffs: RetentionCutoffs): Promise<number> {
  const { db, lease } = deps;
  let total = 0;
  for (const overdue of await readOverdueChats(db, lease.account, cutoffs)) {
    total += await eraseAllMessages(db, lease, overdueMessagesSql(overdue));
    await transaction(deps, ({ tx }) =>
      eraseOutboxMessages(tx, lease.account, overdueAnswersSql(overdue)),
    );
  }
  return total;
}

async function scourIfDue(
  { db, server }: RetentionDeps,
  cause: RetentionRun['cause'],
  deleted: boolean,
): Promise<boolean> {
  if (cause === 'start') return false;
  if (cause === 'night' && (!deleted || (await readScourSize(db)) > SMALL_BYTES)) return false;
  return (await scourDatabase({ db, server })) !== 'none';
}

// The dependencies of retention and erasure.

export interface RetentionDeps extends Engine, Pick<ScourOptions, 'server'> {
  readonly limits: RetentionSettings;
  readonly exportedCopies: ExportedDigestCopies;
  /** Ends every conversation with the contact, so that no agent works on data that is about to be erased. */
  endConversations(contact: ContactId): Promise<void>;
  /** Removes the files of media whose messages are gone. */
  removeUnusedMedia(): Promise<number>;
  /** Whether the log may contain beginnings of messages. */
  readonly logsMessageText: boolean;
}
