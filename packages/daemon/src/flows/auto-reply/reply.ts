// One job of a session: one answer. The model runs between two transactions, never inside one, and what it
// said counts only in the second.
import { storable } from '@relay/core/messages/text';
import type { Taint } from '@relay/core/policy/facts';
import type { ComposeReply } from '@relay/core/ports/reply';
import type { Spent, ToolCallRecord } from '@relay/core/ports/turn';
import { fenced } from '../../store/fenced.ts';
import { saveTaint } from '../../store/taint.ts';
import { begin, type Turn } from './begin.ts';
import { addSpent } from './budget.ts';
import { type Failure, giveUp, letGo } from './fail.ts';
import { type Composed, finish } from './finish.ts';
import { noteLookedUp } from './looked-up.ts';
import { Places } from './places.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

export function onReply(world: AutoReplyWorld, compose: ComposeReply) {
  const places = new Places(world.settings.auto_reply.concurrency);
  return async (job: ReplyJob, stop: AbortSignal): Promise<void> => {
    const turn = await begin(world, job);
    if (turn === null) return;
    const composed = await places.during(() => run(world, compose, turn, stop));
    if (composed === 'ended') return letGo(world, turn);
    if ('error' in composed) return giveUp(world, turn, composed);
    await finish(world, turn, composed);
  };
}

/** Whatever the model does, and however long it ignores the signal. */
async function run(
  world: AutoReplyWorld,
  compose: ComposeReply,
  { run, context }: Turn,
  signal: AbortSignal,
): Promise<Composed | Failure | 'ended'> {
  if (signal.aborted) return 'ended';
  const ended = Promise.withResolvers<'ended'>();
  const end = () => ended.resolve('ended');
  signal.addEventListener('abort', end, { once: true });
  let said = '';
  let outside = false;
  const hooks = {
    signal,
    spent: (spent: Spent) => addSpent(world, run, spent),
    said: (text: string) => {
      said = text;
    },
    reads: async (taint: Taint) => {
      await fenced(world.db, world.lease, (tx) => saveTaint(tx, world.lease.account, run, taint));
      ({ outside } = taint);
    },
    lookedUp: (call: ToolCallRecord) => noteLookedUp(world, run, call),
  };
  const composed = Promise.resolve()
    .then(() => compose(context, hooks))
    .then(
      (text) => ({ text: storable(text).trim(), outside }),
      (error: unknown) =>
        signal.aborted ? ('ended' as const) : { error, partial: storable(said).trim() },
    );
  try {
    return await Promise.race([composed, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
