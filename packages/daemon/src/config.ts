// Reads the daemon's configuration; the only place in the daemon that reads the environment. The environment overrides
// `<home>/relay.config.json`, which overrides the defaults. An invalid value stops the start.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { PROVIDERS } from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import {
  type ModelSettings,
  mediaSettingsSchema,
  type Settings,
  settingsFault,
  settingsSchema,
  tracesSchema,
} from '@relay/contract/settings';
import { SETTING_VARIABLES, settingsGivenIn } from '@relay/contract/settings-catalog';
import { splitCommand } from '@relay/core/command-words';
import { chooseSettingsFile } from '@relay/core/installation';
import type { z } from 'zod';

export interface Config {
  readonly home: string;
  readonly port: number;
  /** Null: the daemon runs a private PostgreSQL of its own. */
  readonly databaseUrl: string | null;
  /** Another role on the same server, which owns the tables. Null: the role of `databaseUrl` owns them. */
  readonly databaseOwnerUrl: string | null;
  readonly logLevel: Settings['log_level'];
  /** The settings in force. The daemon changes them in place: a section stays the same object. */
  readonly settings: Settings;
  /** Settings that the environment sets, with the name of the variable. */
  readonly fromEnvironment: Readonly<Record<string, string>>;
  /** Where the key that encrypts this home may be. */
  readonly vault: {
    readonly keyDirectory: string;
    readonly keyFile: string | null;
    readonly passphrase: string | null;
    /** The words of RELAY_KEY_COMMAND. */
    readonly keyCommand: readonly string[] | null;
    readonly givenKey: string | null;
  };
  /** How long MCP clients may cache an answer before they ask again. */
  readonly pollMs: number;
  /** The API key for web search, if the environment sets it. */
  readonly braveKey: string | null;
  /** In a demo: the page where its people are played. Shown to the owner, never called. */
  readonly phonePage: string | null;
  /** The environment's settings for the model. They override the file, which may change while the daemon runs. */
  readonly model: {
    readonly given: ModelSettings;
    /** API keys under the variable names that the providers use. */
    readonly keys: Readonly<Record<string, string>>;
  };
}

type Environment = Record<string, string | undefined>;

export function loadConfig(env: Environment = process.env): Config {
  // The session is stored in the home, so the session path that seed 002 names is taken as the home.
  const home = resolve(
    env.RELAY_HOME || env.WHATSAPP_SESSION_PATH || join(homedir(), '.relay-agent'),
  );
  const written = readSettings(home);
  // Read before the secrets are removed.
  const fromEnvironment = settingsGivenIn(env);
  const settings: Settings = {
    ...written,
    daemon_port: fromEnv(env, 'RELAY_PORT', 'daemon_port') ?? written.daemon_port,
    log_level: fromEnv(env, 'RELAY_LOG_LEVEL', 'log_level') ?? written.log_level,
    admin_phone_numbers:
      fromEnv(env, 'ADMIN_PHONE_NUMBERS', 'admin_phone_numbers') ?? written.admin_phone_numbers,
    prepared_statements:
      fromEnv(env, 'RELAY_PREPARED_STATEMENTS', 'prepared_statements') ??
      written.prepared_statements,
    traces: withGiven(written.traces, tracesSchema, [
      ['endpoint', 'RELAY_TRACES_ENDPOINT', env.RELAY_TRACES_ENDPOINT || null],
      ['headers', 'RELAY_TRACES_HEADERS', take(env, 'RELAY_TRACES_HEADERS')],
    ]),
    media: withGiven(written.media, mediaSettingsSchema, [
      ['s3_access_key_id', 'RELAY_S3_ACCESS_KEY_ID', take(env, 'RELAY_S3_ACCESS_KEY_ID')],
      [
        's3_secret_access_key',
        'RELAY_S3_SECRET_ACCESS_KEY',
        take(env, 'RELAY_S3_SECRET_ACCESS_KEY'),
      ],
    ]),
  };
  return {
    home,
    port: settings.daemon_port,
    databaseUrl: env.DATABASE_URL || null,
    databaseOwnerUrl: take(env, 'DATABASE_OWNER_URL'),
    logLevel: settings.log_level,
    settings,
    fromEnvironment,
    vault: {
      keyDirectory: join(env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'relay-agent'),
      keyFile: env.RELAY_KEY_FILE ? resolve(env.RELAY_KEY_FILE) : null,
      passphrase: take(env, 'RELAY_PASSPHRASE'),
      keyCommand: keyCommand(env),
      givenKey: take(env, 'RELAY_KEY'),
    },
    pollMs: pollSeconds(env) * 1_000,
    braveKey: take(env, 'BRAVE_API_KEY'),
    phonePage: loopbackPage(take(env, 'RELAY_DEMO_PHONE')),
    model: {
      given: {
        model_provider: env.RELAY_MODEL_PROVIDER || null,
        model_name: env.RELAY_MODEL || null,
        model_api_key: take(env, 'RELAY_MODEL_API_KEY'),
        model_base_url: fromEnv(env, 'RELAY_MODEL_BASE_URL', 'model_base_url'),
      },
      keys: takeKeys(env),
    },
  };
}

/** A section of the settings, with the fields that the environment gives. */
function withGiven<Section extends object>(
  written: Section,
  { shape }: { readonly shape: { readonly [Field in keyof Section]: z.ZodType<Section[Field]> } },
  given: readonly (readonly [
    field: keyof Section,
    name: keyof typeof SETTING_VARIABLES,
    text: string | null,
  ])[],
): Section {
  const found = { ...written };
  for (const [field, name, text] of given) {
    if (text === null) continue;
    const parsed = shape[field].safeParse(text);
    if (!parsed.success) throw invalid(name, parsed.error.issues[0]?.message ?? 'unknown value');
    found[field] = parsed.data;
  }
  return found;
}

function keyCommand({ RELAY_KEY_COMMAND: written, RELAY_KEY: key }: Environment): string[] | null {
  if (!written) return null;
  if (key) throw invalid('RELAY_KEY_COMMAND', 'RELAY_KEY is set too; set one of them');
  const words = splitCommand(written);
  if (words === null) throw invalid('RELAY_KEY_COMMAND', 'a quote is not closed');
  return words;
}

function pollSeconds({ WHATSAPP_POLL_INTERVAL: written }: Environment): number {
  const seconds = Number(written || 30);
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw invalid('WHATSAPP_POLL_INTERVAL', 'it must be a number of seconds from 1 to 86400');
}

/** Only loopback: Relay would vouch for a link to anywhere else. */
const loopbackPage = (url: string | null): string | null =>
  url?.startsWith('http://127.0.0.1:') ? url : null;

function takeKeys(env: Environment): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const [provider, { keyVariables }] of Object.entries(PROVIDERS)) {
    for (const name of keyVariables) {
      const key = take(env, name);
      if (key !== null) keys[provider] ??= key;
    }
  }
  return keys;
}

/** Reads a secret and removes it, so that no child process and no report of the environment contains it. */
function take(env: Environment, name: string): string | null {
  const secret = env[name] || null;
  delete env[name];
  return secret;
}

function fromEnv<Field extends keyof Settings>(
  env: Readonly<Environment>,
  name: keyof typeof SETTING_VARIABLES,
  field: Field,
): Settings[Field] | null {
  const text = env[name];
  if (!text) return null;
  const parsed = settingsSchema.safeParse({ [field]: SETTING_VARIABLES[name].read(text) });
  if (!parsed.success) throw invalid(name, parsed.error.issues[0]?.message ?? 'unknown value');
  return parsed.data[field];
}

function readSettings(home: string): Settings {
  const { name, fault: twice } = chooseSettingsFile((one) => existsSync(join(home, one)));
  const file = join(home, name);
  if (twice !== null) throw invalid(file, twice);
  const written = readJson(file);
  const fault = settingsFault(written);
  if (fault !== null) throw invalid(file, fault);
  return settingsSchema.parse(written);
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw invalid(file, 'it cannot be read', error);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw invalid(file, 'it is not JSON', error);
  }
}

const invalid = (file: string, what: string, cause?: unknown): RelayError =>
  new RelayError('config_invalid', { file, what: what.replace(/\.$/, '') }, { cause });
