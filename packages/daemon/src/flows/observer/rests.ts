// Why the assistant says nothing in a group just now, whatever it was asked: the cadence, a hold, or the
// tokens of the day. Asked before a model is, and again before an answer is asked for.
import { type DayUse, dayBudgetSpent, NOTHING_USED } from '@relay/core/agent/budget';
import type { AnswerReason } from '@relay/core/ledger/answers';
import { cadenceOf } from '@relay/core/observer/cadence';
import { termsOf } from '@relay/core/observer/options';
import { zoneNamed } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Work } from '../../jobs/work.ts';
import type { ObservedGroup } from '../../store/observer/groups.ts';
import { answersIn, type RequestRow } from '../../store/observer/requests.ts';
import { spentToday } from '../../store/runs.ts';
import type { ObserverWorld } from './work.ts';

export async function rests(
  world: ObserverWorld,
  { tx }: Work,
  request: RequestRow,
  { chat, zone: name, options }: ObservedGroup,
): Promise<AnswerReason | null> {
  const { account } = world.lease;
  const now = world.now();
  const { rows } = await sql<{ held: boolean; spent: DayUse }>`
    SELECT EXISTS (SELECT FROM holds WHERE account_id = ${account}) AS held,
      ${spentToday(account, world)} AS spent`.execute(tx);
  if (rows[0]?.held === true) return 'on_hold';
  if (dayBudgetSpent(world.settings.agent, rows[0]?.spent ?? NOTHING_USED) !== null) {
    return 'budget_used';
  }
  const zone = zoneNamed(name);
  const terms = termsOf(options, world.settings.observer);
  const settings = {
    answers_per_day: terms.answersPerDay,
    minutes_between_answers: terms.minutesBetweenAnswers,
  };
  const answered = await answersIn(tx, account, chat, { now, except: request.id });
  return zone !== null && cadenceOf({ answered, settings, zone, now }).may ? null : 'cadence';
}
