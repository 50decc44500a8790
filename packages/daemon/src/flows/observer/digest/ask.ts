// One question to the model, and once more if its answer cannot be read. Each call is paid for where it is
// noted: with the run, with the day of the account, and with the group's own day.
import { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import { askedAgain, type DigestQuestion } from '@relay/core/observer/digest/prompt';
import { readsOnly } from '../../../agent/reads-only.ts';
import { createAgentSession } from '../../../agent/session.ts';
import type { ObservedGroup } from '../../../store/observer/groups.ts';
import { noteObserverSpent } from '../../../store/observer/runs.ts';
import type { DigestWorld } from './world.ts';

export interface Asking<T> {
  readonly group: ObservedGroup;
  readonly run: RunId;
  readonly question: DigestQuestion;
  /** Null for an answer that holds no digest. */
  read(answer: string, again: boolean): T | null;
  readonly signal: AbortSignal;
}

/** Rejects with `digest_unreadable` when two answers held none. */
export async function askModel<T>(world: DigestWorld, asking: Asking<T>): Promise<T> {
  const { group, run, question, read, signal } = asking;
  const session = createAgentSession({
    model: await world.models.open(),
    instructions: question.instructions,
    tools: [],
    limits: world.settings.agent,
    clock: world.clock,
    hooks: {
      signal,
      ...readsOnly(group.chat),
      spent: (spent) => noteObserverSpent(world, group, run, spent),
    },
  });
  const answered = async (asked: DigestQuestion, again: boolean) =>
    read((await session.ask(asked.instructions, asked.text)).text, again);
  const digest = (await answered(question, false)) ?? (await answered(askedAgain(question), true));
  if (digest === null) throw new RelayError('digest_unreadable');
  return digest;
}
