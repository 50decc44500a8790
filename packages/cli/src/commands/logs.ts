// `relay logs`: the daemon's log for a person, or as it is with --json. Needs no daemon.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import type { Run } from '../command.ts';
import { printable } from '../format.ts';
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
  const crash = terminal.json ? '' : lastWords(config.home);
  if (crash !== '') terminal.say(`What the daemon last said outside its log:\n${crash}`);
  else if (lines.length === 0) terminal.progress(`Nothing in the log of ${config.home} yet.`);
  return 0;
};

function lastWords(home: string): string {
  try {
    return printable(readFileSync(join(home, 'daemon.out'), 'utf8').trim().slice(-4_000));
  } catch {
    return '';
  }
}

function levelOf(option: unknown): Level {
  if (option === undefined) return 'debug';
  if (LEVELS.includes(option as Level)) return option as Level;
  throw new RelayError('usage', { what: `--level is one of ${LEVELS.join(', ')}.` });
}
