// Errors of the daemon, the database, the home's key, archives and the demo. Part of the table in `../errors.ts`.
import type { ErrorSpec } from './spec.ts';

export const DAEMON_ERRORS = {
  // The daemon
  daemon_not_running: {
    status: 503,
    exit: 3,
    sentence: 'Daemon not running. Run `relay start` first.',
  },
  daemon_already_running: {
    status: 409,
    exit: 0,
    sentence: 'The daemon is already running (PID {pid}).',
  },
  daemon_not_ready: {
    status: 503,
    exit: 3,
    sentence: 'The daemon is still starting. Try again in a moment.',
  },
  daemon_stopping: {
    status: 503,
    exit: 3,
    sentence: 'The daemon is stopping. Run `relay start` when it has.',
  },
  daemon_start_failed: {
    status: 500,
    exit: 8,
    sentence: 'The daemon did not start: {reason} `relay logs` has the details.',
  },
  daemon_stop_failed: {
    status: 500,
    exit: 8,
    sentence:
      'The daemon (PID {pid}) did not stop within {seconds} s. `kill -9 {pid}` ends it; nothing that was acknowledged is lost.',
  },
  mcp_connection_lost: {
    status: 503,
    exit: 3,
    sentence:
      'The daemon has ended the connection: it was stopped, or it was sent a line of more than 1 MiB. Start this program’s server again.',
  },
  service_unknown: {
    status: 501,
    exit: 5,
    sentence:
      'Relay does not know who starts services on {platform}. Let it run `relay start --foreground`.',
  },
  service_absent: {
    status: 501,
    exit: 5,
    sentence:
      'systemd is not at work on this machine. Let whoever starts services here run `relay start --foreground`; `relay service install --print` shows how systemd would.',
  },
  service_refused: {
    status: 500,
    exit: 8,
    sentence: '`{command}` did not work: {reason} Mend that, and run the command again.',
  },
  home_in_use: {
    status: 409,
    exit: 8,
    sentence:
      'Another daemon (PID {pid}) owns {home}. Stop it with `relay stop`, or choose another home with RELAY_HOME.',
  },
  home_unusable: {
    status: 500,
    exit: 8,
    sentence: '{home} cannot be used: {reason} Choose another home with RELAY_HOME.',
  },
  port_in_use: {
    status: 409,
    exit: 8,
    sentence:
      'Port {port} is in use by another program. Stop it, or choose another with "daemon_port" in {file} or RELAY_PORT.',
  },
  config_invalid: {
    status: 500,
    exit: 2,
    sentence: '{file} is not valid: {what}. Mend it or remove it.',
  },
  setting_from_environment: {
    status: 409,
    exit: 2,
    sentence:
      '{variable} in the daemon’s environment sets "{setting}" and goes before everything else. Change it there and start Relay anew.',
  },
  setting_invalid: {
    status: 400,
    exit: 2,
    sentence: 'Nothing was changed: {what}.',
  },
  disk_low: {
    status: 507,
    exit: 8,
    sentence:
      'Only {free} MB are free on the disk of Relay, so this was not done. Free some space and try again.',
  },
  node_too_old: {
    status: 500,
    exit: 8,
    sentence: 'Relay needs Node 24 or newer; this is {version}.',
  },

  // The demo
  demo_not_prepared: {
    status: 500,
    exit: 8,
    sentence:
      'The demo waited in vain for {what}: {reason} Start it again; `relay demo --headless` starts it bare.',
  },
  demo_daemon_ended: {
    status: 500,
    exit: 8,
    sentence:
      'The daemon of the demo is gone: {reason} Start the demo again; with --home its log stays.',
  },

  // The database
  database_unavailable: {
    status: 503,
    exit: 8,
    sentence: 'The database does not answer. `relay doctor` says why.',
  },
  database_refused: {
    status: 500,
    exit: 8,
    sentence:
      'The database named by DATABASE_URL cannot be used: {reason} Correct DATABASE_URL or the server, then run `relay start` again.',
  },
  database_start_failed: {
    status: 500,
    exit: 8,
    sentence: 'The private PostgreSQL did not start: {reason}',
  },
  database_unsupported: {
    status: 500,
    exit: 8,
    sentence: 'No PostgreSQL is packaged for {platform}. Set DATABASE_URL to a server of your own.',
  },
  schema_newer: {
    status: 500,
    exit: 8,
    sentence:
      'The database was written by a newer Relay (schema {found}, this one knows {known}). Upgrade Relay, or restore a backup made with this version.',
  },
  migration_changed: {
    status: 500,
    exit: 8,
    sentence:
      'Migration {name} differs from the one this database was made with. Install the matching Relay version.',
  },
  account_in_use: {
    status: 409,
    exit: 8,
    sentence:
      'Another Relay acts for this account on the same database. Stop it first; it lets go within 30 s.',
  },
  budget_spent: {
    status: 409,
    exit: 5,
    sentence:
      'The tokens for {whom} are used up: {used} of {limit}. Raise "{setting}" in relay.config.json and resume it, or write yourself.',
  },
  money_spent: {
    status: 409,
    exit: 5,
    sentence:
      'The money for models is used up for today: {used} of {limit} USD. Raise "agent.usd_per_day" in relay.config.json and resume it, or write yourself.',
  },
  lease_lost: {
    status: 503,
    exit: 8,
    sentence: 'Another worker has taken over this account; nothing was changed here.',
  },

  // The key of a home
  vault_key_missing: {
    status: 500,
    exit: 8,
    sentence:
      'This home is sealed with a key that is not on this machine: {where} is missing. Bring the key here and start again; if it lies elsewhere, name it with RELAY_KEY_FILE.',
  },
  vault_key_wrong: {
    status: 500,
    exit: 8,
    sentence:
      'The key in {where} is not the one this home is sealed with. Put the right one in its place and start again.',
  },
  vault_key_unreadable: {
    status: 500,
    exit: 8,
    sentence:
      '{file} cannot be read as a key. Check its permissions and that it is the whole file, then start again.',
  },
  vault_key_unwritable: {
    status: 500,
    exit: 8,
    sentence:
      'The key of this home cannot be written to {file}. Make that place writable, or choose another with RELAY_KEY_FILE.',
  },
  vault_key_inside: {
    status: 500,
    exit: 8,
    sentence:
      '{file} lies inside the home that it seals. Choose a place outside with RELAY_KEY_FILE.',
  },
  vault_keyring_away: {
    status: 503,
    exit: 8,
    sentence:
      "The key of this home is in the system's keyring, which does not answer. Unlock the keyring and start again.",
  },
  vault_passphrase_needed: {
    status: 500,
    exit: 8,
    sentence: 'This home is sealed with a passphrase. Set RELAY_PASSPHRASE and start again.',
  },
  vault_passphrase_wrong: {
    status: 500,
    exit: 8,
    sentence:
      'RELAY_PASSPHRASE does not open this home. Set it to the passphrase the home was made with.',
  },
  vault_damaged: {
    status: 500,
    exit: 8,
    sentence:
      '{file} is damaged; it says where the key of this home is kept. Restore it from a copy; it holds no secret.',
  },

  // Archives
  archive_invalid: {
    status: 400,
    exit: 2,
    sentence: 'The archive cannot be used: {what}. Nothing was changed.',
  },
  backup_failed: {
    status: 500,
    exit: 8,
    sentence:
      'No backup was made in {folder}: {reason}. Mend that, or name another folder as "backup.folder" in relay.config.json and start Relay anew. Earlier backups are as they were.',
  },
  import_not_empty: {
    status: 409,
    exit: 5,
    sentence:
      'This home already holds data. Import into an empty one: set RELAY_HOME to a new directory.',
  },
} as const satisfies Record<string, ErrorSpec>;
