// What every part of media needs: the engine, the store, and the owner's limits.
import type { MediaSettings } from '@relay/contract/settings';
import type { MediaRow } from '../../platform/db/media.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { MediaStore } from './store.ts';

/** What is known of a file that was just stored. */
export type StoredMedia = Pick<
  MediaRow,
  'id' | 'kind' | 'mime_type' | 'file_name' | 'seconds' | 'message' | 'view_once'
>;

export interface MediaDeps extends Engine {
  readonly store: MediaStore;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** Read each time, because they may change while the daemon runs. */
  readonly limits: () => MediaSettings;
  /** Called in the transaction that stores a received file. */
  readonly onStored?: (work: UnitOfWork, media: StoredMedia) => Promise<void>;
}
