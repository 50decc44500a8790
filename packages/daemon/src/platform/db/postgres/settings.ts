// The private server's settings. They are passed on the command line of every start, so that a newer Relay brings its
// own and a warm start writes nothing. None of them is a secret.

import { createServer } from 'node:net';
import { join } from 'node:path';

/** Where clients reach the server: its socket directory, or loopback. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ServerConnection extends ServerAddress {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export type PostgresSettings = Readonly<Record<string, string>>;

const LOOPBACK = '127.0.0.1';
const SOCKET_PORT = 5432;
/** The capacity of `sun_path`, without the terminating zero. */
const LONGEST_SOCKET = process.platform === 'darwin' ? 103 : 107;

const DEFAULT_POSTGRES_SETTINGS: PostgresSettings = {
  cluster_name: 'relay',
  // Durable: an acknowledged write survives a power cut.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Small: one owner's machine, no replicas; backups are `relay export`.
  shared_buffers: '128MB',
  max_connections: '60',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  wal_compression: 'on',
  max_wal_size: '512MB',
  random_page_cost: '1.1',
  io_method: 'sync',
  jit: 'off',
  autovacuum: 'on',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  // Private: no statement, parameter or row value ever reaches the log.
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_statement: 'none',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  logging_collector: 'off',
  log_destination: 'stderr',
  password_encryption: 'scram-sha-256',
};

/** Relative to the data directory, which is the server's working directory. */
function addressSettings(address: ServerAddress): PostgresSettings {
  const port = String(address.port);
  return isSocket(address)
    ? {
        listen_addresses: '',
        unix_socket_directories: '.',
        unix_socket_permissions: '0700',
        port,
      }
    : { listen_addresses: LOOPBACK, unix_socket_directories: '', port };
}

export function serverArguments(address: ServerAddress, extra: PostgresSettings = {}): string[] {
  const all = { ...DEFAULT_POSTGRES_SETTINGS, ...extra, ...addressSettings(address) };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

export function isSocket(address: ServerAddress): boolean {
  return address.host !== LOOPBACK;
}

export function socketAddress(data: string): ServerAddress {
  return { host: data, port: SOCKET_PORT };
}

export function loopbackAddress(port: number): ServerAddress {
  return { host: LOOPBACK, port };
}

export function socketPath(data: string): string {
  return join(data, `.s.PGSQL.${SOCKET_PORT}`);
}

export function socketFits(data: string): boolean {
  return process.platform !== 'win32' && Buffer.byteLength(socketPath(data)) <= LONGEST_SOCKET;
}

export async function chooseAddress(data: string): Promise<ServerAddress> {
  return socketFits(data) ? socketAddress(data) : loopbackAddress(await freePort());
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', reject);
  server.listen(0, LOOPBACK, () => {
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}

/** In the form that libpq and `pg` both read; the socket directory replaces the placeholder host. */
export function connectionUrl(connection: ServerConnection): string {
  const { host, port, database } = connection;
  const user = encodeURIComponent(connection.user);
  const password = encodeURIComponent(connection.password);
  const authority = isSocket(connection) ? 'localhost' : `${host}:${port}`;
  const query = isSocket(connection) ? `?host=${encodeURIComponent(host)}&port=${port}` : '';
  return `postgresql://${user}:${password}@${authority}/${encodeURIComponent(database)}${query}`;
}
