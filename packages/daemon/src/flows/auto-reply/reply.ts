// One job of a session: one answer. The model runs between two transactions, never inside one, and what it
// said counts only in the second.
import type { ComposeReply } from '@relay/core/ports/reply';
import type { Spent } from '@relay/core/ports/turn';
import { begin, type Turn } from './begin.ts';
import { addSpent } from './budget.ts';
import { finish, giveUp, letGo } from './finish.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

export function onReply(world: AutoReplyWorld, compose: ComposeReply) {
  return async (job: ReplyJob, stop: AbortSignal): Promise<void> => {
    const turn = await begin(world, job);
    if (turn === null) return;
    const composed = await run(world, compose, turn, stop);
    if (composed === 'ended') return letGo(world, turn);
    if ('error' in composed) return giveUp(world, job, turn, composed);
    await finish(world, job, turn, composed.text);
  };
}

/** Whatever the model does, and however long it ignores the signal. */
async function run(
  world: AutoReplyWorld,
  compose: ComposeReply,
  { run, context }: Turn,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { error: unknown; partial: string } | 'ended'> {
  if (signal.aborted) return 'ended';
  const ended = Promise.withResolvers<'ended'>();
  const end = () => ended.resolve('ended');
  signal.addEventListener('abort', end, { once: true });
  const said: string[] = [];
  const hooks = {
    signal,
    spent: (spent: Spent) => addSpent(world, run, spent),
    said: (text: string) => void said.push(text),
  };
  const composed = Promise.resolve()
    .then(() => compose(context, hooks))
    .then(
      (text) => ({ text: text.trim() }),
      (error: unknown) =>
        signal.aborted ? ('ended' as const) : { error, partial: said.join('\n\n') },
    );
  try {
    return await Promise.race([composed, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
