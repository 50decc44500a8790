// Downloads a received file and stores it, as the job of its row. Between its transactions there is only the stream: a
// kill at any moment leaves the row waiting and its job to be run again.
// Invariant: a file is stored in the transaction that says so, with everything that follows from it.

import type { MediaKind } from '@relay/contract/api/media';
import type { MediaId, MessageId } from '@relay/contract/ids';
import { afterMediaFault, type MediaReason, type NextStep } from '@relay/core/media/next-step';
import { type SettledType, settleType } from '@relay/core/media/type';
import {
  MediaFault,
  type MessageWithMedia,
  type TransportCapabilities,
} from '@relay/core/ports/transport';
import { sql } from 'kysely';
import { appendEvent, appendEventsSql, type NewEvent } from '../../platform/db/events.ts';
import { type MediaRow, recordObjectsSql } from '../../platform/db/media.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Job, JobHandler } from '../../platform/jobs/queue-worker.ts';
import { joinCalls } from './batch.ts';
import type { MediaDeps, StoredMedia } from './deps.ts';
import { readRoom, removeUnusedFiles } from './room.ts';
import { Sniffer } from './sniffer.ts';
import { MediaTooLarge, type StoredObject } from './store.ts';

export interface DownloadDeps extends MediaDeps {
  readonly transport: Pick<TransportCapabilities, 'downloadMedia' | 'requestMediaAgain'>;
  /** The disk is nearly full: what can wait does. */
  readonly isDiskLow: () => boolean;
  /** Resolves once there is a connection, or when it has waited long enough. */
  readonly untilConnected: (signal: AbortSignal) => Promise<void>;
  /** Decrypts the stored content of a message. Throws if it was altered or sealed by another home. */
  readonly openContent: (row: SealedContent) => Uint8Array;
  /** In [0, 1). */
  readonly random?: () => number;
}

interface SealedContent {
  readonly chat: string;
  readonly sender: string;
  readonly message_id: string;
  readonly content: Uint8Array;
}

interface WaitingMedia {
  readonly id: MediaId;
  readonly kind: MediaKind;
  readonly declared: string | null;
  readonly attempts: number;
  readonly message: MessageWithMedia;
}

/** While several files are downloaded, those that are complete within this time are recorded together. */
const GATHER_MS = 20;

export function onMediaJob(options: DownloadDeps): JobHandler<'media'> {
  let running = 0;
  const deps: JoinedDeps = {
    ...options,
    load: joinCalls({ run: (ids) => loadWaiting(options, ids), gatherMs: () => 0 }),
    keep: joinCalls({
      run: (files) => transaction(options, (work) => keepAll(options, work, files)),
      gatherMs: () => (running > 1 ? GATHER_MS : 0),
    }),
  };
  return async (job, signal) => {
    running += 1;
    try {
      await onJob(deps, job, signal);
    } finally {
      running -= 1;
    }
  };
}

/** Statements that concurrent downloads share. */
interface JoinedDeps extends DownloadDeps {
  readonly load: (id: MediaId) => Promise<WaitingMedia | MediaFault | null>;
  /** False if it was erased meanwhile, or there is no room for it. */
  readonly keep: (file: DownloadedFile) => Promise<boolean>;
}

async function onJob(deps: JoinedDeps, job: Job<'media'>, signal: AbortSignal): Promise<void> {
  const waiting = await deps.load(job.data.subject);
  if (waiting === null) return;
  if (waiting instanceof MediaFault)
    return settleFault(deps, job, waiting, job.data.subject, 0, false);
  await deps.untilConnected(signal);
  signal.throwIfAborted();
  if (deps.isDiskLow()) return settle(deps, job, waiting.id, UNTIL_THERE_IS_SPACE);
  await download(deps, job, waiting, signal);
}

const UNTIL_THERE_IS_SPACE = { do: 'retry', delayMs: 300_000, counts: false } as const;

async function download(
  deps: JoinedDeps,
  job: Job<'media'>,
  waiting: WaitingMedia,
  signal: AbortSignal,
): Promise<void> {
  let askedAgain = false;
  let path: string | null = null;
  for (;;) {
    try {
      if (askedAgain) path = await requestAgain(deps, waiting.message);
      await fetchOnce(deps, job, waiting, { path, signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      const fault = error instanceof MediaTooLarge ? new MediaFault('too_large') : error;
      if (!(fault instanceof MediaFault)) throw error;
      const step = nextStep(deps, fault, waiting.attempts, askedAgain);
      if (step.do !== 'ask_again') return settle(deps, job, waiting.id, step);
      askedAgain = true;
    }
  }
}

const nextStep = (
  { random = Math.random }: DownloadDeps,
  fault: MediaFault,
  attempts: number,
  askedAgain: boolean,
): NextStep => afterMediaFault(fault.kind, { attempts, askedAgain, jitter: random() });

async function requestAgain(
  { transport }: DownloadDeps,
  message: MessageWithMedia,
): Promise<string> {
  const { requestMediaAgain } = transport;
  if (requestMediaAgain === undefined) throw new MediaFault('not_there');
  return requestMediaAgain(message);
}

async function fetchOnce(
  deps: JoinedDeps,
  job: Job<'media'>,
  { id, kind, declared, message }: WaitingMedia,
  { path, signal }: { readonly path: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const { downloadMedia } = deps.transport;
  if (downloadMedia === undefined) throw new MediaFault('not_connected');
  const limit = deps.limits().limit_megabytes * 1_000_000;
  const sniffer = new Sniffer(downloadMedia(message, { limit, path, signal }));
  let isKept = false;
  let placed: string | null = null;
  try {
    isKept = await deps.store.put(sniffer, { limit }, async (stored) => {
      placed = stored.object;
      const type = settleType({ kind, declared, ...(await sniffer.detect()) });
      return deps.keep({ job, id, stored, type });
    });
  } finally {
    if (!isKept && placed !== null) await removeUnusedFiles(deps, [placed]);
  }
}

interface DownloadedFile {
  readonly job: Job<'media'>;
  readonly id: MediaId;
  readonly stored: StoredObject;
  readonly type: SettledType;
}

/** Which of them are kept. No two are the same object, because the store places an object once at a time. */
async function keepAll(
  deps: DownloadDeps,
  work: UnitOfWork,
  files: readonly DownloadedFile[],
): Promise<readonly boolean[]> {
  const { tx } = work;
  const { account } = deps.lease;
  const rows = await tx
    .selectFrom('media')
    .select(['id', 'chat_id', 'message', 'message_id', 'file_name', 'seconds', 'view_once'])
    .where('account_id', '=', account)
    .where(sql<boolean>`id = ANY(${files.map(({ id }) => id)}::uuid[])`)
    .where('state', '=', 'waiting')
    .orderBy('id')
    .forUpdate()
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  const room = await readRoom(
    tx,
    account,
    deps.limits(),
    rows.map((row) => row.chat_id),
  );
  const kept: KeptFile[] = [];
  const erased: Job<'media'>[] = [];
  for (const file of files) {
    const row = found.get(file.id);
    const full = row === undefined ? null : room.take(row.chat_id, file.stored.bytes);
    if (full !== null) await end(deps, work, file.job, file.id, endFor(full));
    else if (row === undefined) erased.push(file.job);
    else kept.push({ ...file, row });
  }
  if (kept.length > 0) await recordKept(deps, work, kept);
  const [first, ...others] = [...erased, ...kept.map(({ job }) => job)];
  await first?.complete(tx, others);
  const keptIds = new Set(kept.map(({ id }) => id));
  return files.map(({ id }) => keptIds.has(id));
}

const endFor = (reason: MediaReason) => ({ do: 'end', state: 'refused', reason }) as const;

interface KeptFile extends DownloadedFile {
  readonly row: Omit<StoredMedia, 'id' | 'kind' | 'mime_type'> & MessageOfMedia;
}

async function recordKept(
  { lease: { account }, now, onStored }: DownloadDeps,
  work: UnitOfWork,
  kept: readonly KeptFile[],
): Promise<void> {
  const columns = kept.map(({ id, stored, type }) => ({
    id,
    kind: type.kind,
    mimeType: type.mimeType,
    sha256: stored.sha256.toString('hex'),
    bytes: stored.bytes,
  }));
  await sql`
    WITH object AS (${recordObjectsSql(
      account,
      kept.map(({ stored }) => stored),
    )}),
    kept AS (UPDATE media m SET state = 'stored', reason = NULL, not_before = NULL, sha256 = decode(n.sha256, 'hex'),
        bytes = n.bytes, kind = n.kind, mime_type = n."mimeType", stored_at = ${now()}
      FROM json_to_recordset(${JSON.stringify(columns)}::json)
        AS n(id uuid, kind text, "mimeType" text, sha256 text, bytes bigint)
      WHERE m.account_id = ${account} AND m.id = n.id)
    ${appendEventsSql(
      account,
      kept.map(({ id, row }) => stateEvent(id, row, 'stored')),
    )}`.execute(work.tx);
  for (const { id, row, type } of kept)
    await onStored?.(work, { ...row, id, kind: type.kind, mime_type: type.mimeType });
}

async function settle(
  deps: DownloadDeps,
  job: Job<'media'>,
  id: MediaId,
  step: Exclude<NextStep, { do: 'ask_again' }>,
): Promise<void> {
  await transaction(deps, async (work) => {
    if (step.do === 'end') return end(deps, work, job, id, step);
    const { tx } = work;
    const { account } = deps.lease;
    const notBefore = new Date(deps.now().getTime() + step.delayMs);
    const { numAffectedRows } = await sql`
      UPDATE media SET attempts = attempts + ${step.counts ? 1 : 0}, not_before = ${notBefore}
      WHERE account_id = ${account} AND id = ${id} AND state = 'waiting'`.execute(tx);
    await job.complete(tx);
    if (Number(numAffectedRows) === 0) return;
    await deps.jobs.enqueue(tx, 'media', [
      {
        key: id,
        data: { account, subject: id },
        delaySeconds: Math.ceil(step.delayMs / 1_000),
      },
    ]);
  });
}

async function settleFault(
  deps: DownloadDeps,
  job: Job<'media'>,
  fault: MediaFault,
  id: MediaId,
  attempts: number,
  askedAgain: boolean,
): Promise<void> {
  const step = nextStep(deps, fault, attempts, askedAgain);
  if (step.do !== 'ask_again') await settle(deps, job, id, step);
}

async function end(
  deps: DownloadDeps,
  work: UnitOfWork,
  job: Job<'media'>,
  id: MediaId,
  { state, reason }: Extract<NextStep, { do: 'end' }>,
): Promise<void> {
  const { account } = deps.lease;
  const { rows } = await sql<MessageOfMedia>`
    UPDATE media SET state = ${state}, reason = ${reason satisfies MediaReason}, not_before = NULL
    WHERE account_id = ${account} AND id = ${id} AND state = 'waiting'
    RETURNING chat_id, message, message_id`.execute(work.tx);
  for (const row of rows) await appendEvent(work.tx, account, stateEvent(id, row, state));
  await job.complete(work.tx);
}

type MessageOfMedia = Pick<MediaRow, 'chat_id' | 'message' | 'message_id'>;

/** For streams; the message itself is not repeated. */
const stateEvent = (
  id: MediaId,
  { chat_id: subject, message: number, message_id: message }: MessageOfMedia,
  state: string,
): NewEvent => ({ kind: 'media', subject, data: { id, state, number, message } });

/** In the given order: null for one that waits no longer, a fault for one whose message cannot be read any more. */
async function loadWaiting(
  deps: Pick<DownloadDeps, 'db' | 'lease' | 'openContent'>,
  ids: readonly MediaId[],
): Promise<readonly (WaitingMedia | MediaFault | null)[]> {
  const { rows } = await sql<WaitingRow>`
    SELECT m.id, m.kind, m.mime_type, m.attempts, g.message_id, g.from_me, g.chat_address AS chat,
      g.sender_address AS sender, g.content
    FROM media m JOIN messages g ON g.account_id = m.account_id AND g.sent_at = m.message_at AND g.id = m.message
    WHERE m.account_id = ${deps.lease.account} AND m.id = ANY(${ids}::uuid[]) AND m.state = 'waiting'`.execute(
    deps.db,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = found.get(id);
    return row === undefined ? null : openWaiting(deps, row);
  });
}

interface WaitingRow {
  id: MediaId;
  kind: MediaKind;
  mime_type: string | null;
  attempts: number;
  message_id: MessageId;
  from_me: boolean;
  chat: string | null;
  sender: string | null;
  content: Buffer | null;
}

function openWaiting(
  { openContent }: Pick<DownloadDeps, 'openContent'>,
  row: WaitingRow,
): WaitingMedia | MediaFault {
  const { id, attempts, chat, content, from_me: fromMe, kind, message_id, mime_type, sender } = row;
  if (chat === null || sender === null || content === null) return new MediaFault('malformed');
  try {
    const opened = openContent({ chat, sender, message_id, content });
    const message = { id: message_id, chat, sender, fromMe, content: opened };
    return { id, kind, declared: mime_type, attempts, message };
  } catch (cause) {
    return new MediaFault('malformed', { cause });
  }
}
