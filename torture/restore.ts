// Restores a backup while the daemon, its PostgreSQL or the restoring command is killed at random moments, then looks
// at what the home holds: all of the backup, or nothing of it. Whatever Relay says about it must be true.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { retryWhileUnavailable } from '@relay/daemon/platform/db/failures';
import { untilGone } from '@relay/testing/e2e/traces';
import { removeFolder } from '@relay/testing/remove-folder';
import pg from 'pg';
import { randomFrom } from './random.ts';
import { openBuilt } from './resources.ts';

export interface RestoreReport {
  readonly rounds: number;
  readonly seed: number;
  /** How often each was killed while the import ran, and how often the import was faster. */
  readonly killed: Readonly<Record<Victim | 'none', number>>;
  readonly restored: number;
  readonly unchanged: number;
  readonly half: number;
  /** How long an undisturbed import takes. */
  readonly importMs: number;
  readonly rows: number;
  readonly faults: readonly string[];
}

const VICTIMS = ['daemon', 'postgres', 'command'] as const;
type Victim = (typeof VICTIMS)[number];

interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Enough that an import takes a while. */
const CONTACTS = 20_000;
/** Some kills come after the commit, which must be noticed as well. */
const LATEST_KILL = 1.15;
const SERVER_PATIENCE_MS = 120_000;

export async function tortureRestore(options: {
  readonly rounds: number;
  readonly seed: number;
}): Promise<RestoreReport> {
  const { rounds, seed } = options;
  const { built, remove } = await openBuilt();
  const folder = await mkdtemp(join(tmpdir(), 'relay restores '));
  const random = randomFrom(seed);
  const faults: string[] = [];
  const killed = { daemon: 0, postgres: 0, command: 0, none: 0 };
  const states = { restored: 0, unchanged: 0, half: 0 };
  let made = 0;
  const newHome = () => new Home(built, join(folder, `home ${++made}`));
  let target = newHome();
  try {
    const source = newHome();
    const archive = await makeBackup(source);
    const whole = await source.counts();
    await source.end();

    await target.relay('start');
    const began = performance.now();
    const first = await target.relay('import', archive);
    const importMs = Math.round(performance.now() - began);
    if (first.exit !== 0) throw new Error(`the first import failed: ${first.err}`);
    await target.end();
    target = newHome();

    for (let round = 1; round <= rounds; round++) {
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'daemon';
      const delay = random() * importMs * LATEST_KILL;
      await target.relay('start');
      const { imported, killed: who } = await importWithKill(target, archive, { victim, delay });
      killed[who] += 1;
      const next = await target.relay('start');
      if (next.exit !== 0) {
        throw new Error(`round ${round} (${victim}): the daemon did not start: ${next.err}`);
      }
      const state = stateOf(await target.counts(), whole);
      states[state] += 1;
      const report = faultsOfReport(imported, { next, state, victim: who });
      const found = [...report, ...(await ledgerFaults(target))];
      faults.push(...found.map((fault) => `round ${round} (${victim}): ${fault}`));
      if (state === 'unchanged') continue;
      await target.end();
      target = newHome();
    }
    // What was left unchanged can still be restored, however often that was interrupted.
    await target.relay('start');
    const last = await target.relay('import', archive);
    if (last.exit !== 0) faults.push(`the last import failed: ${last.err}`);
    else if (stateOf(await target.counts(), whole) !== 'restored')
      faults.push('the last import is incomplete');
    const rows = Object.values(whole).reduce((sum, count) => sum + count, 0);
    return { rounds, seed, killed, ...states, importMs, rows, faults };
  } finally {
    await target.end();
    await removeFolder(folder);
    remove();
  }
}

async function importWithKill(
  target: Home,
  archive: string,
  { victim, delay }: { victim: Victim; delay: number },
): Promise<{ imported: Ended; killed: Victim | 'none' }> {
  const command = target.spawn('import', archive);
  const ended = endOf(command);
  if (await Promise.race([ended.then(() => true), sleep(delay, false)]))
    return { imported: await ended, killed: 'none' };
  kill(victim === 'command' ? command.pid : target.pidOf(victim));
  const imported = await ended;
  // The daemon may have received all of the archive, and continues without its command.
  if (victim === 'command') await target.relay('stop');
  return { imported, killed: victim };
}

/** What the command and the next start said, compared with what the home holds. */
function faultsOfReport(
  { exit, err }: Ended,
  { next, state, victim }: { next: Ended; state: HomeState; victim: Victim | 'none' },
): string[] {
  const said = `${err}\n${next.err}`;
  const faults: readonly (readonly [isFault: boolean, what: string])[] = [
    [state === 'half', `half restored; said: ${said}`],
    [exit === 0 && state !== 'restored', `succeeded, but the home is ${state}`],
    [said.includes('Nothing was changed') && state === 'restored', `restored, but said: ${said}`],
    [err.includes('Relay stopped') && victim !== 'daemon', `Relay runs, but it said: ${err}`],
    [said.includes('was completed') && state !== 'restored', `${state}, but said: ${said}`],
    // A command that was killed says nothing.
    [exit !== null && exit !== 0 && err.trim() === '', `exit ${exit} without a sentence`],
    [exit === 3 && next.err === '', 'the start did not say what became of the restore'],
  ];
  return faults.flatMap(([isFault, what]) => (isFault ? [what] : []));
}

/** A daemon whose PostgreSQL was killed cannot check anything until it has started the server again. */
async function ledgerFaults(home: Home): Promise<string[]> {
  const deadline = Date.now() + SERVER_PATIENCE_MS;
  for (;;) {
    const { checks } = JSON.parse((await home.relay('doctor', '--json')).out) as {
      checks: { name: string; ok: string; found: string }[];
    };
    const ledger = checks.find(({ name }) => name === 'ledger');
    if (ledger?.ok === 'yes') return [];
    const isChecked = ledger !== undefined && ledger.ok === 'no';
    if (isChecked || Date.now() > deadline) {
      const found = checks.filter(({ ok }) => ok === 'no').map((check) => check.found);
      return [`ledger: ${ledger?.found ?? found.join(' ')}`];
    }
    await sleep(500);
  }
}

async function makeBackup(source: Home): Promise<string> {
  await source.relay('start');
  await source.query(`INSERT INTO relay.contacts (account_id, display_name)
    SELECT a.id, 'Contact ' || n FROM relay.accounts a, generate_series(1, ${CONTACTS}) n`);
  await source.query(`INSERT INTO relay.contact_aliases (account_id, kind, value, contact_id)
    SELECT account_id, 'phone', (15550000000 + row_number() OVER ())::text, id FROM relay.contacts`);
  await source.relay('token', 'create', '--name', 'claude', '--scopes', 'messages:read');
  await source.relay('hold', 'a hold');
  await source.relay('release');
  const { exit, out, err } = await source.relay('backup', '--json');
  if (exit !== 0) throw new Error(`the backup failed: ${err}`);
  return (JSON.parse(out) as { file: string }).file;
}

type Counts = Readonly<Record<string, number>>;

/** The restore adds a hold and its row in the ledger. */
const ADDED: Counts = { ledger: 1, holds: 1 };

type HomeState = 'restored' | 'unchanged' | 'half';

function stateOf(found: Counts, whole: Counts): HomeState {
  const names = Object.keys(whole);
  if (names.every((name) => found[name] === (whole[name] ?? 0) + (ADDED[name] ?? 0)))
    return 'restored';
  return names.every((name) => found[name] === 0) ? 'unchanged' : 'half';
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {}
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const said = Promise.all(
    [child.stdout, child.stderr].map((one) => (one === null ? '' : text(one))),
  );
  const [exit] = (await once(child, 'close')) as [number | null];
  const [out = '', err = ''] = await said;
  return { exit, out, err };
}

/** A home with a private PostgreSQL, and the built command for it. */
class Home {
  readonly #built: string;
  readonly #path: string;

  constructor(built: string, path: string) {
    this.#built = built;
    this.#path = path;
  }

  spawn(...args: string[]): ChildProcess {
    return spawn(process.execPath, [join(this.#built, 'bin/relay.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: this.#path,
        RELAY_HOME: this.#path,
        RELAY_KEY_FILE: `${this.#path}.key`,
        RELAY_PORT: '0',
        NO_COLOR: '1',
      },
    });
  }

  relay(...args: string[]): Promise<Ended> {
    return endOf(this.spawn(...args));
  }

  pidOf(victim: 'daemon' | 'postgres'): number {
    const file = victim === 'daemon' ? 'daemon.pid' : 'postgres/data/postmaster.pid';
    return Number.parseInt(readFileSync(join(this.#path, file), 'utf8'), 10);
  }

  /** A server that was killed is back within seconds. */
  async query<Row extends object>(sql: string): Promise<Row[]> {
    return retryWhileUnavailable(() => this.#query<Row>(sql), SERVER_PATIENCE_MS);
  }

  async #query<Row extends object>(sql: string): Promise<Row[]> {
    const password = readFileSync(join(this.#path, 'postgres/password'), 'utf8').trim();
    const host = join(this.#path, 'postgres/data');
    const client = new pg.Client({ host, user: 'relay', database: 'relay', password });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async counts(): Promise<Counts> {
    const tables = ['contacts', 'contact_aliases', 'tokens', 'ledger', 'holds'];
    const [row] = await this.query<Record<string, string>>(
      `SELECT ${tables.map((name) => `(SELECT count(*) FROM relay.${name}) AS ${name}`).join(', ')}`,
    );
    return Object.fromEntries(
      Object.entries(row ?? {}).map(([name, count]) => [name, Number(count)]),
    );
  }

  /** A killed daemon leaves its PostgreSQL, which the next one adopts and stops. */
  async end(): Promise<void> {
    if (!existsSync(this.#path)) return;
    await this.relay('start');
    await this.relay('stop');
    await untilGone(this.#path);
  }
}
