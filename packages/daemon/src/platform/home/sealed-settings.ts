// Secret settings in `relay.config.json`: encrypted for this home, each under its own name. A secret that somebody
// wrote by hand in plain text is accepted.

import { PROVIDERS, parseProviderName } from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import type {
  BackupSettings,
  DigestExportSettings,
  MemorySettings,
  ModelSettings,
  NotificationSettings,
  TranscriptionSettings,
} from '@relay/contract/settings';
import type { Sealer } from '@relay/core/ports/sealer';
import { loadHomeSettings, readWrittenSettings, saveSettings } from './settings.ts';

const SEALED_PREFIX = 'sealed:';

interface SealedSetting {
  seal(sealer: Sealer, secret: string): string;
  /** Throws the error it was given if the secret was encrypted for another home. */
  open(sealer: Sealer, written: string): string;
}

function sealedSetting(
  name:
    | 'model_api_key'
    | 'brave_api_key'
    | 'endpoint_api_key'
    | 'transcription_api_key'
    | 'webhook_secret'
    | 'ntfy_token'
    | 'webhook_token'
    | 'backup_passphrase',
  elsewhere: (cause: unknown) => Error,
): SealedSetting {
  const label = `config/${name}`;
  return {
    seal: (sealer, secret) =>
      SEALED_PREFIX + Buffer.from(sealer.seal(label, Buffer.from(secret))).toString('base64url'),
    open(sealer, written) {
      if (!written.startsWith(SEALED_PREFIX)) return written;
      try {
        const bytes = Buffer.from(written.slice(SEALED_PREFIX.length), 'base64url');
        return Buffer.from(sealer.open(label, bytes)).toString();
      } catch (cause) {
        throw elsewhere(cause);
      }
    },
  };
}

// The model settings: the environment first, then `relay.config.json`, read again each time. The key is encrypted there
// for this home; a key written by hand in plain text is accepted.

export interface ModelEnvironment {
  readonly given: ModelSettings;
  readonly keys: Readonly<Record<string, string>>;
}

const sealedModelKey = sealedSetting(
  'model_api_key',
  (cause) => new RelayError('model_key_sealed', {}, { cause }),
);

export async function readModelSettings(
  home: string,
  sealer: Sealer,
  environment: ModelEnvironment,
): Promise<ModelSettings> {
  const written = await readWrittenSettings(home);
  return modelInEffect(written, environment, (sealed) => sealedModelKey.open(sealer, sealed));
}

/** The model settings as they would be after a change. A key that does not belong to the new provider is not opened. */
export async function previewModelSettings(
  home: string,
  sealer: Sealer,
  environment: ModelEnvironment,
  changed: Partial<ModelSettings>,
): Promise<ModelSettings> {
  const written = await readWrittenSettings(home);
  const next = { ...written, ...withoutFormerProvider(written, changed) };
  return modelInEffect(next, environment, (key) =>
    key === changed.model_api_key ? key : sealedModelKey.open(sealer, key),
  );
}

function modelInEffect(
  written: ModelSettings,
  { given, keys }: ModelEnvironment,
  openKey: (written: string) => string,
): ModelSettings {
  const other = given.model_provider !== null && given.model_provider !== written.model_provider;
  // A key is used only for the provider it was given for.
  const file = other ? NO_MODEL : written;
  const base = given.model_base_url ?? file.model_base_url;
  const provider =
    given.model_provider ?? file.model_provider ?? (base === null ? onlyKnown(keys) : null);
  return {
    model_provider: provider,
    model_name: given.model_name ?? file.model_name,
    model_base_url: base,
    model_api_key:
      given.model_api_key ??
      (file.model_api_key === null ? null : openKey(file.model_api_key)) ??
      keys[parseProviderName(provider ?? '') ?? ''] ??
      null,
  };
}

export async function saveModelSettings(
  home: string,
  sealer: Sealer,
  changed: Partial<ModelSettings>,
): Promise<void> {
  const before = await readWrittenSettings(home);
  const key = changed.model_api_key;
  await saveSettings(home, {
    ...withoutFormerProvider(before, changed),
    ...(typeof key === 'string' ? { model_api_key: sealedModelKey.seal(sealer, key) } : {}),
  });
}

/** Fields that are not named stay, unless the provider changes: they belonged to the former one. */
function withoutFormerProvider(
  before: ModelSettings,
  changed: Partial<ModelSettings>,
): Partial<ModelSettings> {
  const another =
    before.model_provider !== null &&
    changed.model_provider !== undefined &&
    !isSameProvider(before.model_provider, changed.model_provider);
  const cleared = { model_name: null, model_api_key: null, model_base_url: null };
  return another ? { ...cleared, ...changed } : changed;
}

/** Somebody may have written the provider by hand in another spelling. */
function isSameProvider(before: string, now: string | null): boolean {
  const spelled = (name: string) => parseProviderName(name) ?? name;
  return now !== null && spelled(now) === spelled(before);
}

const NO_MODEL: ModelSettings = {
  model_provider: null,
  model_name: null,
  model_api_key: null,
  model_base_url: null,
};

const onlyKnown = (keys: Readonly<Record<string, string>>): string | null =>
  Object.keys(keys)[0] ?? null;

// The key for web search: the environment first, then `relay.config.json`, read again each time. Without a key there is
// no web search.

const sealedBraveKey = sealedSetting(
  'brave_api_key',
  (cause) => new RelayError('brave_key_sealed', {}, { cause }),
);

export async function readBraveKey(
  home: string,
  sealer: Sealer,
  given: string | null,
): Promise<string | null> {
  if (given !== null) return given;
  const { brave_api_key: written } = await readWrittenSettings(home);
  return written === null ? null : sealedBraveKey.open(sealer, written);
}

/** Null removes it. */
export async function saveBraveKey(
  home: string,
  sealer: Sealer,
  key: string | null,
): Promise<void> {
  await saveSettings(home, {
    brave_api_key: key === null ? null : sealedBraveKey.seal(sealer, key),
  });
}

// Settings for semantic search: `memory` in `relay.config.json`, read again each time. The endpoint's key is encrypted
// there for this home.

const sealedEndpointKey = sealedSetting(
  'endpoint_api_key',
  (cause) => new RelayError('embeddings_key_sealed', {}, { cause }),
);

export async function readMemorySettings(home: string, sealer: Sealer): Promise<MemorySettings> {
  const { memory } = await readWrittenSettings(home);
  const { endpoint_api_key: written } = memory;
  if (written === null || memory.embeddings !== 'endpoint') return memory;
  return { ...memory, endpoint_api_key: sealedEndpointKey.open(sealer, written) };
}

/**
 * An endpoint without its own key that has the address of the agents' model uses the model's key: the texts then stay
 * with one provider, and a changed key applies to both.
 */
export function withKeyOfModel(memory: MemorySettings, model: ModelSettings): MemorySettings {
  const { endpoint_base_url: url, endpoint_api_key: own } = memory;
  const provider = parseProviderName(model.model_provider ?? '');
  const address = model.model_base_url ?? (provider === null ? null : PROVIDERS[provider].baseUrl);
  if (own !== null || url === null || address === null) return memory;
  const isSameServer = new URL(url).origin === new URL(address).origin;
  return isSameServer ? { ...memory, endpoint_api_key: model.model_api_key } : memory;
}

export async function saveMemorySettings(
  home: string,
  sealer: Sealer,
  memory: MemorySettings,
): Promise<void> {
  const key = memory.endpoint_api_key;
  await saveSettings(home, {
    memory: {
      ...memory,
      endpoint_api_key: key === null ? null : sealedEndpointKey.seal(sealer, key),
    },
  });
}

// Settings for transcribing voice messages: `transcription` in `relay.config.json`, read again each time. Its key is
// encrypted there for this home.

const sealedTranscriptionKey = sealedSetting(
  'transcription_api_key',
  (cause) => new RelayError('transcription_key_sealed', {}, { cause }),
);

/** As written, with the key still encrypted. */
export const readWrittenTranscription = async (home: string): Promise<TranscriptionSettings> =>
  (await readWrittenSettings(home)).transcription;

export async function readTranscriptionSettings(
  home: string,
  sealer: Sealer,
): Promise<TranscriptionSettings> {
  const transcription = await readWrittenTranscription(home);
  const { transcription_api_key: written } = transcription;
  return written === null
    ? transcription
    : { ...transcription, transcription_api_key: sealedTranscriptionKey.open(sealer, written) };
}

// Settings of the digest export: `outside_memory` in `relay.config.json`, read again each time. The webhook's secret is
// encrypted there for this home.

const sealedWebhookSecret = sealedSetting(
  'webhook_secret',
  (cause) => new RelayError('webhook_secret_sealed', {}, { cause }),
);

/** As written, with the secret still encrypted. */
const readWrittenExportSettings = async (home: string): Promise<DigestExportSettings> =>
  (await readWrittenSettings(home)).outside_memory;

/** A secret encrypted for another home does not prevent the export to a folder. */
export async function readDigestExportSettings(
  home: string,
  sealer: Sealer,
): Promise<DigestExportSettings> {
  const settings = await readWrittenExportSettings(home);
  const { webhook_url, webhook_secret } = settings;
  if (webhook_url === null || webhook_secret === null) return settings;
  return { ...settings, webhook_secret: sealedWebhookSecret.open(sealer, webhook_secret) };
}

export async function saveDigestExportSettings(
  home: string,
  sealer: Sealer,
  changed: Partial<DigestExportSettings>,
): Promise<DigestExportSettings> {
  const { webhook_secret: given } = changed;
  const sealed =
    typeof given === 'string' ? { webhook_secret: sealedWebhookSecret.seal(sealer, given) } : {};
  const settings = { ...(await readWrittenExportSettings(home)), ...changed, ...sealed };
  await saveSettings(home, { outside_memory: settings });
  return settings;
}

// Settings of notifications: `notifications` in `relay.config.json`, read again each time. The tokens are encrypted
// there for this home.

const tokenSealed = (channel: string) => (cause: unknown) =>
  new RelayError('notification_token_sealed', { channel }, { cause });
const CHANNEL_TOKENS = {
  ntfy: sealedSetting('ntfy_token', tokenSealed('ntfy')),
  webhook: sealedSetting('webhook_token', tokenSealed('webhook')),
};

/** As written, with the tokens still encrypted. */
export const readNotificationSettings = async (home: string): Promise<NotificationSettings> =>
  (await readWrittenSettings(home)).notifications;

/** Null without an address. */
export async function readNotificationChannel(
  home: string,
  sealer: Sealer,
  channel: keyof typeof CHANNEL_TOKENS,
): Promise<{ readonly url: string; readonly token: string | null } | null> {
  const settings = await readNotificationSettings(home);
  const { [`${channel}_url` as const]: url, [`${channel}_token` as const]: written } = settings;
  if (url === null) return null;
  return { url, token: written === null ? null : CHANNEL_TOKENS[channel].open(sealer, written) };
}

/** A token belongs to its address, so another address removes it. */
export async function saveNotificationChannel(
  home: string,
  sealer: Sealer,
  channel: keyof typeof CHANNEL_TOKENS,
  set: { readonly url?: string | null | undefined; readonly token?: string | null | undefined },
): Promise<void> {
  const before = await readNotificationSettings(home);
  const url = set.url === undefined ? before[`${channel}_url`] : set.url;
  const kept = url === before[`${channel}_url`] ? before[`${channel}_token`] : null;
  const token =
    typeof set.token === 'string' ? CHANNEL_TOKENS[channel].seal(sealer, set.token) : set.token;
  await saveSettings(home, {
    notifications: {
      ...before,
      [`${channel}_url`]: url,
      [`${channel}_token`]: url === null ? null : token === undefined ? kept : token,
    },
  });
}

// The passphrase of backups: `backup.passphrase` in `relay.config.json`, read again each time, and encrypted there for
// this home.

const sealedBackupPassphrase = sealedSetting(
  'backup_passphrase',
  (cause) => new RelayError('backup_passphrase_sealed', {}, { cause }),
);

export async function readBackupPassphrase(home: string, sealer: Sealer): Promise<string | null> {
  const { passphrase } = (await readWrittenSettings(home)).backup;
  return passphrase === null ? null : sealedBackupPassphrase.open(sealer, passphrase);
}

/** Null removes it. Returns what is written to the file. */
export async function saveBackupPassphrase(
  home: string,
  sealer: Sealer,
  passphrase: string | null,
): Promise<string | null> {
  const { backup } = (await loadHomeSettings(home)) as { backup?: BackupSettings };
  const sealed = passphrase === null ? null : sealedBackupPassphrase.seal(sealer, passphrase);
  await saveSettings(home, { backup: { ...(backup as BackupSettings), passphrase: sealed } });
  return sealed;
}
