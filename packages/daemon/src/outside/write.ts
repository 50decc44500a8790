// A digest goes out: to the day's file, and over the webhook. A job of its own for each making of a digest, tried
// again until it is done. Invariant: where it goes is noted before it is written, so that it can be taken away.
import { isAbsolute, join } from 'node:path';
import { lineOf, segmentsOf } from '@relay/core/outside/segment';
import { dayIn } from '@relay/core/schedule/zone';
import type { Handler } from '../jobs/worker.ts';
import { fenced } from '../store/fenced.ts';
import { copyOf, type FoundDigest, noteFile, noteTold, outsideDigest } from '../store/outside.ts';
import { sweep } from './erase.ts';
import { dropLines, putLines } from './folder.ts';
import { sendEvent } from './webhook.ts';
import type { OutsideWorld } from './world.ts';

export function onOutside(world: OutsideWorld): Handler<'outside_memory'> {
  return async (job) => {
    const { db, lease } = world;
    const digest = await outsideDigest(db, lease.account, job.data.subject);
    const told = digest === null ? null : await write(world, digest);
    await fenced(db, lease, async (tx) => {
      if (told !== null) await noteTold(tx, lease.account, job.data.subject, told);
      await job.complete(tx);
    });
    await sweep(world);
  };
}

/** Of which making the webhook was told now; null when it was not. */
async function write(world: OutsideWorld, digest: FoundDigest): Promise<Date | null> {
  const { db, lease, egress, now } = world;
  const settings = await world.settings();
  const before = await copyOf(db, lease.account, digest.id);
  if (before?.erased) return null;
  const segments = segmentsOf(digest, settings.device_id);
  if (settings.folder !== null && isAbsolute(settings.folder)) {
    const file = join(settings.folder, `${dayOf(world, digest)}.jsonl`);
    if (before?.file && before.file !== file) await dropLines(before.file, new Set([digest.id]));
    await noteFile(db, lease.account, digest.id, file);
    await putLines(file, digest.id, segments.map(lineOf));
    // It may have been erased while the file was written.
    const after = await copyOf(db, lease.account, digest.id);
    if (after === null || after.erased) {
      await dropLines(file, new Set([digest.id]));
      return null;
    }
  }
  const { webhook_url: url, webhook_secret: secret } = settings;
  if (url === null || secret === null || +(before?.told ?? 0) === +digest.madeAt) return null;
  await sendEvent(
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

/** By the clocks of the group. */
const dayOf = ({ zone }: OutsideWorld, digest: FoundDigest): string =>
  dayIn(digest.zone ?? zone, digest.start);
