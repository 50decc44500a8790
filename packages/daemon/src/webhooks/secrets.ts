// The secrets webhooks are signed with: made here, shown once, and kept sealed for this home under the name of
// their webhook. After a change the one before signs too for a day.
import { randomBytes } from 'node:crypto';
import type { WebhookId } from '@relay/core/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import { sealedSecrets, type WebhookRow } from '../store/webhooks/webhooks.ts';
import type { WebhookWorld } from './world.ts';

const OVERLAP_MS = 24 * 3_600_000;

const nameOf = (id: WebhookId): string => `webhook/${id}`;

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const sealSecret = (sealer: Sealer, id: WebhookId, secret: string): Uint8Array =>
  sealer.seal(nameOf(id), Buffer.from(secret));

/** Those that sign now, the newest first; null when they were sealed for another home. */
export async function openSecrets(
  { db, lease, sealer }: WebhookWorld,
  { id, rotated_at }: Pick<WebhookRow, 'id' | 'rotated_at'>,
  now: Date,
): Promise<readonly string[] | null> {
  const sealed = await sealedSecrets(db, lease.account, id);
  if (sealed === null) return null;
  const overlaps = rotated_at !== null && +now - +rotated_at < OVERLAP_MS;
  const previous = overlaps ? sealed.previous_secret : null;
  const newest = opened(sealer, id, sealed.secret);
  if (newest === null) return null;
  const before = previous === null ? null : opened(sealer, id, previous);
  return before === null ? [newest] : [newest, before];
}

function opened(sealer: Sealer, id: WebhookId, sealed: Uint8Array): string | null {
  try {
    return Buffer.from(sealer.open(nameOf(id), sealed)).toString();
  } catch {
    return null;
  }
}
