// What every part of media needs: the engine, the store, and the owner's limits.
import type { MediaId } from '@relay/contract/ids';
import type { MediaSettings } from '@relay/contract/settings';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { MediaStore } from './store.ts';

export interface MediaDeps extends Engine {
  readonly store: MediaStore;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  /** Read each time, because they may change while the daemon runs. */
  readonly limits: () => MediaSettings;
  /** Called in the transaction that stores a received file. */
  readonly onStored?: (work: UnitOfWork, id: MediaId) => Promise<void>;
}
