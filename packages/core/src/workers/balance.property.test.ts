import type { AccountId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideBalance, fairShares, SETTLED_MS, type WorkerLoad } from './balance.ts';

const LOOK_MS = 1_000;
/** Far more rounds than any change needs until no account moves. */
const PATIENCE = 400;

interface Worker {
  readonly id: string;
  readonly capacity: number;
  draining: boolean;
}

/** Workers that look in turn and act on what they decide, as the real ones do on one database. */
class Cell {
  readonly holders = new Map<AccountId, string>();
  readonly workers = new Map<string, Worker>();
  moves = 0;
  #settledMs = 0;

  constructor(accounts: number) {
    for (let id = 1; id <= accounts; id++) this.holders.set(id as AccountId, '');
  }

  /** A worker that is there already restarts: it begins without accounts. */
  join(worker: Worker): void {
    this.leave(worker.id);
    this.workers.set(worker.id, worker);
    this.#settledMs = 0;
  }

  /** Killed: its accounts are free once it is declared lost. */
  leave(id: string): void {
    if (!this.workers.delete(id)) return;
    for (const [account, holder] of this.holders) if (holder === id) this.holders.set(account, '');
    this.#settledMs = 0;
  }

  drain(id: string): void {
    const worker = this.workers.get(id);
    if (worker === undefined) return;
    worker.draining = true;
    this.#settledMs = 0;
  }

  heldBy = (id: string): AccountId[] =>
    [...this.holders].flatMap(([account, holder]) => (holder === id ? [account] : []));

  get loads(): WorkerLoad[] {
    return [...this.workers.values()].map((worker) => ({
      ...worker,
      held: this.heldBy(worker.id).length,
    }));
  }

  /** One look of one worker. Returns whether it did anything. */
  look(self: string): boolean {
    this.#settledMs += LOOK_MS / this.workers.size;
    const { take, giveBack } = decideBalance({
      self,
      workers: this.loads,
      free: this.heldBy(''),
      movable: this.heldBy(self),
      leaving: 0,
      settledMs: this.#settledMs,
    });
    for (const account of take) this.holders.set(account, self);
    for (const account of giveBack) this.holders.set(account, '');
    this.moves += giveBack.length;
    return take.length + giveBack.length > 0;
  }

  round(): boolean {
    return [...this.workers.keys()].map((id) => this.look(id)).includes(true);
  }

  /** Looks until nothing has changed for longer than workers wait before they move accounts. */
  rest(): void {
    let still = 0;
    for (let n = 0; n < PATIENCE && still < SETTLED_MS / LOOK_MS + 3; n++)
      still = this.round() ? 0 : still + 1;
    if (still === 0) throw new Error('the accounts do not stop moving');
  }
}

type Step = { kind: 'join' | 'leave' | 'drain'; who: number; capacity: number; looks: number };

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('join', 'join', 'leave', 'drain'),
    who: fc.nat(7),
    capacity: fc.integer({ min: 1, max: 60 }),
    looks: fc.nat(15),
  }),
  { minLength: 1, maxLength: 12 },
);

function play(accounts: number, plan: readonly Step[]): Cell {
  const cell = new Cell(accounts);
  for (const { kind, who, capacity, looks } of plan) {
    const id = `w${who}`;
    if (kind === 'join') cell.join({ id, capacity, draining: false });
    else if (kind === 'leave') cell.leave(id);
    else cell.drain(id);
    for (let n = 0; n < looks; n++) cell.round();
  }
  cell.rest();
  return cell;
}

test('every account is held while the workers have room, and no worker holds more than it may', () => {
  verifies('WORKERS-BALANCE');
  fc.assert(
    fc.property(fc.nat(80), steps, (accounts, plan) => {
      const cell = play(accounts, plan);
      const active = cell.loads.filter(({ draining }) => !draining);
      const room = active.reduce((sum, { capacity }) => sum + capacity, 0);
      for (const { capacity, held } of cell.loads) expect(held).toBeLessThanOrEqual(capacity);
      for (const { draining, held } of cell.loads) if (draining) expect(held).toBe(0);
      expect(cell.heldBy('')).toHaveLength(Math.max(0, accounts - room));
    }),
  );
});

test('accounts move to near the fair share, and then none of them moves', () => {
  verifies('WORKERS-BALANCE');
  fc.assert(
    fc.property(fc.nat(80), steps, (accounts, plan) => {
      const cell = play(accounts, plan);
      const active = cell.loads.filter(({ draining }) => !draining);
      const shares = fairShares(active, accounts);
      for (const { id, held } of active) {
        const share = shares.get(id) ?? 0;
        expect(held).toBeLessThanOrEqual(share + Math.floor(share * 0.1));
      }
      const before = [...cell.holders];
      for (let n = 0; n < 60; n++) expect(cell.round()).toBe(false);
      expect([...cell.holders]).toEqual(before);
    }),
  );
});

test('a worker that joins costs no more moves than its own share', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 80 }),
      (count, accounts) => {
        const cell = new Cell(accounts);
        for (let n = 0; n < count; n++) cell.join({ id: `w${n}`, capacity: 100, draining: false });
        cell.rest();
        const { moves } = cell;
        cell.join({ id: 'new', capacity: 100, draining: false });
        cell.rest();
        expect(cell.moves - moves).toBeLessThanOrEqual(Math.ceil(accounts / (count + 1)));
      },
    ),
  );
});

test('a worker that restarts quickly moves no account of the others', () => {
  const cell = new Cell(30);
  for (const id of ['a', 'b', 'c']) cell.join({ id, capacity: 100, draining: false });
  cell.rest();
  const before = new Map(cell.holders);
  for (let n = 0; n < 20; n++) {
    cell.leave('c');
    cell.join({ id: 'c', capacity: 100, draining: false });
    cell.round();
  }
  for (const [account, holder] of before)
    if (holder !== 'c') expect(cell.holders.get(account)).toBe(holder);
  expect(cell.moves).toBe(0);
});

test('fair shares use small workers fully and add up to all accounts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 8 }),
      fc.nat(200),
      (capacities, accounts) => {
        const workers = capacities.map((capacity, n) => ({
          id: `w${n}`,
          capacity,
          held: 0,
          draining: false,
        }));
        const shares = fairShares(workers, accounts);
        const room = capacities.reduce((sum, capacity) => sum + capacity, 0);
        const sum = [...shares.values()].reduce((total, share) => total + share, 0);
        if (accounts <= room) expect(sum).toBe(accounts);
        else
          for (const { id, capacity } of workers)
            expect(shares.get(id)).toBeGreaterThanOrEqual(capacity);
        const open = workers.filter(({ id, capacity }) => (shares.get(id) ?? 0) < capacity);
        const levels = open.map(({ id }) => shares.get(id) ?? 0);
        if (levels.length > 1)
          expect(Math.max(...levels) - Math.min(...levels)).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test('accounts that are already leaving are not given back twice', () => {
  const load = (id: string, held: number): WorkerLoad => ({
    id,
    held,
    capacity: 100,
    draining: false,
  });
  const facts = {
    self: 'a',
    workers: [load('a', 8), load('b', 0)],
    free: [],
    movable: [5, 6, 7, 8] as AccountId[],
    settledMs: SETTLED_MS,
  };
  expect(decideBalance({ ...facts, leaving: 0 }).giveBack).toHaveLength(4);
  expect(decideBalance({ ...facts, leaving: 4 }).giveBack).toHaveLength(0);
});
