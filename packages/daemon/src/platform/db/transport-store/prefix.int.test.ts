import { setTimeout as sleep } from 'node:timers/promises';
import type { TransportStore, TransportUnit } from '@relay/core/ports/transport';
import { MemoryWire } from '@relay/testing/memory-wire-store';
import { bytes, message, text } from '@relay/testing/wire-store-behaviour';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lease } from '../lease.ts';
import { wireDatabase } from './testing/world.ts';

const database = await wireDatabase();

const KINDS = [1, 2];
const IDS = ['a', 'b', 'c\0d'];
const digest = (of: number) => bytes(String(of).padStart(32, '.'));

type Work = TransportUnit | 'forget';

const change = fc.record({
  keys: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      id: fc.constantFrom(...IDS),
      value: fc.option(fc.string().map(bytes)),
    }),
    { maxLength: 4 },
  ),
  journal: fc.array(
    fc.record({
      digest: fc.nat(3).map(digest),
      plain: fc.option(fc.string().map(bytes)),
    }),
    { maxLength: 2 },
  ),
  inbox: fc.array(
    fc.nat(99).map((id) => message(`${id}`)),
    { maxLength: 2 },
  ),
});
const work: fc.Arbitrary<Work> = fc.oneof(
  { weight: 30, arbitrary: change },
  { weight: 2, arbitrary: fc.string().map((value) => ({ credentials: bytes(value) })) },
  { weight: 1, arbitrary: fc.constant('forget' as const) },
);
/** Between two openings of an account: what it submits, and when its connection ends. */
const life = fc.record({
  works: fc.array(work, { minLength: 1, maxLength: 60 }),
  cutAfterMs: fc.integer({ min: 0, max: 12 }),
});

async function stateOf(store: TransportStore, inbox: string[]): Promise<string> {
  const keys = await Promise.all(KINDS.map((kind) => store.read(kind, IDS)));
  const journal = await Promise.all([0, 1, 2, 3].map((of) => store.journal(digest(of))));
  return JSON.stringify([
    text(await store.credentials()),
    keys.map((found) => [...found].map(([id, value]) => [id, text(value)]).sort()),
    journal.map((plain) => plain && text(plain)),
    inbox,
  ]);
}

/** What the store in memory holds after each of the units, beginning with none. */
async function prefixesOf(wire: MemoryWire, works: readonly Work[]): Promise<string[]> {
  const states: string[] = [];
  const store = await wire.open();
  const note = async () =>
    states.push(
      await stateOf(
        store,
        wire.inbox.map(({ id }) => id),
      ),
    );
  await note();
  for (const one of works) {
    await (one === 'forget' ? store.forget() : store.submit(one));
    await note();
  }
  return states;
}

async function live(lease: Lease, { works, cutAfterMs }: { works: Work[]; cutAfterMs: number }) {
  const store = await database.open(lease);
  const sent = works.map((one) => (one === 'forget' ? store.forget() : store.submit(one)));
  await sleep(cutAfterMs);
  await database.cut();
  const results = await Promise.allSettled(sent);
  return results.filter(({ status }) => status === 'fulfilled').length;
}

test('whenever the connection ends, what is durable is a prefix of what was submitted and includes all confirmed units', async () => {
  let cutShort = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      const lease = await database.lease();
      const wire = new MemoryWire();
      for (const one of lives) {
        const confirmed = await live(lease, one);
        const before = await copyOf(wire);
        const states = await prefixesOf(wire, one.works);
        const inbox = (await database.inbox(lease.account)).map((row) => row.split(' ')[2] ?? '');
        const found = await stateOf(await database.open(lease), inbox);
        const length = states.lastIndexOf(found);
        expect(length).toBeGreaterThanOrEqual(confirmed);
        if (length < one.works.length) cutShort++;
        // The model continues from what is really stored.
        restore(wire, before);
        await prefixesOf(wire, one.works.slice(0, length));
      }
    }),
    { numRuns: process.env.PROPERTY_RUNS ? 40 : 15 },
  );
  expect(cutShort).toBeGreaterThan(0);
});

const copyOf = async (wire: MemoryWire) => ({
  credentials: wire.credentials,
  keys: [...wire.keys],
  journal: [...wire.journal],
  inbox: [...wire.inbox],
});

function restore(wire: MemoryWire, copy: Awaited<ReturnType<typeof copyOf>>): void {
  wire.credentials = copy.credentials;
  for (const [map, entries] of [
    [wire.keys, copy.keys],
    [wire.journal, copy.journal],
  ] as const) {
    map.clear();
    for (const [key, value] of entries) map.set(key, value);
  }
  wire.inbox.splice(0, wire.inbox.length, ...copy.inbox);
}
