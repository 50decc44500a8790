// Finds out what would stop a start, with the functions that the start itself runs, so that `relay doctor` and
// `relay start` name the same cause. Changes nothing.
import type { HealthCheck } from '@relay/contract/api/status';
import { RelayError } from '@relay/contract/errors';
import { type Config, loadConfig } from './config.ts';
import { findExternalServer } from './database-server.ts';
import { refuseTakenPort } from './http-port.ts';
import { withOpenDatabase } from './platform/db/database.ts';
import { LOW_DISK_ACTION, lowDiskSentence, refuseFullDisk } from './platform/home/disk-guard.ts';
import { checkHome } from './platform/home/files.ts';
import { readStartFailure } from './platform/home/state-files.ts';
import { checkVault } from './platform/home/vault/vault.ts';
import { checkSchema } from './schema.ts';

/** What is wrong, if anything; otherwise what was found. */
type Finding = Pick<HealthCheck, 'ok' | 'found' | 'mend'>;

const passed = (found: string): Finding => ({ ok: 'yes', found, mend: null });

/** For a daemon that does not run. */
export async function checkStart(): Promise<HealthCheck[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    return [failed('settings', error)];
  }
  const checks = [
    ...(await checkHomeOf(config)),
    await check('port', () => checkPort(config)),
    await check('database', () => checkDatabase(config)),
  ];
  const last = await findLastFailure(config);
  return last === null ? checks : [...checks, last];
}

/** What a start needs of the home, its disk and its key. Also true for a daemon that runs. */
export const checkHomeOf = (config: Config): Promise<HealthCheck[]> =>
  Promise.all([
    check('home', async () => {
      await checkHome(config.home);
      return passed(`${config.home}.`);
    }),
    check('disk', () => checkDisk(config)),
    check('key', () => checkKey(config)),
  ]);

async function check(name: string, run: () => Promise<Finding>): Promise<HealthCheck> {
  try {
    return { name, ...(await run()) };
  } catch (error) {
    return failed(name, error);
  }
}

function failed(name: string, error: unknown): HealthCheck {
  const { sentence, action = SEE_LOGS } =
    error instanceof RelayError
      ? error
      : new RelayError('daemon_start_failed', { reason: `${(error as Error).message}.` });
  return { name, ok: 'no', found: sentence, mend: action };
}

const SEE_LOGS = 'See the details with `relay logs`.';

async function checkDisk({ home, settings }: Config): Promise<Finding> {
  const free = await refuseFullDisk(home);
  if (free < settings.disk.keep_free_megabytes * 1_000_000) {
    return { ok: 'warn', found: lowDiskSentence(home, free), mend: LOW_DISK_ACTION };
  }
  return passed(`${(free / 1_000_000_000).toFixed(1)} GB free.`);
}

const KEY_PLACES = {
  file: 'The key of this home is in a file outside it.',
  keyring: 'The key of this home is in the system’s keyring.',
  passphrase: 'This home is encrypted with a passphrase.',
  command: 'The key of this home comes from RELAY_KEY_COMMAND.',
  environment: 'The key of this home comes from RELAY_KEY.',
};

async function checkKey({ home, vault }: Config): Promise<Finding> {
  const source = await checkVault({ home, ...vault });
  return passed(source === null ? 'The key is created at the first start.' : KEY_PLACES[source]);
}

async function checkPort(config: Config): Promise<Finding> {
  await refuseTakenPort(config);
  return passed(config.port === 0 ? 'A free port is chosen.' : `Port ${config.port} is free.`);
}

async function checkDatabase({ databaseUrl, databaseOwnerUrl }: Config): Promise<Finding> {
  if (databaseUrl === null) return passed('The private PostgreSQL starts with the daemon.');
  const options = { patienceMs: 0, dryRun: true };
  const { version, owner, target } = await findExternalServer(
    databaseUrl,
    databaseOwnerUrl,
    options,
  );
  await withOpenDatabase(owner ?? target, ({ pool }) => checkSchema(pool));
  return passed(`PostgreSQL ${version} (external server) accepts Relay.`);
}

/** The last start's failure. An external database is checked above; a private one shows its faults only when started. */
async function findLastFailure({ home, databaseUrl }: Config): Promise<HealthCheck | null> {
  const last = await readStartFailure(home);
  if (last === null || (databaseUrl !== null && /^(database|schema|migration)_/.test(last.code))) {
    return null;
  }
  const found = `The last start failed: ${last.sentence}`;
  return { name: 'start', ok: 'no', found, mend: last.action ?? SEE_LOGS };
}
