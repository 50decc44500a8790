// The end of a turn, one transaction: what the agent wanted becomes events, and all of it is written with
// them: todos, summary, tool calls, the run's end, messages, timer, job. Or none of it.
import type { ConversationEvent } from '@relay/core/conversation/events';
import { RelayError } from '@relay/core/errors';
import { reasonSentence } from '@relay/core/policy/reasons';
import type { TurnContext, TurnOutcome } from '@relay/core/ports/turn';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction, Reconsider } from '../../jobs/work.ts';
import { endRun } from '../../store/runs.ts';
import { apply } from './apply.ts';
import { endDone, fit, progressOf, saveSummary } from './draft.ts';
import { park } from './hold.ts';
import type { InstanceRow } from './rows.ts';
import { failuresInEpoch } from './runs.ts';
import { appendLine, askGate, submitRefused } from './send.ts';
import { WAITS_FOR_YES } from './tell.ts';
import type { Wake } from './wake.ts';
import { lockIfCurrent } from './wake.ts';
import type { ConversationWorld } from './work.ts';

export function finish(
  world: ConversationWorld,
  job: Wake,
  context: TurnContext,
  outcome: TurnOutcome,
): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    if (row === null) return endRun(work.tx, world.lease.account, context.run, 'discarded');
    if (row.held) {
      await endRun(work.tx, world.lease.account, context.run, 'discarded');
      return park(world, work, job, row);
    }
    const { run, purpose } = context;
    const followUp = purpose === 'follow_up';
    const wanted = fit(outcome);
    await saveSummary(work, row, wanted);
    await endDone(world, work, row, run, wanted.calls ?? []);
    await job.complete(work.tx);
    const refused = await firstRefused(world, work, row, wanted.messages, { followUp, run });
    const progress = { ...progressOf(row, wanted), run };
    if (refused === null) await apply(world, work, row, eventsOf(context, wanted), progress);
    else {
      const { at, reason } = refused;
      const [texts, text] = [wanted.messages.slice(0, at), wanted.messages[at] ?? ''];
      await apply(world, work, row, [{ type: 'request_intervention', reason, texts }], progress);
      const decision = await submitRefused(
        world,
        work,
        row,
        { role: 'agent', text, followUp },
        { run },
      );
      const content = `Not sent: ${reasonSentence(decision.reason)}`;
      await appendLine(work, row, { role: 'system', content });
    }
  });
}

/** Overtaken: what it wanted is gone, the job with it. When only the daemon stops, the job stays for the next. */
export async function letGo(
  world: ConversationWorld,
  job: Wake,
  { run }: TurnContext,
): Promise<void> {
  const overtaken = await inOneTransaction(world, async (work) => {
    await endRun(work.tx, world.lease.account, run, 'discarded');
    return (await lockIfCurrent(world, work, job)) === null;
  });
  if (!overtaken) throw new Error('the daemon stopped in the middle of a turn');
}

/** Tried once more, then a person is asked; a failure that says what it needs is not tried again. */
export async function giveUp(
  world: ConversationWorld,
  job: Wake,
  { run }: TurnContext,
  error: unknown,
): Promise<void> {
  const told = error instanceof RelayError;
  const again = await inOneTransaction(world, async (work) => {
    const row = await lockIfCurrent(world, work, job);
    const failure = told ? error.message : error instanceof Error ? error.name : 'failed';
    await endRun(work.tx, world.lease.account, run, row === null ? 'discarded' : 'failed', failure);
    if (row === null) return false;
    const mayPass = !told || error.passes;
    if (mayPass && (await failuresInEpoch(work.tx, row)) < 2) return true;
    const reason = told
      ? error.message
      : 'The agent failed twice in a row. Resume it to let it try again.';
    work.told.push(() => world.log.error('the agent failed', { instance: row.id, run, error }));
    await apply(world, work, row, [{ type: 'request_intervention', reason }]);
    await job.complete(work.tx);
    return false;
  });
  if (again) throw error;
}

/** The first message that the gate would not let through, and why; what comes after it is not said either. */
async function firstRefused(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  texts: readonly string[],
  { followUp, run }: { readonly followUp: boolean; readonly run: TurnContext['run'] },
): Promise<{ readonly at: number; readonly reason: string } | null> {
  for (const [at, text] of texts.entries()) {
    const speech = { role: 'agent', text, followUp } as const;
    const sayingBefore = texts.slice(0, at);
    const { outcome, reason } = await askGate(world, work, row, speech, { sayingBefore, run });
    if (outcome === 'allow') continue;
    // Held since a moment ago: nobody need be asked for that, the turn is parked.
    if (reason === 'hold') throw new Reconsider('a hold began');
    return { at, reason: outcome === 'deny' ? reasonSentence(reason) : WAITS_FOR_YES };
  }
  return null;
}

/** What the agent wanted, as events, in the only order the machine allows. */
function eventsOf(context: TurnContext, outcome: TurnOutcome): readonly ConversationEvent[] {
  const { messages: texts, nextHeartbeatMs, end, intervene } = outcome;
  if (intervene !== undefined) return [{ type: 'request_intervention', reason: intervene, texts }];
  const events: ConversationEvent[] = [];
  const delay = nextHeartbeatMs === undefined ? {} : { nextHeartbeatMs };
  if (texts.length > 0) {
    const type = context.purpose === 'follow_up' ? 'followup_sent' : 'message_sent';
    events.push({ type, texts, ...delay });
  } else if (nextHeartbeatMs !== undefined && end === undefined) {
    events.push({ type: 'schedule_next_heartbeat', delayMs: nextHeartbeatMs });
  }
  if (end !== undefined) events.push({ type: 'end_conversation', reason: end });
  if (events.length > 0) return events;
  return [
    {
      type: 'request_intervention',
      reason: 'The agent had nothing to say. Resume it or write yourself.',
    },
  ];
}
