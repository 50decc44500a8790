// The owner's words on WhatsApp, answered: a job of the queue `assistant`. The model runs between two
// transactions; the answer, the run's end and the job's are one. What a turn had done before it was cut off
// is not begun again.
import { signed } from '@relay/core/agent/signature';
import type { ChatId, MessageId, RunId, SessionId } from '@relay/core/ids';
import type { AnswerReason } from '@relay/core/ledger/answers';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import { isHeld } from '../../gate/hold-row.ts';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction, Reconsider } from '../../jobs/work.ts';
import type { Job } from '../../jobs/worker.ts';
import { fence } from '../../store/lease.ts';
import { endRun } from '../../store/runs.ts';
import type { SessionLine, SessionRow } from '../../store/sessions.ts';
import { type Begun, begin, overBudget, tellInterrupted } from './begin.ts';
import { carryOut } from './commands.ts';
import { addLine, interrupted, lockSession, noLongerWaiting, readLine } from './lines.ts';
import { note } from './note.ts';
import { SENTENCES } from './sentences.ts';
import { type Thought, think } from './think.ts';
import type { AssistantWorld } from './world.ts';

type AssistantJob = Pick<Job<'assistant'>, 'data' | 'complete'>;

export function onAssistant(world: AssistantWorld) {
  return async (job: AssistantJob, stop: AbortSignal): Promise<void> => {
    const { account, subject, line } = job.data;
    const asked = await readLine(world.db, account, subject, line);
    if (!asked?.waiting) return settle(world, job);
    if (asked.command) return obey(world, job, asked);
    await world.turns.run(subject, stop, (signal) => takeTurn(world, job, asked, signal));
  };
}

const settle = (world: AssistantWorld, job: AssistantJob): Promise<void> =>
  inOneTransaction(world, ({ tx }) => job.complete(tx));

async function takeTurn(
  world: AssistantWorld,
  job: AssistantJob,
  question: SessionLine,
  signal: AbortSignal,
): Promise<void> {
  const begun = await beginAnswer(world, job, question);
  if (begun === null) return;
  const thought = await think(world, begun, { kind: 'whatsapp' }, signal).catch(
    async (error: unknown) => {
      await inOneTransaction(world, ({ tx }) =>
        endRun(tx, world.lease.account, begun.run, 'discarded'),
      );
      throw error;
    },
  );
  await finish(world, job, begun, thought);
}

/** Null when there is nothing to think about: the job is settled then, or the question waits on. */
function beginAnswer(
  world: AssistantWorld,
  job: AssistantJob,
  question: SessionLine,
): Promise<Begun | null> {
  return inOneTransaction(world, async (work) => {
    const { account } = world.lease;
    await fence(work.tx, world.lease);
    const session = await lockSession(work.tx, account, question.session_id);
    if (session === null) return null;
    if (await isHeld(work.tx, account, 'share')) {
      await job.complete(work.tx);
      await note(work.tx, session, question, 'hold');
      return null;
    }
    await tellInterrupted(work, session, question.id);
    const before = await interrupted(work.tx, session, { line: question.id });
    const spent = await overBudget(world, work);
    if (before.length > 0 || spent !== null) {
      const deeds = before.flatMap((run) => run.deeds);
      const text =
        before.length > 0
          ? SENTENCES.interrupted(deeds)
          : SENTENCES.failed(spent?.message ?? '', []);
      await job.complete(work.tx);
      const reason = before.length > 0 ? 'interrupted' : 'failed';
      const run = before.at(-1)?.run ?? null;
      await answerLine(world, work, session, question, { text, run, reason });
      return null;
    }
    return begin(world, work, session, question);
  });
}

function finish(
  world: AssistantWorld,
  job: AssistantJob,
  { session, question, run }: Begun,
  { state, text, failure }: Thought,
): Promise<void> {
  const { account } = world.lease;
  return inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    await lockSession(work.tx, account, session.id);
    if (await isHeld(work.tx, account, 'share')) {
      // It is answered when the hold ends: anew, or with what was done.
      await endRun(work.tx, account, run, 'discarded');
      await job.complete(work.tx);
      return note(work.tx, session, question, 'hold');
    }
    await endRun(work.tx, account, run, state, failure?.message ?? null);
    await job.complete(work.tx);
    const reason = failure === null ? 'replied' : 'failed';
    await answerLine(world, work, session, question, { text, run, reason });
  });
}

interface Answer {
  readonly text: string;
  readonly run: RunId | null;
  readonly reason: AnswerReason;
}

/** Step 7: into the same chat, signed, through the gate. The ledger's row comes last. */
async function answerLine(
  world: AssistantWorld,
  work: Work,
  session: SessionRow,
  question: SessionLine,
  { text, run, reason }: Answer,
): Promise<void> {
  await noLongerWaiting(work.tx, question);
  await addLine(work.tx, session, {
    role: 'assistant',
    content: text,
    answers: question.id,
    command: question.command,
    ...(run === null ? {} : { run }),
  });
  if (session.chat_id === null) return;
  const said = await say(world, work, session.chat_id, { text, run, answers: question.message_id });
  const detail = run === null ? said : { run, ...said };
  // A command is carried out, whether its owner can be told of it or not.
  const cameOf = 'refusal' in said && reason !== 'command' ? 'refused' : reason;
  await note(work.tx, session, question, cameOf, detail);
}

async function say(
  { gate }: AssistantWorld,
  work: Work,
  chat: ChatId,
  { text, run, answers }: Pick<Answer, 'text' | 'run'> & { readonly answers: MessageId | null },
): Promise<Pick<LedgerDetail, 'outbox' | 'refusal'>> {
  const actor = run === null ? NOTIFIER : ({ kind: 'assistant', run } as const);
  const proposal = { kind: 'send_message', chat, text: signed(text) } as const;
  const { decision, message } = await gate.submit(work.tx, actor, proposal, {
    ...(run === null ? {} : { run }),
    ...(answers === null ? {} : { answers }),
  });
  // A hold that began a moment ago: a question waits for its end; a command has done what it does.
  if (decision.reason === 'hold' && run !== null) throw new Reconsider('a hold began');
  work.told.push(() => gate.hint());
  return message === null ? { refusal: decision.reason } : { outbox: message.id };
}

const NOTIFIER = { kind: 'notifier' } as const;

async function chatOfSession(
  { db, lease: { account } }: AssistantWorld,
  id: SessionId,
): Promise<ChatId | null> {
  const session = await db
    .selectFrom('sessions')
    .select('chat_id')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst();
  return session?.chat_id ?? null;
}

/** Step 3: no model, and nothing that waits for one. */
async function obey(world: AssistantWorld, job: AssistantJob, asked: SessionLine): Promise<void> {
  const { session_id: session, at, content } = asked;
  const chat = await chatOfSession(world, session);
  const text = await carryOut(world, content, { session, chat, at });
  await inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    const session = await lockSession(work.tx, world.lease.account, asked.session_id);
    await job.complete(work.tx);
    if (session !== null)
      await answerLine(world, work, session, asked, { text, run: null, reason: 'command' });
  });
}
