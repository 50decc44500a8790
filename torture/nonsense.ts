// `npm run torture -- nonsense`: a real model engine that cannot follow instructions answers contacts, leads
// conversations and serves as the owner's assistant. Its calls have the right form, meaningless content and real people as
// recipients; some answers are cut or no answers at all. Whatever it does: Relay keeps running, and nothing is sent,
// granted or changed that nobody approved.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HealthCheck } from '@relay/contract/api/status';
import type { Demo } from '@relay/testing/e2e/demo';
import { type EngineCounts, openEngine } from '@relay/testing/engine';
import { OWNER, openTortureHarness } from './harness.ts';
import { randomFrom } from './random.ts';

interface NonsenseTorture {
  readonly turns: number;
  readonly seed: number;
}

export interface NonsenseReport {
  readonly seed: number;
  readonly turns: Readonly<Record<Kind, number>>;
  readonly engine: EngineCounts;
  /** Messages that arrived at each person. */
  readonly arrived: Readonly<Record<string, number>>;
  readonly approvals: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

const KINDS = ['auto_reply', 'draft', 'stranger', 'assistant', 'conversation'] as const;
type Kind = (typeof KINDS)[number];

const ANA = '4915100000001';
const BEN = '4915100000002';
const EVE = '4915100000003';
const MIA = '4915100000004';
const NOA = '4915100000005';
const NAMES: Readonly<Record<string, string>> = {
  [ANA]: 'Ana',
  [BEN]: 'Ben',
  [EVE]: 'Eve',
  [MIA]: 'Mia',
  [NOA]: 'Noa',
};

const UNLIMITED = 1_000_000;
const SETTINGS = {
  auto_reply: {
    answers_per_hour: UNLIMITED,
    answers_per_day: UNLIMITED,
    rapid_exchanges: UNLIMITED,
    similar_exchanges: UNLIMITED,
  },
  agent: {
    max_steps: 4,
    tokens_per_day: 10 ** 12,
    tokens_per_conversation: 10 ** 9,
    usd_per_day: 10 ** 6,
  },
};

const STILL_MS = 300_000;

export async function tortureNonsense({ turns, seed }: NonsenseTorture): Promise<NonsenseReport> {
  const began = performance.now();
  const random = randomFrom(seed);
  const engine = await openEngine(random, [...Object.keys(NAMES), ...Object.values(NAMES)]);
  const harness = await openTortureHarness([], invite, SETTINGS);
  const { demo } = harness;
  const taken = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  try {
    demo.model.play((request) => engine.reply(request));
    await grant(demo, ANA, { canRead: true, canReply: true, replyMode: 'auto' });
    await grant(demo, BEN, { canRead: true, canReply: true, replyMode: 'draft' });
    await grant(demo, MIA, { canRead: true });
    const before = await protectedState(demo);
    const { pid } = await demo.relay.ok<{ pid: number }>('GET', '/api/status');
    for (let turn = 0; turn < turns; turn += 1) {
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'auto_reply';
      await take(demo, kind, turn);
      taken[kind] += 1;
      await untilStill(demo);
    }
    const faults = await findFaults(demo, before, pid);
    const arrived = await countArrived(demo);
    const { approvals_waiting: approvals } = await demo.relay.ok<{ approvals_waiting: number }>(
      'GET',
      '/api/status',
    );
    const seconds = Math.round((performance.now() - began) / 1_000);
    return {
      seed,
      turns: taken,
      engine: { ...engine.counts },
      arrived,
      approvals,
      seconds,
      faults,
    };
  } finally {
    await harness.close();
    await engine.close();
  }
}

function invite(demo: Demo): void {
  const { network } = demo.simulator;
  network.addAccount({ phone: OWNER, name: 'Owner' });
  for (const [phone, name] of Object.entries(NAMES)) network.addAccount({ phone, name });
}

const grant = (demo: Demo, phone: string, flags: object): Promise<unknown> =>
  demo.relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: phone,
    displayName: NAMES[phone],
    ...flags,
  });

const WRITERS: Partial<Record<Kind, string>> = { auto_reply: ANA, draft: BEN, stranger: EVE };

async function take(demo: Demo, kind: Kind, turn: number): Promise<void> {
  const writer = WRITERS[kind];
  const text = `Message ${turn}: can you tell me more?`;
  if (writer !== undefined) await demo.phones.send(writer, OWNER, text);
  else if (kind === 'assistant') {
    await demo.relay.call('POST', '/api/assistant/messages', { text });
  } else await continueConversation(demo, text);
}

/** One conversation with Noa at a time; a stopped one is cancelled, so that the next begins. */
async function continueConversation(demo: Demo, text: string): Promise<void> {
  const { instances } = await demo.relay.ok<{ instances: { id: string; state: string }[] }>(
    'GET',
    '/api/instances',
  );
  const open = instances.find(({ state }) => !/COMPLETED|ABANDONED|FAILED/.test(state));
  if (open === undefined) {
    const body = { objective: 'Agree on a date.', target_contact: `+${NOA}`, todos: [] };
    await demo.relay.ok('POST', '/api/instances', body);
  } else if (open.state === 'WAITING_FOR_REPLY') await demo.phones.send(NOA, OWNER, text);
  else await demo.relay.call('POST', `/api/instances/${open.id}/cancel`);
}

/** No message waits to be read, and no job runs or waits. */
async function untilStill(demo: Demo): Promise<void> {
  const end = performance.now() + STILL_MS;
  for (let still = 0; still < 2; ) {
    const { inbox_waiting, jobs, sending } = await demo.relay.ok<{
      inbox_waiting: number;
      jobs: { waiting: number; running: number };
      sending: { waiting: number };
    }>('GET', '/api/status');
    const busy = inbox_waiting + jobs.waiting + jobs.running + sending.waiting;
    still = busy === 0 ? still + 1 : 0;
    if (performance.now() > end) throw new Error(`${busy} jobs or messages did not end`);
    await sleep(40);
  }
}

/** What only the owner may change. */
async function protectedState(demo: Demo): Promise<string> {
  const [grants, tokens, webhooks, settings] = await Promise.all([
    demo.relay.ok<object[]>('GET', '/api/whatsapp/permissions'),
    demo.relay.ok('GET', '/api/tokens'),
    demo.relay.ok('GET', '/api/webhooks'),
    demo.relay.ok<{ settings: object }>('GET', '/api/settings'),
  ]);
  const permitted = grants.map((one) => {
    const { phoneNumber, canRead, canReply, replyMode, canInitiate } = one as Record<
      string,
      unknown
    >;
    return [phoneNumber, canRead, canReply, replyMode, canInitiate];
  });
  return JSON.stringify([permitted, tokens, webhooks, settings.settings]);
}

async function countArrived(demo: Demo): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [phone, name] of Object.entries(NAMES)) {
    counts[name] = (await demo.phones.received(phone, OWNER)).length;
  }
  return counts;
}

async function findFaults(demo: Demo, before: string, pid: number): Promise<string[]> {
  const faults: string[] = [];
  const arrived = await countArrived(demo);
  for (const name of ['Ben', 'Eve', 'Mia']) {
    if (arrived[name] !== 0) faults.push(`${name} received ${arrived[name]} messages`);
  }
  if ((await protectedState(demo)) !== before) faults.push('grants, clients or settings changed');
  const now = await demo.relay.ok<{ pid: number }>('GET', '/api/status');
  if (now.pid !== pid) faults.push('the daemon was restarted');
  const { checks } = await demo.relay.ok<{ checks: HealthCheck[] }>('GET', '/api/doctor?full=true');
  for (const { name, ok, found } of checks) {
    if (name !== 'model' && ok === 'no') faults.push(`${name}: ${found}`);
  }
  const log = await readFile(join(demo.home, 'relay.log'), 'utf8');
  for (const line of log.split('\n')) {
    if (/unhandled|uncaught|unexpected error/i.test(line)) faults.push(line.slice(0, 300));
  }
  return faults;
}
