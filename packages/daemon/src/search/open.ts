// Search, put together for one account: the index that follows the messages, and whoever asks it.
import type { Log } from '@relay/core/log';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { Indexer } from './indexer.ts';
import { Search } from './search.ts';

export interface OpenSearchOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** What "yesterday" is told by; an IANA name. */
  readonly zone: string;
  /** Calls whenever something may have been stored. */
  subscribe(wake: () => void): () => void;
}

export function openSearch(options: OpenSearchOptions): { search: Search; indexer: Indexer } {
  const { db, lease, now, admins } = options;
  const zone = zoneNamed(options.zone) ?? zoneNamed('UTC');
  if (zone === null) throw new Error('no time zones');
  const indexer = new Indexer(options);
  const caughtUp = () => indexer.caughtUp();
  return {
    search: new Search({ db, account: lease.account, admins, zone, now, caughtUp }),
    indexer,
  };
}
