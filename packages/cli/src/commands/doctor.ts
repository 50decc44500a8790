// `relay doctor`: every check with what was found and how to mend it. Works without a daemon.
import type { HealthCheck } from '@relay/core/api/status';
import type { Run } from '../command.ts';
import { findDaemon } from '../daemon.ts';
import { checkClock, checkDisk, checkNode, checkPort } from '../doctor/machine.ts';
import {
  askDaemon,
  checkDaemon,
  checkHome,
  checkModelKey,
  checkSettings,
} from '../doctor/relay.ts';
import { count, printable } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const daemon = findDaemon(config.home);
  const local = [
    checkNode(process.versions.node),
    checkHome(config.home),
    await checkSettings(config),
    checkDaemon(daemon),
    await checkPort(config, daemon),
    checkDisk(config.home),
    checkClock(config.home, Date.now()),
    checkModelKey(config),
  ];
  const checks = merge(local, await askDaemon(config, daemon, options.full === true));
  const failed = checks.filter((check) => check.ok === 'no').length;
  if (terminal.json) terminal.give({ ok: failed === 0, checks });
  else for (const line of show(checks, terminal.colours)) terminal.say(line);
  return failed === 0 ? 0 : 1;
};

/** Of two checks with one name the graver is shown: either side may see what the other cannot. */
export function merge(local: HealthCheck[], remote: readonly HealthCheck[]): HealthCheck[] {
  const grave = { yes: 0, warn: 1, no: 2 };
  const merged = new Map(local.map((check) => [check.name, check]));
  for (const check of remote) {
    const known = merged.get(check.name);
    if (!known || grave[check.ok] > grave[known.ok]) merged.set(check.name, check);
  }
  return [...merged.values()];
}

export function show(checks: readonly HealthCheck[], colours: Terminal['colours']): string[] {
  const signs = { yes: colours.green('✓'), warn: colours.yellow('!'), no: colours.red('✗') };
  const width = Math.max(...checks.map((check) => check.name.length));
  const lines = checks.flatMap((check) => {
    const line = `${signs[check.ok]} ${check.name.padEnd(width)}  ${printable(check.found)}`;
    return check.mend === null
      ? [line]
      : [line, `  ${' '.repeat(width)}  → ${printable(check.mend)}`];
  });
  const wrong = checks.filter((check) => check.ok === 'no').length;
  const doubts = checks.filter((check) => check.ok === 'warn').length;
  const verdict =
    wrong > 0
      ? `${count(wrong, 'thing')} to mend.`
      : doubts > 0
        ? `Nothing is broken; ${count(doubts, 'thing')} to look at.`
        : 'All is well.';
  return [...lines, '', verdict];
}
