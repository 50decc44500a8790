// Errors of the daemon, the database, the home's key, archives and the demo. Part of the table in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const DAEMON_ERRORS = {
  // The daemon
  daemon_not_running: {
    status: 503,
    exit: 3,
    sentence: 'Daemon not running.',
    action: 'Run `relay start` first.',
  },
  daemon_already_running: {
    status: 409,
    exit: 0,
    sentence: 'The daemon is already running (PID {pid}).',
  },
  daemon_not_ready: {
    status: 503,
    exit: 3,
    sentence: 'The daemon is still starting.',
    action: 'Try again in a moment.',
  },
  daemon_stopping: {
    status: 503,
    exit: 3,
    sentence: 'The daemon is stopping.',
    action: 'Run `relay start` when it has stopped.',
  },
  daemon_start_failed: {
    status: 500,
    exit: 8,
    sentence: 'The daemon did not start: {reason}',
    action: 'See the details with `relay logs`.',
  },
  daemon_stop_failed: {
    status: 500,
    exit: 8,
    sentence: 'The daemon (PID {pid}) did not stop within {seconds} s.',
    action: 'End it with `kill -9 {pid}`; acknowledged data is safe.',
  },
  mcp_connection_lost: {
    status: 503,
    exit: 3,
    sentence:
      'The daemon closed the connection: it was stopped, or received a line of more than 1 MiB.',
    action: 'Restart the server in this client.',
  },
  service_unknown: {
    status: 501,
    exit: 5,
    sentence: 'Relay cannot install a service on {platform}.',
    action: 'Configure your service manager to run `relay start --foreground`.',
  },
  service_absent: {
    status: 501,
    exit: 5,
    sentence: 'systemd is not running on this machine.',
    action:
      'Configure your service manager to run `relay start --foreground`; `relay service install --print` shows the systemd unit.',
  },
  service_variable: {
    status: 409,
    exit: 2,
    sentence:
      'The service cannot take {variable} over from this environment, so nothing was installed.',
    action: 'Unset it and run the command again.',
  },
  service_user_needed: {
    status: 409,
    exit: 2,
    sentence: 'A system service should not run as root.',
    action:
      'Name the account that it runs as, such as `relay service install --user relay`. `useradd --system --create-home relay` creates one.',
  },
  service_user_unknown: {
    status: 404,
    exit: 2,
    sentence: 'There is no account "{user}" on this machine.',
    action: 'Create it with `useradd --system --create-home {user}`.',
  },
  service_program_unreadable: {
    status: 409,
    exit: 2,
    sentence: 'The account "{user}" cannot read {path}.',
    action: 'Install Node and Relay where every account can read them, such as /usr/local.',
  },
  service_refused: {
    status: 500,
    exit: 8,
    sentence: '`{command}` failed: {reason}',
    action: 'Fix the cause and run the command again.',
  },
  home_in_use: {
    status: 409,
    exit: 8,
    sentence: 'Another daemon (PID {pid}) uses {home}.',
    action: 'Stop it with `relay stop`, or choose another home with RELAY_HOME.',
  },
  home_unusable: {
    status: 500,
    exit: 9,
    sentence: '{home} cannot be used: {reason}',
    action: 'Choose another home with RELAY_HOME.',
  },
  home_gone: {
    status: 500,
    exit: 10,
    sentence: 'The home {home} was deleted or replaced, so Relay has stopped.',
    action: 'Put it back, or run `relay start` to begin with an empty home.',
  },
  port_in_use: {
    status: 409,
    exit: 8,
    sentence: 'Port {port} is in use by another program.',
    action: 'Stop that program, or choose another port with "daemon_port" in {file} or RELAY_PORT.',
  },
  config_invalid: {
    status: 500,
    exit: 2,
    sentence: '{file} is not valid: {what}.',
    action: 'Fix it or remove it.',
  },
  setting_from_environment: {
    status: 409,
    exit: 2,
    sentence: 'The environment variable {variable} sets "{setting}" and takes precedence.',
    action: 'Change it there and restart Relay.',
  },
  setting_invalid: {
    status: 400,
    exit: 2,
    sentence: 'Nothing was changed: {what}.',
  },
  disk_low: {
    status: 507,
    exit: 8,
    sentence: 'Only {free} MB are free on Relay’s disk, so this was not done.',
    action: 'Free some space and try again.',
  },
  disk_full: {
    status: 507,
    exit: 8,
    sentence: 'The disk of {home} is full: {free} MB are free.',
    action: 'Free at least 1 GB on it.',
  },
  node_too_old: {
    status: 500,
    exit: 9,
    sentence: 'Relay needs Node 24 or newer, and this is Node {version}.',
    action: 'Install Node 24 from https://nodejs.org, then run the command again.',
  },

  // The demo
  demo_not_prepared: {
    status: 500,
    exit: 8,
    sentence: 'The demo could not prepare {what}: {reason}',
    action: 'Start it again, or use `relay demo --headless`.',
  },
  demo_daemon_ended: {
    status: 500,
    exit: 8,
    sentence: 'The demo’s daemon stopped: {reason}',
    action: 'Start the demo again; with --home its log is kept.',
  },

  // The database
  database_unavailable: {
    status: 503,
    exit: 8,
    sentence: 'The database does not answer, so Relay sends nothing for now.',
    action:
      'It continues by itself when the database is back; `relay doctor` shows why it is away.',
  },
  database_full: {
    status: 507,
    exit: 8,
    sentence: 'The disk of the database is full, so Relay saves and sends nothing for now.',
    action: 'Free at least 1 GB on it. Relay then continues by itself.',
  },
  database_away: {
    status: 503,
    exit: 8,
    sentence: 'The private PostgreSQL does not answer.',
    action: 'Relay starts it again by itself. If it does not, see `relay logs --level error`.',
  },
  database_refused: {
    status: 500,
    exit: 9,
    sentence: 'The database in DATABASE_URL cannot be used: {reason}',
    action: 'Correct DATABASE_URL or the server, then run `relay start` again.',
  },
  database_unreachable: {
    status: 503,
    exit: 8,
    sentence: 'Nothing answers at {place}, the database in {variable}.',
    action: 'Start the database server, or correct {variable}.',
  },
  database_missing: {
    status: 500,
    exit: 9,
    sentence: 'The server at {place} has no database "{database}".',
    action: 'Create it with `createdb`, or correct {variable}.',
  },
  database_role_refused: {
    status: 500,
    exit: 9,
    sentence: 'The server at {place} refuses the role "{role}": {reason}.',
    action: 'Correct the user and the password in {variable}.',
  },
  database_role_denied: {
    status: 500,
    exit: 9,
    sentence: 'The role "{role}" in {variable} may not use Relay’s tables.',
    action:
      'Set DATABASE_OWNER_URL to the role that owns the database; Relay then grants what it needs.',
  },
  database_start_failed: {
    status: 500,
    exit: 8,
    sentence: 'The private PostgreSQL did not start: {reason}',
  },
  database_unsupported: {
    status: 500,
    exit: 9,
    sentence: 'There is no bundled PostgreSQL for {platform}.',
    action: 'Set DATABASE_URL to your own server.',
  },
  schema_newer: {
    status: 500,
    exit: 9,
    sentence:
      'The database was written by a newer Relay (schema {found}, this version knows {known}).',
    action: 'Upgrade Relay, or restore a backup made with this version.',
  },
  migration_changed: {
    status: 500,
    exit: 9,
    sentence: 'Migration {name} differs from the one this database was created with.',
    action: 'Install the matching Relay version.',
  },
  account_in_use: {
    status: 409,
    exit: 8,
    sentence: 'Another Relay uses this account on the same database.',
    action: 'Stop it first; the account is free after 30 s at most.',
  },
  account_unserved: {
    status: 503,
    exit: 8,
    sentence: 'No worker serves this account at the moment.',
    action: 'See `relay workers`, and try again in a moment.',
    passes: true,
  },
  worker_key_differs: {
    status: 503,
    exit: 8,
    sentence: 'This database is encrypted with another key than the one this process was given.',
    action: 'Give every process of the database the same key, for example with RELAY_KEY_FILE.',
  },
  import_needs_start: {
    status: 409,
    exit: 5,
    sentence: 'A worker or an API process does not import archives. Nothing was changed.',
    action:
      'Import it with `relay start` running in a home of its own, before workers use its database.',
  },
  worker_needs_database: {
    status: 400,
    exit: 2,
    sentence: 'Workers and API processes need a database that all of them can reach.',
    action: 'Set DATABASE_URL. On a single machine, `relay start` does everything in one process.',
  },
  budget_spent: {
    status: 409,
    exit: 5,
    sentence: 'The token budget of {whom} is used up: {used} of {limit}.',
    action: 'Raise "{setting}" in relay.config.json and resume, or write yourself.',
  },
  money_spent: {
    status: 409,
    exit: 5,
    sentence: 'Today’s model budget is used up: {used} of {limit} USD.',
    action: 'Raise "agent.usd_per_day" in relay.config.json and resume, or write yourself.',
  },
  lease_lost: {
    status: 503,
    exit: 8,
    sentence: 'Another Relay process has taken over this account. Nothing was changed.',
  },

  // The key of a home
  vault_key_missing: {
    status: 500,
    exit: 9,
    sentence: 'The key of this home is not on this machine: {where} is missing.',
    action: 'Copy the key here and start again, or set RELAY_KEY_FILE to its location.',
  },
  vault_key_wrong: {
    status: 500,
    exit: 9,
    sentence: 'The key in {where} does not belong to this home.',
    action: 'Replace it with the right key and start again.',
  },
  vault_key_unreadable: {
    status: 500,
    exit: 9,
    sentence: '{file} cannot be read as a key.',
    action: 'Check its permissions and that the file is complete, then start again.',
  },
  vault_key_unwritable: {
    status: 500,
    exit: 9,
    sentence: 'The key of this home cannot be written to {file}.',
    action: 'Make that location writable, or choose another with RELAY_KEY_FILE.',
  },
  vault_key_inside: {
    status: 500,
    exit: 9,
    sentence: '{file} is inside the home that it encrypts.',
    action: 'Choose a location outside with RELAY_KEY_FILE.',
  },
  vault_key_not_set: {
    status: 500,
    exit: 9,
    sentence: '{variable} is not set, and the key of this home comes from there.',
    action: 'Set {variable} and start again.',
  },
  vault_key_invalid: {
    status: 500,
    exit: 9,
    sentence: 'RELAY_KEY is not a key.',
    action:
      'Set it to 32 random bytes as base64 or hex, such as the output of `openssl rand -base64 32`.',
  },
  vault_command_failed: {
    status: 503,
    exit: 8,
    sentence: 'The program of RELAY_KEY_COMMAND, {program}, {how}.',
    action: 'Run the command by hand as the same user to see why, then start again.',
  },
  vault_command_output: {
    status: 500,
    exit: 9,
    sentence: '{program} did not print a key.',
    action: 'RELAY_KEY_COMMAND must print 32 bytes as base64 or hex and nothing else.',
  },
  vault_keyring_away: {
    status: 503,
    exit: 8,
    sentence: 'The key of this home is in the system keyring, which does not answer.',
    action: 'Unlock the keyring and start again.',
  },
  vault_passphrase_needed: {
    status: 500,
    exit: 9,
    sentence: 'This home is encrypted with a passphrase.',
    action: 'Set RELAY_PASSPHRASE and start again.',
  },
  vault_passphrase_wrong: {
    status: 500,
    exit: 9,
    sentence: 'RELAY_PASSPHRASE is not the passphrase of this home.',
    action: 'Set it to the passphrase that the home was created with.',
  },
  vault_damaged: {
    status: 500,
    exit: 9,
    sentence: '{file} is damaged; it records where the key of this home is stored.',
    action: 'Restore it from a copy; it contains no secret.',
  },

  // Archives
  archive_invalid: {
    status: 400,
    exit: 2,
    sentence: 'The archive cannot be used: {what}. Nothing was changed.',
  },
  archive_of_several: {
    status: 400,
    exit: 2,
    sentence: 'The archive contains several accounts. Nothing was changed.',
    action: 'Make one of the account that you want to add: `relay export --account <name>`.',
  },
  account_phone_known: {
    status: 409,
    exit: 5,
    sentence:
      'The number {phone} is already linked here, to the account {account}. Nothing was changed.',
    action:
      'Remove that account first if the archive is to replace it: `relay accounts remove {account}`.',
  },
  archive_passphrase_needed: {
    status: 400,
    exit: 2,
    sentence: 'The archive is encrypted with a passphrase. Nothing was changed.',
    action: 'Run `relay import` in a terminal, or pipe the passphrase into it.',
  },
  archive_passphrase_wrong: {
    status: 400,
    exit: 2,
    sentence: 'The passphrase does not open the archive. Nothing was changed.',
    action: 'Give the passphrase that was in force when the archive was made.',
  },
  backup_passphrase_sealed: {
    status: 500,
    exit: 8,
    sentence: 'The passphrase of backups was encrypted for another home.',
    action: 'Set it again with `relay backup encrypt`.',
  },
  restore_interrupted: {
    status: 503,
    exit: 8,
    sentence: 'The database stopped during the restore. Nothing was changed.',
    action: 'Run `relay doctor`, then import the archive again.',
  },
  restore_unclear: {
    status: 503,
    exit: 8,
    sentence:
      'Relay stopped during the restore. Either all of it is restored, or nothing was changed.',
    action: 'Run `relay start`: it says which.',
  },
  backup_missing: {
    status: 404,
    exit: 4,
    sentence: 'There is no backup in {folder}.',
    action: 'Make one with `relay backup`, or name a file.',
  },
  backup_failed: {
    status: 500,
    exit: 8,
    sentence: 'The backup to {folder} failed: {reason}. Earlier backups are unchanged.',
    action: 'Fix the cause, or set another "backup.folder" in relay.config.json and restart Relay.',
  },
  import_not_empty: {
    status: 409,
    exit: 5,
    sentence: 'This home already contains data: {what}. Nothing was changed.',
    action:
      'Import into an empty home: set RELAY_HOME to a new folder. To add one account to this home, use `--as <name>`.',
  },
  restore_needs_database: {
    status: 409,
    exit: 5,
    sentence:
      'The archive has an older schema, and to upgrade it Relay needs a temporary database, which the role "{role}" may not create. Nothing was changed.',
    action: 'Run `ALTER ROLE "{role}" CREATEDB` on the server, then import the archive again.',
  },
} as const satisfies Record<string, ErrorSpec>;
