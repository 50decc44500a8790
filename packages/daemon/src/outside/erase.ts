// Copies that have to go: their lines out of the files, a word to the webhook, and then the note of where they
// were. What retention and `relay forget` ask for goes at once; what lost its digest in another way is found.
import type { DigestId } from '@relay/core/ids';
import { copiesOf, forgetCopies, markErased, type OutsideCopy, orphans } from '../store/outside.ts';
import { dropLines } from './folder.ts';
import { sendEvent } from './webhook.ts';
import type { OutsideWorld } from './world.ts';

/** Before their rows go. Returns how many lines went. */
export async function eraseCopies(
  { db, lease }: OutsideWorld,
  digests: readonly DigestId[],
): Promise<number> {
  if (digests.length === 0) return 0;
  await markErased(db, lease.account, digests);
  return dropAll(await copiesOf(db, lease.account, digests));
}

/** What is left of digests that are no more. A webhook that does not answer is told the next time. */
export async function sweep(world: OutsideWorld): Promise<void> {
  const { db, lease, log } = world;
  const left = await orphans(db, lease.account);
  if (left.length === 0) return;
  await dropAll(left);
  const done: DigestId[] = [];
  for (const copy of left) {
    if (await isTold(world, copy)) done.push(copy.digest);
  }
  await forgetCopies(db, lease.account, done);
  if (done.length < left.length) {
    log.warn('a webhook was not told what was erased', { count: left.length - done.length });
  }
}

async function dropAll(copies: readonly OutsideCopy[]): Promise<number> {
  const files = Map.groupBy(
    copies.filter(({ file }) => file !== null),
    ({ file }) => file ?? '',
  );
  let lines = 0;
  for (const [file, its] of files) {
    lines += await dropLines(file, new Set(its.map(({ digest }) => digest)));
  }
  return lines;
}

async function isTold(world: OutsideWorld, { digest, told }: OutsideCopy): Promise<boolean> {
  if (told === null) return true;
  try {
    const { webhook_url: url, webhook_secret: secret } = await world.settings();
    if (url === null || secret === null) return true;
    const now = world.now();
    const type = 'digest.erased' as const;
    const event = { type, timestamp: now.toISOString(), data: { digest_id: digest } };
    await sendEvent(world.egress, { url, secret }, { id: `${digest}.erased`, ...event }, now);
    return true;
  } catch {
    return false;
  }
}
