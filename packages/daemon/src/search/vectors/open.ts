// Vectors, put together for one account: the follower that makes them behind the index of words, and whoever
// asks what is near a text.
import type { Log } from '@relay/core/log';
import type { EmbedderSource } from '@relay/core/ports/embedder';
import type { Reader } from '../../store/database.ts';
import type { Lease } from '../../store/lease.ts';
import type { Near, NearestOptions } from './vector-index.ts';

export interface OpenVectorsOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  readonly source: EmbedderSource;
}

export interface Vectors {
  /** Null while memory works by words alone, and when the model does not answer in time. */
  nearest(text: string, options: NearestOptions): Promise<readonly Near[] | null>;
}

export function openVectors({ source }: OpenVectorsOptions): Vectors {
  return {
    async nearest() {
      return (await source()) === null ? null : [];
    },
  };
}
