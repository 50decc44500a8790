// The observer, put together for the daemon: what the router hands it, and its worker.
import type { LedgerRow } from '@relay/core/ledger/detail';
import type { Work } from '../../jobs/work.ts';
import type { Handler } from '../../jobs/worker.ts';
import { type HeardMessage, hearInGroup } from './hear.ts';
import { onTrigger } from './trigger.ts';
import type { ObserverWorld } from './work.ts';

export interface Observer {
  hear(work: Work, message: HeardMessage): Promise<readonly LedgerRow[]>;
  readonly onTrigger: Handler<'trigger'>;
}

export const openObserver = (world: ObserverWorld): Observer => ({
  hear: (work, message) => hearInGroup(world, work, message),
  onTrigger: onTrigger(world),
});
