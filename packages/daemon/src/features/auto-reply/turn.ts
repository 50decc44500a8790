// Handles a job of an auto-reply session: one answer. The model runs between two transactions, never inside one.

import type { GrantOptions } from '@relay/contract/contacts/grant-options';
import { RelayError } from '@relay/contract/errors';
import type { MessageId, RunId } from '@relay/contract/ids';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { evaluateAutoReply, whyUnneeded } from '@relay/core/auto-reply/evaluate';
import { linesNeededForLoop } from '@relay/core/auto-reply/loop-guard';
import { toStorableText } from '@relay/core/messages/text';
import { type Taint, UNTAINTED } from '@relay/core/policy/facts';
import type {
  ComposeReply,
  ModelUsage,
  ReplyContext,
  ToolCallRecord,
} from '@relay/core/ports/agent-turn';
import { sql } from 'kysely';
import { withdrawApprovals } from '../../pipeline/gate/approval-store.ts';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import { closeNotices } from '../../pipeline/gate/owner-notices.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { readLineMedia, waitForMedia } from '../../platform/db/message-text.ts';
import {
  beginRun,
  endRun,
  noteRunSpending,
  saveRunTaint,
  spentTodaySql,
} from '../../platform/db/runs.ts';
import { appendSessionLine, selectChatOfSession } from '../../platform/db/sessions.ts';
import {
  TransactionConflict,
  transaction,
  type UnitOfWork,
} from '../../platform/db/transaction.ts';
import { suggestReply } from './drafts.ts';
import { enqueueReplies } from './on-message.ts';
import {
  type AutoReplyDeps,
  finishLine,
  parkReply,
  postponeReply,
  type ReplyJob,
  type ReplyOutcome,
  type ReplyTask,
  recordReply,
  settleReply,
  startCooldown,
} from './settle.ts';
import {
  cooldownOf,
  type DatedReplyLine,
  findFirstWaiting,
  lockReplySession,
  type ReplySession,
  type ReplyStanding,
  readLinesUpTo,
  readReplyTimes,
  readStanding,
} from './sql.ts';

export function onReplyJob(deps: AutoReplyDeps, compose: ComposeReply) {
  const places = new ConcurrencyLimit(deps.settings.auto_reply.concurrency);
  return async (job: ReplyJob, stop: AbortSignal): Promise<void> => {
    const chat = selectChatOfSession(deps.db, deps.lease.account, job.data.subject);
    await waitForMedia(deps, chat, stop);
    const turn = await beginReply(deps, job);
    if (turn === null) return;
    const composed = await places.run(() => runModel(deps, compose, turn, stop));
    if (composed === 'ended') return discardReply(deps, turn);
    if ('error' in composed) return failReply(deps, turn, composed);
    await finishReply(deps, turn, composed);
  };
}

/** Returns as soon as the signal aborts, even if the model ignores it. */
async function runModel(
  deps: AutoReplyDeps,
  compose: ComposeReply,
  { run, context }: ReplyTurn,
  signal: AbortSignal,
): Promise<ComposedReply | ReplyFailure | 'ended'> {
  if (signal.aborted) return 'ended';
  const ended = Promise.withResolvers<'ended'>();
  const end = () => ended.resolve('ended');
  signal.addEventListener('abort', end, { once: true });
  let said = '';
  let outside = false;
  const hooks = {
    signal,
    onUsage: (spent: ModelUsage) => addReplyUsage(deps, run, spent),
    onText: (text: string) => {
      said = text;
    },
    beforeReading: async (taint: Taint) => {
      await transaction(deps, ({ tx }) => saveRunTaint(tx, deps.lease.account, run, taint));
      ({ outside } = taint);
    },
    onToolCall: (call: ToolCallRecord) => recordWebLookup(deps, run, call),
  };
  const composed = Promise.resolve()
    .then(() => compose(context, hooks))
    .then(
      (text) => ({ text: toStorableText(text).trim(), outside }),
      (error: unknown) =>
        signal.aborted ? ('ended' as const) : { error, partial: toStorableText(said).trim() },
    );
  try {
    return await Promise.race([composed, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

// The first transaction: loads the message to answer, checks that it may be answered now, and starts a run.

/** Lines of the session in the context of a model call. */
const HISTORY_LINES = 20;
const DAY = 24 * 3_600_000;

interface ReplyTurn {
  readonly task: ReplyTask;
  readonly run: RunId;
  /** The message waited so long that its answer needs the owner's approval. */
  readonly late: boolean;
  readonly context: ReplyContext;
}

/** Null when no answer is needed; the job is completed then. */
function beginReply(deps: AutoReplyDeps, job: ReplyJob): Promise<ReplyTurn | null> {
  return transaction(deps, async (work) => {
    const session = await lockReplySession(work.tx, deps.lease.account, job.data.subject);
    const line = session === null ? null : await findFirstWaiting(work.tx, session);
    if (session === null || line === null) {
      await job.complete(work.tx);
      return null;
    }
    const task = { job, session, line };
    if (session.held) {
      await parkReply(deps, work, task);
      return null;
    }
    return decideReply(deps, work, task);
  });
}

async function decideReply(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  task: ReplyTask,
): Promise<ReplyTurn | null> {
  const { session, line } = task;
  const { auto_reply: limits } = deps.settings;
  const now = deps.now();
  const standing = await readStanding(work.tx, session, line);
  const lines = await readLinesUpTo(
    work.tx,
    line,
    Math.max(HISTORY_LINES, linesNeededForLoop(limits)),
  );
  const answers = await readReplyTimes(work.tx, session, {
    since: new Date(now.getTime() - DAY),
    most: limits.answers_per_day,
  });
  const verdict = evaluateAutoReply(
    {
      ...standing,
      now,
      writtenAt: line.at,
      suggests: standing.options.suggest === true,
      quietHours: standing.options.quietHours ?? null,
      zone: deps.zone,
      cooldown: cooldownOf(session),
      lines,
      answers,
    },
    limits,
  );
  switch (verdict.to) {
    case 'wait':
      await postponeReply(deps, work, task, verdict.until);
      return null;
    case 'rest':
      await startCooldown(deps, work, task, { rest: verdict.rest, name: standing.displayName });
      return null;
    case 'skip': {
      const { reason } = verdict;
      const detail = 'until' in verdict ? { until: verdict.until.toISOString() } : {};
      await settleReply(deps, work, task, { reason, detail });
      return null;
    }
    case 'answer':
      if (await isDayBudgetSpent(deps, work.tx)) {
        await settleReply(deps, work, task, { reason: 'budget_used' });
        return null;
      }
      return createReplyTurn(deps, work, task, {
        ...standing,
        ...verdict,
        lines: lines.slice(-HISTORY_LINES),
      });
  }
}

async function createReplyTurn(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  task: ReplyTask,
  known: ReplyStanding & { readonly late: boolean; readonly lines: readonly DatedReplyLine[] },
): Promise<ReplyTurn> {
  const { session, line } = task;
  const { displayName: sender, options, late, lines } = known;
  const run = await beginRun(work.tx, {
    account: deps.lease.account,
    actor: `auto_reply:${session.chat_id}`,
    owner: { session: session.id },
    epoch: null,
    readUpTo: line.id,
    taint: { ...UNTAINTED, chats: [session.chat_id] },
  });
  const { persona = null, model = null } = options;
  const said = await withMedia(work.tx, session, lines, options);
  return {
    task,
    run,
    late,
    context: { run, chat: session.chat_id, sender, persona, model, lines: said },
  };
}

/** The lines with what was understood of their media, and the photos that the owner lets the model see. */
async function withMedia(
  tx: Transaction,
  { account_id, chat_id }: Pick<ReplySession, 'account_id' | 'chat_id'>,
  lines: readonly DatedReplyLine[],
  { photos }: Pick<GrantOptions, 'photos'>,
): Promise<readonly DatedReplyLine[]> {
  const ids = lines.map(({ message }) => message);
  const mediaOf = await readLineMedia(tx, account_id, chat_id, ids);
  return lines.map((line) => {
    if (line.message === null || line.from !== 'contact') return line;
    const media = mediaOf({ message: line.message, fromMe: false });
    if (media === null) return line;
    const photo = photos === 'hide' ? null : media.photo;
    return { ...line, content: media.text, ...(photo === null ? {} : { photo }) };
  });
}

// The second transaction: saves the answer, submits it to the gate and settles the message, or none of that.

interface ComposedReply {
  readonly text: string;
  /** Whether the run read text of others from outside this chat. */
  readonly outside: boolean;
}

function finishReply(
  deps: AutoReplyDeps,
  turn: ReplyTurn,
  { text, outside }: ComposedReply,
): Promise<void> {
  return transaction(deps, async (work) => {
    const task = await lockCurrentTask(deps, work, turn);
    if (task === null) return;
    const { account } = deps.lease;
    const { run, late } = turn;
    const standing = await readStanding(work.tx, task.session, task.line);
    const reason = whyUnneeded(standing) ?? (text === '' ? 'nothing_said' : null);
    if (reason !== null) {
      await endRun(work.tx, account, run, reason === 'nothing_said' ? 'done' : 'discarded');
      return settleReply(deps, work, task, { reason, detail: { run } });
    }
    await endRun(work.tx, account, run, 'done');
    const answer = await appendReply(deps, work, turn, text);
    await finishLine(deps, work, task);
    if (standing.grant?.canReply !== true) {
      const suggests = standing.options.suggest === true;
      if (suggests) await suggestReply(deps, work, task.session, answer);
      const reason = suggests ? 'suggested' : 'read_only';
      return recordReply(deps, work, task, { reason, detail: { run } });
    }
    const cameOf = await submitReply(deps, work, task.session, {
      answer,
      text,
      run,
      late,
      outside,
      answersMessage: task.line.message_id,
    });
    await recordReply(deps, work, task, { ...cameOf, detail: { run, ...cameOf.detail } });
  });
}

/** Appends the answer after the line it answers; returns its id. */
async function appendReply(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  { task, run }: ReplyTurn,
  content: string,
): Promise<number> {
  const { id } = await appendSessionLine(work.tx, task.session, {
    role: 'assistant',
    content,
    saidAt: deps.now(),
    run,
    answers: task.line.id,
  });
  return id;
}

/**
 * Null when the session is gone, its line was handled, another line comes before it because two sessions were merged,
 * or a hold began. The run is discarded then.
 */
async function lockCurrentTask(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  { task, run }: ReplyTurn,
): Promise<ReplyTask | null> {
  const session = await lockReplySession(work.tx, deps.lease.account, task.session.id);
  const line = session === null ? null : await findFirstWaiting(work.tx, session);
  const current = session !== null && line?.id === task.line.id ? { ...task, session } : null;
  if (current !== null && session?.held === false) return current;
  await endRun(work.tx, deps.lease.account, run, 'discarded');
  if (current !== null) await parkReply(deps, work, current);
  else {
    await task.job.complete(work.tx);
    if (session !== null && line !== null) await enqueueReplies(deps, work, [session.id]);
  }
  return null;
}

// When the daemon stops or the model fails, nothing is sent.

/** The daemon stops: the job and the line stay for its next start. */
async function discardReply(deps: AutoReplyDeps, { run }: ReplyTurn): Promise<never> {
  await transaction(deps, (work) => endRun(work.tx, deps.lease.account, run, 'discarded'));
  throw new Error('the daemon stopped in the middle of an answer');
}

interface ReplyFailure {
  readonly error: unknown;
  /** The text before the failure. */
  readonly partial: string;
}

/** A temporary failure is retried once. */
async function failReply(
  deps: AutoReplyDeps,
  turn: ReplyTurn,
  { error, partial }: ReplyFailure,
): Promise<void> {
  const { run } = turn;
  const again = await transaction(deps, async (work) => {
    const task = await lockCurrentTask(deps, work, turn);
    if (task === null) return false;
    await endRun(work.tx, deps.lease.account, run, 'failed', failureText(error));
    const mayPass = !(error instanceof RelayError) || error.isRetryable;
    if (mayPass && (await countFailures(work, turn)) < 2) return true;
    const { chat_id: chat } = task.session;
    work.afterCommit.push(() => deps.log.error('answer failed', { chat, run, error }));
    if (partial !== '') await appendReply(deps, work, turn, partial);
    const unset = error instanceof RelayError && error.code === 'agent_unavailable';
    await settleReply(deps, work, task, {
      reason: unset ? 'no_model' : 'model_failed',
      detail: { run },
    });
    return false;
  });
  if (again) throw error;
}

function failureText(error: unknown): string {
  if (error instanceof RelayError) return error.message;
  return error instanceof Error ? error.name : 'failed';
}

/** Counts the failed runs for this line, including the one just stored. */
async function countFailures(work: UnitOfWork, { task: { line } }: ReplyTurn): Promise<number> {
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

// The gate sends an answer, asks the owner or refuses it. A new draft replaces those that still wait.

const REPLACED_SENTENCE = 'The contact wrote again, and a new answer replaces this one.';

interface ReplyToSend {
  /** The session line with the answer. */
  readonly answer: number;
  readonly text: string;
  readonly run: RunId;
  readonly late: boolean;
  readonly outside: boolean;
  /** The message being answered. */
  readonly answersMessage: MessageId;
}

async function submitReply(
  { gate, lease: { account } }: AutoReplyDeps,
  work: UnitOfWork,
  { id: session, chat_id: chat }: ReplySession,
  { answer, text, run, late, outside, answersMessage }: ReplyToSend,
): Promise<ReplyOutcome> {
  const asked = { requestedBy: `auto_reply:${chat}` };
  const replaced = await withdrawApprovals(work.tx, account, asked, REPLACED_SENTENCE);
  const context: SubmitContext = {
    run,
    isLate: late,
    answersMessage,
    taint: { chats: [chat], outside },
  };
  const { message, approval, decision } = await gate.submit(
    work.tx,
    { kind: 'auto_reply', chat },
    { kind: 'send_message', chat, text },
    context,
  );
  // A hold has just begun: the transaction is rolled back and the answer is parked.
  if (decision.reason === 'hold') throw new TransactionConflict('a hold began');
  await closeNotices(work.tx, { gate, account }, replaced, REPLACED_SENTENCE);
  await work.tx
    .updateTable('session_messages')
    .set({ outbox_id: message?.id ?? null, approval_id: approval })
    .where('account_id', '=', account)
    .where('session_id', '=', session)
    .where('id', '=', answer)
    .execute();
  if (message !== null) return { reason: 'replied', detail: { outbox: message.id } };
  if (approval !== null) return { reason: 'draft', detail: { approval } };
  return { reason: 'refused', detail: { refusal: decision.reason } };
}

// The daily token budget that all agents share, checked before an answer and after every model call.

async function isDayBudgetSpent(deps: AutoReplyDeps, tx: Transaction): Promise<boolean> {
  const today = spentTodaySql(deps.lease.account, deps);
  const { rows } = await sql<{ day: DayUse }>`SELECT ${today} AS day`.execute(tx);
  return dayBudgetError(deps.settings.agent, rows[0]?.day ?? ZERO_DAY_USE) !== null;
}

/** Adds the usage of a model call; rejects when it uses up the day's budget. */
async function addReplyUsage(deps: AutoReplyDeps, run: RunId, spent: ModelUsage): Promise<void> {
  const { db, lease, settings } = deps;
  const spending = { run, clock: deps, usedBefore: sql<number>`0` };
  const { day } = await noteRunSpending(db, lease, spending, spent);
  const fault = dayBudgetError(settings.agent, day);
  if (fault !== null) throw fault;
}

function recordWebLookup(
  { db, lease }: AutoReplyDeps,
  run: RunId,
  call: ToolCallRecord,
): Promise<void> {
  const { account } = lease;
  return transaction({ db, lease }, async ({ tx }) => {
    await tx
      .insertInto('tool_calls')
      .values({
        account_id: account,
        run_id: run,
        call_id: toStorableText(call.id),
        name: call.name,
        arguments: toStorableText(JSON.stringify(call.arguments)),
        result: toStorableText(JSON.stringify(call.result)),
      })
      .onConflict((on) => on.doNothing())
      .execute();
  });
}

// Limits how many model calls run at once; further ones wait in order.

export class ConcurrencyLimit {
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
