// Assembles search for one account: the index that follows the messages, and the search over it.

import type { MemoryService } from '@relay/contract/api/memory';
import type { SearchService } from '@relay/contract/api/search';
import type { Log } from '@relay/core/log';
import type { MemorySetup } from '@relay/core/ports/embedder';
import { findZone } from '@relay/core/schedule/zone';
import type { Db } from '../../platform/db/database.ts';
import type { PostgresEventLog } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { Indexer } from './indexer.ts';
import { MessageSearch, type SearchDeps } from './search.ts';
import { createSearchService } from './service.ts';
import { openVectors, type Vectors } from './vectors/feature.ts';
import { createMemoryService } from './vectors/service.ts';

interface OpenSearchOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  /** Wakes the indexer when something may have been stored. */
  readonly events: Pick<PostgresEventLog, 'subscribe' | 'hint'>;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** The time zone for words such as "yesterday"; an IANA name. */
  readonly zone: string;
  /** The embedding model, while semantic search is on. */
  readonly embeddings: MemorySetup;
}

interface SearchFeature {
  readonly search: MessageSearch;
  readonly service: SearchService;
  readonly indexer: Indexer;
  readonly vectors: Vectors;
  readonly memoryService: MemoryService;
}

export function openSearch(options: OpenSearchOptions): SearchFeature {
  const { db, lease, now, admins } = options;
  const zone = findZone(options.zone);
  if (zone === null) throw new Error(`no such zone: ${options.zone}`);
  const indexer = new Indexer({ ...options, onIndexed: () => vectors.follower.hint() });
  const caughtUp = () => indexer.caughtUp();
  const setup = options.embeddings;
  const vectors = openVectors({ ...options, source: () => setup.current() });
  const { findNearby } = vectors;
  const deps: SearchDeps = { db, account: lease.account, admins, zone, now, caughtUp, findNearby };
  const search = new MessageSearch(deps);
  return {
    search,
    service: createSearchService(deps, search),
    indexer,
    vectors,
    memoryService: createMemoryService({ db, lease, setup, vectors }),
  };
}
