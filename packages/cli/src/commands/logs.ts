// `relay logs`: the daemon's log for a person, or as it is with --json. Needs no daemon.
import { RelayError } from '@relay/core/errors';
import type { Run } from '../catalogue.ts';
import { lastLines } from '../logs/files.ts';
import { Follower } from '../logs/follow.ts';
import { isAtLeast, LEVELS, type Level, pretty } from '../logs/pretty.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const count = Number(options.lines);
  if (!Number.isInteger(count) || count < 0) {
    throw new RelayError('usage', { what: 'Give --lines a whole number, as in `-n 100`.' });
  }
  const wanted = isAtLeast(levelOf(options.level));
  const show = (line: string) => {
    const today = new Date().toISOString().slice(0, 10);
    terminal.say(terminal.json ? line : pretty(line, terminal.colours, today));
  };

  const follower = options.follow ? new Follower(config.home) : null;
  const lines = lastLines(config.home, count, wanted);
  for (const line of lines) show(line);
  if (follower) {
    for await (const line of follower.lines()) if (wanted(line)) show(line);
  }
  if (lines.length === 0) terminal.progress(`Nothing in the log of ${config.home} yet.\n`);
  return 0;
};

function levelOf(option: string | boolean | undefined): Level {
  if (option === undefined) return 'debug';
  if (LEVELS.includes(option as Level)) return option as Level;
  throw new RelayError('usage', { what: `--level is one of ${LEVELS.join(', ')}.` });
}
