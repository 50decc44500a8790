// When a group is looked at for digests: one timer for each, never put off by anybody, only brought forward.
import type { AccountId, ChatId } from '@relay/core/ids';
import { lookAfter } from '@relay/core/observer/digest/due';
import type { Cut } from '@relay/core/observer/digest/periods';
import { zoneNamed } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Work } from '../../../jobs/work.ts';
import type { Lease } from '../../../store/lease.ts';
import type { ObservedGroup } from '../../../store/observer/groups.ts';

/** At this time or before. */
export async function lookBy(
  { tx }: Pick<Work, 'tx'>,
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

export interface Watching {
  readonly lease: Lease;
  readonly now: () => Date;
  readonly settings: { readonly observer: { readonly daily_at: string } };
}

/** Something was said or taken back in the group that a digest will tell of, or tells of by now. */
export async function expectDigest(
  { lease, now, settings }: Watching,
  work: Pick<Work, 'tx'>,
  { chat, zone: name }: ObservedGroup,
  saidAt: Date,
): Promise<void> {
  const zone = zoneNamed(name);
  if (zone === null) return;
  const cut: Cut = { zone, dailyAt: settings.observer.daily_at };
  await lookBy(work, lease.account, chat, lookAfter(saidAt, now(), cut));
}
