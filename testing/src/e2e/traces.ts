// Finds what a stopped Relay could have left: processes whose folder or environment refers to its home, and a port that
// still answers.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One line for each process that belongs to `home`, whoever started it. */
export async function processesOf(home: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const at = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const belongs =
      at === home || at.startsWith(`${home}/`) || environment.includes(`RELAY_HOME=${home}\0`);
    if (!belongs) continue;
    const program = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // A process without a command line has ended and was not reaped yet.
    if (program !== '') found.push(`${pid} ${program.replaceAll('\0', ' ')}`);
  }
  return found;
}

/** Processes end a moment after their parent reports it. */
export async function untilGone(home: string): Promise<string[]> {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const left = await processesOf(home);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(50);
  }
}

export function answers(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: 2_000 });
  const end = (answer: boolean) => {
    socket.destroy();
    resolve(answer);
  };
  socket.once('connect', () => end(true));
  socket.once('error', () => end(false));
  socket.once('timeout', () => end(false));
  return promise;
}
