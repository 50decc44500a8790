// `relay config list`: every setting with its value, where that comes from and what it means. Of the daemon that runs,
// whose environment may be another; where none does, as one that started now would see it.
// Invariant: of a secret it is said whether there is one, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingShown, ShownSecret, ShownSettings } from '@relay/core/api/settings';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../../api.ts';
import type { Run } from '../../command.ts';
import { type Config, daemonEnvironment, readSettings, settingsPath } from '../../config.ts';
import { findDaemon } from '../../daemon.ts';
import { count, oneLine } from '../../format.ts';

type Shown = Pick<ShownSettings, 'file' | 'settings' | 'secrets'>;

/** One line of the list. A secret has no value, only whether there is one. */
type Row = (SettingShown | (ShownSecret & { value: null; secret: true })) & { meaning: string };

export const run: Run = async ({ config, terminal, args }) => {
  const { listSettings, meaningOf, faultIn } = await import('@relay/core/settings-listed');
  const running = findDaemon(config.home).state === 'running';
  const shown = running
    ? await clientOf(config.home).get('/api/settings')
    : written(config, faultIn, listSettings);
  const secrets = shown.secrets.map((one) => ({ ...one, value: null, secret: true as const }));
  const [part = ''] = args;
  const rows: Row[] = [...shown.settings, ...secrets]
    .filter(({ name }) => name.includes(part))
    .map((row) => ({ ...row, meaning: meaningOf(row.name) }));
  if (rows.length === 0) {
    const what = `No setting has "${part}" in its name. \`relay config list\` shows all of them.`;
    throw new RelayError('usage', { what });
  }
  if (terminal.json) {
    terminal.give({ file: shown.file, running, settings: rows });
    return 0;
  }
  const { bold, dim } = terminal.colours;
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const row of rows) {
    const name = row.from === 'default' ? row.name : bold(row.name);
    const padding = ' '.repeat(width - row.name.length);
    terminal.say(`${name}${padding}  ${valueWords(row)}  ${dim(sourceWords(row))}`);
    terminal.say(dim(`${' '.repeat(width)}  ${row.meaning}`));
  }
  const set = rows.filter(({ from }) => from !== 'default').length;
  terminal.note(`${count(rows.length, 'setting')}, ${set} not as by default. File: ${shown.file}`);
  return 0;
};

type Listing = typeof import('@relay/core/settings-listed');

function written(
  { home }: Config,
  faultIn: Listing['faultIn'],
  listSettings: Listing['listSettings'],
): Shown {
  const file = settingsPath(home);
  const { settings, fault: unreadable } = readSettings(home);
  const fault = unreadable ?? faultIn(settings);
  if (fault !== null) throw new RelayError('config_invalid', { file, what: fault });
  const env = daemonEnvironment();
  return { file, ...listSettings({ written: settings, changed: changedIn(home), env }) };
}

/** What the daemon noted of changes over its API. */
function changedIn(home: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(readFileSync(join(home, 'changed-settings.json'), 'utf8')));
  } catch {
    return {};
  }
}

function valueWords(row: Row): string {
  if ('secret' in row) return row.is_set ? '(set, not shown)' : '(not set)';
  const next = row.next === undefined ? '' : ` (from the next start: ${JSON.stringify(row.next)})`;
  return oneLine(`${JSON.stringify(row.value)}${next}`);
}

function sourceWords({ from, variable }: Row): string {
  switch (from) {
    case 'environment':
      return variable === null ? 'environment' : `environment: ${variable}`;
    case 'file':
      return 'file';
    case 'console':
      return 'changed in the console or by a command';
    case 'default':
      return 'default';
  }
}
