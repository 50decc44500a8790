import type { InstanceId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { type DaemonHarness, openDaemonHarness } from '@relay/testing/daemon-harness';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { eventually, freshStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { takeInBatch } from '../../pipeline/intake/intake.ts';
import {
  incoming,
  openPlain,
  phone,
  readJson,
  receive,
} from '../../pipeline/intake/testing/inbox.ts';
import { onRoute } from '../../pipeline/router/router.ts';

const RUNS = process.env.PROPERTY_RUNS ? 100 : 6;
const PEOPLE = 10;
const MINUTE = 60_000;
const INTERVAL = 5 * MINUTE;
const FOLLOW_UPS = 2;
/** Few, so that a contact writes twice before an answer is sent. The others never write. */
const TALKERS = 2;

const store = await freshStore();
const { sql, account } = store;
let time = Date.parse('2026-05-04T08:00:00Z');
const now = () => new Date(time);
const transport = new ScriptedTransport();
const network = {
  transport,
  // A limit that ten conversations reach within an hour.
  pacing: pacingSchema.parse({
    per_minute: 1_000,
    per_hour: 14,
    per_day: 10_000,
    first_contacts_per_day: 10_000,
  }),
};
let harness: DaemonHarness = await begin();
afterAll(() => harness.close());

async function begin(): Promise<DaemonHarness> {
  const opened = await openDaemonHarness(store, { now, sendsOver: network });
  opened.jobs.work('route', 4, onRoute(opened.conversations));
  opened.agent(act);
  return opened;
}

/** Violations of the rules as sentences; must stay empty. */
let violations: string[] = [];

async function act({
  instance,
  purpose,
  transcript,
}: DaemonHarness['turns'][number]): Promise<{ messages: string[]; endReason?: string }> {
  if (purpose === 'follow_up') await checkFollowUp(instance);
  const [unsent] = await unsentOf(instance);
  if (unsent !== undefined) violations.push(`a turn of ${instance} began with an unsent message`);
  const isOver = purpose === 'reply' && transcript.at(-1)?.content.startsWith('yes') === true;
  return isOver ? { messages: ['Thank you'], endReason: 'answered' } : { messages: [purpose] };
}

const unsentOf = (id: InstanceId) =>
  sql("SELECT 1 FROM outbox WHERE state IN ('pending', 'unknown') AND instance_id = $1", [id]);

async function checkFollowUp(id: InstanceId): Promise<void> {
  const [last] = await sql<{ sent_at: Date | null }>(
    'SELECT sent_at FROM outbox WHERE instance_id = $1 ORDER BY seq DESC LIMIT 1',
    [id],
  );
  const sentAt = last?.sent_at?.getTime();
  if (sentAt === undefined) {
    violations.push(`a follow-up of ${id} on a message nobody received`);
    return;
  }
  const waited = awakeAt(time) - awakeAt(sentAt);
  if (waited < INTERVAL) violations.push(`a follow-up of ${id} came too early`);
  if (waited > INTERVAL + mostLate) violations.push(`a follow-up of ${id} came too late`);
}

/** While the test steps by minutes, a follow-up is at most one minute late. */
let mostLate = MINUTE;

/** The total of minutes in which messages could be sent, by end time. */
let awake: { readonly at: number; readonly total: number }[] = [];
const awakeAt = (at: number): number => awake.findLast((minute) => minute.at <= at)?.total ?? 0;

/** Advances by one minute; checks first whether messages can be sent in it. */
async function passMinute(): Promise<void> {
  const [{ held, attempts } = { held: true, attempts: 0 }] = await sql<{
    held: boolean;
    attempts: number;
  }>(
    `SELECT EXISTS (SELECT FROM holds) AS held, (SELECT count(*)::int FROM outbox
       WHERE attempted_at > $1 AND attempted_at <= $2) AS attempts`,
    [new Date(time - 60 * MINUTE), now()],
  );
  const isOpen =
    transport.link.state === 'connected' && !held && attempts < network.pacing.per_hour;
  const total = awakeAt(time) + (isOpen ? MINUTE : 0);
  time += MINUTE;
  awake.push({ at: time, total });
  await harness.quiet();
}

type Step =
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'offline' | 'online' | 'hold' | 'release' | 'restart' }
  | { readonly kind: 'reply'; readonly person: number; readonly words: 'yes' | 'hm' }
  /** The owner sends a message by hand. */
  | { readonly kind: 'send'; readonly person: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('pass' as const),
        minutes: fc.integer({ min: 1, max: 12 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constantFrom('offline', 'online', 'hold', 'release', 'restart'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('send' as const),
        person: fc.nat({ max: TALKERS }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('reply' as const),
        person: fc.nat({ max: TALKERS }),
        words: fc.constantFrom('yes', 'hm'),
      }),
    },
  ),
  { minLength: 8, maxLength: 16 },
);

/** States in which a conversation waits only for the owner, or has ended. */
const AT_REST = ['COMPLETED', 'ABANDONED', 'NEEDS_HUMAN_INTERVENTION'];

let people = 0;

class Run {
  readonly #first = people;
  readonly replies = new Map<number, number>();
  readonly ids: InstanceId[] = [];
  readonly #heard: { readonly id: InstanceId; readonly at: Date; readonly body: string }[] = [];

  async start(): Promise<void> {
    people += PEOPLE;
    await Promise.all(
      times(PEOPLE, async (n) => {
        const heartbeat = { interval_ms: INTERVAL, max_followups: FOLLOW_UPS };
        this.ids[n] = await harness.create(this.#number(n), heartbeat);
      }),
    );
    await harness.quiet();
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'pass':
        // Minute by minute, as real time passes.
        for (let minute = 0; minute < step.minutes; minute++) await passMinute();
        return;
      case 'offline':
        transport.become({ state: 'disconnected' });
        break;
      case 'online':
        transport.become({ state: 'connected' });
        break;
      case 'hold':
        await harness.hold();
        break;
      case 'release':
        await harness.release();
        break;
      case 'restart':
        await harness.close();
        harness = await begin();
        break;
      case 'send':
        // Refused if the state or a hold does not allow it.
        await harness.service.send(this.ids[step.person] ?? expect.fail(), 'Mine').catch(() => {});
        break;
      case 'reply':
        await this.#reply(step.person, step.words);
    }
    await harness.quiet();
  }

  /** WhatsApp delivers a reply only while connected. */
  async #reply(person: number, words: string): Promise<void> {
    if (transport.link.state !== 'connected') return;
    const sent = (this.replies.get(person) ?? 0) + 1;
    this.replies.set(person, sent);
    const { conversations, jobs } = harness;
    const body = `${words} ${sent}`;
    const id = this.ids[person];
    if (id !== undefined) this.#heard.push({ id, at: now(), body });
    const message = incoming({
      chat: phone(this.#first + person + 1),
      body,
      sentAt: now(),
    });
    await receive(store, account, [message]);
    const { db, lease } = conversations;
    while (
      (await takeInBatch({ db, lease, jobs, unseal: openPlain, read: readJson }, 200)).rows > 0
    );
    jobs.wake('route');
    await eventually(async () => {
      const open = "SELECT 1 FROM relay_jobs.job WHERE name = 'route' AND state < 'completed'";
      return (await sql(open)).length === 0;
    });
  }

  #number(person: number): string {
    return `+${phone(this.#first + person + 1).split('@')[0]}`;
  }

  async check(): Promise<void> {
    const several = await sql<{ instance_id: string; n: number }>(
      `SELECT o.instance_id, count(*)::int AS n FROM outbox o JOIN permits p ON p.id = o.permit_id
       WHERE o.state IN ('pending', 'unknown') AND p.actor LIKE 'conversation:%'
       GROUP BY o.instance_id HAVING count(*) > 1`,
    );
    for (const { instance_id, n } of several) {
      violations.push(`the agent of ${instance_id} has ${n} unsent messages`);
    }
    const abandoned = await sql<{ id: string }>(
      `SELECT id FROM instances i WHERE id = ANY($1) AND state = 'ABANDONED' AND EXISTS (SELECT FROM outbox o
         WHERE o.instance_id = i.id AND o.state NOT IN ('sent', 'delivered', 'read', 'failed'))`,
      [this.ids],
    );
    for (const { id } of abandoned) violations.push(`${id} was abandoned with an unsent message`);
  }

  /** A message that was queued when the contact wrote is never sent. */
  async #checkOvertaken(): Promise<void> {
    for (const { id, at, body } of this.#heard) {
      const sent = await sql(
        `SELECT FROM instance_messages said JOIN outbox o ON o.id = said.outbox_id
           JOIN instance_messages heard ON heard.instance_id = said.instance_id AND heard.content = $2
         WHERE said.instance_id = $1 AND said.id < heard.id AND o.sent_at > $3`,
        [id, body, at],
      );
      if (sent.length > 0) violations.push(`${id} sent what "${body}" had overtaken`);
    }
  }

  async #isOpen(): Promise<boolean> {
    const open = await sql(
      `SELECT FROM instances WHERE id = ANY($1) AND (state <> ALL($2) OR unsent) LIMIT 1`,
      [this.ids, AT_REST],
    );
    return open.length > 0;
  }

  /** Goes online long enough for every limit: all open conversations end, and no reply is missing. */
  async finish(): Promise<void> {
    transport.become({ state: 'connected' });
    await harness.release().catch(() => {});
    mostLate = Number.POSITIVE_INFINITY;
    for (let part = 0; part < 36 && (await this.#isOpen()); part++) {
      time += 20 * MINUTE;
      awake.push({ at: time, total: awakeAt(time) + 20 * MINUTE });
      await harness.quiet();
      await this.check();
    }
    await this.#checkOvertaken();
    for (const [person, id] of this.ids.entries()) {
      const { state } = await harness.service.get(id);
      if (!AT_REST.includes(state)) {
        violations.push(`${id} is ${state} in the end`);
      }
      const heard = (await harness.lines(id)).filter((line) => line.startsWith('contact: '));
      const sent = this.replies.get(person) ?? 0;
      if (heard.length !== sent) violations.push(`${id} got ${heard.length} of ${sent} replies`);
      await harness.service.cancel(id).catch(() => {});
    }
    const twice = transport.asked.length - new Set(transport.asked).size;
    if (twice > 0) violations.push(`${twice} messages were sent twice`);
  }
}

test('follows up only on acknowledged messages, under any order of outages, limits, holds and restarts', {
  timeout: RUNS * 30_000,
}, async () => {
  verifies('CONV-FOLLOW-UP-ACKNOWLEDGED', 'CONV-ONE-UNSENT', 'CONV-LATE-REPLY');
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      violations = [];
      awake = [];
      mostLate = MINUTE;
      const run = new Run();
      transport.become({ state: 'connected' });
      await run.start();
      for (const step of taken) {
        await run.take(step);
        await run.check();
      }
      await run.finish();
      expect(violations).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
