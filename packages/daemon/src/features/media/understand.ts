// Transcribes stored voice messages and extracts the text of stored documents, as jobs of the queue `understand`.
// Invariant: what was read is written in one transaction with its search documents and the end of the job, and only
// while the media still waits for it: a job that runs twice changes nothing.

import { RelayError } from '@relay/contract/errors';
import type { ChatId, MediaId } from '@relay/contract/ids';
import type { AgentSettings, TranscriptionSettings } from '@relay/contract/settings';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { toStorableText } from '@relay/core/messages/text';
import { sql } from 'kysely';
import { appendEvent } from '../../platform/db/events.ts';
import { findMedia, type MediaRow } from '../../platform/db/media.ts';
import { noteSpending, spentTodaySql } from '../../platform/db/runs.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { Job } from '../../platform/jobs/queue-worker.ts';
import { QUEUES } from '../../platform/jobs/queues.ts';
import type { StoredMedia } from './deps.ts';
import { documentKindOf, readDocument } from './documents.ts';
import type { Transcribe } from './transcription.ts';

/** The message whose media were understood, for the features that read it. */
interface UnderstoodMessage {
  readonly chat: ChatId;
  readonly number: number;
  readonly sentAt: Date;
}

export interface UnderstandDeps extends Engine {
  transcription(): Promise<Pick<TranscriptionSettings, 'by' | 'max_minutes'>>;
  /** Null while transcription is off. Read again for each recording. */
  openTranscription(): Promise<Transcribe | null>;
  /** Transcription counts towards the budget of a day. */
  readonly budget: Pick<AgentSettings, 'tokens_per_day' | 'usd_per_day'>;
  /** The plain bytes. */
  openMedia(row: MediaRow): Promise<AsyncIterable<Uint8Array>>;
  /** Called in the transaction that writes what was understood. */
  onUnderstood(work: UnitOfWork, message: UnderstoodMessage): Promise<void>;
}

type UnderstandJob = Pick<Job<'understand'>, 'data' | 'complete' | 'attempt'>;

/** How often a recording asks whether the budget allows it again: a new day has begun, or the owner raised it. */
const BUDGET_LOOK_SECONDS = 1_800;

/** How each job is bounded: a child process is started for each. */
export const CONCURRENT_UNDERSTANDING = 2;

/** Call in the transaction that stores the media: from here on, turns wait for it for a while. */
export async function enqueueUnderstanding(
  deps: Pick<UnderstandDeps, 'lease' | 'jobs' | 'transcription'>,
  work: UnitOfWork,
  media: StoredMedia,
): Promise<void> {
  const { account } = deps.lease;
  if (!(await needsUnderstanding(deps, media))) return;
  const { id } = media;
  await work.tx
    .updateTable('media')
    .set({ understood: 'waiting' })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
  await enqueueJob(deps, work, id);
}

function enqueueJob(
  { lease: { account }, jobs }: Pick<UnderstandDeps, 'lease' | 'jobs'>,
  { tx }: UnitOfWork,
  id: MediaId,
  delaySeconds = 0,
): Promise<void> {
  const data = { account, subject: id };
  return jobs.enqueue(tx, 'understand', [{ key: `${account}:${id}`, data, delaySeconds }]);
}

/** View-once media and files without a message are not read. */
async function needsUnderstanding(
  { transcription }: Pick<UnderstandDeps, 'transcription'>,
  { kind, mime_type, file_name, seconds, message, view_once }: StoredMedia,
): Promise<boolean> {
  if (message === null || view_once) return false;
  if (kind === 'document') return documentKindOf(mime_type, file_name) !== null;
  if (kind !== 'voice' && kind !== 'audio') return false;
  const { by, max_minutes } = await transcription();
  return by !== 'off' && (seconds ?? 0) <= max_minutes * 60;
}

export function onUnderstandJob(deps: UnderstandDeps) {
  return async (job: UnderstandJob, signal: AbortSignal): Promise<void> => {
    const { account } = deps.lease;
    const row = await findMedia(deps.db, account, job.data.subject);
    const read = row?.object == null ? null : await understand(deps, job, row, signal);
    await transaction(deps, async (work) => {
      await job.complete(work.tx);
      if (row === null) return;
      if (read === 'over_budget') await enqueueJob(deps, work, row.id, BUDGET_LOOK_SECONDS);
      else await saveUnderstood(deps, work, row.id, read);
    });
  };
}

/** What was read; without any text if there is none. */
type Understood = Pick<MediaRow, 'transcript' | 'language' | 'extracted'> & {
  readonly by: string;
  readonly micros?: number;
};

/** Throws for a failure that may pass, except at the last attempt. */
async function understand(
  deps: UnderstandDeps,
  job: UnderstandJob,
  row: MediaRow,
  signal: AbortSignal,
): Promise<Understood | 'over_budget' | null> {
  try {
    return row.kind === 'document'
      ? await extract(deps, row, signal)
      : await writeDown(deps, row, signal);
  } catch (error) {
    signal.throwIfAborted();
    const mayPass = !(error instanceof RelayError) || error.isRetryable;
    if (mayPass && job.attempt <= QUEUES.understand.retry.retries) throw error;
    deps.log.warn('media not understood', { message: row.message_id ?? '', error });
    return null;
  }
}

async function writeDown(
  deps: UnderstandDeps,
  row: MediaRow,
  signal: AbortSignal,
): Promise<Understood | 'over_budget' | null> {
  const transcribe = await deps.openTranscription();
  if (transcribe === null) return null;
  if (!(await isBudgetLeft(deps))) return 'over_budget';
  const { mime_type: mimeType, seconds } = row;
  const bytes = await deps.openMedia(row);
  const { text, ...said } = await transcribe({ bytes, mimeType, seconds }, signal);
  return { ...said, transcript: text, extracted: null };
}

async function isBudgetLeft(deps: UnderstandDeps): Promise<boolean> {
  const { rows } = await sql<{ day: DayUse }>`
    SELECT ${spentTodaySql(deps.lease.account, deps)} AS day`.execute(deps.db);
  return dayBudgetError(deps.budget, rows[0]?.day ?? ZERO_DAY_USE) === null;
}

async function extract(
  deps: UnderstandDeps,
  row: MediaRow,
  signal: AbortSignal,
): Promise<Understood | null> {
  const kind = documentKindOf(row.mime_type, row.file_name);
  if (kind === null) return null;
  const read = await readDocument(kind, await deps.openMedia(row), signal);
  if ('problem' in read) {
    signal.throwIfAborted();
    deps.log.info('document not read', { message: row.message_id ?? '', reason: read.problem });
    return null;
  }
  return { transcript: null, language: null, extracted: toStorableText(read.text), by: kind };
}

async function saveUnderstood(
  deps: UnderstandDeps,
  work: UnitOfWork,
  id: MediaId,
  understood: Understood | null,
): Promise<void> {
  const { account } = deps.lease;
  if (understood?.micros) await noteSpending(work.tx, account, deps, understood.micros);
  const isEmpty = !(understood?.transcript || understood?.extracted);
  const read = isEmpty ? null : understood;
  const { by = null, micros: _, ...texts } = read ?? {};
  const row = await work.tx
    .updateTable('media')
    .set({ understood: read === null ? 'failed' : 'done', understood_by: by, ...texts })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('understood', '=', 'waiting')
    .returning(['chat_id', 'message', 'message_at', 'message_id'])
    .executeTakeFirst();
  if (row === undefined) return;
  const { chat_id: chat, message: number, message_at: sentAt, message_id: message } = row;
  await appendEvent(work.tx, account, {
    kind: 'media',
    subject: chat,
    data: { id, state: read === null ? 'not_understood' : 'understood', number, message },
  });
  work.afterCommit.push(() => deps.events.hint());
  if (read === null || chat === null || number === null || sentAt === null) return;
  await deps.onUnderstood(work, { chat, number, sentAt });
}
