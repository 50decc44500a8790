// The beginning of a turn, part of the transaction of whoever asks for it: is there still budget, what is
// remembered, and what was it made of? Nothing here is lost when the turn is.
import { type DayUse, dayBudgetSpent, NOTHING_USED } from '@relay/core/agent/budget';
import type { Remembered } from '@relay/core/assistant/memory';
import type { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import { type Taint, together } from '@relay/core/policy/facts';
import { sql } from 'kysely';
import { ownersChat } from '../../gate/owners-chat.ts';
import type { Work } from '../../jobs/work.ts';
import { beginRun, spentToday } from '../../store/runs.ts';
import type { SessionLine, SessionRow } from '../../store/sessions.ts';
import { taintOf } from '../../store/taint.ts';
import { addLine, interrupted, remembered } from './lines.ts';
import { SENTENCES } from './sentences.ts';
import type { AssistantWorld } from './world.ts';

export interface Begun {
  readonly session: SessionRow;
  readonly run: RunId;
  readonly question: SessionLine;
  /** The question last. */
  readonly history: readonly (Remembered & Pick<SessionLine, 'untrusted'>)[];
  /** What the history was made of. */
  readonly taint: Taint;
}

export async function begin(
  world: AssistantWorld,
  work: Work,
  session: SessionRow,
  question: SessionLine,
): Promise<Begun> {
  const { account } = world.lease;
  // "Remind me" has somewhere to go, also for an owner who never wrote to themselves.
  await ownersChat(work.tx, account);
  const history = await remembered(work.tx, session, question);
  const runs = history.map(({ run_id }) => run_id).filter((run) => run !== null);
  const answers = await taintOf(work.tx, account, runs);
  const { chat_id: chat } = session;
  const taint = history.some(({ untrusted }) => untrusted)
    ? together(answers, { chats: chat === null ? [] : [chat], outside: chat === null })
    : answers;
  const run = await beginRun(work.tx, {
    account,
    actor: 'assistant',
    of: { session: session.id },
    epoch: null,
    readUpTo: question.id,
    taint,
  });
  return { session, run, question, history, taint };
}

/** Turns that a power cut ended are told of where they stood, so that the next one knows what they did. */
export async function tellInterrupted(
  work: Work,
  session: SessionRow,
  except: number | null,
): Promise<void> {
  for (const { run, line, deeds } of await interrupted(work.tx, session, 'left running')) {
    if (line === except) continue;
    const content = SENTENCES.interrupted(deeds);
    await addLine(work.tx, session, { role: 'assistant', content, run, answers: line });
  }
}

/** Null while today's budget is not used up. */
export async function overBudget(
  world: Pick<AssistantWorld, 'lease' | 'now' | 'zone' | 'settings'>,
  work: Work,
): Promise<RelayError | null> {
  const { rows } = await sql<{ day: DayUse }>`
    SELECT ${spentToday(world.lease.account, world)} AS day`.execute(work.tx);
  return dayBudgetSpent(world.settings.agent, rows[0]?.day ?? NOTHING_USED);
}
