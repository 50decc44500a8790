// Tests with messages of one person that wait in two chats, or are being routed, when the chats are merged.
import { randomUUID } from 'node:crypto';
import { silentLog } from '@relay/core/log';
import type { IncomingMessage } from '@relay/core/messages/message';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, freshStore, sleep, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { deadlocksIn, interpose } from '../../platform/db/testing/interpose.ts';
import { type KnownTwice, knownTwice } from '../../platform/db/testing/people.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { sendAsOwner } from '../gate/send-as-owner.ts';
import { takeInBatch } from '../intake/intake.ts';
import { incoming, openPlain, readJson, receive } from '../intake/testing/inbox.ts';
import { onRoute } from './router.ts';

/** A router that only records which messages it has routed, and that the test can hold. */
async function freshRouter() {
  const store = await freshStore(onTestFinished);
  const { account, database, sql } = store;
  const db = database.kysely;
  const lease = await takeLease(db, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const jobs = await Jobs.start(database, silentLog);
  onTestFinished(() => jobs.stop(1_000));
  const intake = { db, lease, jobs, unseal: openPlain, read: readJson };
  const routed: string[] = [];
  const running = new Set<string>();
  const held = new Map<string, PromiseWithResolvers<void>>();
  let most = 0;
  const take = async (...messages: IncomingMessage[]) => {
    await receive(store, account, messages);
    while ((await takeInBatch(intake, 200)).rows > 0);
    jobs.wake('route');
  };
  const bodyOf = async (message: number) => {
    const [row] = await sql<{ body: string }>('SELECT body FROM messages WHERE id = $1', [message]);
    return row?.body ?? '';
  };
  return {
    routed,
    running,
    most: () => most,
    /** The first attempt at this message lasts until it is released. */
    hold: (body: string) => {
      const gate = Promise.withResolvers<void>();
      held.set(body, gate);
      return gate.resolve;
    },
    person: (kept: 'phone' | 'lid') => knownTwice(store, lease, kept),
    start: () =>
      jobs.work('route', 8, async ({ data, complete }) => {
        const body = await bodyOf(data.message);
        running.add(body);
        most = Math.max(most, running.size);
        try {
          const first = held.get(body);
          held.delete(body);
          await first?.promise;
          await db.transaction().execute(complete);
          routed.push(body);
        } finally {
          running.delete(body);
        }
      }),
    take,
    /** Alternates between the LID and the number. */
    arrive: (person: KnownTwice, from: number, count: number) => {
      const chats = [person.lid, person.phone];
      return take(
        ...times(count, (n) =>
          incoming({ chat: chats[(from + n) % 2] ?? person.lid, body: `${from + n}` }),
        ),
      );
    },
    /** Waits until the worker has looked for jobs again. */
    looked: () => sleep(200),
    /** Waits until no job is left. */
    done: () =>
      eventually(async () => {
        jobs.wake('route');
        const open = await sql(
          "SELECT FROM relay_jobs.job WHERE name = 'route' AND state < 'completed'",
        );
        return open.length === 0;
      }),
  };
}

test.each(['phone', 'lid'] as const)(
  'routes the waiting messages of a merged contact one after the other, in order of arrival (kept: %s)',
  async (kept) => {
    verifies('IDENTITY-ROUTE-ORDER');
    const router = await freshRouter();
    const person = await router.person(kept);
    await router.arrive(person, 0, 6);
    await person.merge();
    await router.arrive(person, 6, 2);
    router.start();
    await router.done();
    expect(router.routed).toEqual(times(8, String));
    expect(router.most()).toBe(1);
  },
);

test.each(['phone', 'lid'] as const)(
  'makes the others wait for a message that is being routed, and routes each once (kept: %s)',
  async (kept) => {
    verifies('IDENTITY-ROUTE-ORDER');
    const router = await freshRouter();
    const person = await router.person(kept);
    // Creates both chats.
    await router.arrive(person, 0, 2);
    router.start();
    await router.done();
    const release = router.hold('2');
    await router.arrive(person, 2, 1);
    await eventually(() => router.running.size === 1);
    await person.merge();
    await router.arrive(person, 3, 4);
    await router.looked();
    expect([...router.running]).toEqual(['2']);
    release();
    await router.done();
    expect(router.routed.slice(2)).toEqual(['2', '3', '4', '5', '6']);
  },
);

test.each(['phone', 'lid'] as const)(
  'restarts one of two messages being routed, before the others, and routes each once (kept: %s)',
  async (kept) => {
    verifies('IDENTITY-ROUTE-ORDER');
    const router = await freshRouter();
    const person = await router.person(kept);
    const [goes, again] = kept === 'lid' ? ['0', '1'] : ['1', '0'];
    const [go, end] = [router.hold(goes), router.hold(again)];
    router.start();
    await router.arrive(person, 0, 2);
    await eventually(() => router.running.size === 2);
    await person.merge();
    await router.arrive(person, 2, 4);
    await router.looked();
    expect(router.routed).toEqual([]);
    go();
    await eventually(() => router.routed.length === 6);
    end();
    await router.done();
    expect(router.routed).toEqual([goes, again, '2', '3', '4', '5']);
  },
);

test.each(['phone', 'lid'] as const)(
  'does not route a message again that arrived under both addresses and was routed under one (routed: %s)',
  async (routed) => {
    verifies('IDENTITY-MERGE-ANY-MOMENT');
    const router = await freshRouter();
    const other = routed === 'phone' ? 'lid' : 'phone';
    const person = await router.person(other);
    const message = incoming({ chat: person[routed], body: 'both' });
    router.start();
    await router.take(message);
    await router.done();
    const release = router.hold('both');
    await router.take({ ...message, chat: person[other], sender: person[other] });
    await eventually(() => router.running.size === 1);
    await person.merge();
    release();
    await router.done();
    expect(router.routed).toEqual(['both']);
  },
);

test.each([
  ['phone', 'new'],
  ['phone', 'known'],
  ['lid', 'new'],
  ['lid', 'known'],
] as const)(
  'counts a message request once that is being routed during a merge, without a deadlock (kept: %s, sender: %s)',
  async (kept, sender) => {
    verifies('IDENTITY-MERGE-ANY-MOMENT');
    const harness = await freshDaemonHarness(onTestFinished);
    const { account, conversations, jobs, sql } = harness;
    const { db, lease } = conversations;
    const intake = { db, lease, jobs, unseal: openPlain, read: readJson };
    let routing = interpose(db, 0, async () => {});
    jobs.work('route', 1, (job) => onRoute({ ...conversations, db: routing.db })(job));
    const arrive = async (...chats: string[]) => {
      await receive(
        harness,
        account,
        chats.map((chat) => incoming({ chat })),
      );
      while ((await takeInBatch(intake, 200)).rows > 0);
      jobs.wake('route');
      const open = "SELECT FROM relay_jobs.job WHERE name = 'route' AND state < 'completed'";
      await eventually(async () => (await sql(open)).length === 0);
    };
    let at = 0;
    for (let seen = 1; at < seen; ) {
      at++;
      const person = await knownTwice(harness, lease, kept);
      const both = [person.phone, person.lid];
      if (sender === 'known') await arrive(...both);
      else for (const to of both) await sendAsOwner(conversations, { to, text: 'Hello' });
      routing = interpose(db, at, person.merge);
      await arrive(kept === 'phone' ? person.lid : person.phone);
      await routing.settled();
      await person.merge();
      ({ seen } = routing);
      const [requests] = await sql('SELECT count FROM knocks ORDER BY last_at DESC LIMIT 1');
      expect({ at, ...requests }).toEqual({ at, count: sender === 'known' ? 3 : 1 });
    }
    expect(at).toBeGreaterThan(3);
    expect(await deadlocksIn(harness)).toBe(0);
  },
);
