// Watches the free space on the home's disk. When it is low, Relay stores only what is necessary: messages of chats
// that the owner uses, and WhatsApp's keys. Checks at an interval, never for a single message.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import type { DiskSettings } from '@relay/contract/settings';
import type { Log } from '@relay/core/log';

interface DiskGuardOptions {
  readonly home: string;
  /** Read at each check, because they may change while the daemon runs. */
  readonly settings: DiskSettings;
  readonly log: Log;
  /** Replaces the file system's answer. */
  readonly freeBytes?: (path: string) => Promise<number>;
}

const LOOK_EVERY_MS = 30_000;
const MB = 1_000_000;
/** Space counts as sufficient again only this far above the limit, so that the state does not flip at every check. */
const AGAIN_ABOVE = 1.1;

/** PostgreSQL writes its log in files of 16 MB; with less than two of them free, nothing can be saved for long. */
const FULL_BYTES = 32 * MB;

/** Refuses a home whose disk is full. Returns how many bytes are free. */
export async function refuseFullDisk(home: string): Promise<number> {
  const free = await freeDiskBytes(home);
  if (free < FULL_BYTES) {
    throw new RelayError('disk_full', { home, free: Math.floor(free / MB) });
  }
  return free;
}

/** Whether that is why a database on this disk does not answer; false if the free space is unknown. */
export const isDiskFull = (path: string): Promise<boolean> =>
  freeDiskBytes(path).then(
    (free) => free < FULL_BYTES,
    () => false,
  );

/** What Relay does not do while the disk is nearly full. */
export const lowDiskSentence = (home: string, free: number): string =>
  `Only ${Math.floor(free / MB)} MB are free on the disk of ${home}: messages from unknown senders are counted but not stored, and imports and backups to it are refused.`;

export const LOW_DISK_ACTION =
  'Free some space, or lower "disk.keep_free_megabytes" in the settings.';

export class DiskGuard {
  readonly #options: DiskGuardOptions;
  #free: number | null = null;
  #isLow = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: DiskGuardOptions) {
    this.#options = options;
  }

  get isLow(): boolean {
    return this.#isLow;
  }

  /** What Relay does not do at present and how to fix it; null while there is enough space. */
  get sentence(): string | null {
    return this.#isLow
      ? `${lowDiskSentence(this.#options.home, this.#free ?? 0)} ${LOW_DISK_ACTION}`
      : null;
  }

  /** The same for an owner whose account is hosted here, without the path and the free space. */
  get hostedSentence(): string | null {
    return this.#isLow
      ? 'The disk is almost full: messages from unknown senders are counted but not stored, and imports are refused. Ask the person who runs this Relay.'
      : null;
  }

  /** Refuses work that can wait until there is space. */
  assertNotLow(): void {
    if (this.#isLow) throw new RelayError('disk_low', { free: this.#freeMb() });
  }

  async start(): Promise<() => void> {
    await this.check();
    this.#timer = setInterval(() => void this.check(), LOOK_EVERY_MS).unref();
    return () => clearInterval(this.#timer ?? undefined);
  }

  async check(): Promise<void> {
    const { home, settings, log, freeBytes = freeDiskBytes } = this.#options;
    try {
      this.#free = await freeBytes(home);
    } catch (error) {
      // An unknown amount of free space changes nothing.
      log.warn('reading the free disk space failed', { error });
      return;
    }
    const limit = settings.keep_free_megabytes * MB;
    const isLow = this.#free < limit * (this.#isLow ? AGAIN_ABOVE : 1);
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    if (isLow) log.warn('disk almost full', { reason: this.sentence ?? '' });
    else log.info('disk has enough space again', {});
  }

  #freeMb(): number {
    return Math.floor((this.#free ?? 0) / MB);
  }
}

/** For a folder that does not exist yet: on the disk where it would be created. */
export async function freeDiskBytes(path: string): Promise<number> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at)) throw error;
    }
  }
}
