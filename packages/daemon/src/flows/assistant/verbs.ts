// The assistant in a chat on the owner's own computer: `relay chat`, the console, the API. The same session
// as in the owner's chat on WhatsApp; here somebody looks on, hears the turn as it goes and is asked.
import { parseCommand } from '@relay/core/assistant/commands';
import type { AssistantSink, AssistantVerbs } from '@relay/core/ports/assistant';
import { inOneTransaction } from '../../jobs/work.ts';
import { fence } from '../../store/lease.ts';
import { endRun } from '../../store/runs.ts';
import type { SessionRow } from '../../store/sessions.ts';
import { type Begun, begin, overBudget, tellInterrupted } from './begin.ts';
import { carryOut, forget } from './commands.ts';
import { ownersSession } from './hear.ts';
import { readHistory } from './history.ts';
import { addLine, deedsOf, lockSession } from './lines.ts';
import { SENTENCES } from './sentences.ts';
import { type Thought, think } from './think.ts';
import type { AssistantWorld } from './world.ts';

export function assistantVerbs(world: AssistantWorld): AssistantVerbs {
  const { account } = world.lease;
  const session = () =>
    inOneTransaction(world, async ({ tx }) => {
      await fence(tx, world.lease);
      return ownersSession(tx, account);
    });
  return {
    async ask({ text }, sink, signal) {
      const { id } = await session();
      if (parseCommand(text) !== null) return obey(world, id, text, sink);
      await world.turns.run(id, signal, (ended) => answer(world, id, text, sink, ended));
    },
    history: (which) => readHistory(world, which),
    async reset() {
      const { id } = await session();
      await forget(world, id);
    },
  };
}

async function obey(
  world: AssistantWorld,
  id: SessionRow['id'],
  text: string,
  sink: AssistantSink,
): Promise<void> {
  const said = await carryOut(world, text, { session: id, chat: null, at: world.now() });
  await inOneTransaction(world, async ({ tx }) => {
    await fence(tx, world.lease);
    const session = await lockSession(tx, world.lease.account, id);
    if (session === null) return;
    await addLine(tx, session, { role: 'user', content: text, command: true });
    await addLine(tx, session, { role: 'assistant', content: said, command: true });
  });
  sink({ type: 'done', text: said });
}

async function answer(
  world: AssistantWorld,
  id: SessionRow['id'],
  text: string,
  sink: AssistantSink,
  signal: AbortSignal,
): Promise<void> {
  const { account } = world.lease;
  const begun = await beginAnswer(world, id, text);
  sink({ type: 'run', id: begun.run, question: String(begun.question.id) });
  const thought = await think(world, begun, { kind: 'chat', sink }, signal).catch(
    async (error: unknown) => {
      // Nobody looks on any more: what was done stays done, and the next turn knows of it.
      const deeds = await deedsOf(world.db, account, begun.run);
      const stopped = { state: 'done', text: SENTENCES.stopped(deeds), failure: null } as const;
      await finish(world, begun, stopped);
      throw error;
    },
  );
  await finish(world, begun, thought);
  const { failure } = thought;
  sink(failure === null ? { type: 'done', text: thought.text } : { type: 'error', ...failure });
}

const beginAnswer = (
  world: AssistantWorld,
  id: SessionRow['id'],
  content: string,
): Promise<Begun> =>
  inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    const session = await lockSession(work.tx, world.lease.account, id);
    if (session === null) throw new Error('a session that is gone');
    const spent = await overBudget(world, work);
    if (spent !== null) throw spent;
    await tellInterrupted(work, session, null);
    const question = await addLine(work.tx, session, { role: 'user', content });
    return begin(world, work, session, question);
  });

function finish(
  world: AssistantWorld,
  { session, question, run }: Begun,
  { state, text, failure }: Thought,
): Promise<void> {
  return inOneTransaction(world, async ({ tx }) => {
    await fence(tx, world.lease);
    await lockSession(tx, world.lease.account, session.id);
    await endRun(tx, world.lease.account, run, state, failure?.message ?? null);
    await addLine(tx, session, {
      role: 'assistant',
      content: text,
      answers: question.id,
      run,
    });
  });
}
