// The settings of an account over those of its home: proxy, model, budget, pacing, time zone and retention. They are a
// column of the account; the proxy and the model's key may contain secrets and are encrypted with the account's key.
import {
  type AccountSettings,
  accountSettingsSchema,
  type ChangeAccountSettings,
} from '@relay/contract/api/accounts';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import {
  type AccountModel,
  type ModelSettings,
  type Settings,
  settingsFault,
  type TranscriptionSettings,
} from '@relay/contract/settings';
import { ACCOUNT_SECRETS, accountSecretName, type Sealer } from '@relay/core/ports/sealer';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

const SECTIONS = ['pacing', 'agent', 'retention'] as const;

/** Stands for a proxy that cannot be read: a connection without the proxy would show WhatsApp another address. */
const NO_PROXY = 'socks5://proxy-cannot-be-read.invalid:1080';

/** A secret may have been encrypted for another home, from which the account was restored. */
export async function readAccountSettings(
  db: Db,
  account: AccountId,
  sealer: Pick<Sealer, 'open'>,
): Promise<AccountSettings> {
  const { rows } = await sql<{ settings: Record<string, unknown> }>`
    SELECT settings FROM accounts WHERE id = ${account}`.execute(db);
  const written = { ...rows[0]?.settings };
  for (const name of ACCOUNT_SECRETS) {
    const sealed = written[name];
    if (typeof sealed !== 'string') continue;
    try {
      const bytes = Buffer.from(sealed, 'base64url');
      written[name] = Buffer.from(sealer.open(accountSecretName(account, name), bytes)).toString();
    } catch {
      if (name === 'proxy') written[name] = NO_PROXY;
      else delete written[name];
    }
  }
  return accountSettingsSchema.parse(written);
}

/** Null removes a setting: that of the home applies again. */
export async function changeAccountSettings(
  db: Db,
  account: AccountId,
  sealer: Pick<Sealer, 'open' | 'seal'>,
  { home, changed }: { readonly home: Settings; readonly changed: ChangeAccountSettings },
): Promise<void> {
  const before = await readAccountSettings(db, account, sealer);
  const merged = accountSettingsSchema.parse(mergeOwn(before, changed));
  const fault = settingsFault(plainSettings(home, merged));
  if (fault !== null) throw new RelayError('setting_invalid', { what: fault });
  const stored: Record<string, unknown> = { ...merged };
  for (const name of ACCOUNT_SECRETS) {
    const value = merged[name];
    if (value === undefined) continue;
    const sealed = sealer.seal(accountSecretName(account, name), Buffer.from(value));
    stored[name] = Buffer.from(sealed).toString('base64url');
  }
  await sql`UPDATE accounts SET settings = ${JSON.stringify(stored)}::jsonb WHERE id = ${account}`.execute(
    db,
  );
}

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

function mergeOwn(before: object, changed: object): Tree {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(changed)) {
    const kept = merged[name];
    const next = isTree(value) ? mergeOwn(isTree(kept) ? kept : {}, value) : value;
    if (next === null || (isTree(next) && Object.keys(next).length === 0)) delete merged[name];
    else if (next !== undefined) merged[name] = next;
  }
  return merged;
}

/** As the home's file would have them, to check them with its rules. */
function plainSettings(home: Settings, own: AccountSettings): Tree {
  const sections = SECTIONS.map((name) => [name, { ...home[name], ...own[name] }]);
  return { ...Object.fromEntries(sections), ...(own.zone === undefined ? {} : { zone: own.zone }) };
}

/**
 * What the account of another person gets in place of the home's: these settings command or instruct its agents in the
 * name of the home's owner, open addresses in their network, or send to addresses of theirs.
 */
const FOR_HOSTED = {
  admin_phone_numbers: [],
  agent: { instructions: '' },
  webhooks: { allow: [] },
  notifications: { allow: [] },
  traces: { endpoint: null, headers: null },
} satisfies { readonly [Name in keyof Settings]?: Partial<Settings[Name]> };

/**
 * The home's settings as they are for the account. Sections are read where they are used, and those of the home change
 * in place: a setting that the account does not have is always the home's current one.
 */
export function settingsOfAccount(
  home: Settings,
  own: AccountSettings,
  isHosted: boolean,
): Settings {
  const { pacing, agent, retention, zone } = own;
  return overlay(home, mergeOwn(isHosted ? FOR_HOSTED : {}, { pacing, agent, retention, zone }));
}

function overlay<Section extends object>(section: Section, over: Tree): Section {
  const entries = Object.entries(over).map(([name, value]) => [
    name,
    isTree(value) && !Array.isArray(value)
      ? overlay<object>(Reflect.get(section, name) as object, value)
      : value,
  ]);
  const mine: object = Object.fromEntries(entries);
  return new Proxy(section, {
    get: (inner, name) => Reflect.get(name in mine ? mine : inner, name),
  });
}

/**
 * The model of the account. With another provider nothing of the home's model applies. The home's key goes to no other
 * address than the home's, and an address of a hosted account must be on the public internet.
 */
export function modelOfAccount(
  home: ModelSettings,
  own: AccountSettings,
  isHosted: boolean,
): AccountModel {
  const { model_provider, model_name, model_base_url, model_api_key } = own;
  const base = hasOwnProvider(home, own) ? NO_MODEL : home;
  return {
    model_provider: model_provider ?? base.model_provider,
    model_name: model_name ?? base.model_name,
    model_base_url: model_base_url ?? base.model_base_url,
    model_api_key: model_api_key ?? (hasOwnServer(home, own) ? null : home.model_api_key),
    isForeign: isHosted && model_base_url !== undefined,
  };
}

/** Without an address of its own, transcription uses that of the model. The home's key goes to no other one. */
export function transcriptionOfAccount(
  transcription: TranscriptionSettings,
  home: ModelSettings,
  own: AccountSettings,
): TranscriptionSettings {
  return transcription.endpoint_base_url === null && hasOwnServer(home, own)
    ? { ...transcription, transcription_api_key: null }
    : transcription;
}

export const hasOwnModel = ({
  model_provider,
  model_base_url,
  model_api_key,
}: AccountSettings): boolean =>
  model_provider !== undefined || model_base_url !== undefined || model_api_key !== undefined;

const hasOwnProvider = (home: ModelSettings, { model_provider }: AccountSettings): boolean =>
  model_provider !== undefined && model_provider !== home.model_provider;

const hasOwnServer = (home: ModelSettings, own: AccountSettings): boolean =>
  hasOwnProvider(home, own) ||
  (own.model_base_url !== undefined && own.model_base_url !== home.model_base_url);

const NO_MODEL: ModelSettings = {
  model_provider: null,
  model_name: null,
  model_base_url: null,
  model_api_key: null,
};
