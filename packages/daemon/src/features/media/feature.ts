// Assembles media: the store, the downloads, what a new grant fetches, and the nightly clearing.
import { setTimeout as sleep } from 'node:timers/promises';
import { whatsappStatusOf } from '@relay/contract/connection/states';
import type { Transport } from '@relay/core/ports/transport';
import { hasReopenableMedia, reopenRefusedMedia } from '../../platform/db/media.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { PollLoop } from '../../platform/poll-loop.ts';
import { clearMedia, queueStranded } from './clear.ts';
import type { MediaDeps } from './deps.ts';
import { type DownloadDeps, onMediaJob } from './download.ts';
import { type MediaUse, readMediaUse, removeUnusedObjects, sweepFiles } from './room.ts';

interface MediaOptions extends MediaDeps {
  readonly transport: Pick<Transport, 'link' | 'capabilities'>;
  readonly openContent: DownloadDeps['openContent'];
  readonly isDiskLow: DownloadDeps['isDiskLow'];
}

export interface Media {
  /** Removes the files that no message has any more. Call after messages were erased. */
  removeUnused(): Promise<number>;
  readUse(): Promise<MediaUse>;
  /** Runs as a part of the daily maintenance. */
  nightly(): Promise<void>;
  start(): Promise<() => Promise<void>>;
}

const CONCURRENT_DOWNLOADS = 16;
/** How long after something happened for the account to look whether a grant has opened a chat. */
const GRANT_GATHER_MS = 2_000;
const RECENT_MS = 7 * 86_400_000;
const CONNECTION_LOOK_MS = 500;
/** A job that waits for the connection is given back after this time. */
const MOST_CONNECTION_WAIT_MS = 600_000;

export function openMedia(options: MediaOptions): Media {
  const { db, lease, jobs, log, now, transport } = options;
  const { account } = lease;
  const deps: MediaDeps = options;
  const isConnected = () => whatsappStatusOf(transport.link.state) === 'connected';
  const granted = new PollLoop({
    look: async () => {
      const since = new Date(now().getTime() - RECENT_MS);
      if (await hasReopenableMedia(db, account, options.admins, since)) {
        await transaction(deps, async ({ tx }) => {
          const reopened = await reopenRefusedMedia(tx, account, options.admins, since);
          const queued = reopened.map((id) => ({ key: id, data: { account, subject: id } }));
          await jobs.enqueue(tx, 'media', queued);
        });
      }
      return Number.POSITIVE_INFINITY;
    },
    failed: (error) => {
      log.warn('looking for granted media failed; retrying', { error });
      return GRANT_GATHER_MS;
    },
    gatherMs: GRANT_GATHER_MS,
  });
  return {
    removeUnused: () => removeUnusedObjects(deps),
    readUse: () => readMediaUse(db, account),
    nightly: async () => {
      await clearMedia(deps);
      await queueStranded(deps);
      await sweepFiles(deps);
    },
    async start() {
      await queueStranded(deps);
      jobs.work(
        'media',
        CONCURRENT_DOWNLOADS,
        onMediaJob({
          ...deps,
          transport: transport.capabilities,
          openContent: options.openContent,
          isDiskLow: options.isDiskLow,
          untilConnected: (signal) => untilConnected(isConnected, signal),
        }),
        account,
      );
      granted.start();
      const unsubscribe = deps.events.subscribe(() => granted.hint());
      const swept = sweepFiles(deps).catch((error: unknown) =>
        log.warn('removing files without a message failed', { error }),
      );
      return async () => {
        unsubscribe();
        await granted.stop();
        await swept;
      };
    },
  };
}

async function untilConnected(isConnected: () => boolean, signal: AbortSignal): Promise<void> {
  const end = performance.now() + MOST_CONNECTION_WAIT_MS;
  while (!isConnected() && performance.now() < end) {
    await sleep(CONNECTION_LOOK_MS, undefined, { signal, ref: false });
  }
}
