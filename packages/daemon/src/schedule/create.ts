// A message for later: checked, put before the gate, and written down with its first timer, all in the
// caller's transaction. One that waits for the owner's yes becomes a schedule only with it.
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, ChatId, ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { type Decision, REASONS } from '@relay/core/policy/reasons';
import type { CatchUp } from '@relay/core/schedule/missed';
import type { Rule } from '@relay/core/schedule/rule';
import { checkRule } from '@relay/core/schedule/valid';
import { actorName } from '../gate/actor-names.ts';
import type { CarryOutApproved } from '../gate/carry-out.ts';
import type { Circumstances } from '../gate/consider.ts';
import { setTimer } from '../jobs/timers.ts';
import { within } from '../jobs/work.ts';
import type { Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import { timerOf } from './rows.ts';
import type { ScheduleWorld } from './world.ts';

export interface NewSchedule {
  readonly chat: ChatId;
  readonly text: string;
  readonly rule: Rule;
  readonly zone: string;
  readonly catchUp: CatchUp;
}

export interface Scheduled {
  readonly decision: Decision;
  /** There exactly if it was allowed. */
  readonly id: ScheduleId | null;
  /** There exactly if the owner is asked. */
  readonly approval: ApprovalId | null;
}

export async function schedule(
  world: ScheduleWorld,
  tx: Transaction,
  actor: Actor,
  { chat, text, rule, zone, catchUp }: NewSchedule,
  circumstances: Circumstances = {},
): Promise<Scheduled> {
  const { next } = stillToCome(world, rule, zone);
  const { decision, approval } = await world.gate.submit(
    tx,
    actor,
    { kind: 'schedule_message', chat, text, rule, zone, catchUp },
    circumstances,
  );
  if (decision.outcome !== 'allow') return { decision, id: null, approval };
  const { account } = world.lease;
  const { id } = await tx
    .insertInto('schedules')
    .values({
      account_id: account,
      rule: JSON.stringify(rule),
      zone,
      chat_id: chat,
      body: text,
      catch_up: catchUp,
      created_by: actorName(actor),
      approval_id: circumstances.approval ?? null,
      next_at: next,
      created_at: world.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await setTimer(tx, timerOf(account, id), next);
  await appendEvent(tx, account, {
    kind: 'schedule',
    subject: id,
    data: { state: 'active', next: next.toISOString() },
  });
  return { decision, id, approval: null };
}

/** Its first occurrence; refused with a sentence when there is none, or the rule is none. */
export function stillToCome({ now }: ScheduleWorld, rule: unknown, zone: string) {
  const checked = checkRule(rule, zone, now());
  if (!checked.ok) throw new RelayError('invalid_schedule', { what: checked.sentence });
  return checked;
}

/** The owner said yes to what an agent wanted to schedule. A refusal is thrown, and undoes the yes. */
export const carryOutSchedule =
  (world: ScheduleWorld): CarryOutApproved['scheduleMessage'] =>
  (tx, { approval, actor, run, schedule: asked }) =>
    within(world, tx, async () => {
      const { decision } = await schedule(world, tx, actor, asked, {
        approval,
        ...(run === null ? {} : { run }),
      });
      if (decision.outcome !== 'allow') {
        throw new RelayError('denied', { reason: REASONS[decision.reason].sentence });
      }
    });
