// `relay config`: lists, shows and changes settings. Asks the running daemon, whose environment can differ; without one,
// shows what a daemon started now would see. Invariant: for a secret it shows only whether it is set, and takes none from
// the command line.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ListedSecret, ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import { RelayError } from '@relay/contract/errors';
import { clientOf } from '../api.ts';
import type { CommandCall, RunCommand } from '../command.ts';
import { type CliConfig, daemonEnvironment, readHomeSettings, settingsPath } from '../config.ts';
import { formatCount, toOneLine } from '../format.ts';
import { findDaemon } from '../running-daemon.ts';

type ShownConfig = Pick<SettingsOverview, 'file' | 'settings' | 'secrets'>;

/** One line of the list. A secret has no value, only whether it is set. */
type Row = (ListedSetting | (ListedSecret & { value: null; secret: true })) & { meaning: string };

export const listConfigSettingsCommand: RunCommand = async ({ config, terminal, args }) => {
  const { rows: all, file, running } = await loadSettings(config);
  const [part = ''] = args;
  const rows = all.filter(({ name }) => name.includes(part));
  if (rows.length === 0) {
    const what = `No setting name contains "${part}". List all with \`relay config list\`.`;
    throw new RelayError('usage', { what });
  }
  if (terminal.json) {
    terminal.writeJson({ file, running, settings: rows });
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
    `${formatCount(rows.length, 'setting')}, ${set} changed from the default. File: ${file}`,
  );
  return 0;
};

interface LoadedSettings {
  readonly rows: readonly Row[];
  readonly file: string;
  readonly running: boolean;
}

async function loadSettings(config: CliConfig): Promise<LoadedSettings> {
  const { listSettings, meaningOf, faultIn } = await import('@relay/contract/settings-catalog');
  const running = findDaemon(config.home).state === 'running';
  const shown = running
    ? await clientOf(config.home).get('/api/settings')
    : readWrittenSettings(config, faultIn, listSettings);
  const secrets = shown.secrets.map((one) => ({ ...one, value: null, secret: true as const }));
  const rows = [...shown.settings, ...secrets].map((row) => ({
    ...row,
    meaning: meaningOf(row.name),
  }));
  return { rows, file: shown.file, running };
}

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

// `relay config get <name>`: the value alone, for scripts.

export const getConfigSettingCommand: RunCommand = async ({ config, terminal, args }) => {
  const row = await findSetting((await loadSettings(config)).rows, args[0] ?? '');
  if (terminal.json) terminal.writeJson(row);
  else terminal.writeLine('secret' in row ? formatValue(row) : formatPlainValue(row.value));
  return 0;
};

const formatPlainValue = (value: ListedSetting['value']): string =>
  typeof value === 'string' ? toOneLine(value) : JSON.stringify(value);

async function findSetting(rows: readonly Row[], name: string): Promise<Row> {
  const row = rows.find((one) => one.name === name);
  if (row !== undefined) return row;
  const { unknownNameFault } = await import('@relay/contract/settings-catalog');
  throw new RelayError('usage', { what: `${unknownNameFault(name)}.` });
}

// `relay config set <name> <value>` and `relay config unset <name>`. The daemon applies what it can change while it runs;
// everything else is written to the file and applies from the next start.

export const setConfigSettingCommand: RunCommand = (call) =>
  changeSetting(call, parseSettingValue(call.args[1] ?? ''));

export const unsetConfigSettingCommand: RunCommand = (call) => changeSetting(call, [null]);

/** What the text may mean, the likeliest first: a JSON value, the text itself, or a list. */
function parseSettingValue(text: string): readonly unknown[] {
  const list = text.split(',').map((part) => part.trim());
  try {
    return [JSON.parse(text), text, list];
  } catch {
    return [text, list];
  }
}

async function changeSetting(
  { config, terminal, args }: CommandCall,
  meanings: readonly unknown[],
): Promise<number> {
  const name = args[0] ?? '';
  const { rows, running } = await loadSettings(config);
  const row = await findSetting(rows, name);
  refuseToChange(row);
  const { value, file } = await applyFirstValid(config, name, meanings);
  const isApplied = running && 'changes' in row && row.changes !== 'file';
  if (isApplied) await clientOf(config.home).patch('/api/settings', { body: nested(name, value) });
  else writeSettings(config, file);
  const changed = await findSetting((await loadSettings(config)).rows, name);
  if (terminal.json) terminal.writeJson(changed);
  else {
    // A daemon that runs does not know the file's new value yet.
    const shown = value === null && 'default' in changed ? changed.default : value;
    terminal.writeLine(`${name} = ${toOneLine(JSON.stringify(shown))}`);
    const isNow = !running || ('changes' in row && row.changes === 'now');
    if (!isNow) {
      terminal.writeLine('It applies after a restart: `relay stop`, then `relay start`.');
    }
  }
  return 0;
}

/** Settings with a command of their own, which tests them or keeps them encrypted. */
const OTHER_COMMANDS: readonly (readonly [string, string])[] = [
  ['model_', 'relay init --provider <name> --model <name> --api-key'],
  ['brave_api_key', 'relay init --brave-key'],
  ['memory.', 'relay memory embeddings'],
  ['outside_memory.', 'relay memory outside'],
  ['backup.passphrase', 'relay backup encrypt'],
  ['notifications.ntfy_', 'relay notifications set ntfy <url> --token'],
  ['notifications.webhook_', 'relay notifications set webhook <url> --token'],
  ['http.allowed_hosts', 'relay remote enable <address>'],
];

function refuseToChange(row: Row): void {
  if (row.from === 'environment') {
    const variable = row.variable ?? '';
    throw new RelayError('setting_from_environment', { setting: row.name, variable });
  }
  const other = OTHER_COMMANDS.find(([prefix]) => row.name.startsWith(prefix));
  if (other !== undefined) {
    throw new RelayError('usage', { what: `"${row.name}" is changed with \`${other[1]}\`.` });
  }
  if ('secret' in row) {
    const what = `"${row.name}" is a secret, so it is not taken from the command line. Write it into the settings file.`;
    throw new RelayError('usage', { what });
  }
}

/** The first meaning with which the whole file is valid; otherwise the fault of the likeliest one. */
async function applyFirstValid(config: CliConfig, name: string, meanings: readonly unknown[]) {
  const { faultIn } = await import('@relay/contract/settings-catalog');
  const { settings, fault } = readHomeSettings(config.home);
  if (fault !== null) {
    throw new RelayError('config_invalid', { file: settingsPath(config.home), what: fault });
  }
  const faults: string[] = [];
  for (const value of meanings) {
    const file = withSetting(settings, name, value);
    const found = faultIn(file);
    if (found === null) return { value, file };
    faults.push(found);
  }
  throw new RelayError('setting_invalid', { what: faults[0] ?? '' });
}

/** Null removes the entry, which restores the default. */
function withSetting(settings: object, name: string, value: unknown): Record<string, unknown> {
  const [section = '', key] = name.split('.');
  const file: Record<string, unknown> = { ...settings };
  const holder = key === undefined ? file : { ...Object(file[section]) };
  if (value === null) delete holder[key ?? section];
  else holder[key ?? section] = value;
  if (key === undefined) return file;
  return { ...file, [section]: holder };
}

function nested(name: string, value: unknown): object {
  const [section = '', key] = name.split('.');
  return { [section]: key === undefined ? value : { [key]: value } };
}

/** Written beside it first, so that the file is never half written. */
function writeSettings({ home }: CliConfig, settings: object): void {
  const file = settingsPath(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.new`;
  writeFileSync(beside, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, file);
}

// `relay config schema`: the JSON schema of relay.config.json, for editors.

export const printConfigSchemaCommand: RunCommand = async ({ terminal }) => {
  const { settingsJsonSchema } = await import('@relay/contract/settings-catalog');
  const schema = settingsJsonSchema();
  if (terminal.json) terminal.writeJson(schema);
  else terminal.writeLine(JSON.stringify(schema, null, 2));
  return 0;
};
