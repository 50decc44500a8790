// `npm run torture -- loops`: two Relays that answer each other, on one simulated network and under one manual clock.
// Whenever both are idle, somebody writes again. For any length of time, neither exceeds its caps, and each owner is
// notified once.
import { removeFolder } from '@relay/testing/remove-folder';
import '@relay/simulator/whatsapp/trust-preload';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AutoReplySettings, autoReplySchema, settingsSchema } from '@relay/contract/settings';
import type { RunningDaemon } from '@relay/daemon/compose';
import { loadConfig } from '@relay/daemon/config';
import { startDaemon } from '@relay/daemon/daemon';
import { type Simulator, startSimulator } from '@relay/simulator/simulator';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { Gateway } from '@relay/testing/e2e/gateway';
import { Phones } from '@relay/testing/e2e/phones';
import { onServer } from '@relay/testing/postgres';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import { randomFrom } from './random.ts';
import { openDatabase, type TortureDatabase } from './resources.ts';

export interface LoopsTorture {
  /** In simulated time. */
  readonly hours: number;
  readonly limits?: Partial<AutoReplySettings>;
}

export interface SideReport {
  readonly sent: number;
  readonly mostInAnHour: number;
  readonly mostInADay: number;
  readonly rests: number;
  readonly told: number;
  readonly modelCalls: number;
}

export interface LoopsReport {
  readonly hours: number;
  /** How often somebody wrote because both were idle. */
  readonly kicks: number;
  readonly sides: readonly SideReport[];
  readonly seconds: number;
  readonly faults: readonly string[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** How long an answer takes: the model and the typing. */
const ANSWER_MS = 5 * SECOND;
/** How long both are idle before somebody writes again. */
const KICK_MS = 15 * MINUTE;

class HandClock {
  #time = new Date('2026-03-01T08:00:00Z').getTime();
  readonly now = (): Date => new Date(this.#time);
  pass(ms: number): void {
    this.#time += ms;
  }
}

export async function tortureLoops({ hours, limits = {} }: LoopsTorture): Promise<LoopsReport> {
  const began = performance.now();
  const clock = new HandClock();
  const simulator = await startSimulator({ now: clock.now });
  DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = simulator.socketUrl;
  const settings = autoReplySchema.parse(limits);
  const sides: Side[] = [];
  try {
    for (const phone of ['15550000001', '15550000002'])
      sides.push(await Side.open({ simulator, clock, phone, settings }));
    const [one, other] = sides;
    if (one === undefined || other === undefined) throw new Error('two are needed');
    // Each must know that the other's two ids are one person: otherwise a late merge with a contact without a grant
    // removes the grant.
    await one.account.send(other.account, 'Hello', { at: clock.now() });
    await other.account.send(one.account, 'Hello', { at: clock.now() });
    await untilStill(sides);
    await Promise.all([one.permits(other), other.permits(one)]);
    const kicks = await letThemTalk(clock, [one, other], hours);
    const reports = await Promise.all(sides.map((side) => side.report()));
    const seconds = Math.round((performance.now() - began) / 1_000);
    const faults = reports.flatMap((report) => faultsOf(report, settings));
    return { hours, kicks, sides: reports, seconds, faults };
  } finally {
    for (const side of sides) await side.close();
    await simulator.close();
  }
}

async function letThemTalk(
  clock: HandClock,
  sides: readonly [Side, Side],
  hours: number,
): Promise<number> {
  const end = clock.now().getTime() + hours * HOUR;
  let kicks = 0;
  while (clock.now().getTime() < end) {
    const [from, to] = kicks % 2 === 0 ? sides : ([sides[1], sides[0]] as const);
    await from.account.send(to.account, `Are you there? ${kicks}`, { at: clock.now() });
    kicks += 1;
    await untilStill(sides);
    clock.pass(KICK_MS);
    if (kicks % 10 === 0) console.log(`${kicks} kicks, it is ${clock.now().toISOString()}`);
  }
  return kicks;
}

/** Nothing is pending in either, or between them, three times in a row. */
async function untilStill(sides: readonly Side[]): Promise<void> {
  let last = '';
  for (let still = 0; still < 3; ) {
    await sleep(100);
    const now = (await Promise.all(sides.map((side) => side.stands()))).join(' ');
    still = now === last && !now.includes('busy') ? still + 1 : 0;
    last = now;
  }
}

function faultsOf(report: SideReport, limits: AutoReplySettings): string[] {
  const { mostInAnHour, mostInADay, told, sent, rests } = report;
  return [
    ...(sent === 0 ? ['nothing was sent at all'] : []),
    ...(mostInAnHour > limits.answers_per_hour ? [`sent ${mostInAnHour} in an hour`] : []),
    ...(mostInADay > limits.answers_per_day ? [`sent ${mostInADay} in a day`] : []),
    ...(rests > 0 && told !== 1 ? [`the owner was told ${told} times`] : []),
    ...(rests === 0 ? ['the loop was never broken'] : []),
  ];
}

interface SideOptions {
  readonly simulator: Simulator;
  readonly clock: HandClock;
  readonly phone: string;
  readonly settings: AutoReplySettings;
}

class Side {
  readonly account: SimulatedAccount;
  readonly #database: TortureDatabase;
  readonly #work: string;
  readonly #daemon: RunningDaemon;
  readonly #gateway: Gateway;
  readonly #calls: { count: number };

  private constructor(
    account: SimulatedAccount,
    database: TortureDatabase,
    work: string,
    daemon: RunningDaemon,
    token: string,
    calls: { count: number },
  ) {
    this.account = account;
    this.#database = database;
    this.#work = work;
    this.#daemon = daemon;
    this.#gateway = new Gateway(() => ({ port: daemon.port, token }));
    this.#calls = calls;
  }

  static async open({ simulator, clock, phone, settings }: SideOptions): Promise<Side> {
    const account = simulator.network.addAccount({ phone, name: `Relay ${phone}` });
    const database = await openDatabase();
    const work = await mkdtemp(join(tmpdir(), 'relay loops '));
    const home = join(work, 'home');
    await mkdir(home, { mode: 0o700 });
    const calls = { count: 0 };
    const random = randomFrom(Number(phone) % 1_000);
    const given = loadConfig({ RELAY_HOME: home, RELAY_PORT: '0', RELAY_KEY_FILE: `${home}.key` });
    const daemon = await startDaemon({
      config: {
        ...given,
        databaseUrl: database.url,
        settings: settingsSchema.parse({
          pacing: { enabled: false },
          tell_owner_on_whatsapp: true,
          auto_reply: settings,
        }),
      },
      now: clock.now,
      webDirectory: null,
      compose: async () => {
        calls.count += 1;
        clock.pass(ANSWER_MS);
        return somethingNew(random);
      },
    });
    const token = (await readFile(join(home, 'token'), 'utf8')).trim();
    const side = new Side(account, database, work, daemon, token, calls);
    await side.#gateway.connect();
    await new Phones(simulator.url).scan(phone, await side.#gateway.qr());
    await side.#gateway.connected();
    return side;
  }

  async permits({ account: { phone } }: Side): Promise<void> {
    await this.#gateway.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber: phone,
      displayName: `The other, ${phone}`,
      canRead: true,
      canReply: true,
    });
  }

  /** Changes with every message; `busy` while something is pending. */
  async stands(): Promise<string> {
    const [row] = await this.#query<{ busy: boolean; messages: string; sent: string }>(
      `SELECT (SELECT count(*) FROM relay.messages) AS messages,
         (SELECT count(*) FROM relay.outbox) AS sent,
         EXISTS (SELECT FROM relay.outbox WHERE state = 'pending')
         OR EXISTS (SELECT FROM relay.inbox WHERE done_at IS NULL)
         OR EXISTS (SELECT FROM relay.session_messages WHERE waiting)
         OR EXISTS (SELECT FROM relay_jobs.job
           WHERE name IN ('route', 'auto_reply') AND state < 'completed') AS busy`,
    );
    return `${row?.busy ? 'busy' : 'still'} ${row?.messages} ${row?.sent}`;
  }

  async report(): Promise<SideReport> {
    const answers = await this.#query<{ at: Date }>(
      'SELECT at FROM relay.session_messages WHERE outbox_id IS NOT NULL ORDER BY at',
    );
    const times = answers.map(({ at }) => at.getTime());
    const [row] = await this.#query<{ told: number; rests: number }>(
      `SELECT (SELECT count(*)::int FROM relay.outbox WHERE body LIKE 'Relay: auto-reply to %') AS told,
         (SELECT count(*)::int FROM relay.events WHERE kind = 'auto_reply') AS rests`,
    );
    return {
      sent: times.length,
      mostInAnHour: mostWithin(times, HOUR),
      mostInADay: mostWithin(times, 24 * HOUR),
      rests: row?.rests ?? 0,
      told: row?.told ?? 0,
      modelCalls: this.#calls.count,
    };
  }

  async close(): Promise<void> {
    await this.#daemon.stop();
    await this.#database.close();
    await removeFolder(this.#work);
  }

  async #query<Row extends object>(sql: string): Promise<Row[]> {
    return (await onServer(this.#database.url, (client) => client.query<Row>(sql))).rows;
  }
}

const WORDS =
  'garden river winter letter market bridge music window orchard harbour lantern meadow pepper canvas thunder velvet'.split(
    ' ',
  );

/** New text each time, as two models would produce: only the pace reveals the loop. */
const somethingNew = (random: () => number): string =>
  Array.from({ length: 9 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');

/** In any period of this length. */
function mostWithin(times: readonly number[], ms: number): number {
  let first = 0;
  return times.reduce((most, at, n) => {
    while (at - (times[first] ?? at) >= ms) first += 1;
    return Math.max(most, n - first + 1);
  }, 0);
}
