// Search, put together for one account: the index that follows the messages, and whoever asks it.
import type { Log } from '@relay/core/log';
import type { EmbedderSource } from '@relay/core/ports/embedder';
import type { EventLog } from '@relay/core/ports/event-log';
import type { SearchVerbs } from '@relay/core/ports/search';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { Indexer } from './indexer.ts';
import { Search, type SearchWorld } from './search.ts';
import { openVectors, type Vectors } from './vectors/open.ts';
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
  readonly embedder: EmbedderSource;
}

export interface OpenedSearch {
  readonly search: Search;
  readonly verbs: SearchVerbs;
  readonly indexer: Indexer;
  readonly vectors: Vectors;
}

export function openSearch(options: OpenSearchOptions): OpenedSearch {
  const { db, lease, now, admins } = options;
  const zone = zoneNamed(options.zone);
  if (zone === null) throw new Error(`no such zone: ${options.zone}`);
  const indexer = new Indexer(options);
  const caughtUp = () => indexer.caughtUp();
  const vectors = openVectors({ ...options, source: options.embedder });
  const { nearest } = vectors;
  const world: SearchWorld = { db, account: lease.account, admins, zone, now, caughtUp, nearest };
  const search = new Search(world);
  return { search, verbs: searchVerbs(world, search), indexer, vectors };
}
