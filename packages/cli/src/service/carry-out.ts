// Asks the system's own programs, one after the other, and says in one sentence which of them refused and why.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { RelayError } from '@relay/core/errors';
import type { Config } from '../config.ts';
import { type Manager, managerOf } from './manager.ts';

type Command = Manager['running'];

/** The one of this machine, if it is at work: a container has systemd's files and nobody who reads them. */
export function managerHere({ userFolder, settingsFolder }: Config): Manager {
  const { platform } = process;
  const uid = process.getuid?.() ?? null;
  const manager = managerOf({ platform, uid, userFolder, settingsFolder });
  if (manager === null) throw new RelayError('service_unknown', { platform });
  return manager;
}

export function expectAtWork({ called }: Manager): void {
  if (called === 'systemd' && !existsSync('/run/systemd/system')) {
    throw new RelayError('service_absent');
  }
}

export function carryOut(commands: readonly Command[]): void {
  for (const [named, ...args] of commands) {
    const program = named.replace(/^-/, '');
    try {
      execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
    } catch (error) {
      if (program !== named) continue;
      const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
      const reason = said || (error as NodeJS.ErrnoException).code || 'it failed';
      const command = [program, ...args].join(' ');
      throw new RelayError('service_refused', { command, reason }, { cause: error });
    }
  }
}

export function isRunning([program, ...args]: Command): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
