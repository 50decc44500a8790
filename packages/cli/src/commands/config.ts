// `relay config list`: every setting with its value, source and meaning. Asks the running daemon, whose environment can
// differ; without one, shows what a daemon started now would see. Invariant: for a secret it shows only whether it is
// set.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ListedSecret, ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { type CliConfig, daemonEnvironment, readHomeSettings, settingsPath } from '../config.ts';
import { formatCount, toOneLine } from '../format.ts';
import { findDaemon } from '../running-daemon.ts';

type ShownConfig = Pick<SettingsOverview, 'file' | 'settings' | 'secrets'>;

/** One line of the list. A secret has no value, only whether it is set. */
type Row = (ListedSetting | (ListedSecret & { value: null; secret: true })) & { meaning: string };

export const listConfigSettingsCommand: RunCommand = async ({ config, terminal, args }) => {
  const { listSettings, meaningOf, faultIn } = await import('@relay/contract/settings-catalog');
  const running = findDaemon(config.home).state === 'running';
  const shown = running
    ? await clientOf(config.home).get('/api/settings')
    : readWrittenSettings(config, faultIn, listSettings);
  const secrets = shown.secrets.map((one) => ({ ...one, value: null, secret: true as const }));
  const [part = ''] = args;
  const rows: Row[] = [...shown.settings, ...secrets]
    .filter(({ name }) => name.includes(part))
    .map((row) => ({ ...row, meaning: meaningOf(row.name) }));
  if (rows.length === 0) {
    const what = `No setting name contains "${part}". List all with \`relay config list\`.`;
    throw new RelayError('usage', { what });
  }
  if (terminal.json) {
    terminal.writeJson({ file: shown.file, running, settings: rows });
    return 0;
  }
  const { bold, dim } = terminal.colours;
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const row of rows) {
    const name = row.from === 'default' ? row.name : bold(row.name);
    const padding = ' '.repeat(width - row.name.length);
    terminal.writeLine(`${name}${padding}  ${formatValue(row)}  ${dim(formatSource(row))}`);
    terminal.writeLine(dim(`${' '.repeat(width)}  ${row.meaning}`));
  }
  const set = rows.filter(({ from }) => from !== 'default').length;
  terminal.note(
    `${formatCount(rows.length, 'setting')}, ${set} changed from the default. File: ${shown.file}`,
  );
  return 0;
};

type Listing = typeof import('@relay/contract/settings-catalog');

function readWrittenSettings(
  { home }: CliConfig,
  faultIn: Listing['faultIn'],
  listSettings: Listing['listSettings'],
): ShownConfig {
  const file = settingsPath(home);
  const { settings, fault: unreadable } = readHomeSettings(home);
  const fault = unreadable ?? faultIn(settings);
  if (fault !== null) throw new RelayError('config_invalid', { file, what: fault });
  const env = daemonEnvironment();
  return { file, ...listSettings({ written: settings, changed: changedIn(home), env }) };
}

/** Settings that were changed over the daemon's API. */
function changedIn(home: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(readFileSync(join(home, 'changed-settings.json'), 'utf8')));
  } catch {
    return {};
  }
}

function formatValue(row: Row): string {
  if ('secret' in row) return row.is_set ? '(set, not shown)' : '(not set)';
  const next = row.next === undefined ? '' : ` (after a restart: ${JSON.stringify(row.next)})`;
  return toOneLine(`${JSON.stringify(row.value)}${next}`);
}

function formatSource({ from, variable }: Row): string {
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

// `relay config schema`: the JSON schema of relay.config.json, for editors.

export const printConfigSchemaCommand: RunCommand = async ({ terminal }) => {
  const { settingsJsonSchema } = await import('@relay/contract/settings-catalog');
  const schema = settingsJsonSchema();
  if (terminal.json) terminal.writeJson(schema);
  else terminal.writeLine(JSON.stringify(schema, null, 2));
  return 0;
};
