// Records the model runs for an observed group and the group's daily usage. A run belongs to the group's own session;
// its cost counts towards the owner's day and towards the group.
import type { AccountId, ChatId, RunId } from '@relay/contract/ids';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { ModelUsage } from '@relay/core/ports/agent-turn';
import { dayIn } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Db, Transaction } from '../database.ts';
import type { Lease } from '../lease.ts';
import { beginRun, noteRunSpending, type OwnerClock } from '../runs.ts';
import { openSession } from '../sessions.ts';
import type { StoredObservedGroup } from './groups.ts';

export async function beginObserverRun(
  tx: Transaction,
  account: AccountId,
  { chat, name }: Pick<StoredObservedGroup, 'chat' | 'name'>,
  actor: string,
): Promise<RunId> {
  const session = await openSession(tx, account, {
    kind: 'observer',
    key: chat,
    title: `Group: ${name}`,
    chat,
    contact: null,
  });
  const owner = { session: session.id };
  const taint = { ...UNTAINTED, chats: [chat] };
  return beginRun(tx, { account, actor, owner, epoch: null, readUpTo: null, taint });
}

interface ObserverSpendingDeps extends OwnerClock {
  readonly db: Db;
  readonly lease: Lease;
}

export async function noteObserverSpending(
  deps: ObserverSpendingDeps,
  { chat, zone }: Pick<StoredObservedGroup, 'chat' | 'zone'>,
  run: RunId,
  spent: ModelUsage,
): Promise<void> {
  const { db, lease } = deps;
  const at = deps.now();
  await noteRunSpending(db, lease, { run, clock: deps, usedBefore: sql<number>`0` }, spent);
  const tokens = spent.inputTokens + spent.outputTokens;
  await addObserverUsage(db, lease.account, { chat, zone, at }, { spent: tokens });
}

// The usage of a group by its own days: messages that the noise filter kept or cut, and tokens spent or saved.

interface ObserverUsage {
  readonly kept?: number;
  readonly cut?: number;
  /** Tokens that a model read or wrote. */
  readonly spent?: number;
  /** Tokens that no model had to read. */
  readonly saved?: number;
}

/** The group, the moment, and the zone that decides its day. */
interface UsageMoment {
  readonly chat: ChatId;
  /** An IANA name. */
  readonly zone: string;
  readonly at: Date;
}

export async function addObserverUsage(
  db: Db,
  account: AccountId,
  { chat, zone, at }: UsageMoment,
  { kept = 0, cut = 0, spent = 0, saved = 0 }: ObserverUsage,
): Promise<void> {
  await sql`INSERT INTO observer_usage AS u (account_id, chat_id, day, messages_kept, messages_cut, tokens_spent, tokens_saved)
    VALUES (${account}, ${chat}, ${dayIn(zone, at)}, ${kept}, ${cut}, ${spent}, ${saved})
    ON CONFLICT (account_id, chat_id, day) DO UPDATE SET
      messages_kept = u.messages_kept + excluded.messages_kept,
      messages_cut = u.messages_cut + excluded.messages_cut,
      tokens_spent = u.tokens_spent + excluded.tokens_spent,
      tokens_saved = u.tokens_saved + excluded.tokens_saved`.execute(db);
}
