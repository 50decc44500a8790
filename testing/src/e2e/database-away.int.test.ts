// The database goes away under traffic, or its disk is full: nothing is lost, duplicated or wiped, and Relay recovers
// by itself as the same device.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabaseLine } from '../network-line.ts';
import { freshDatabase } from '../postgres.ts';
import { removeFolder } from '../remove-folder.ts';
import { eventually } from './gateway.ts';
import { BEN, type LinkedRelay, ME, startLinkedRelay } from './linked.ts';

const run = promisify(execFile);

/** A message that may have been sent is checked for this long before it is retried. */
const SETTINGS = { pacing: { enabled: false }, delivery: { grace_ms: 1_000 } };

const numbered = (word: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${word} ${n}`);

/** Like a persistent client: retries with the same key until it is accepted. */
async function sendAll({ demo }: LinkedRelay, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const key = randomUUID();
    const offer = () => demo.relay.send(`+${BEN}`, text, key);
    await eventually(`"${text}" to be taken`, offer, 120_000);
  }
}

async function writeAll({ demo }: LinkedRelay, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    await demo.phones.send(BEN, ME, text);
    await sleep(10);
  }
}

/** A friend's messages that Relay has, oldest first, once there are this many. */
function arrived(linked: LinkedRelay, count: number): Promise<string[]> {
  return eventually(
    `${count} messages`,
    async () => {
      const all = await linked.query<{ body: string }>(
        'SELECT body FROM relay.messages WHERE NOT from_me ORDER BY sent_at, id',
      );
      return all.length >= count ? all.map(({ body }) => body) : undefined;
    },
    60_000,
  );
}

function received({ demo }: LinkedRelay, count: number): Promise<(string | null)[]> {
  return eventually(
    `${count} messages at Ben's`,
    async () => {
      const all = await demo.phones.received(BEN, ME);
      return all.length >= count ? all.map(({ text }) => text) : undefined;
    },
    60_000,
  );
}

const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const FILLER = 'filler';
const ONE_MORE = { to: `+${BEN}`, text: 'refused for now' };

/** A separate small disk; null if this user may not mount one. */
async function smallDisk(): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'disk '));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=192m,mode=0755', 'tmpfs', folder]);
  } catch {
    await removeFolder(folder);
    return null;
  }
  onTestFinished(async () => {
    await run('umount', [folder]);
    await removeFolder(folder);
  });
  return folder;
}

/** Fills the disk to the last byte. */
async function fill(disk: string): Promise<void> {
  const file = await open(join(disk, FILLER), 'w');
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      const block = Buffer.alloc(size);
      for (;;) {
        try {
          await file.write(block);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOSPC') break;
          throw error;
        }
      }
    }
  } finally {
    await file.close();
  }
}

/** The server has spare room in its log: writes until that is used up too. */
async function writeUntilRefused(linked: LinkedRelay): Promise<void> {
  for (let megabytes = 0; megabytes < 192; megabytes += 4)
    await linked.query("SELECT pg_logical_emit_message(true, '', repeat('x', 4 << 20))");
}

const OUTAGE_MS = 20_000;
/** Log lines of one outage: each message and each cause a few times. Without that limit it is hundreds. */
const MOST_LINES = 50;

/** Lines that the daemon logged, with those that a full disk refused. */
function countLogLines({ demo }: LinkedRelay): number {
  const lines = readFileSync(join(demo.home, 'relay.log'), 'utf8').trimEnd().split('\n');
  const lost = lines
    .filter((line) => line.includes('log lines lost'))
    .map((line) => (JSON.parse(line) as { count: number }).count);
  return lost.reduce((sum, count) => sum + count, lines.length);
}

interface Said {
  readonly status: string;
  readonly red: readonly { readonly name: string; readonly found: string }[];
  readonly metrics: string;
}

/** What the command, the doctor and the metrics say. */
async function whatIsSaid(linked: LinkedRelay): Promise<Said> {
  const status = await linked.command('status');
  const { checks } = JSON.parse((await linked.command('doctor', '--json')).out) as {
    checks: { name: string; ok: string; found: string }[];
  };
  return {
    status: `${status.out}${status.err}`,
    red: checks.filter(({ ok }) => ok === 'no'),
    metrics: (await linked.demo.relay.call('GET', '/metrics')).text,
  };
}

describe('a database', { timeout: 180_000 }, () => {
  it('that stops is named by status, doctor and metrics, fills no log, and needs no restart', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.drop());
    const line = await openDatabaseLine(database.url);
    onTestFinished(() => line.close());
    const linked = await startLinkedRelay({
      database: 'beside',
      databaseUrl: line.url,
      settings: SETTINGS,
    });
    const { pid } = linked.demo;
    await linked.talk('before');
    const before = countLogLines(linked);
    line.refuse();
    const writing = writeAll(linked, numbered('in', 20));
    const sending = sendAll(linked, numbered('out', 3));
    await sleep(OUTAGE_MS);
    const said = await whatIsSaid(linked);
    const lines = countLogLines(linked) - before;
    expect(said.status).toContain('The database does not answer, so Relay sends nothing for now.');
    expect(said.red).toContainEqual(expect.objectContaining({ name: 'database' }));
    expect(said.metrics).toMatch(/^relay_database_up 0$/m);
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThanOrEqual(MOST_LINES);

    line.mend();
    await Promise.all([writing, sending]);
    expect(await arrived(linked, 21)).toEqual(['before from Ben', ...numbered('in', 20)]);
    expect(await received(linked, 4)).toEqual(['before to Ben', ...numbered('out', 3)]);
    await linked.reaches('connected');
    expect(linked.demo.pid).toBe(pid);
    expect((await whatIsSaid(linked)).metrics).toMatch(/^relay_database_up 1$/m);
  });

  it('whose connections are cut repeatedly under traffic causes only delays', async () => {
    const linked = await startLinkedRelay({ database: 'beside', settings: SETTINGS });
    const [device] = linked.devices();
    const [toMe, toBen] = [numbered('in', 300), numbered('out', 100)];
    const traffic = Promise.all([writeAll(linked, toMe), sendAll(linked, toBen)]);
    for (let cuts = 0; cuts < 10; cuts++) {
      await sleep(300);
      await linked.query(CUT);
    }
    await traffic;
    expect(await arrived(linked, toMe.length)).toEqual(toMe);
    expect(await received(linked, toBen.length)).toEqual(toBen);
    await linked.reaches('connected');
    const before = device?.logins ?? 0;
    const again = expect.toSatisfy((logins) => logins > before);
    expect(linked.devices()).toEqual([{ id: device?.id, logins: again }]);
    expect(await linked.demo.phones.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });

  it('whose disk is full continues where it was when there is room again', async ({ skip }) => {
    const disk = await smallDisk();
    if (disk === null) return skip('this user may not mount a disk');
    // Otherwise messages of strangers are not stored on so small a disk.
    const settings = { ...SETTINGS, disk: { keep_free_megabytes: 0 } };
    const linked = await startLinkedRelay({ database: 'private', under: disk, settings });
    const [device] = linked.devices();
    await linked.talk('before');
    const { pid } = linked.demo;
    const before = countLogLines(linked);
    const [toMe, toBen] = [numbered('in', 40), numbered('out', 20)];
    await fill(disk);
    const sending = sendAll(linked, toBen);
    await writeAll(linked, toMe.slice(0, 20));
    await expect(writeUntilRefused(linked)).rejects.toThrow();
    await writeAll(linked, toMe.slice(20));
    await sleep(2_000);
    const taken = await linked.demo.relay.call('POST', '/api/whatsapp/messages', ONE_MORE);
    expect(taken.status).toBeGreaterThanOrEqual(500);
    const said = await whatIsSaid(linked);
    expect(said.status).toContain(
      'The disk of the database is full, so Relay saves and sends nothing for now.',
    );
    expect(said.red).toContainEqual(
      expect.objectContaining({ name: 'disk', found: expect.stringContaining(' is full: 0 MB') }),
    );
    expect(said.metrics).toMatch(/^relay_database_up 0$/m);
    expect(said.metrics).toMatch(/^relay_disk_free_bytes \d{1,6}$/m);

    await rm(join(disk, FILLER));
    await sending;
    expect(await arrived(linked, toMe.length + 1)).toEqual(['before from Ben', ...toMe]);
    expect(await received(linked, toBen.length + 1)).toEqual(['before to Ben', ...toBen]);
    await linked.reaches('connected');
    expect(linked.demo.pid).toBe(pid);
    expect(countLogLines(linked) - before).toBeLessThanOrEqual(MOST_LINES);
    expect(linked.devices().map(({ id }) => id)).toEqual([device?.id]);
    expect(await linked.demo.phones.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });
});
