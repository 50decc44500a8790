// The memory outside of Relay, put together: what digests hand it, its worker, what erases its copies, and how
// the owner sets it up.
import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import type { OutsideMemoryState } from '@relay/core/api/outside-memory';
import { RelayError } from '@relay/core/errors';
import type { DigestId } from '@relay/core/ids';
import type { OutsideMemoryVerbs } from '@relay/core/ports/outside-memory';
import type { OutsideCopies } from '@relay/core/ports/retention';
import type { OutsideMemorySettings } from '@relay/core/settings';
import type { Work } from '../jobs/work.ts';
import { eraseCopies, sweep } from './erase.ts';
import type { OutsideWorld } from './world.ts';
import { onOutside } from './write.ts';

export interface OutsideMemory {
  /** A digest was written, in this transaction. */
  enqueue(work: Work, digest: DigestId, kind: 'hourly' | 'daily'): Promise<void>;
  readonly copies: OutsideCopies;
  readonly verbs: OutsideMemoryVerbs;
  start(): Promise<void>;
  /** Takes away what is left of digests that are gone. */
  sweep(): Promise<void>;
}

export function openOutside(world: OutsideWorld): OutsideMemory {
  const { jobs, lease, log } = world;
  const sweepUp = () =>
    sweep(world).catch((error: unknown) => log.warn('copies of digests are left', { error }));
  return {
    async enqueue(work, digest, kind) {
      // Settings that cannot be read fail the job and never the digest.
      const settings = await world.settings().catch(() => null);
      if (settings !== null && !isWanted(settings, kind)) return;
      const data = { account: lease.account, subject: digest };
      await jobs.enqueue(work.tx, 'outside_memory', [{ key: `${lease.account}:${digest}`, data }]);
      work.filled.add('outside_memory');
    },
    copies: { erase: (digests) => eraseCopies(world, digests) },
    verbs: outsideVerbs(world),
    async start() {
      await sweepUp();
      jobs.work('outside_memory', 1, onOutside(world));
    },
    sweep: sweepUp,
  };
}

const isWanted = (
  { folder, webhook_url, hourly }: OutsideMemorySettings,
  kind: 'hourly' | 'daily',
): boolean => (folder !== null || webhook_url !== null) && (kind === 'daily' || hourly);

function outsideVerbs({ settings, save }: OutsideWorld): OutsideMemoryVerbs {
  return {
    state: async () => stateOf(await settings()),
    async change({ rotate_secret, ...changed }) {
      if (typeof changed.folder === 'string' && !isAbsolute(changed.folder)) {
        throw new RelayError('outside_folder');
      }
      const wanted = Object.fromEntries(
        Object.entries(changed).filter(([, value]) => value !== undefined),
      ) as Partial<OutsideMemorySettings>;
      const saved = await save(wanted);
      const lacking = saved.webhook_url !== null && saved.webhook_secret === null;
      if (!lacking && rotate_secret !== true) return { ...stateOf(saved), webhook_secret: null };
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      return { ...stateOf(await save({ webhook_secret: secret })), webhook_secret: secret };
    },
  };
}

const stateOf = (settings: OutsideMemorySettings): OutsideMemoryState => ({
  device_id: settings.device_id,
  folder: settings.folder,
  hourly: settings.hourly,
  webhook_url: settings.webhook_url,
  signed: settings.webhook_secret !== null,
});
