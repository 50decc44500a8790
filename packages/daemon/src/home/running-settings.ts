// The settings of the running daemon: shown with where each comes from, and changed in `relay.config.json` and in what runs.
// Invariant: the file is written whole and valid before anything runs otherwise, and what the environment sets is
// changed by nobody.
import type { ChangeRunning, SettingShown, ShownSecret } from '@relay/core/api/settings';
import { RelayError } from '@relay/core/errors';
import { type Settings, settingsFault, settingsSchema } from '@relay/core/settings';
import {
  DEFAULT_SETTINGS,
  SETTINGS,
  secretsIn,
  settingNamed,
  settingNames,
  sourceOf,
} from '@relay/core/settings-shown';
import { changedHere, readSettings, writeSettings } from './settings.ts';

export interface RunningSettings {
  readonly home: string;
  /** Read wherever they count, section by section; changed in place. */
  readonly settings: Settings;
  /** Settings that the environment sets, with the name of the variable. */
  readonly fromEnvironment: Readonly<Record<string, string>>;
}

export async function settingsShown({
  home,
  settings,
  fromEnvironment,
}: RunningSettings): Promise<SettingShown[]> {
  const written = await readSettings(home);
  const where = { written, changed: await changedHere(home), fromEnvironment };
  const file = settingsSchema.parse(written);
  return Object.entries(SETTINGS).map(([name, changes]) => {
    const variable = fromEnvironment[name] ?? null;
    // What has a route of its own is read from the file each time it counts.
    const value = settingNamed(name, changes === 'elsewhere' ? file : settings);
    const next = settingNamed(name, file);
    return {
      name,
      value: value as SettingShown['value'],
      default: settingNamed(name, DEFAULT_SETTINGS) as SettingShown['default'],
      from: sourceOf(name, where),
      variable,
      changes,
      ...(variable === null && !isSame(value, next) ? { next: next as SettingShown['value'] } : {}),
    };
  });
}

export const secretsShown = async ({
  home,
  fromEnvironment,
}: RunningSettings): Promise<ShownSecret[]> =>
  secretsIn({ written: await readSettings(home), changed: {}, fromEnvironment });

export async function changeRunning(
  running: RunningSettings,
  changed: ChangeRunning,
): Promise<void> {
  if (Object.keys(changed).length === 0) return;
  refuseFromEnvironment(running, changed);
  const file = merged(await readSettings(running.home), changed);
  const fault = settingsFault(file);
  if (fault !== null) throw new RelayError('setting_invalid', { what: fault });
  await writeSettings(running.home, file);
  follow(running.settings, settingsSchema.parse(file), settingNames(changed));
}

export function refuseFromEnvironment(
  { fromEnvironment }: Pick<RunningSettings, 'fromEnvironment'>,
  changed: object,
): void {
  for (const setting of settingNames(changed)) {
    const variable = fromEnvironment[setting];
    if (variable !== undefined)
      throw new RelayError('setting_from_environment', { setting, variable });
  }
}

/** The file as it would be, with all else that somebody wrote. Null: as by default, so it leaves the file. */
function merged(written: object, changed: object): Record<string, unknown> {
  const file: Record<string, unknown> = structuredClone({ ...written });
  for (const name of settingNames(changed)) {
    const [section = '', key] = name.split('.');
    if (key !== undefined) file[section] ??= {};
    const holder = key === undefined ? file : Object(file[section]);
    const value = settingNamed(name, changed);
    if (value === null) delete holder[key ?? section];
    else holder[key ?? section] = value;
  }
  return file;
}

/** In place: whoever holds the settings, or one section of them, reads from now on what counts. */
function follow(running: Settings, next: Settings, names: readonly string[]): void {
  for (const name of names.filter((one) => SETTINGS[one] === 'now')) {
    const [section = '', key] = name.split('.');
    const holder = key === undefined ? running : settingNamed(section, running);
    Object.assign(Object(holder), { [key ?? section]: settingNamed(name, next) });
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
