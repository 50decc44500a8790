// Reads and changes settings over the API, each stored in its own way. Invariant: a key can be set and is never shown
// again.

import { PROVIDERS, parseProviderName } from '@relay/contract/agent/providers';
import {
  type ChangeSettings,
  type ListedSecret,
  type ListedSetting,
  type ModelCandidate,
  type ModelList,
  type ModelTrial,
  type RunningSettingsChange,
  runningSettingsChangeSchema,
  type SettingsOverview,
  type SettingsService,
} from '@relay/contract/api/settings';
import { RelayError } from '@relay/contract/errors';
import {
  type ModelSettings,
  type OwnersSettings,
  type Settings,
  settingsFault,
  settingsSchema,
} from '@relay/contract/settings';
import {
  DEFAULT_SETTINGS,
  listSecrets,
  SETTING_CHANGES,
  settingByName,
  settingNames,
  settingSourceOf,
} from '@relay/contract/settings-catalog';
import type { Sealer } from '@relay/core/ports/sealer';
import {
  type ModelEnvironment,
  previewModelSettings,
  readBraveKey,
  readModelSettings,
  saveBraveKey,
  saveModelSettings,
} from './sealed-settings.ts';
import {
  loadHomeSettings,
  readSettingsChangedByApi,
  settingsFilePath,
  writeHomeSettings,
} from './settings.ts';
import { readLastExport } from './state-files.ts';

interface SettingsServiceDeps extends RunningSettings {
  readonly sealer: Sealer;
  /** From the environment. */
  readonly model: ModelEnvironment;
  readonly braveKey: string | null;
  /** Opens the configured model, or reports what is missing. */
  openModel(): Promise<{ readonly provider: string; readonly name: string }>;
  /** Asks a model one short question; rejects with what is wrong and what to do. */
  checkModel(settings: ModelSettings): Promise<ModelTrial>;
  listModels(settings: ModelSettings): Promise<ModelList>;
  /** Called with the names of changed settings. */
  onChange(names: readonly string[]): void;
}

export function createSettingsService(deps: SettingsServiceDeps): SettingsService {
  let last: Promise<unknown> = Promise.resolve();
  return {
    overview: async () => ({
      model: await modelShown(deps),
      web_search: await searchShown(deps),
      file: settingsFilePath(deps.home),
      settings: (await listRunningSettings(deps)).map((one) => asGiven(one, deps.model)),
      secrets: await listRunningSecrets(deps),
      exported_at: await readLastExport(deps.home),
    }),
    // One at a time: each is read, changed and written as a whole.
    change(changed) {
      const mine = last.then(() => saveOwnersSettings(deps, changed));
      last = mine.catch(() => {});
      return mine;
    },
    async tryModel() {
      const began = performance.now();
      try {
        return await deps.checkModel(await readModelSettings(deps.home, deps.sealer, deps.model));
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        const ms = Math.round(performance.now() - began);
        return { ok: false, sentence: error.message, ms };
      }
    },
    listModels: async (candidate) => deps.listModels(await previewModel(deps, candidate)),
  };
}

const previewModel = (
  { home, sealer, model }: SettingsServiceDeps,
  changed: ModelCandidate,
): Promise<ModelSettings> => previewModelSettings(home, sealer, model, changed);

/** A model set by the environment overrides the file. */
function asGiven(shown: ListedSetting, { given }: ModelEnvironment): ListedSetting {
  const value = shown.from === 'environment' ? settingByName(shown.name, given) : undefined;
  return typeof value === 'string' ? { ...shown, value } : shown;
}

async function modelShown(deps: SettingsServiceDeps): Promise<SettingsOverview['model']> {
  try {
    const set = await readModelSettings(deps.home, deps.sealer, deps.model);
    const shown = {
      provider: set.model_provider,
      name: set.model_name,
      base_url: set.model_base_url,
      has_key: set.model_api_key !== null,
    };
    const opened = await orRefusal(deps.openModel());
    if (opened instanceof RelayError) return { ...shown, ready: false, sentence: missing(opened) };
    const { provider, name } = opened;
    const known = parseProviderName(provider);
    const title = known === null ? provider : PROVIDERS[known].title;
    return { ...shown, provider, name, ready: true, sentence: `Model: ${name} (${title}).` };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const nothing = { provider: null, name: null, base_url: null, has_key: true };
    return { ...nothing, ready: false, sentence: error.message };
  }
}

/** Without the error's action where that is about a conversation. */
const missing = (error: RelayError): string =>
  error.code === 'agent_unavailable'
    ? `${error.sentence} Set one up with \`relay init\`.`
    : error.message;

async function searchShown(deps: SettingsServiceDeps): Promise<SettingsOverview['web_search']> {
  const key = await orRefusal(readBraveKey(deps.home, deps.sealer, deps.braveKey));
  return { has_key: key !== null };
}

const orRefusal = <T>(answer: Promise<T>): Promise<T | RelayError> =>
  answer.catch((error: unknown) => {
    if (error instanceof RelayError) return error;
    throw error;
  });

async function saveOwnersSettings(
  deps: SettingsServiceDeps,
  { verify = true, ...changed }: ChangeSettings,
): Promise<void> {
  const { home, sealer } = deps;
  refuseFromEnvironment(deps, changed);
  const { running, rest } = splitChanges(changed);
  const { brave_api_key, ...model } = rest;
  if (verify && Object.values(model).some((value) => value !== null)) {
    await refuseUnlessItAnswers(deps, model);
  }
  await changeRunningSettings(deps, running);
  if (brave_api_key !== undefined) await saveBraveKey(home, sealer, brave_api_key);
  if (Object.keys(model).length > 0) await saveModelSettings(home, sealer, model);
  deps.onChange(settingNames(changed));
}

/** A wrong key, address or name is found here, and not in the first conversation. */
async function refuseUnlessItAnswers(
  deps: SettingsServiceDeps,
  changed: ModelCandidate,
): Promise<void> {
  try {
    await deps.checkModel(await previewModel(deps, changed));
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const { sentence: what, action, code: reason } = error;
    throw new RelayError('model_not_saved', { what }, { action, reason, cause: error });
  }
}

function splitChanges(changed: Omit<ChangeSettings, 'verify'>) {
  const isRunning = (name: string) => name in runningSettingsChangeSchema.shape;
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(changed).filter(([name]) => isRunning(name) === wanted));
  return {
    running: pick(true) as RunningSettingsChange,
    rest: pick(false) as Partial<OwnersSettings>,
  };
}

// The settings of the running daemon: listed with their source, and changed both in `relay.config.json` and in memory.
// Invariant: the file is written whole and valid before anything in memory changes, and what the environment sets
// cannot be changed.

export interface RunningSettings {
  readonly home: string;
  /** Read where they are used, section by section; changed in place. */
  readonly settings: Settings;
  /** Settings that the environment sets, with the name of the variable. */
  readonly fromEnvironment: Readonly<Record<string, string>>;
}

export async function listRunningSettings({
  home,
  settings,
  fromEnvironment,
}: RunningSettings): Promise<ListedSetting[]> {
  const written = await loadHomeSettings(home);
  const where = { written, changed: await readSettingsChangedByApi(home), fromEnvironment };
  const file = settingsSchema.parse(written);
  return Object.entries(SETTING_CHANGES).map(([name, changes]) => {
    const variable = fromEnvironment[name] ?? null;
    // Settings with their own route are read from the file each time they are used.
    const value = settingByName(name, changes === 'elsewhere' ? file : settings);
    const next = settingByName(name, file);
    return {
      name,
      value: value as ListedSetting['value'],
      default: settingByName(name, DEFAULT_SETTINGS) as ListedSetting['default'],
      from: settingSourceOf(name, where),
      variable,
      changes,
      ...(variable === null && !isSame(value, next)
        ? { next: next as ListedSetting['value'] }
        : {}),
    };
  });
}

const listRunningSecrets = async ({
  home,
  fromEnvironment,
}: RunningSettings): Promise<ListedSecret[]> =>
  listSecrets({ written: await loadHomeSettings(home), changed: {}, fromEnvironment });

export async function changeRunningSettings(
  running: RunningSettings,
  changed: RunningSettingsChange,
): Promise<void> {
  if (Object.keys(changed).length === 0) return;
  refuseFromEnvironment(running, changed);
  const file = mergeSettings(await loadHomeSettings(running.home), changed);
  const fault = settingsFault(file);
  if (fault !== null) throw new RelayError('setting_invalid', { what: fault });
  await writeHomeSettings(running.home, file);
  applyToRunning(running.settings, settingsSchema.parse(file), settingNames(changed));
}

function refuseFromEnvironment(
  { fromEnvironment }: Pick<RunningSettings, 'fromEnvironment'>,
  changed: object,
): void {
  for (const setting of settingNames(changed)) {
    const variable = fromEnvironment[setting];
    if (variable !== undefined)
      throw new RelayError('setting_from_environment', { setting, variable });
  }
}

/** The hosts at which a proxy serves the console; applied at once, because the guard reads them with every request. */
export async function saveAllowedHosts(
  { home, settings }: RunningSettings,
  hosts: readonly string[],
): Promise<void> {
  const allowed_hosts = hosts.length === 0 ? null : [...hosts];
  const changed = { http: { allowed_hosts } };
  await writeHomeSettings(home, mergeSettings(await loadHomeSettings(home), changed));
  settings.http.allowed_hosts = [...hosts];
}

/** The file with the changes applied and everything else kept. Null means the default and removes the entry. */
function mergeSettings(written: object, changed: object): Record<string, unknown> {
  const file: Record<string, unknown> = structuredClone({ ...written });
  for (const name of settingNames(changed)) {
    const [section = '', key] = name.split('.');
    if (key !== undefined) file[section] ??= {};
    const holder = key === undefined ? file : Object(file[section]);
    const value = settingByName(name, changed);
    if (value === null) delete holder[key ?? section];
    else holder[key ?? section] = value;
  }
  return file;
}

/** In place: a holder of the settings, or of one section, sees the new values. */
function applyToRunning(running: Settings, next: Settings, names: readonly string[]): void {
  for (const name of names.filter((one) => SETTING_CHANGES[one] === 'now')) {
    const [section = '', key] = name.split('.');
    const holder = key === undefined ? running : settingByName(section, running);
    Object.assign(Object(holder), { [key ?? section]: settingByName(name, next) });
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
