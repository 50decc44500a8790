// What the assistant's tools do with schedules, inside the transaction of the tool's call. The assistant
// names a time of day and a pattern, as the seed has it; the gate decides, and what it decides is answered.
import { RelayError } from '@relay/core/errors';
import type { ChatId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { type Weekday, weekdayOf } from '@relay/core/schedule/local';
import type { CatchUp } from '@relay/core/schedule/missed';
import { nextAfter } from '@relay/core/schedule/recur';
import { type Rule, usualCatchUp } from '@relay/core/schedule/rule';
import { describeRule } from '@relay/core/schedule/words';
import { type Zone, zoneNamed } from '@relay/core/schedule/zone';
import type { Circumstances } from '../gate/consider.ts';
import type { Transaction } from '../store/database.ts';
import { type Scheduled, schedule, stillToCome } from './create.ts';
import type { ScheduleWorld } from './world.ts';

export interface AgentsWish {
  readonly chat: ChatId;
  readonly text: string;
  /** HH:MM, in the owner's zone. */
  readonly time: string;
  readonly pattern: 'once' | 'daily' | 'weekly' | 'cron';
  /** Of `once`: YYYY-MM-DD; without one, the next time that the clock shows it. */
  readonly date?: string;
  /** Of `weekly`; without any, the day on which that time comes next. */
  readonly days?: readonly Weekday[];
  /** Of `cron`: the five fields; its time is in them. */
  readonly cron?: string;
  readonly zone?: string;
  readonly catchUp?: CatchUp;
}

export interface AgentsSchedule extends Scheduled {
  /** As in: every day at 09:00, Africa/Cairo. */
  readonly words: string;
  readonly next: Date;
}

/** `circumstances` brings the run, what it has read, and whether the owner is asked first. */
export async function scheduleForAgent(
  world: ScheduleWorld,
  tx: Transaction,
  actor: Actor,
  wish: AgentsWish,
  circumstances: Circumstances = {},
): Promise<AgentsSchedule> {
  const zoneName = wish.zone ?? world.zone;
  const given = ruleFor(wish, zoneNamed(zoneName), world.now());
  const { rule, zone, next } = stillToCome(world, given, zoneName);
  const { chat, text, catchUp = usualCatchUp(rule) } = wish;
  const asked = { chat, text, rule, zone: zone.name, catchUp };
  const scheduled = await schedule(world, tx, actor, asked, circumstances);
  return { ...scheduled, words: describeRule(rule, zone), next };
}

/** Still to be checked: a time that is none makes a rule that is none. */
function ruleFor(
  { time, pattern, date, days, cron }: AgentsWish,
  zone: Zone | null,
  now: Date,
): unknown {
  const daily: Rule = { kind: 'daily', time };
  const next = () => (zone === null || !isTime(time) ? null : nextAfter(daily, zone, now));
  switch (pattern) {
    case 'daily':
      return daily;
    case 'once':
      if (date !== undefined) return { kind: 'once', at: `${date}T${time}` };
      return { kind: 'once', at: next()?.toISOString() ?? time };
    case 'weekly': {
      if (days !== undefined) return { kind: 'weekly', days, time };
      const at = next();
      const on = zone === null || at === null ? [] : [weekdayOf(zone.localAt(at.getTime()))];
      return { kind: 'weekly', days: on, time };
    }
    case 'cron':
      if (cron === undefined) {
        throw new RelayError('invalid_schedule', {
          what: 'Give the five fields of the pattern cron.',
        });
      }
      return { kind: 'cron', expression: cron };
  }
}

const isTime = (time: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(time);
