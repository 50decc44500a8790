// Search, put together for one account: the index that follows the messages, and whoever asks it.
import type { Log } from '@relay/core/log';
import type { EventLog } from '@relay/core/ports/event-log';
import type { MemorySetup, MemoryVerbs } from '@relay/core/ports/memory';
import type { SearchVerbs } from '@relay/core/ports/search';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { Indexer } from './indexer.ts';
import { Search, type SearchWorld } from './search.ts';
import { openVectors, type Vectors } from './vectors/open.ts';
import { memoryVerbs } from './vectors/verbs.ts';
import { searchVerbs } from './verbs.ts';

export interface OpenSearchOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  /** Wakes whoever follows it when something may have been stored. */
  readonly events: Pick<EventLog, 'subscribe'>;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** What "yesterday" is told by; an IANA name. */
  readonly zone: string;
  /** What turns texts into vectors, while the owner wants any. */
  readonly embeddings: MemorySetup;
}

export interface OpenedSearch {
  readonly search: Search;
  readonly verbs: SearchVerbs;
  readonly indexer: Indexer;
  readonly vectors: Vectors;
  readonly memory: MemoryVerbs;
}

export function openSearch(options: OpenSearchOptions): OpenedSearch {
  const { db, lease, now, admins } = options;
  const zone = zoneNamed(options.zone);
  if (zone === null) throw new Error(`no such zone: ${options.zone}`);
  const indexer = new Indexer(options);
  const caughtUp = () => indexer.caughtUp();
  const setup = options.embeddings;
  const vectors = openVectors({ ...options, source: () => setup.current() });
  const { nearness } = vectors;
  const world: SearchWorld = { db, account: lease.account, admins, zone, now, caughtUp, nearness };
  const search = new Search(world);
  return {
    search,
    verbs: searchVerbs(world, search),
    indexer,
    vectors,
    memory: memoryVerbs({ db, lease, setup, vectors }),
  };
}
