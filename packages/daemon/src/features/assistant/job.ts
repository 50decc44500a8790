// Answers the owner's messages on WhatsApp, as a job of the queue `assistant`. The model runs between two transactions;
// the answer, the end of the run and the end of the job are one transaction. A turn that was interrupted after it had
// effects is not started again.

import type { ChatId, MessageId, RunId } from '@relay/contract/ids';
import type { AnswerReason, LedgerDetail } from '@relay/core/ledger/rows';
import { signText } from '@relay/core/messages/text';
import { isOnHold } from '../../pipeline/gate/gate.ts';
import { waitForMedia } from '../../platform/db/message-text.ts';
import { endRun } from '../../platform/db/runs.ts';
import {
  type SessionLine,
  type SessionRow,
  selectChatOfSession,
} from '../../platform/db/sessions.ts';
import {
  TransactionConflict,
  transaction,
  type UnitOfWork,
} from '../../platform/db/transaction.ts';
import type { Job } from '../../platform/jobs/queue-worker.ts';
import { runSlashCommand } from './commands.ts';
import { FALLBACK_ANSWERS } from './copy.ts';
import type { AssistantDeps } from './deps.ts';
import {
  addLine,
  findInterruptedTurns,
  lockAssistantSession,
  markLineAnswered,
  readSessionLine,
  recordAssistantAnswer,
} from './sql.ts';
import {
  type AssistantTurnResult,
  assistantBudgetError,
  type BegunAssistantTurn,
  beginAssistantTurn,
  noteInterruptedTurns,
  runAssistantTurn,
} from './turn.ts';

type AssistantJob = Pick<Job<'assistant'>, 'data' | 'complete'>;

export function onAssistantJob(deps: AssistantDeps) {
  return async (job: AssistantJob, stop: AbortSignal): Promise<void> => {
    const { account, subject, line } = job.data;
    const asked = await readSessionLine(deps.db, account, subject, line);
    if (!asked?.waiting) return completeJob(deps, job);
    if (asked.command) return runCommandJob(deps, job, asked);
    await waitForMedia(deps, selectChatOfSession(deps.db, account, subject), stop);
    await deps.turns.run(subject, stop, (signal) => takeTurn(deps, job, asked, signal));
  };
}

const completeJob = (deps: AssistantDeps, job: AssistantJob): Promise<void> =>
  transaction(deps, ({ tx }) => job.complete(tx));

async function takeTurn(
  deps: AssistantDeps,
  job: AssistantJob,
  question: SessionLine,
  signal: AbortSignal,
): Promise<void> {
  const begun = await beginAnswer(deps, job, question);
  if (begun === null) return;
  const thought = await runAssistantTurn(deps, begun, { kind: 'whatsapp' }, signal).catch(
    async (error: unknown) => {
      await transaction(deps, ({ tx }) => endRun(tx, deps.lease.account, begun.run, 'discarded'));
      throw error;
    },
  );
  await finishAnswer(deps, job, begun, thought);
}

/** Null when no turn is needed: the job is completed, or the question waits. */
function beginAnswer(
  deps: AssistantDeps,
  job: AssistantJob,
  question: SessionLine,
): Promise<BegunAssistantTurn | null> {
  return transaction(deps, async (work) => {
    const { account } = deps.lease;
    const session = await lockAssistantSession(work.tx, account, question.session_id);
    if (session === null) return null;
    if (await isOnHold(work.tx, account, 'share')) {
      await job.complete(work.tx);
      await recordAssistantAnswer(work.tx, session, question, 'hold');
      return null;
    }
    await noteInterruptedTurns(work, session, question.id);
    const before = await findInterruptedTurns(work.tx, session, { line: question.id });
    const spent = await assistantBudgetError(deps, work);
    if (before.length > 0 || spent !== null) {
      const deeds = before.flatMap((run) => run.deeds);
      const text =
        before.length > 0
          ? FALLBACK_ANSWERS.interrupted(deeds)
          : FALLBACK_ANSWERS.failed(spent?.message ?? '', []);
      await job.complete(work.tx);
      const reason = before.length > 0 ? 'interrupted' : 'failed';
      const run = before.at(-1)?.run ?? null;
      await answerLine(deps, work, session, question, { text, run, reason });
      return null;
    }
    return beginAssistantTurn(deps, work, session, question);
  });
}

function finishAnswer(
  deps: AssistantDeps,
  job: AssistantJob,
  { session, question, run }: BegunAssistantTurn,
  { state, text, failure }: AssistantTurnResult,
): Promise<void> {
  const { account } = deps.lease;
  return transaction(deps, async (work) => {
    await lockAssistantSession(work.tx, account, session.id);
    if (await isOnHold(work.tx, account, 'share')) {
      // Answered when the hold ends: with a new turn, or with what was done.
      await endRun(work.tx, account, run, 'discarded');
      await job.complete(work.tx);
      return recordAssistantAnswer(work.tx, session, question, 'hold');
    }
    await endRun(work.tx, account, run, state, failure?.message ?? null);
    await job.complete(work.tx);
    const reason = failure === null ? 'replied' : 'failed';
    await answerLine(deps, work, session, question, { text, run, reason });
  });
}

interface AnswerToSend {
  readonly text: string;
  readonly run: RunId | null;
  readonly reason: AnswerReason;
}

/** Step 7: sends the answer to the same chat, signed, through the gate. The ledger entry comes last. */
async function answerLine(
  deps: AssistantDeps,
  work: UnitOfWork,
  session: SessionRow,
  question: SessionLine,
  { text, run, reason }: AnswerToSend,
): Promise<void> {
  await markLineAnswered(work.tx, question);
  await addLine(work.tx, session, {
    role: 'assistant',
    content: text,
    answers: question.id,
    command: question.command,
    ...(run === null ? {} : { run }),
  });
  if (session.chat_id === null) return;
  const said = await submitAnswer(deps, work, session.chat_id, {
    text,
    run,
    answersMessage: question.message_id,
  });
  const detail = run === null ? said : { run, ...said };
  // A command counts as carried out even if its answer cannot be sent.
  const cameOf = 'refusal' in said && reason !== 'command' ? 'refused' : reason;
  await recordAssistantAnswer(work.tx, session, question, cameOf, detail);
}

async function submitAnswer(
  { gate }: AssistantDeps,
  work: UnitOfWork,
  chat: ChatId,
  {
    text,
    run,
    answersMessage,
  }: Pick<AnswerToSend, 'text' | 'run'> & { readonly answersMessage: MessageId | null },
): Promise<Pick<LedgerDetail, 'outbox' | 'refusal'>> {
  const actor = run === null ? NOTIFIER : ({ kind: 'assistant', run } as const);
  const proposal = { kind: 'send_message', chat, text: signText(text) } as const;
  const { decision, message } = await gate.submit(work.tx, actor, proposal, {
    ...(run === null ? {} : { run }),
    ...(answersMessage === null ? {} : { answersMessage }),
  });
  // A hold has just begun: a question waits for its end; a command has already been carried out.
  if (decision.reason === 'hold' && run !== null) throw new TransactionConflict('a hold began');
  return message === null ? { refusal: decision.reason } : { outbox: message.id };
}

const NOTIFIER = { kind: 'notifier' } as const;

/** Step 3: runs a slash command without a model. */
async function runCommandJob(
  deps: AssistantDeps,
  job: AssistantJob,
  asked: SessionLine,
): Promise<void> {
  const { session_id: session, at, content } = asked;
  const { account } = deps.lease;
  const found = await selectChatOfSession(deps.db, account, session).executeTakeFirst();
  const chat = found?.chat_id ?? null;
  const text = await runSlashCommand(deps, content, { session, chat, at });
  await transaction(deps, async (work) => {
    const session = await lockAssistantSession(work.tx, account, asked.session_id);
    await job.complete(work.tx);
    if (session !== null)
      await answerLine(deps, work, session, asked, { text, run: null, reason: 'command' });
  });
}
