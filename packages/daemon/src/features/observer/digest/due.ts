// Finds the digests that are due in a group: reads the rows here, core decides.

import type { AccountId, ChatId, DigestId } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import {
  type DueDigest,
  digestCheckAfter,
  dueDigests,
  isSameDigestSource,
} from '@relay/core/observer/digest/due';
import {
  type DayBoundary,
  type DigestKind,
  dayContaining,
} from '@relay/core/observer/digest/periods';
import { findZone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Clock } from '../../../models/agent/clock.ts';
import type { ModelSource } from '../../../models/agent/model.ts';
import type { Lease } from '../../../platform/db/lease.ts';
import {
  type DigestFailure,
  findDigestFailures,
  findDigests,
  readContentSince,
} from '../../../platform/db/observer/digests.ts';
import type { StoredObservedGroup } from '../../../platform/db/observer/groups.ts';
import type { UnitOfWork } from '../../../platform/db/transaction.ts';
import type { Engine } from '../../../platform/jobs/engine.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Messages that arrive late or are deleted within this time still change their digest. */
const DIGEST_LOOKBACK_MS = 48 * HOUR;
/** After so many failures the model will not give a digest for the same messages. */
const MAX_TRIES = 3;

export function groupDayBoundary(
  { settings }: Pick<DigestDeps, 'settings'>,
  group: StoredObservedGroup,
): DayBoundary {
  const zone = findZone(group.zone);
  if (zone === null) throw new Error('an observed group without a zone');
  return { zone, dailyAt: settings.observer.daily_at };
}

export interface DuePeriod extends DueDigest {
  /** Failed attempts for the messages now in it. */
  readonly tries: number;
}

/** Oldest first; periods with too many failed attempts are left out. */
export async function findDuePeriods(
  deps: DigestDeps,
  group: StoredObservedGroup,
): Promise<readonly DuePeriod[]> {
  const { db, lease } = deps;
  const cut = groupDayBoundary(deps, group);
  const now = deps.now();
  const { chat, since } = group;
  const from = await digestLookbackStart(deps, group, cut, now);
  const [messages, digests, failures] = await Promise.all([
    readContentSince(db, lease.account, chat, from),
    findDigests(db, lease.account, { chat, from }),
    findDigestFailures(db, lease.account, { chat, from }),
  ]);
  return dueDigests({ messages, digests, from, since, now, cut })
    .map((due) => ({ ...due, tries: triesOf(due, failures) }))
    .filter(({ tries }) => tries < MAX_TRIES);
}

function triesOf(due: DueDigest, failures: readonly DigestFailure[]): number {
  const failed = failures.find(
    ({ kind, start }) => kind === due.kind && start.getTime() === due.start.getTime(),
  );
  return failed !== undefined && isSameDigestSource(due, failed) ? failed.tries : 0;
}

/** From the last day that has its digest, but not beyond the retention time. */
async function digestLookbackStart(
  { db, lease, settings }: DigestDeps,
  { chat, since }: StoredObservedGroup,
  cut: DayBoundary,
  now: Date,
): Promise<Date> {
  const days = await findDigests(db, lease.account, { chat, kind: 'daily' });
  const digested = days.at(-1)?.end ?? since;
  const back = Math.min(now.getTime() - DIGEST_LOOKBACK_MS, digested.getTime());
  const kept = now.getTime() - settings.retention.observed_messages_days * DAY;
  const { start } = dayContaining(new Date(back), cut);
  if (start.getTime() >= kept) return start;
  // A day whose messages are partly deleted is not digested again.
  return dayContaining(new Date(kept), cut).end;
}

// Digest timer: one per group, moved only to an earlier time, never later.

/** Sets the timer unless it is already earlier. */
export async function setDigestTimer(
  { tx }: Pick<UnitOfWork, 'tx'>,
  account: AccountId,
  chat: ChatId,
  at: Date,
): Promise<void> {
  await sql`
    INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
    VALUES (${account}, 'digest', ${chat}, 0, ${at})
    ON CONFLICT (account_id, kind, subject_id) DO UPDATE SET due_at = excluded.due_at
      WHERE timers.due_at > excluded.due_at`.execute(tx);
}

interface DigestTimerDeps {
  readonly lease: Lease;
  readonly now: () => Date;
  readonly settings: { readonly observer: { readonly daily_at: string } };
}

/** Called when a message was added or deleted that changes a digest, or will be part of one. */
export async function expectDigest(
  { lease, now, settings }: DigestTimerDeps,
  work: Pick<UnitOfWork, 'tx'>,
  { chat, zone: name }: StoredObservedGroup,
  saidAt: Date,
): Promise<void> {
  const zone = findZone(name);
  if (zone === null) return;
  const cut: DayBoundary = { zone, dailyAt: settings.observer.daily_at };
  await setDigestTimer(work, lease.account, chat, digestCheckAfter(saidAt, now(), cut));
}

// Dependencies of digests. Nothing here can send.

export interface DigestDeps extends Engine {
  readonly settings: Pick<Settings, 'agent' | 'observer' | 'retention' | 'admin_phone_numbers'>;
  readonly models: ModelSource;
  readonly clock: Clock;
  /** Called in the transaction that stores a digest. */
  onDigest?(work: UnitOfWork, digest: DigestId, kind: DigestKind): Promise<void>;
}
