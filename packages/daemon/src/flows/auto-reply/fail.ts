// An answer that did not come about: the daemon stopped, or the model failed. Nothing is sent then; what
// was said before the failure is kept, and where nothing was said nothing is left behind.
import { RelayError } from '@relay/core/errors';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { endRun } from '../../store/runs.ts';
import type { Turn } from './begin.ts';
import { appendAnswer, lockCurrent } from './finish.ts';
import { settle } from './settle.ts';
import type { AutoReplyWorld } from './work.ts';

/** The daemon stops: the job stays for the next, and so does the line. */
export async function letGo(world: AutoReplyWorld, { run }: Turn): Promise<never> {
  await inOneTransaction(world, (work) => endRun(work.tx, world.lease.account, run, 'discarded'));
  throw new Error('the daemon stopped in the middle of an answer');
}

export interface Failure {
  readonly error: unknown;
  /** What was said before it. */
  readonly partial: string;
}

/** What may pass is tried once more. */
export async function giveUp(
  world: AutoReplyWorld,
  turn: Turn,
  { error, partial }: Failure,
): Promise<void> {
  const { run } = turn;
  const again = await inOneTransaction(world, async (work) => {
    const task = await lockCurrent(world, work, turn);
    if (task === null) return false;
    await endRun(work.tx, world.lease.account, run, 'failed', wordsOf(error));
    const mayPass = !(error instanceof RelayError) || error.passes;
    if (mayPass && (await failuresOf(work, turn)) < 2) return true;
    const { chat_id: chat } = task.session;
    work.told.push(() => world.log.error('the answer failed', { chat, run, error }));
    if (partial !== '') await appendAnswer(world, work, turn, partial);
    const unset = error instanceof RelayError && error.code === 'agent_unavailable';
    await settle(world, work, task, {
      reason: unset ? 'no_model' : 'model_failed',
      detail: { run },
    });
    return false;
  });
  if (again) throw error;
}

function wordsOf(error: unknown): string {
  if (error instanceof RelayError) return error.message;
  return error instanceof Error ? error.name : 'failed';
}

/** Of this line, the one that was just written down included. */
async function failuresOf(work: Work, { task: { line } }: Turn): Promise<number> {
  const { count } = await work.tx
    .selectFrom('runs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', line.session_id)
    .where('read_up_to', '=', line.id)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return count;
}
