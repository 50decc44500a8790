// Assembles the digest export: the job that exports digests, the deletion of exported copies, and the owner's settings.
import { randomBytes } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { DigestExportService, DigestExportState } from '@relay/contract/api/digests';
import type { ExportedDigestCopies } from '@relay/contract/api/retention';
import { RelayError } from '@relay/contract/errors';
import type { DigestId } from '@relay/contract/ids';
import type { DigestExportSettings } from '@relay/contract/settings';
import {
  type DigestSegment,
  digestSegments,
  segmentLine,
} from '@relay/core/observer/digest/export-segments';
import { dayIn } from '@relay/core/schedule/zone';
import { Webhook } from 'standardwebhooks';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { JobHandler } from '../../platform/jobs/queue-worker.ts';
import { dropDigestLines, putDigestLines } from './folder.ts';
import {
  type DigestCopy,
  type DigestToExport,
  deleteDigestCopies,
  findDigestCopies,
  findDigestCopy,
  findOrphanedDigestCopies,
  markDigestCopiesErased,
  noteDigestCopyDelivered,
  noteDigestCopyFile,
  readDigestToExport,
} from './sql.ts';

interface DigestExport {
  /** Queues the export of a digest that was written in this transaction. */
  enqueue(work: UnitOfWork, digest: DigestId, kind: 'hourly' | 'daily'): Promise<void>;
  readonly copies: ExportedDigestCopies;
  readonly service: DigestExportService;
  start(): Promise<void>;
  /** Removes copies whose digests no longer exist. */
  removeOrphanedCopies(): Promise<void>;
}

export function openDigestExport(deps: DigestExportDeps): DigestExport {
  const { jobs, lease, log } = deps;
  const sweepUp = () =>
    removeOrphanedCopies(deps).catch((error: unknown) =>
      log.warn('could not remove copies of deleted digests', { error }),
    );
  return {
    async enqueue(work, digest, kind) {
      // Unreadable settings must fail the job and not the digest.
      const settings = await deps.settings().catch(() => null);
      if (settings !== null && !isExportWanted(settings, kind)) return;
      const data = { account: lease.account, subject: digest };
      await jobs.enqueue(work.tx, 'outside_memory', [{ key: `${lease.account}:${digest}`, data }]);
      work.afterCommit.push(() => deps.jobs.wake('outside_memory'));
    },
    copies: { erase: (digests) => eraseDigestCopies(deps, digests) },
    service: createDigestExportService(deps),
    async start() {
      await sweepUp();
      jobs.work('outside_memory', 1, createDigestExportHandler(deps), lease.account);
    },
    removeOrphanedCopies: sweepUp,
  };
}

const isExportWanted = (
  { folder, webhook_url, hourly }: DigestExportSettings,
  kind: 'hourly' | 'daily',
): boolean => (folder !== null || webhook_url !== null) && (kind === 'daily' || hourly);

function createDigestExportService({ settings, save }: DigestExportDeps): DigestExportService {
  return {
    state: async () => exportState(await settings()),
    async change({ rotate_secret, ...changed }) {
      if (typeof changed.folder === 'string' && !isAbsolute(changed.folder)) {
        throw new RelayError('outside_folder');
      }
      const wanted = Object.fromEntries(
        Object.entries(changed).filter(([, value]) => value !== undefined),
      ) as Partial<DigestExportSettings>;
      const saved = await save(wanted);
      const lacking = saved.webhook_url !== null && saved.webhook_secret === null;
      if (!lacking && rotate_secret !== true)
        return { ...exportState(saved), webhook_secret: null };
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      return { ...exportState(await save({ webhook_secret: secret })), webhook_secret: secret };
    },
  };
}

const exportState = (settings: DigestExportSettings): DigestExportState => ({
  device_id: settings.device_id,
  folder: settings.folder,
  hourly: settings.hourly,
  webhook_url: settings.webhook_url,
  signed: settings.webhook_secret !== null,
});

// Exports a digest to the day's file and to the webhook. Each version of a digest has its own job, which is retried
// until it succeeds.
// Invariant: the target is recorded before anything is written, so that the copy can be removed.

function createDigestExportHandler(deps: DigestExportDeps): JobHandler<'outside_memory'> {
  return async (job) => {
    const { db, lease } = deps;
    const digest = await readDigestToExport(db, lease.account, job.data.subject);
    const deliveredVersion = digest === null ? null : await exportDigest(deps, digest);
    await transaction(deps, async ({ tx }) => {
      if (deliveredVersion !== null)
        await noteDigestCopyDelivered(tx, lease.account, job.data.subject, deliveredVersion);
      await job.complete(tx);
    });
    await removeOrphanedCopies(deps);
  };
}

/** Returns the digest version that was sent to the webhook now; null when none was. */
async function exportDigest(deps: DigestExportDeps, digest: DigestToExport): Promise<Date | null> {
  const { db, lease, egress, now } = deps;
  const settings = await deps.settings();
  const before = await findDigestCopy(db, lease.account, digest.id);
  if (before?.erased) return null;
  const segments = digestSegments(digest, settings.device_id);
  if (settings.folder !== null && isAbsolute(settings.folder)) {
    const file = join(settings.folder, `${dayOf(deps, digest)}.jsonl`);
    if (before?.file && before.file !== file)
      await dropDigestLines(before.file, new Set([digest.id]));
    await transaction(deps, ({ tx }) => noteDigestCopyFile(tx, lease.account, digest.id, file));
    await putDigestLines(file, digest.id, segments.map(segmentLine));
    // The digest may have been erased while the file was written.
    const after = await findDigestCopy(db, lease.account, digest.id);
    if (after === null || after.erased) {
      await dropDigestLines(file, new Set([digest.id]));
      return null;
    }
  }
  const { webhook_url: url, webhook_secret: secret } = settings;
  if (url === null || secret === null || +(before?.told ?? 0) === +digest.madeAt) return null;
  await sendExportEvent(
    egress,
    { url, secret },
    {
      id: `${digest.id}.${+digest.madeAt}`,
      type: 'digest.written',
      timestamp: digest.madeAt.toISOString(),
      data: { digest_id: digest.id, segments },
    },
    now(),
  );
  return digest.madeAt;
}

/** In the group's time zone. */
const dayOf = ({ zone }: DigestExportDeps, digest: DigestToExport): string =>
  dayIn(digest.zone ?? zone, digest.start);

// Removes exported copies: their lines from the files, a notice to the webhook, then the record of where they were.
// Retention and `relay forget` remove copies at once; copies whose digest disappeared otherwise are found later.

/** Call before the digests' rows are deleted. Returns the number of removed lines. */
async function eraseDigestCopies(
  deps: DigestExportDeps,
  digests: readonly DigestId[],
): Promise<number> {
  const { db, lease } = deps;
  if (digests.length === 0) return 0;
  await transaction(deps, ({ tx }) => markDigestCopiesErased(tx, lease.account, digests));
  return dropCopyLines(await findDigestCopies(db, lease.account, digests));
}

/** Removes copies of digests that no longer exist. If the webhook does not answer, it is notified the next time. */
async function removeOrphanedCopies(deps: DigestExportDeps): Promise<void> {
  const { db, lease, log } = deps;
  const left = await findOrphanedDigestCopies(db, lease.account);
  if (left.length === 0) return;
  await dropCopyLines(left);
  const done: DigestId[] = [];
  for (const copy of left) {
    if (await notifyErased(deps, copy)) done.push(copy.digest);
  }
  await transaction(deps, ({ tx }) => deleteDigestCopies(tx, lease.account, done));
  if (done.length < left.length) {
    log.warn('could not notify webhook of erased digests', { count: left.length - done.length });
  }
}

async function dropCopyLines(copies: readonly DigestCopy[]): Promise<number> {
  const files = Map.groupBy(
    copies.filter(({ file }) => file !== null),
    ({ file }) => file ?? '',
  );
  let lines = 0;
  for (const [file, its] of files) {
    lines += await dropDigestLines(file, new Set(its.map(({ digest }) => digest)));
  }
  return lines;
}

async function notifyErased(
  deps: DigestExportDeps,
  { digest, told }: DigestCopy,
): Promise<boolean> {
  if (told === null) return true;
  try {
    const { webhook_url: url, webhook_secret: secret } = await deps.settings();
    if (url === null || secret === null) return true;
    const now = deps.now();
    const type = 'digest.erased' as const;
    const event = { type, timestamp: now.toISOString(), data: { digest_id: digest } };
    await sendExportEvent(deps.egress, { url, secret }, { id: `${digest}.erased`, ...event }, now);
    return true;
  } catch {
    return false;
  }
}

// Sends segments to the owner's webhook, signed according to Standard Webhooks, through `Egress`. A retry has the same
// id, so that the receiver can recognize it.

interface ExportEndpoint {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
}

interface DigestExportEvent {
  readonly id: string;
  readonly type: 'digest.written' | 'digest.erased';
  readonly timestamp: string;
  readonly data: { readonly digest_id: string; readonly segments?: readonly DigestSegment[] };
}

class ExportRefused extends Error {}

const TIMEOUT_MS = 20_000;

async function sendExportEvent(
  egress: Egress,
  { url, secret }: ExportEndpoint,
  { id, ...event }: DigestExportEvent,
  now: Date,
): Promise<void> {
  const body = JSON.stringify(event);
  const { status } = await egress(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(+now / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    },
    body,
    timeoutMs: TIMEOUT_MS,
  });
  if (status < 200 || status > 299) throw new ExportRefused(`the webhook answered with ${status}`);
}

// The dependencies of the digest export.

interface DigestExportDeps extends Engine {
  readonly egress: Egress;
  /** The current settings, with the secret decrypted. */
  settings(): Promise<DigestExportSettings>;
  save(changed: Partial<DigestExportSettings>): Promise<DigestExportSettings>;
}
