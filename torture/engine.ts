// Kills the daemon and its PostgreSQL while conversations are created, paused, resumed, cancelled and written to, then
// lets everything finish and checks the database. No phone is linked, so no message is sent and no follow-up is due.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNSENT_SENTENCES } from '@relay/contract/conversation/states';
import type { DaemonProcess } from '@relay/testing/daemon-process';
import { startDaemonProcess } from '@relay/testing/daemon-process';
import { removeFolder } from '@relay/testing/remove-folder';
import { thenClose } from '@relay/testing/then-close';
import { examine } from './examine.ts';
import { Load, type OpenInstance } from './load.ts';
import { randomFrom } from './random.ts';

export interface EngineTorture {
  readonly daemonKills: number;
  readonly postgresKills: number;
  readonly seed: number;
}

export async function tortureEngine({
  daemonKills,
  postgresKills,
  seed,
}: EngineTorture): Promise<boolean> {
  const home = await mkdtemp(join(tmpdir(), 'relay-torture-'));
  const random = randomFrom(seed);
  const load = new Load(random);
  const restarts: number[] = [];
  console.log(`seed ${seed}, ${daemonKills} kills of the daemon, ${postgresKills} of PostgreSQL`);

  let daemon = await startDaemonProcess({ home });
  const closable = { close: () => daemon.end('SIGTERM') };
  const { settledIn, faults } = await thenClose(closable, async () => {
    const kills = shuffled(
      [...Array(daemonKills).fill('daemon'), ...Array(postgresKills).fill('postgres')],
      random,
    );
    for (const [index, victim] of kills.entries()) {
      const stopped = load.run(daemon);
      await sleep(100 + random() * 500);
      if (victim === 'postgres') {
        await killPostgres(home);
        await sleep(300 + random() * 500);
        await load.stop(stopped);
      } else {
        await daemon.end('SIGKILL');
        await load.stop(stopped);
        daemon = await startDaemonProcess({ home });
        restarts.push(daemon.readyMs);
      }
      if ((index + 1) % 10 === 0)
        console.log(`${index + 1} of ${kills.length} kills, ${load.summary()}`);
    }

    const settled = await settle(daemon, load);
    await daemon.end('SIGTERM');
    return { settledIn: settled, faults: await examine(home, load) };
  });
  report(restarts, settledIn, load, faults);
  if (faults.length === 0) {
    await removeFolder(home);
    await rm(`${home}.key`, { force: true });
  } else console.log(`left for a look: ${home}`);
  return faults.length === 0;
}

async function killPostgres(home: string): Promise<void> {
  const file = join(home, 'postgres/data/postmaster.pid');
  for (;;) {
    try {
      process.kill(Number.parseInt(await readFile(file, 'utf8'), 10), 'SIGKILL');
      return;
    } catch {
      // Still down from the previous kill: the restart is under way, and the file is stale or not yet written.
      await sleep(20);
    }
  }
}

/** Only guards against a hang: longer than any conversation here takes between two steps, even on a busy machine. */
const STUCK_MS = 180_000;

/** No phone is linked, so whatever waits for a message to be sent waits forever. */
function verbTowardsTheEnd({ state, reason }: OpenInstance): string | undefined {
  if (state === 'PAUSED') return 'resume';
  if (state === 'NEEDS_HUMAN_INTERVENTION' || reason === UNSENT_SENTENCES[state]) return 'cancel';
  return undefined;
}

/**
 * Resumes paused conversations, cancels those that wait for their message to be sent or for the owner, and waits until
 * all have ended, or none makes progress.
 */
async function settle(daemon: DaemonProcess, load: Load): Promise<number> {
  const began = performance.now();
  let fewest = Number.POSITIVE_INFINITY;
  let movedAt = began;
  for (;;) {
    const open = await load.openInstances(daemon);
    if (open?.length === 0) return performance.now() - began;
    if (open !== null && open.length < fewest) {
      fewest = open.length;
      movedAt = performance.now();
    }
    if (performance.now() - movedAt > STUCK_MS) {
      console.log(`still open: ${JSON.stringify(open?.slice(0, 5))}`);
      return Number.NaN;
    }
    for (const instance of open ?? []) {
      const verb = verbTowardsTheEnd(instance);
      if (verb !== undefined) await daemon.call('POST', `/api/instances/${instance.id}/${verb}`);
    }
    await sleep(500);
  }
}

function shuffled<T>(items: T[], random: () => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}

function report(
  restarts: readonly number[],
  settledIn: number,
  load: Load,
  faults: readonly string[],
): void {
  const sorted = [...restarts].sort((a, b) => a - b);
  const at = (q: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0);
  console.log(load.summary());
  console.log(
    `restart to ready: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms; all came to their end in ${Math.round(settledIn)} ms`,
  );
  for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`);
  console.log(`${faults.length === 0 ? 1 : 0} passed, ${faults.length} failed`);
}
