// Changes single settings in `<home>/relay.config.json`, keeps the rest as the owner wrote it, and records which
// settings were changed here rather than in an editor. An invalid file is never overwritten.
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { type Settings, settingsFault, settingsSchema } from '@relay/contract/settings';
import { SECRET_SETTINGS, settingByName, settingNames } from '@relay/contract/settings-catalog';
import { chooseSettingsFile } from '@relay/core/installation';
import { writePrivate } from './files.ts';

export async function saveSettings(home: string, changed: Partial<Settings>): Promise<void> {
  await writeHomeSettings(home, { ...(await loadHomeSettings(home)), ...changed });
}

/** Replaces all settings in the file. */
export async function writeHomeSettings(home: string, settings: object): Promise<void> {
  const file = settingsFilePath(home);
  refuseFaults(file, settings);
  const before = await readWritten(file);
  await writePrivate(file, `${JSON.stringify(settings, null, 2)}\n`);
  await noteChanges(home, before, settings);
}

/** As written in the file: validated, without defaults. */
export async function loadHomeSettings(home: string): Promise<object> {
  const file = settingsFilePath(home);
  const written = await readWritten(file);
  refuseFaults(file, written);
  return written;
}

/** A second change within one tick of the file system's clock leaves no trace in the file's time. */
const SETTLED_MS = 1_000;
const parsed = new Map<string, { readonly mark: string; readonly settings: Settings }>();

/** With defaults. Parsed only when the file has changed: every message needs some of them. */
export async function readWrittenSettings(home: string): Promise<Readonly<Settings>> {
  const file = settingsFilePath(home);
  const found = await stat(file, { bigint: true }).catch(() => null);
  const mark = found === null ? 'none' : `${found.ino} ${found.ctimeNs}`;
  const known = parsed.get(file);
  if (known?.mark === mark) return known.settings;
  const settings = settingsSchema.parse(await loadHomeSettings(home));
  if (found === null || Date.now() - Number(found.ctimeMs) > SETTLED_MS)
    parsed.set(file, { mark, settings });
  return settings;
}

export const settingsFilePath = (home: string): string =>
  join(home, chooseSettingsFile((name) => existsSync(join(home, name))).name);

/** Settings last changed over the API, with the value written. One edited in the file afterwards is not included. */
export async function readSettingsChangedByApi(
  home: string,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(join(home, CHANGES_FILE), 'utf8').catch(() => '{}');
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const CHANGES_FILE = 'changed-settings.json';

async function noteChanges(home: string, before: object, after: object): Promise<void> {
  const names = settingNames(after).filter(
    (name) => !SECRET_SETTINGS.includes(name) && !isSame(name, before, after),
  );
  if (names.length === 0) return;
  const noted = names.map((name) => [name, settingByName(name, after)]);
  const changes = { ...(await readSettingsChangedByApi(home)), ...Object.fromEntries(noted) };
  await writePrivate(join(home, CHANGES_FILE), `${JSON.stringify(changes, null, 2)}\n`);
}

const isSame = (name: string, a: object, b: object): boolean =>
  JSON.stringify(settingByName(name, a)) === JSON.stringify(settingByName(name, b));

function refuseFaults(file: string, settings: object): void {
  const fault = settingsFault(settings);
  if (fault !== null) throw invalid(file, fault);
}

async function readWritten(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw invalid(file, 'it cannot be read');
  });
  try {
    const written: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof written === 'object' && written !== null && !Array.isArray(written)) return written;
  } catch {
    throw invalid(file, 'it is not JSON');
  }
  throw invalid(file, 'it is not an object');
}

const invalid = (file: string, what: string): RelayError =>
  new RelayError('config_invalid', { file, what });
