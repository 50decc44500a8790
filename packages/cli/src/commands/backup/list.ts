// `relay backup list`: which there are, and how it goes on.
import type { Backups } from '@relay/core/api/backups';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { bytes, clock, rows } from '../../format.ts';

export const run: Run = async ({ config, terminal }) => {
  const found = await clientOf(config.home).get('/api/backups');
  if (terminal.json) terminal.give(found);
  else for (const line of describe(found, new Date())) terminal.say(line);
  return 0;
};

export function describe(found: Backups, now: Date): string[] {
  const { every, keep, folder, next_at, trouble, backups } = found;
  const next = next_at === null ? '' : ` The next: ${nextWords(new Date(next_at), now)}.`;
  return [
    every === 'off'
      ? 'Nothing is backed up by itself. "backup": { "every": "day" } in relay.config.json changes that.'
      : `Every ${every}, the newest ${keep} are kept.${next}`,
    ...(trouble === null ? [] : [trouble]),
    backups.length === 0 ? `No backup lies in ${folder}.` : `In ${folder}:`,
    ...rows(
      backups.map(({ file, bytes: size, made_at }) => [
        clock(new Date(made_at), now),
        `${bytes(size).padStart(7)}  ${file.slice(folder.length).replace(/^[/\\]/, '')}`,
      ]),
    ),
  ];
}

const nextWords = (at: Date, now: Date): string => (at <= now ? 'within minutes' : clock(at, now));
