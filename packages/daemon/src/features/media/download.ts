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
import { type MediaRow, recordObjectSql } from '../../platform/db/media.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Job, JobHandler } from '../../platform/jobs/queue-worker.ts';
import type { MediaDeps } from './deps.ts';
import { exceededQuota, removeUnusedFiles } from './room.ts';
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

export function onMediaJob(deps: DownloadDeps): JobHandler<'media'> {
  return async (job, signal) => {
    const waiting = await loadWaiting(deps, job.data.subject);
    if (waiting === null) return;
    if (waiting instanceof MediaFault)
      return settleFault(deps, job, waiting, job.data.subject, 0, false);
    await deps.untilConnected(signal);
    signal.throwIfAborted();
    if (deps.isDiskLow()) return settle(deps, job, waiting.id, UNTIL_THERE_IS_SPACE);
    await download(deps, job, waiting, signal);
  };
}

const UNTIL_THERE_IS_SPACE = { do: 'retry', delayMs: 300_000, counts: false } as const;

async function download(
  deps: DownloadDeps,
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
  deps: DownloadDeps,
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
      return transaction(deps, (work) => keep(deps, work, job, { id, stored, type }));
    });
  } finally {
    if (!isKept && placed !== null) await removeUnusedFiles(deps, [placed]);
  }
}

/** False if it was erased meanwhile, or there is no room for it. */
async function keep(
  deps: DownloadDeps,
  work: UnitOfWork,
  job: Job<'media'>,
  { id, stored, type }: { id: MediaId; stored: StoredObject; type: SettledType },
): Promise<boolean> {
  const { tx } = work;
  const { account } = deps.lease;
  const row = await tx
    .selectFrom('media')
    .select(['chat_id', 'message', 'message_id', 'file_name', 'seconds', 'view_once'])
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) {
    await job.complete(tx);
    return false;
  }
  const full = await exceededQuota(tx, account, deps.limits(), row.chat_id, stored.bytes);
  if (full !== null) {
    await end(deps, work, job, id, { do: 'end', state: 'refused', reason: full });
    return false;
  }
  const { kind, mimeType: mime_type } = type;
  await sql`
    WITH object AS (${recordObjectSql(account, stored)}),
    kept AS (UPDATE media SET state = 'stored', reason = NULL, not_before = NULL, sha256 = ${stored.sha256},
        bytes = ${stored.bytes}, kind = ${kind}, mime_type = ${mime_type}, stored_at = ${deps.now()}
      WHERE account_id = ${account} AND id = ${id})
    ${appendEventsSql(account, [stateEvent(id, row, 'stored')])}`.execute(tx);
  await deps.onStored?.(work, { ...row, id, kind, mime_type });
  await job.complete(tx);
  return true;
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

/** Null if nothing waits; a fault if its message cannot be read any more. */
async function loadWaiting(
  { db, lease: { account }, openContent }: DownloadDeps,
  id: MediaId,
): Promise<WaitingMedia | MediaFault | null> {
  const { rows } = await sql<{
    kind: MediaKind;
    mime_type: string | null;
    attempts: number;
    message_id: MessageId;
    from_me: boolean;
    chat: string | null;
    sender: string | null;
    content: Buffer | null;
  }>`
    SELECT m.kind, m.mime_type, m.attempts, g.message_id, g.from_me, g.chat_address AS chat, g.sender_address AS sender,
      g.content
    FROM media m JOIN messages g ON g.account_id = m.account_id AND g.sent_at = m.message_at AND g.id = m.message
    WHERE m.account_id = ${account} AND m.id = ${id} AND m.state = 'waiting'`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { attempts, chat, content, from_me: fromMe, kind, message_id, mime_type, sender } = row;
  if (chat === null || sender === null || content === null) return new MediaFault('malformed');
  try {
    const opened = openContent({ chat, sender, message_id, content });
    const message = { id: message_id, chat, sender, fromMe, content: opened };
    return { id, kind, declared: mime_type, attempts, message };
  } catch (cause) {
    return new MediaFault('malformed', { cause });
  }
}
