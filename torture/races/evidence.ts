// The result of an interleaving, read once: the rows of its contact, and what was observed while it ran.

import type { InstanceState } from '@relay/contract/conversation/states';
import type { InstanceId } from '@relay/contract/ids';
import type { ConversationEventType } from '@relay/core/conversation/transition-table';
import type { Lane, SentBody, Turn } from './lane.ts';
import type { CommittedTransaction } from './scheduler.ts';

export interface InstanceSeen {
  readonly id: InstanceId;
  readonly state: InstanceState;
  readonly previous_state: InstanceState | null;
  readonly follow_up_count: number;
  readonly max_followups: number;
  readonly unread: number;
  readonly epoch: number;
  readonly timer_due_at: Date | null;
}

export interface StepSeen {
  readonly instance_id: InstanceId;
  readonly from_state: InstanceState;
  readonly to_state: InstanceState;
  readonly trigger: ConversationEventType;
}

export interface LineSeen {
  readonly instance_id: InstanceId;
  readonly role: 'agent' | 'contact' | 'system' | 'manual';
  readonly content: string;
  readonly outbox_id: string | null;
}

export interface OutboxSeen {
  readonly id: string;
  readonly instance_id: InstanceId;
  readonly body: string;
  readonly state: string;
}

export interface Evidence {
  readonly instances: readonly InstanceSeen[];
  readonly steps: readonly StepSeen[];
  readonly lines: readonly LineSeen[];
  readonly outbox: readonly OutboxSeen[];
  readonly timers: readonly { readonly subject_id: string; readonly epoch: number }[];
  /** Jobs that are not done, including dead letters. */
  readonly jobs: readonly { readonly name: string; readonly state: string }[];
  /** Messages of the contact that belonged to no conversation. */
  readonly knocks: number;
  /** Turns that ended and counted. */
  readonly done: ReadonlySet<string>;
  /** What the contact wrote, in order. */
  readonly wrote: readonly string[];
  readonly commits: readonly CommittedTransaction[];
  readonly turns: readonly Turn[];
  readonly left: readonly SentBody[];
}

export async function gatherEvidence(
  lane: Lane,
  phone: string,
  seen: Pick<Evidence, 'wrote' | 'commits'>,
): Promise<Evidence> {
  const instances = await lane.sql<InstanceSeen>(
    `SELECT id, state, previous_state, follow_up_count, max_followups, unread, epoch, timer_due_at
     FROM instances WHERE target_contact = $1 ORDER BY queue_seq`,
    [`+${phone}`],
  );
  const ids = [instances.map(({ id }) => id)];
  const [steps, lines, outbox, timers, jobs, knocked, runs] = await Promise.all([
    lane.sql<StepSeen>(
      'SELECT instance_id, from_state, to_state, trigger FROM instance_transitions WHERE instance_id = ANY($1) ORDER BY id',
      ids,
    ),
    lane.sql<LineSeen>(
      'SELECT instance_id, role, content, outbox_id FROM instance_messages WHERE instance_id = ANY($1) ORDER BY id',
      ids,
    ),
    lane.sql<OutboxSeen>(
      'SELECT id, instance_id, body, state FROM outbox WHERE instance_id = ANY($1) ORDER BY seq',
      ids,
    ),
    lane.sql<{ subject_id: string; epoch: number }>(
      'SELECT subject_id, epoch FROM timers WHERE subject_id = ANY($1)',
      ids,
    ),
    lane.sql<{ name: string; state: string }>(
      "SELECT name, state::text FROM relay_jobs.job WHERE state NOT IN ('completed', 'cancelled') AND data ? 'account'",
    ),
    lane.sql<{ count: number }>(
      'SELECT count FROM knocks JOIN contact_aliases USING (account_id, contact_id) WHERE value = $1',
      [phone],
    ),
    lane.sql<{ id: string }>("SELECT id FROM runs WHERE id = ANY($1) AND state = 'done'", [
      lane.turns.map(({ context }) => context.run),
    ]),
  ]);
  const done = new Set(runs.map(({ id }) => id));
  const { turns, left } = lane;
  const knocks = knocked[0]?.count ?? 0;
  return { instances, steps, lines, outbox, timers, jobs, knocks, done, turns, left, ...seen };
}
