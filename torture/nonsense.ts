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
import { onServer } from '@relay/testing/postgres';
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
  /** Tools that agents called, and what the calls came to. */
  readonly calls: readonly CallCount[];
  /** What was sent or scheduled: by whom, to whom, and whether the owner had approved it. */
  readonly effects: readonly Effect[];
  readonly approvals: number;
  readonly seconds: number;
  readonly faults: readonly string[];
}

interface CallCount {
  readonly tool: string;
  /** Null: no error. */
  readonly error: string | null;
  readonly count: number;
}

interface Effect {
  readonly actor: string;
  readonly to: string;
  readonly approved: boolean;
  readonly count: number;
}

/** What the grants and the owner's own conversation allow without an approval, besides Relay's notices. */
const ALLOWED: readonly string[] = ['auto_reply to Ana', 'conversation to Noa'];

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
    // One of each kind at once.
    for (let turn = 0; turn < turns; turn += KINDS.length) {
      const kinds = KINDS.slice(0, turns - turn);
      await Promise.all(kinds.map((kind, n) => take(demo, kind, turn + n)));
      for (const kind of kinds) taken[kind] += 1;
      await untilStill(demo);
    }
    const effects = await readEffects(harness.url);
    const faults = [...(await findFaults(demo, before, pid)), ...effects.flatMap(judgeEffect)];
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
      calls: await readCalls(harness.url),
      effects,
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
  const instances = await demo.relay.ok<{ id: string; state: string }[]>('GET', '/api/instances');
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

const readCalls = (url: string): Promise<CallCount[]> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<CallCount>(
      `SELECT name AS tool, left(result->>'error', 60) AS error, count(*)::int FROM relay.tool_calls
       GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 3 DESC`,
    );
    return rows;
  });

const readEffects = (url: string): Promise<Effect[]> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<Effect>(
      `WITH made AS (
         SELECT o.account_id, o.chat_id, p.approval_id, split_part(p.actor, ':', 1) AS actor FROM relay.outbox o
           JOIN relay.permits p ON p.account_id = o.account_id AND p.id = o.permit_id
         UNION ALL SELECT account_id, chat_id, approval_id, 'schedule of ' || split_part(created_by, ':', 1)
           FROM relay.schedules)
       SELECT m.actor, coalesce(s.value, 'nobody') AS "to", m.approval_id IS NOT NULL AS approved, count(*)::int
       FROM made m JOIN relay.chats c ON c.account_id = m.account_id AND c.id = m.chat_id
         LEFT JOIN relay.contact_aliases s ON s.account_id = c.account_id AND s.contact_id = c.contact_id
           AND s.kind = 'phone'
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    );
    return rows.map((row) => ({ ...row, to: nameOf(row.to) }));
  });

const nameOf = (phone: string): string => (phone === OWNER ? 'the owner' : (NAMES[phone] ?? phone));

/** A message to the owner's own chat does not count; nothing here is ever approved. */
function judgeEffect({ actor, to, approved, count }: Effect): string[] {
  if (approved) return [`${count} of ${actor} to ${to} count as approved`];
  return to === 'the owner' || ALLOWED.includes(`${actor} to ${to}`)
    ? []
    : [`${count} of ${actor} to ${to} without an approval`];
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
