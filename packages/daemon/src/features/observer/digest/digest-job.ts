// Handles the digest job of one group: makes the due digests, oldest first, a few per job so that groups take turns.
// However the job ends, the transaction that ends it sets the next timer.

import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, RunId } from '@relay/contract/ids';
import type { DigestFact } from '@relay/contract/observer/digest/facts';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { cutToTokens, estimateTokens } from '@relay/core/agent/context-window';
import { bufferLines } from '@relay/core/observer/buffer';
import { nextDigestCheck } from '@relay/core/observer/digest/due';
import { dailyText, dayMediaNote, hourMediaNote } from '@relay/core/observer/digest/format';
import {
  type DayBoundary,
  type DigestPeriod,
  dayContaining,
  formatGroupDate,
  formatHours,
  formatZoneClock,
} from '@relay/core/observer/digest/periods';
import {
  DIGEST_TOKENS,
  type DigestQuestion,
  dailyQuestion,
  hourlyQuestion,
  parseDaily,
  parseHourly,
  retryDigestQuestion,
} from '@relay/core/observer/digest/prompt';
import { maskedSenderName, maskPrivate, mentionedDigits } from '@relay/core/observer/mask/mask';
import type { JudgedMessage } from '@relay/core/observer/message';
import { sql } from 'kysely';
import { chatOnlyHooks, createAgentSession } from '../../../models/agent/session.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { appendEvent } from '../../../platform/db/events.ts';
import {
  dropDigest,
  findDigestFailures,
  findDigests,
  noteDigestFailure,
  putDigest,
  type StoredDigest,
} from '../../../platform/db/observer/digests.ts';
import {
  readObservedGroup,
  type StoredObservedGroup,
} from '../../../platform/db/observer/groups.ts';
import {
  loadMentionNames,
  observedMessagesBetween,
} from '../../../platform/db/observer/messages.ts';
import { beginObserverRun, noteObserverSpending } from '../../../platform/db/observer/runs.ts';
import { endRun, spentTodaySql } from '../../../platform/db/runs.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Job, JobHandler } from '../../../platform/jobs/queue-worker.ts';
import { indexDigest } from '../../search/indexer.ts';
import {
  type DigestDeps,
  type DuePeriod,
  findDuePeriods,
  groupDayBoundary,
  setDigestTimer,
} from './due.ts';

const DIGESTS_PER_JOB = 4;
const LOOK_AGAIN_MS = 10 * 60_000;

export function onDigestJob(deps: DigestDeps): JobHandler<'digest'> {
  return async (job, signal) => {
    const { db, lease } = deps;
    const group = await readObservedGroup(db, lease.account, job.data.subject);
    if (group === null) return transaction(deps, (work) => job.complete(work.tx));
    const cut = groupDayBoundary(deps, group);
    // Read first, so that an hour that ends while a model writes is due right after, not an hour later.
    const now = deps.now();
    const due = await findDuePeriods(deps, group);
    for (const period of due.slice(0, DIGESTS_PER_JOB)) {
      const cameOf = await makeDigest(deps, { group, cut, due: period }, signal);
      if (cameOf === 'later')
        return completeUntil(deps, job, retryAt(deps, { group, cut, due: period }));
    }
    return completeUntil(deps, job, due.length > DIGESTS_PER_JOB ? now : nextDigestCheck(now, cut));
  };
}

/** `later`: no digest can be made now, of this period or another. */
async function makeDigest(
  deps: DigestDeps,
  task: DigestTask,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  if (task.due.isEmpty) {
    await transaction(deps, async ({ tx }) => {
      await dropDigest(tx, deps.lease.account, { chat: task.group.chat, ...task.due });
      await appendDigestEvent(deps, tx, task);
    });
    return 'done';
  }
  let run: RunId | null = null;
  try {
    const begin = async () => {
      run = await beginDigestRun(deps, task.group);
      return run;
    };
    const written = await composeDigest(deps, task, begin, signal);
    await saveDigest(deps, task, run, written);
    return 'done';
  } catch (error) {
    return recordDigestFailure(deps, task, { run, error: signal.aborted ? signal.reason : error });
  }
}

function saveDigest(
  deps: DigestDeps,
  task: DigestTask,
  run: RunId | null,
  { body, tokens, facts }: WrittenDigest,
): Promise<void> {
  const { account } = deps.lease;
  const { chat } = task.group;
  const { kind, start, end, messages, lastMessageNumber } = task.due;
  return transaction(deps, async (work) => {
    if (run !== null) await endRun(work.tx, account, run, 'done');
    // The group is no longer observed, and what was read must not be stored.
    if (!(await isStillObserved(work.tx, account, chat))) return;
    const id = await putDigest(
      work.tx,
      account,
      { chat, kind, start, end, messages, lastMessageNumber, body, tokens, run, facts },
      deps.now(),
    );
    await indexDigest(work.tx, account, id);
    await appendDigestEvent(deps, work.tx, task);
    await deps.onDigest?.(work, id, kind);
  });
}

/** Tells the streams which day of which group changed. */
const appendDigestEvent = (
  deps: DigestDeps,
  tx: Transaction,
  { group, cut, due }: DigestTask,
): Promise<void> =>
  appendEvent(tx, deps.lease.account, {
    kind: 'digest',
    subject: group.chat,
    data: { kind: due.kind, day: dayContaining(due.start, cut).name },
  });

interface DigestAttemptFailure {
  readonly run: RunId | null;
  readonly error: unknown;
}

/** A model failure is stored with its sentence; any other error is thrown, so that the job is retried. */
async function recordDigestFailure(
  deps: DigestDeps,
  { group: { chat }, due }: DigestTask,
  { run, error }: DigestAttemptFailure,
): Promise<'done' | 'later'> {
  const { account } = deps.lease;
  const relayError = error instanceof RelayError && error.code !== 'lease_lost' ? error : null;
  const ofTheAnswer =
    relayError?.code === 'digest_unreadable' || relayError?.code === 'digest_without_hours';
  await transaction(deps, async (work) => {
    const ended = relayError === null ? 'discarded' : 'failed';
    if (run !== null) await endRun(work.tx, account, run, ended, relayError?.message ?? null);
    if (relayError === null || !(await isStillObserved(work.tx, account, chat))) return;
    const { kind, start, end, messages, lastMessageNumber, tries } = due;
    await noteDigestFailure(work.tx, account, {
      chat,
      kind,
      start,
      end,
      messages,
      lastMessageNumber,
      reason: relayError.message,
      tries: ofTheAnswer ? tries + 1 : tries,
      at: deps.now(),
    });
    work.afterCommit.push(() =>
      deps.log.warn('digest failed', { chat, event: kind, reason: relayError.code }),
    );
  });
  if (relayError === null) throw error;
  return ofTheAnswer ? 'done' : 'later';
}

const retryAt = (deps: DigestDeps, { cut }: DigestTask): Date => {
  const now = deps.now();
  return new Date(Math.min(now.getTime() + LOOK_AGAIN_MS, nextDigestCheck(now, cut).getTime()));
};

function completeUntil(deps: DigestDeps, job: Job<'digest'>, until: Date): Promise<void> {
  return transaction(deps, async (work) => {
    await setDigestTimer(work, deps.lease.account, job.data.subject, until);
    await job.complete(work.tx);
  });
}

// Beginning of a digest, in one transaction: the group is still observed, the daily budget is not used up, and the run
// belongs to the group's session.

function beginDigestRun(deps: DigestDeps, group: StoredObservedGroup): Promise<RunId> {
  return transaction(deps, async ({ tx }) => {
    await refuseWhenBudgetSpent(deps, tx);
    return beginObserverRun(tx, deps.lease.account, group, `observer:${group.chat}`);
  });
}

async function refuseWhenBudgetSpent(deps: DigestDeps, tx: Transaction): Promise<void> {
  const today = spentTodaySql(deps.lease.account, deps);
  const { rows } = await sql<{ used: DayUse }>`SELECT ${today} AS used`.execute(tx);
  const fault = dayBudgetError(deps.settings.agent, rows[0]?.used ?? ZERO_DAY_USE);
  if (fault !== null) throw fault;
}

/** Locked until the transaction ends, so that nothing is stored for a group that stops being observed. */
async function isStillObserved(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
): Promise<boolean> {
  const row = await tx
    .selectFrom('observed_groups')
    .select('chat_id')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

// Asks the model, and once more if its answer cannot be read. The usage of each call counts for the run, the account's
// day and the group's day.

interface DigestModelRequest<T> {
  readonly group: StoredObservedGroup;
  readonly run: RunId;
  readonly question: DigestQuestion;
  /** Null for an answer without a digest. */
  read(answer: string, again: boolean): T | null;
  readonly signal: AbortSignal;
}

/** Rejects with `digest_unreadable` after two answers without a digest. */
async function askForDigest<T>(deps: DigestDeps, asking: DigestModelRequest<T>): Promise<T> {
  const { group, run, question, read, signal } = asking;
  const session = createAgentSession({
    model: await deps.models.open(),
    instructions: question.instructions,
    tools: [],
    limits: deps.settings.agent,
    clock: deps.clock,
    hooks: {
      signal,
      ...chatOnlyHooks(group.chat),
      onUsage: (spent) => noteObserverSpending(deps, group, run, spent),
    },
  });
  const answered = async (asked: DigestQuestion, again: boolean) =>
    read((await session.ask(asked.instructions, asked.text)).text, again);
  const digest =
    (await answered(question, false)) ?? (await answered(retryDigestQuestion(question), true));
  if (digest === null) throw new RelayError('digest_unreadable');
  return digest;
}

// One digest: a transaction begins its run, the model writes, another transaction stores it. After a crash in between
// the period is still due; a digest that was stored is not made again.

interface DigestTask {
  readonly group: StoredObservedGroup;
  readonly cut: DayBoundary;
  readonly due: DuePeriod;
}

interface WrittenDigest {
  readonly body: string;
  readonly tokens: number;
  readonly facts: readonly DigestFact[];
}

/** Called when a model is needed. */
type BeginDigestRun = () => Promise<RunId>;

function composeDigest(
  deps: DigestDeps,
  task: DigestTask,
  begin: BeginDigestRun,
  signal: AbortSignal,
): Promise<WrittenDigest> {
  return task.due.kind === 'hourly'
    ? composeHour(deps, task, begin, signal)
    : composeDay(deps, task, begin, signal);
}

async function composeHour(
  deps: DigestDeps,
  { group, cut, due }: DigestTask,
  begin: BeginDigestRun,
  signal: AbortSignal,
): Promise<WrittenDigest> {
  const { zone } = cut;
  const { lines, media, onlyMedia } = await readHourMaterial(deps, group, cut, due);
  const hours = formatHours(due, zone);
  if (onlyMedia) return hourlyDigest(hours, '', media);
  const run = await begin();
  const question = hourlyQuestion({ ...materialOf(group, run), hours, lines });
  const text = await askForDigest(deps, { group, run, question, read: parseHourly, signal });
  return hourlyDigest(hours, text, media);
}

function hourlyDigest(hours: string, text: string, media: string): WrittenDigest {
  const said = [text, media].filter((part) => part !== '');
  const whole = `${hours}: ${said.join(' ')}`;
  // The note about media is kept whole; the model's text is cut to leave room for it.
  const room = DIGEST_TOKENS.hourly - estimateTokens(`${hours}: ${media} `);
  const body =
    estimateTokens(whole) <= DIGEST_TOKENS.hourly
      ? whole
      : `${hours}: ${cutToTokens(text, room)} ${media}`.trimEnd();
  return { body, tokens: estimateTokens(body), facts: [] };
}

async function composeDay(
  deps: DigestDeps,
  { group, cut, due }: DigestTask,
  begin: BeginDigestRun,
  signal: AbortSignal,
): Promise<WrittenDigest> {
  const { zone } = cut;
  const { lines, hours, media, participants } = await readDayMaterial(deps, group, cut, due);
  if (hours.length === 0) throw new RelayError('digest_without_hours');
  const run = await begin();
  const date = `${formatGroupDate(due.start, zone)} (${dayContaining(due.start, cut).name})`;
  const question = dailyQuestion({ ...materialOf(group, run), date, lines });
  const beginnings = new Map(hours.map(({ start }) => [formatZoneClock(start, zone), start]));
  const read = (answer: string, again: boolean) =>
    parseDaily(answer, {
      day: due.start,
      hourAt: (clock) => beginnings.get(clock) ?? null,
      acceptsProse: again,
      tokenLimit:
        DIGEST_TOKENS.daily - estimateTokens(dailyText({ body: media, facts: participants })),
    });
  const parts = await askForDigest(deps, { group, run, question, read, signal });
  const body = [parts.body, media].filter((part) => part !== '').join(' ');
  const facts = [...parts.facts, ...participants];
  return { body, facts, tokens: estimateTokens(dailyText({ body, facts })) };
}

const materialOf = ({ chat, name }: StoredObservedGroup, run: RunId) => ({
  from: { chats: [chat], outside: false },
  group: name,
  // Cannot be guessed by somebody who has not seen it.
  delimiter: `group-${run.slice(0, 8)}`,
});

// Material of a digest: the masked messages of an hour, or the hourly digests of a day. Relay itself writes the note
// about media, so that no model can pretend to have seen it.

/** Earlier messages give replies and discussions their context. */
const CONTEXT_BEFORE_MS = 3 * 3_600_000;
const MAX_HOUR_TOKENS = 20_000;
const MAX_PARTICIPANTS = 40;

interface HourMaterial {
  readonly lines: readonly string[];
  /** Empty when no media was sent. */
  readonly media: string;
  /** Only media was sent: no model is needed. */
  readonly onlyMedia: boolean;
}

async function readHourMaterial(
  deps: DigestDeps,
  group: StoredObservedGroup,
  { zone }: DayBoundary,
  { start, end }: DigestPeriod,
): Promise<HourMaterial> {
  const judged = await judgedBetween(deps, group, {
    start: new Date(start.getTime() - CONTEXT_BEFORE_MS),
    end,
  });
  const names = await loadMentionNames(deps.db, deps.lease.account, mentionedDigits(judged));
  const bounds = { from: start, to: end, zone, tokens: Number.POSITIVE_INFINITY };
  const all = bufferLines(maskPrivate(judged, names), bounds);
  const media = new Set(
    judged.flatMap(({ message, verdict }) => (verdict.category === 'media_only' ? message.id : [])),
  );
  const isMedia = ({ ids }: { readonly ids: readonly string[] }) =>
    ids.every((id) => media.has(id));
  const lines = newestWithinLimit(all);
  return {
    lines,
    media: hourMediaNote(all.filter(isMedia).map(({ text }) => text)),
    onlyMedia: all.every(isMedia),
  };
}

/** All lines, or the newest ones with a note about the rest. */
function newestWithinLimit(
  all: readonly { readonly text: string; readonly tokens: number }[],
): string[] {
  let left = MAX_HOUR_TOKENS;
  const first = all.findLastIndex(({ tokens }) => {
    left -= tokens;
    return left < 0;
  });
  const kept = all.slice(first + 1).map(({ text }) => text);
  return first < 0
    ? kept
    : [`(${first + 1} earlier messages of this hour were too many to read)`, ...kept];
}

interface DayMaterial {
  readonly lines: readonly string[];
  readonly hours: readonly StoredDigest[];
  readonly media: string;
  readonly participants: readonly DigestFact[];
}

async function readDayMaterial(
  deps: DigestDeps,
  group: StoredObservedGroup,
  { zone }: DayBoundary,
  day: DigestPeriod,
): Promise<DayMaterial> {
  const { db, lease } = deps;
  const which = { chat: group.chat, from: day.start, to: day.end };
  const [hours, failures, judged] = await Promise.all([
    findDigests(db, lease.account, { ...which, kind: 'hourly' }),
    findDigestFailures(db, lease.account, which),
    judgedBetween(deps, group, day),
  ]);
  const failed = failures
    .filter(({ kind, start }) => kind === 'hourly' && !hours.some((hour) => +hour.start === +start))
    .map((hour) => ({
      start: hour.start,
      text: `${formatHours(hour, zone)}: (this hour has no digest)`,
    }));
  const digested = hours.map(({ start, body }) => ({ start, text: body }));
  const lines = [...digested, ...failed].sort((a, b) => a.start.getTime() - b.start.getTime());
  return {
    lines: lines.map(({ text }) => text),
    hours,
    media: dayMediaNote(
      judged.flatMap(({ message, verdict }) =>
        verdict.category === 'media_only' ? message.kind : [],
      ),
    ),
    participants: participantsOf(judged, day.start),
  };
}

/** People who wrote something that is not noise. Only names: no profile of anybody. */
function participantsOf(judged: readonly JudgedMessage[], saidAt: Date): readonly DigestFact[] {
  const names = judged.flatMap(({ message, verdict }) =>
    verdict.noise || message.fromAssistant ? [] : maskedSenderName(message),
  );
  const all = [...new Set(names)];
  const more = all.length - MAX_PARTICIPANTS;
  const shown = more > 0 ? [...all.slice(0, MAX_PARTICIPANTS), `and ${more} more`] : all;
  return shown.map((text) => ({
    kind: 'participant',
    text,
    who: null,
    when: null,
    saidAt,
  }));
}

async function judgedBetween(
  { db, lease, settings }: DigestDeps,
  { chat }: StoredObservedGroup,
  { start, end }: DigestPeriod,
): Promise<JudgedMessage[]> {
  const reader = { account: lease.account, admins: settings.admin_phone_numbers };
  const messages = await observedMessagesBetween(db, reader, { chat, from: start, to: end });
  return messages.flatMap(({ message, verdict }) => (verdict === null ? [] : { message, verdict }));
}
