// The database goes away under traffic, or its disk is full: nothing is lost, duplicated or wiped, and Relay recovers
// by itself as the same device.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
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
    await eventually(`"${text}" to be taken`, offer, 60_000);
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

describe('a database', { timeout: 180_000 }, () => {
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
    const [toMe, toBen] = [numbered('in', 40), numbered('out', 20)];
    await fill(disk);
    const sending = sendAll(linked, toBen);
    await writeAll(linked, toMe.slice(0, 20));
    await expect(writeUntilRefused(linked)).rejects.toThrow();
    await writeAll(linked, toMe.slice(20));
    await sleep(2_000);
    const taken = await linked.demo.relay.call('POST', '/api/whatsapp/messages', ONE_MORE);
    expect(taken.status).toBeGreaterThanOrEqual(500);

    await rm(join(disk, FILLER));
    await sending;
    expect(await arrived(linked, toMe.length + 1)).toEqual(['before from Ben', ...toMe]);
    expect(await received(linked, toBen.length + 1)).toEqual(['before to Ben', ...toBen]);
    await linked.reaches('connected');
    expect(linked.devices().map(({ id }) => id)).toEqual([device?.id]);
    expect(await linked.demo.phones.counts()).toMatchObject({ duplicates: 0, undecryptable: 0 });
  });
});
