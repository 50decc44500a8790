// AC-1 and AC-9: the daemon starts, stops and crashes, and the conversations continue.
import { readdirSync } from 'node:fs';
import type { ConversationInstance } from '@relay/contract/api/instances';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { alive } from '../relay.ts';
import { answers, untilGone } from '../traces.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import type { Person } from './person.ts';
import { ask, FIRST, FOLLOW_UP, send } from './script.ts';

const NOT_RUNNING = 'Daemon not running. Run `relay start` first.\n';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());
beforeEach(() => harness.relay.ensureStarted());

/** A person who was written to and gets a follow-up after this time. */
async function waiting(name: string, hours: number): Promise<{ person: Person; id: string }> {
  const person = await harness.person(name);
  person.meets(FIRST, send('Which day?'));
  person.meets(FOLLOW_UP, send('Any news?'));
  const id = await harness.begin(person, {
    heartbeat_config: { interval_ms: hours * 3_600_000, max_followups: 1 },
  });
  await person.reads('Which day?');
  await harness.waits(id);
  return { person, id };
}

it('relay start leaves one daemon in the background; a second start says that it runs', async () => {
  verifies('AC-1.1', 'AC-1.3', '003-CLI-START');
  const { relay } = harness;
  const { pid, port } = relay;
  expect(alive(pid)).toBe(true);
  expect(await answers('127.0.0.1', port)).toBe(true);
  expect(await harness.says('start')).toBe(`The daemon is already running (PID ${pid}).\n`);
  expect({ pid: relay.pid, port: relay.port }).toEqual({ pid, port });
});

it('relay stop flushes everything and ends the daemon; after a start nothing is missing', async () => {
  verifies('AC-1.2', 'AC-9.1', '003-CLI-STOP', '003-NFR-NO-LOSS');
  const { relay } = harness;
  const { id } = await waiting('Praxedis', 3);
  const queued = await harness.begin(await harness.person('Quasimodo'));
  await harness.change(id, 'pause');
  const asked = await harness.person('Radegunde');
  asked.meets(FIRST, ask('May I name the price?'));
  const needs = await harness.begin(asked);
  await harness.reaches(needs, 'NEEDS_HUMAN_INTERVENTION');
  await harness.reaches(queued, 'NEEDS_HUMAN_INTERVENTION');
  const everything = async () => {
    const list = await harness.api.ok<ConversationInstance[]>('GET', '/api/instances?limit=500');
    return {
      list,
      transcripts: await Promise.all(list.map(({ id: one }) => harness.transcript(one))),
      config: relay.file('relay.config.json'),
    };
  };
  const before = await everything();
  const { pid, port } = relay;
  await relay.stop();
  expect(await untilGone(relay.home)).toEqual([]);
  expect(alive(pid)).toBe(false);
  expect(await answers('127.0.0.1', port)).toBe(false);
  expect(readdirSync(relay.home)).not.toContain('daemon.pid');
  await relay.start();
  expect(await everything()).toEqual(before);
  expect(before.list).toHaveLength(3);
});

const ID = '00000000-0000-4000-8000-000000000000';
/** Arguments for each command that needs the daemon; null for those that need none. */
const COMMANDS: Readonly<Record<string, readonly string[] | null>> = {
  init: null,
  start: null,
  stop: null,
  doctor: null,
  logs: null,
  demo: null,
  service: null,
  config: null,
  completion: null,
  whatsapp: ['status'],
  messages: [],
  create: ['--objective', 'o', '--contact', '+15551000000', '--todos', 't'],
  list: [],
  get: [ID],
  transcript: [ID],
  send: [ID, 'hello'],
  pause: [ID],
  resume: [ID],
  cancel: [ID],
  chat: ['hello'],
  search: ['tap'],
  contacts: [],
  grant: ['+15551000000', '--read'],
  revoke: ['+15551000000'],
  schedule: ['daily 09:00', '--to', 'me', 'Drink water', '--yes'],
  why: ['3A7E7EE11B9F'],
  ledger: [],
  observe: ['list'],
  digest: [],
  memory: [],
  eval: ['--yes'],
  retention: [],
  forget: ['Somebody', '--yes'],
  approvals: [],
  hold: [],
  release: [],
  status: [],
  top: [],
  open: ['--print'],
  mcp: null,
  token: ['--rotate'],
  webhook: ['list'],
  export: [],
  backup: [],
  import: ['some.tar.gz'],
  model: ['list'],
  notifications: [],
  remote: [],
  suggest: ['+15551000000'],
  accounts: ['list'],
  owners: ['list'],
  workers: [],
  worker: null,
  api: null,
};

it('every command that needs a daemon says how to start it when none runs', async () => {
  verifies('AC-1.4', '003-ERR-NOT-RUNNING');
  const help = await harness.says('help', 'all');
  const names = [...help.matchAll(/^ {2}([a-z]+)(?: [<[].*?)? {2,}\S/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(20);
  await harness.relay.stop();
  for (const name of names as string[]) {
    const rest = COMMANDS[name];
    expect({ name, known: rest !== undefined }).toEqual({ name, known: true });
    if (!rest) continue;
    const said = await harness.run(name, ...rest);
    expect({ name, ...said }).toEqual({ name, exit: 3, out: '', err: NOT_RUNNING });
  }
});

it.each(['stopped', 'killed'] as const)(
  'timers of a %s daemon are restored, and those that came due meanwhile fire',
  async (how) => {
    verifies('AC-9.2', 'AC-9.1');
    const { relay } = harness;
    const soon = await waiting(`Soon-${how}`, 3);
    const later = await waiting(`Later-${how}`, 2);
    const due = Date.parse((await harness.get(later.id)).next_follow_up_at ?? '');
    const away = harness.clock.now().getTime();
    if (how === 'stopped') await relay.stop();
    else await relay.kill();
    // As if it had been down for a long time.
    await relay.query(
      `WITH conversation AS (UPDATE relay.instances SET timer_due_at = now() - interval '1 hour' WHERE id = $1)
       UPDATE relay.timers SET due_at = now() - interval '1 hour' WHERE subject_id = $1`,
      [soon.id],
    );
    await relay.start();
    expect(await soon.person.reads('Any news?')).toEqual(['Which day?', 'Any news?']);
    const { state, next_follow_up_at } = await harness.get(later.id);
    expect(state).toBe('WAITING_FOR_REPLY');
    // Its clock stood still until WhatsApp was connected.
    const moved = Date.parse(next_follow_up_at ?? '') - due;
    expect(moved).toBeGreaterThanOrEqual(0);
    expect(moved).toBeLessThanOrEqual(harness.clock.now().getTime() - away);
    expect(await later.person.has()).toEqual(['Which day?']);
  },
);

it('a daemon that was killed right before a follow-up sends it once', async () => {
  verifies('AC-9.2');
  const { relay, model } = harness;
  const sixtus = await harness.person('Sixtus');
  sixtus.meets(FIRST, send('Which day?'));
  model.rules([
    {
      when: { system: 'Sixtus', contains: FOLLOW_UP },
      reply: { tool_calls: [send('Any news?')], delay_ms: 600_000 },
    },
  ]);
  const id = await harness.begin(sixtus, {
    heartbeat_config: { interval_ms: 1_000, max_followups: 1 },
  });
  const asked = () => model.calls().map(({ body }) => JSON.stringify(body));
  const ofSixtus = (body: string) => body.includes('Sixtus') && body.includes(FOLLOW_UP);
  await expect.poll(() => asked().some(ofSixtus)).toBe(true);
  expect((await harness.get(id)).state).toBe('HEARTBEAT_SCHEDULED');
  await relay.kill();
  model.rules([]);
  sixtus.meets(FOLLOW_UP, send('Any news?'));
  await relay.start();
  await sixtus.reads('Any news?');
  // It may follow up once, so it gives up after that.
  await expect.poll(async () => (await harness.get(id)).state).toBe('ABANDONED');
  expect((await harness.get(id)).follow_up_count).toBe(1);
  expect(await sixtus.has()).toEqual(['Which day?', 'Any news?']);
});
