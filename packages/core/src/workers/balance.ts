// Decides which accounts a worker takes and which it gives back. Workers do not talk to each other: each computes the
// same fair shares from the same facts, so that their decisions agree.
// Invariant: while no worker joins or leaves, accounts soon stop moving; an account in its place is never moved.
import type { AccountId } from '@relay/contract/ids';

/** A worker that is alive. */
export interface WorkerLoad {
  readonly id: string;
  /** How many accounts it may hold at once. */
  readonly capacity: number;
  /** How many accounts it holds now. */
  readonly held: number;
  /** It hands its accounts over and takes none. */
  readonly draining: boolean;
}

interface BalanceFacts {
  /** The id of the worker that decides. */
  readonly self: string;
  /** All workers that are alive, `self` included. */
  readonly workers: readonly WorkerLoad[];
  /** Accounts that no living worker holds. */
  readonly free: readonly AccountId[];
  /** Accounts of `self` that may be moved now, the first one first. */
  readonly movable: readonly AccountId[];
  /** How many accounts of `self` are already on their way to another worker. */
  readonly leaving: number;
  /** How long no worker has joined or left. */
  readonly settledMs: number;
}

interface BalanceDecision {
  readonly take: readonly AccountId[];
  readonly giveBack: readonly AccountId[];
}

/** Workers often restart: only after this long without a change are accounts moved for balance. */
export const SETTLED_MS = 10_000;
/** Moved for balance in one look; a draining worker hands over as many at once. */
const MOVED_AT_ONCE = 4;
/** A difference this small, as a part of the fair share, is not worth a reconnect. */
const TOLERATED = 0.1;

export function decideBalance(facts: BalanceFacts): BalanceDecision {
  const { self, workers, free, leaving, movable, settledMs } = facts;
  const own = workers.find(({ id }) => id === self);
  if (own === undefined) return { take: [], giveBack: [] };
  if (own.draining) return { take: [], giveBack: movable.slice(0, MOVED_AT_ONCE) };
  const active = workers.filter(({ draining }) => !draining);
  const held = workers.reduce((sum, worker) => sum + worker.held, 0);
  const shares = fairShares(active, held + free.length);
  const share = shares.get(self) ?? 0;
  const room = Math.max(0, Math.min(own.capacity, share) - own.held);
  const take = inOwnOrder(self, free).slice(0, room);
  if (take.length > 0 || free.length > 0 || settledMs < SETTLED_MS) return { take, giveBack: [] };
  const surplus = own.held - leaving - share;
  if (surplus <= Math.floor(share * TOLERATED)) return { take, giveBack: [] };
  const wanted = active.reduce((sum, worker) => {
    const missing = (shares.get(worker.id) ?? 0) - worker.held;
    return worker.id === self ? sum : sum + Math.max(0, missing);
  }, 0);
  return { take, giveBack: movable.slice(0, Math.min(surplus, wanted, MOVED_AT_ONCE)) };
}

/**
 * How many accounts each worker should hold: as even as their capacities allow. The remainder goes to those that hold
 * the most already, so that it is not moved.
 */
export function fairShares(
  workers: readonly WorkerLoad[],
  accounts: number,
): ReadonlyMap<string, number> {
  const shares = new Map(workers.map(({ id }) => [id, 0]));
  let left = accounts;
  let open = [...workers].sort((a, b) => a.capacity - b.capacity);
  for (const worker of open) {
    const level = Math.floor(left / open.length);
    if (worker.capacity > level) break;
    shares.set(worker.id, worker.capacity);
    left -= worker.capacity;
    open = open.filter(({ id }) => id !== worker.id);
  }
  const level = open.length === 0 ? 0 : Math.floor(left / open.length);
  let remainder = left - level * open.length;
  const byLoad = open.sort((a, b) => b.held - a.held || (a.id < b.id ? -1 : 1));
  for (const { id } of byLoad) {
    shares.set(id, level + (remainder > 0 ? 1 : 0));
    remainder -= 1;
  }
  return shares;
}

/** Each worker begins with other accounts, so that several that look at once seldom want the same one. */
function inOwnOrder(self: string, accounts: readonly AccountId[]): AccountId[] {
  return [...accounts].sort((a, b) => rank(self, a) - rank(self, b) || a - b);
}

/** FNV-1a. */
function rank(self: string, account: AccountId): number {
  let hash = 0x811c9dc5;
  for (const character of `${self} ${account}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return hash >>> 0;
}
