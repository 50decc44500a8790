// Phase 2 of the trigger: one model call decides whether an allowed sender who named the assistant asks it for
// something. Anything but a clear yes, in time and within the cadence, gets no answer.

import { RelayError } from '@relay/contract/errors';
import type { RunId } from '@relay/contract/ids';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { trustedText } from '@relay/core/agent/labelled-text';
import { type AnswerReason, answerLedgerRow } from '@relay/core/ledger/rows';
import { checkCadence, isRequestTooOld, REQUEST_MAX_AGE_MS } from '@relay/core/observer/answering';
import { effectiveTerms } from '@relay/core/observer/options';
import {
  readTriggerLabel,
  TRIGGER_MESSAGES,
  type TriggerLabel,
  type TriggerQuestion,
  triggerPrompt,
} from '@relay/core/observer/trigger/prompt';
import { findZone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import { chatOnlyHooks, createAgentSession } from '../../models/agent/session.ts';
import { readOwnAddresses } from '../../platform/db/account.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { readObservedGroup, type StoredObservedGroup } from '../../platform/db/observer/groups.ts';
import {
  observedMessageAt,
  observedMessageById,
  observedMessagesBefore,
} from '../../platform/db/observer/messages.ts';
import {
  changeObserverRequest,
  lockObserverRequest,
  messageIdOfRequest,
  type ObserverRequestRow,
  readAnswerTimes,
} from '../../platform/db/observer/requests.ts';
import { beginObserverRun, noteObserverSpending } from '../../platform/db/observer/runs.ts';
import { endRun, spentTodaySql } from '../../platform/db/runs.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { ObserverDeps, TriggerJob } from './on-message.ts';

/** Longer than a model needs for one word, shorter than a group waits. */
const TURN_MS = 30_000;

export function onTriggerJob(deps: ObserverDeps) {
  return async (job: TriggerJob, stop: AbortSignal): Promise<void> => {
    const asked = await beginTrigger(deps, job);
    if (asked === null) return;
    const said = await classifyRequest(deps, asked, stop);
    await finishTrigger(deps, job, asked, said);
  };
}

interface TriggerTurn {
  readonly group: StoredObservedGroup;
  readonly run: RunId;
  readonly question: TriggerQuestion;
}

/** Null when no model call is needed; the job is completed then. */
function beginTrigger(deps: ObserverDeps, job: TriggerJob): Promise<TriggerTurn | null> {
  return transaction(deps, async (work) => {
    const { account } = deps.lease;
    const request = await lockObserverRequest(work.tx, account, job.data.subject);
    const group = request && (await readObservedGroup(work.tx, account, request.chat_id));
    if (request === null || group === null || request.state !== 'asked') {
      await job.complete(work.tx);
      return null;
    }
    const question = await readTriggerQuestion(deps, work, request, group);
    const silence =
      question === null ? 'taken_back' : await reasonNotToAsk(deps, work, request, group);
    if (question === null || silence !== null) {
      await job.complete(work.tx);
      await keepSilent(deps, work, request, { reason: silence ?? 'taken_back' });
      return null;
    }
    const run = await beginObserverRun(work.tx, account, group, `observer:${group.chat}`);
    return { group, run, question };
  });
}

/** The reason why no model is called. */
async function reasonNotToAsk(
  deps: ObserverDeps,
  work: UnitOfWork,
  request: ObserverRequestRow,
  group: StoredObservedGroup,
): Promise<AnswerReason | null> {
  if (isRequestTooOld(request.sent_at, deps.now(), REQUEST_MAX_AGE_MS)) return 'too_old';
  return findSilenceReason(deps, work, request, group);
}

async function readTriggerQuestion(
  { lease: { account }, admins, settings }: ObserverDeps,
  { tx }: UnitOfWork,
  request: ObserverRequestRow,
  { chat, options }: StoredObservedGroup,
): Promise<TriggerQuestion | null> {
  const reader = { account, admins };
  const place = { chat, number: request.message, sentAt: request.sent_at };
  const heard = await observedMessageAt(tx, reader, place);
  if (heard === null) return null;
  const { message } = heard;
  const before = await observedMessagesBefore(tx, reader, place, TRIGGER_MESSAGES);
  const quoted =
    message.quotedId === null
      ? null
      : await observedMessageById(tx, reader, chat, message.quotedId);
  return {
    who: {
      name: effectiveTerms(options, settings.observer).assistantName,
      jids: await readOwnAddresses(tx, account),
    },
    before: before.map((each) => each.message),
    message,
    quoted: quoted?.message ?? null,
  };
}

type TriggerVerdict = { readonly label: TriggerLabel | null } | { readonly failure: AnswerReason };

/** An answer without a label means silence; only a stop of the daemon is retried. */
async function classifyRequest(
  deps: ObserverDeps,
  { group, run, question }: TriggerTurn,
  signal: AbortSignal,
): Promise<TriggerVerdict> {
  const { models, clock, settings, log } = deps;
  try {
    const session = createAgentSession({
      model: await models.open(),
      instructions: trustedText(''),
      tools: [],
      limits: { ...settings.agent, turn_timeout_ms: TURN_MS },
      clock,
      hooks: {
        signal,
        ...chatOnlyHooks(group.chat),
        onUsage: (spent) => noteObserverSpending(deps, group, run, spent),
      },
    });
    const { instructions, text } = triggerPrompt(question, { chats: [group.chat], outside: false });
    return { label: readTriggerLabel((await session.ask(instructions, text)).text) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn('mention could not be classified', { chat: group.chat, run, error });
    const unset = error instanceof RelayError && error.code === 'agent_unavailable';
    return { failure: unset ? 'no_model' : 'model_failed' };
  }
}

function finishTrigger(
  deps: ObserverDeps,
  job: TriggerJob,
  { group, run }: TriggerTurn,
  said: TriggerVerdict,
): Promise<void> {
  return transaction(deps, async (work) => {
    const { account } = deps.lease;
    const request = await lockObserverRequest(work.tx, account, job.data.subject);
    await endRun(work.tx, account, run, 'failure' in said ? 'failed' : 'done');
    await job.complete(work.tx);
    // The message was deleted or the group is no longer observed: the result is not used.
    if (request === null || request.state !== 'asked') return;
    if ('failure' in said) return keepSilent(deps, work, request, { reason: said.failure, run });
    const { label: verdict } = said;
    const reason =
      verdict === 'direct_request'
        ? await findSilenceReason(deps, work, request, group)
        : (verdict ?? 'unclear');
    if (reason !== null) return keepSilent(deps, work, request, { reason, run, verdict });
    await changeObserverRequest(work.tx, request, { state: 'answering', verdict });
    await deps.jobs.enqueue(work.tx, 'group_answer', [
      { key: `${account}:${group.chat}`, data: { account, subject: request.id } },
    ]);
    work.afterCommit.push(() => deps.jobs.wake('group_answer'));
  });
}

// Reasons for silence in a group, whatever was asked: the cadence, a hold, or the daily token budget. Checked before
// the model call, and again before an answer is queued.

async function findSilenceReason(
  deps: ObserverDeps,
  { tx }: UnitOfWork,
  request: ObserverRequestRow,
  { chat, zone: name, options }: StoredObservedGroup,
): Promise<AnswerReason | null> {
  const { account } = deps.lease;
  const now = deps.now();
  const { rows } = await sql<{ held: boolean; spent: DayUse }>`
    SELECT EXISTS (SELECT FROM holds WHERE account_id = ${account}) AS held,
      ${spentTodaySql(account, deps)} AS spent`.execute(tx);
  if (rows[0]?.held === true) return 'on_hold';
  if (dayBudgetError(deps.settings.agent, rows[0]?.spent ?? ZERO_DAY_USE) !== null) {
    return 'budget_used';
  }
  const zone = findZone(name);
  const terms = effectiveTerms(options, deps.settings.observer);
  const settings = {
    answers_per_day: terms.answersPerDay,
    minutes_between_answers: terms.minutesBetweenAnswers,
  };
  const answered = await readAnswerTimes(tx, account, chat, { now, except: request.id });
  return zone !== null && checkCadence({ answered, settings, zone, now }).allowed
    ? null
    : 'cadence';
}

// Marks a request as silent and writes the reason to the ledger, last in its transaction.

interface SilentRequest {
  readonly reason: AnswerReason;
  readonly run?: RunId;
  readonly verdict?: TriggerLabel | null;
}

async function keepSilent(
  { lease: { account }, log }: Engine,
  work: UnitOfWork,
  request: ObserverRequestRow,
  { reason, run, verdict }: SilentRequest,
): Promise<void> {
  const { chat_id: chat } = request;
  await changeObserverRequest(work.tx, request, {
    state: 'silent',
    reason,
    ...(verdict === undefined ? {} : { verdict }),
  });
  const message = await messageIdOfRequest(work.tx, request);
  if (message === null) return;
  const detail = { chat, ...(run === undefined ? {} : { run }) };
  await appendLedger(
    work.tx,
    account,
    answerLedgerRow({ actor: `observer:${chat}`, message, reason, detail }),
  );
  work.afterCommit.push(() => log.info('request not answered', { chat, message, reason }));
}
