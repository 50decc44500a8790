// Reads the environment and the settings file for the command; no other file of the command reads the environment. The
// settings file is read leniently: the daemon validates it, and `relay doctor` must work when it is broken.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isKeyless, PROVIDERS, parseProviderName } from '@relay/contract/agent/providers';
import { RelayError } from '@relay/contract/errors';
import { chooseSettingsFile } from '@relay/core/installation';

const MODEL_KEYS = [
  'RELAY_MODEL_API_KEY',
  ...Object.values(PROVIDERS).flatMap(({ keyVariables }) => keyVariables),
];

/** Source of a key that is in the settings file. */
const KEY_IN_SETTINGS_FILE = 'your settings';

export interface CliConfig {
  readonly home: string;
  /** Where a new daemon would listen; a running one has its port in its descriptor. */
  readonly port: number;
  readonly databaseUrl: string | null;
  /** Where a model key was found; never the key. */
  readonly modelKey: string | null;
  /** The chosen provider, if it needs no key. */
  readonly keylessProvider: string | null;
  /** The account that commands are for; null means the default one. */
  readonly account: string | null;
  /** A client's own token, set by the program that starts `relay mcp`. */
  readonly clientToken: string | null;
  /** The person's home folder, and where their programs keep settings. */
  readonly userFolder: string;
  readonly settingsFolder: string;
  readonly colour: boolean;
  /** False when no browser can be shown. */
  readonly desktop: boolean;
}

type Env = Record<string, string | undefined>;

export function loadCliConfig(env: Env = process.env): CliConfig {
  const home = resolve(
    env.RELAY_HOME || env.WHATSAPP_SESSION_PATH || join(homedir(), '.relay-agent'),
  );
  const { settings } = readHomeSettings(home);
  const port = Number(env.RELAY_PORT || (settings.daemon_port ?? 3214));
  return {
    home,
    port: Number.isInteger(port) && port >= 0 && port < 65_536 ? port : 3214,
    databaseUrl: env.DATABASE_URL || null,
    modelKey: settings.model_api_key
      ? KEY_IN_SETTINGS_FILE
      : (MODEL_KEYS.find((name) => env[name]) ?? null),
    keylessProvider: keylessIn(env.RELAY_MODEL_PROVIDER || settings.model_provider),
    account: env.RELAY_ACCOUNT?.trim() || null,
    clientToken: takeSecret(env, 'RELAY_TOKEN'),
    userFolder: homedir(),
    settingsFolder: settingsFolder(env),
    colour: !env.NO_COLOR && env.TERM !== 'dumb',
    desktop:
      process.platform === 'linux'
        ? Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
        : !env.SSH_CONNECTION,
  };
}

function settingsFolder(env: Env): string {
  switch (process.platform) {
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support');
    case 'win32':
      return env.APPDATA || join(homedir(), 'AppData', 'Roaming');
    default:
      return env.XDG_CONFIG_HOME || join(homedir(), '.config');
  }
}

/** Read once and removed from the environment: a daemon started from here must not inherit it. */
function takeSecret(env: Env, name: string): string | null {
  const secret = env[name]?.trim() || null;
  delete env[name];
  return secret;
}

function keylessIn(written: unknown): string | null {
  const provider = typeof written === 'string' ? parseProviderName(written) : null;
  return provider !== null && isKeyless(provider) ? provider : null;
}

/** The daemon inherits the person's whole environment. */
export const daemonEnvironment = (): NodeJS.ProcessEnv => process.env;

/** Settings that a service takes over from the environment it is installed in. Paths become absolute. */
const CARRIED = [
  ...['RELAY_PORT', 'RELAY_LOG_LEVEL', 'ADMIN_PHONE_NUMBERS', 'WHATSAPP_POLL_INTERVAL'],
  ...['DATABASE_URL', 'DATABASE_OWNER_URL', 'RELAY_PREPARED_STATEMENTS', 'RELAY_KEY_COMMAND'],
  ...['RELAY_MODEL_PROVIDER', 'RELAY_MODEL', 'RELAY_MODEL_BASE_URL', 'RELAY_TRACES_ENDPOINT'],
  'TZ',
];
const CARRIED_PATHS = ['RELAY_KEY_FILE', 'XDG_STATE_HOME', 'NODE_EXTRA_CA_CERTS'];

const BUCKET_KEY_ACTION =
  'Write "media.s3_access_key_id" and "media.s3_secret_access_key" into relay.config.json, then unset it.';

/** Secrets that have an encrypted place in the home, or must not be written to a disk, and what to do instead. */
const NOT_CARRIED: Readonly<Record<string, string>> = {
  RELAY_PASSPHRASE:
    'A passphrase beside the home it protects protects nothing. Unset it, and give it to the service from where you keep secrets: `systemctl edit relay`.',
  RELAY_KEY:
    'A key beside the home it protects protects nothing. Unset it, and use RELAY_KEY_COMMAND or RELAY_KEY_FILE.',
  RELAY_MODEL_API_KEY: 'Store the key encrypted with `relay init --api-key`, then unset it.',
  BRAVE_API_KEY: 'Store the key encrypted with `relay init --brave-key`, then unset it.',
  RELAY_TRACES_HEADERS: 'Write "traces.headers" into relay.config.json, then unset it.',
  RELAY_S3_ACCESS_KEY_ID: BUCKET_KEY_ACTION,
  RELAY_S3_SECRET_ACCESS_KEY: BUCKET_KEY_ACTION,
};

/** The environment of a service. Throws for a setting that it cannot take over. */
export function serviceEnvironment(
  { home, modelKey }: Pick<CliConfig, 'home' | 'modelKey'>,
  env: Env = process.env,
): Record<string, string> {
  for (const [variable, action] of Object.entries(NOT_CARRIED)) {
    if (env[variable]) throw new RelayError('service_variable', { variable }, { action });
  }
  // Another variable with a key counts only if no key is stored.
  if (modelKey !== null && modelKey !== KEY_IN_SETTINGS_FILE) {
    throw new RelayError(
      'service_variable',
      { variable: modelKey },
      { action: NOT_CARRIED.RELAY_MODEL_API_KEY },
    );
  }
  const variable = 'AWS_ACCESS_KEY_ID';
  if (env[variable] && isBucketOpenedByEnvironment(home)) {
    throw new RelayError('service_variable', { variable }, { action: BUCKET_KEY_ACTION });
  }
  const carried = (names: readonly string[], written: (value: string) => string) =>
    names.flatMap((name) => (env[name] ? [[name, written(env[name])] as const] : []));
  return {
    RELAY_HOME: home,
    ...Object.fromEntries(carried(CARRIED, (value) => value)),
    ...Object.fromEntries(carried(CARRIED_PATHS, (path) => resolve(path))),
  };
}

/** A bucket without a key of its own is opened with the key that Amazon's variables give. */
function isBucketOpenedByEnvironment(home: string): boolean {
  const media = readHomeSettings(home).settings.media as Record<string, unknown> | undefined;
  return Boolean(media?.s3_bucket) && !media?.s3_access_key_id;
}

/** The settings file of this home, or the one that would be created. */
export const settingsPath = (home: string): string =>
  join(home, chooseSettingsFile((name) => existsSync(join(home, name))).name);

/** The settings as written, or why they cannot be read; the daemon and the doctor validate them. */
export function readHomeSettings(home: string): {
  settings: Record<string, unknown>;
  fault: string | null;
} {
  const { name, fault } = chooseSettingsFile((one) => existsSync(join(home, one)));
  if (fault !== null) return { settings: {}, fault };
  let text: string;
  try {
    text = readFileSync(join(home, name), 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { settings: {}, fault: missing ? null : 'it cannot be read' };
  }
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return { settings: parsed as Record<string, unknown>, fault: null };
    }
    return { settings: {}, fault: 'it is not an object' };
  } catch {
    return { settings: {}, fault: 'it is not JSON' };
  }
}
