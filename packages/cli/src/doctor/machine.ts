// Checks of the machine Relay stands on: Node, the clock, the disk, the port.
import { existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { HealthCheck } from '@relay/core/api/status';
import { type Config, settingsPath } from '../config.ts';
import type { Daemon } from '../daemon.ts';
import { bytes, duration } from '../format.ts';
import { broken, doubtful, well } from './check.ts';

/** No working clock shows a time before this version was made. */
const MADE = Date.UTC(2026, 10, 1);

export function checkNode(version: string): HealthCheck {
  const major = Number(version.split('.')[0]);
  return major >= 24
    ? well('node', `Node ${version}.`)
    : broken('node', `Node ${version}.`, 'Install Node 24 or newer.');
}

export function checkClock(home: string, now: number): HealthCheck {
  const mend = 'Set the clock, or let the system do it: `timedatectl set-ntp true` on Linux.';
  if (now < MADE) return broken('clock', `The clock says ${new Date(now).toISOString()}.`, mend);
  const written = statSync(join(home, 'relay.log'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const behind = (written - now) / 1_000;
  if (behind > 60) {
    const found = `The clock is ${duration(behind)} behind the last line of the log.`;
    return doubtful('clock', found, mend);
  }
  return well('clock', `${new Date(now).toISOString().slice(0, 19)}Z.`);
}

export function checkDisk(home: string): HealthCheck {
  let at = home;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  const { bavail, bsize } = statfsSync(at);
  const free = bavail * bsize;
  const found = `${bytes(free)} free.`;
  if (free < 100_000_000) return broken('disk', found, 'Free at least 1 GB: nothing can be saved.');
  if (free < 1_000_000_000) return doubtful('disk', found, 'Free at least 1 GB.');
  return well('disk', found);
}

export async function checkPort(config: Config, daemon: Daemon): Promise<HealthCheck> {
  if (daemon.state === 'running') {
    return well('port', `The daemon listens on 127.0.0.1:${daemon.port}.`);
  }
  const free = await isFree(config.port);
  return free
    ? well('port', `Port ${config.port} is free.`)
    : broken(
        'port',
        `Port ${config.port} is in use by another program.`,
        `Stop it, or set "daemon_port" in ${settingsPath(config.home)}.`,
      );
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
    server.close(() => resolve(true)),
  );
  return promise;
}
