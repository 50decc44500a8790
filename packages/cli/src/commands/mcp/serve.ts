// `relay mcp`: the process that an MCP client starts. It passes lines between the client and the daemon, which it
// starts if needed. Invariant: standard output carries only the protocol.
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { RelayApiError } from '@relay/contract/client/api-error';
import { RelayError } from '@relay/contract/errors';
import { readBody, toApiError, toUnreachableError } from '../../api.ts';
import type { CommandOptions, RunCommand } from '../../command.ts';
import type { CliConfig } from '../../config.ts';
import { ensureDaemon } from '../../daemon-process.ts';
import { findDaemon } from '../../running-daemon.ts';

export const serveMcpCommand: RunCommand = async ({ config, terminal, options }) => {
  const token = tokenOf(config, options);
  await ensureDaemon(config, terminal);
  terminal.clearTransient();
  const connection = await connectToDaemon(config.home, token);
  const answered = await pipeThroughDaemon(connection, process.stdin, process.stdout);
  // A killed daemon closes the connection just as after a complete answer, so check that it still runs.
  if (answered && findDaemon(config.home).state === 'running') return 0;
  throw await whyLost(config.home, token);
};

function tokenOf({ clientToken }: CliConfig, options: CommandOptions): string {
  const file = options.tokenFile;
  const token = typeof file === 'string' ? readSecret(file) : clientToken;
  if (token === null) throw new RelayError('mcp_token_missing');
  return token;
}

function readSecret(file: string): string {
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new RelayError('usage', { what: `${file} cannot be read.` }, { cause: error });
  }
  if (!/^\S+$/.test(secret))
    throw new RelayError('usage', { what: `${file} does not contain a token.` });
  return secret;
}

/** A connection closes without a reason; a new request tells why. */
async function whyLost(home: string, token: string): Promise<Error> {
  const lost = new RelayError('mcp_connection_lost');
  try {
    (await connectToDaemon(home, token)).destroy();
    return lost;
  } catch (error) {
    return error instanceof RelayError || error instanceof RelayApiError ? error : lost;
  }
}

// The connection to the daemon. It does not parse the lines: only the daemon speaks MCP. Invariant: bytes pass both
// ways in order and unchanged, with back-pressure, and the end of one direction leaves the other open.

/** How long the daemon may take to accept the connection. */
const PATIENCE_MS = 30_000;

async function connectToDaemon(home: string, token: string): Promise<Socket> {
  const daemon = findDaemon(home);
  if (daemon.state !== 'running') throw new RelayError('daemon_not_running');
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const asked = request({
    host: '127.0.0.1',
    port: daemon.port,
    path: '/mcp',
    headers: { authorization: `Bearer ${token}`, connection: 'Upgrade', upgrade: 'relay-mcp' },
    agent: false,
  });
  asked.setTimeout(PATIENCE_MS, () =>
    asked.destroy(new Error('the daemon did not answer in time.')),
  );
  asked.on('error', (error: NodeJS.ErrnoException) => reject(toUnreachableError(error)));
  asked.on('upgrade', (_answer, socket: Socket, first: Buffer) => {
    socket.setTimeout(0);
    if (first.length > 0) socket.unshift(first);
    resolve(socket);
  });
  asked.on('response', (answer) => refused(answer).then(reject, reject));
  asked.end();
  return promise;
}

async function refused(answer: IncomingMessage): Promise<Error> {
  const status = answer.statusCode ?? 0;
  const body = await readBody(answer);
  return status === 401 ? new RelayError('mcp_token_refused') : toApiError(status, body);
}

/**
 * Resolves when the connection is over: true when the daemon closed it after reading all input, as it does once it has
 * answered.
 */
async function pipeThroughDaemon(
  connection: Socket,
  input: Readable,
  output: Writable,
): Promise<boolean> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let whole = false;
  let cut = false;
  input.once('end', () => {
    whole = true;
  });
  connection.on('error', () => {
    cut = true;
  });
  input.pipe(connection);
  connection.pipe(output, { end: false });
  connection.once('close', () => resolve());
  await closed;
  input.unpipe(connection);
  input.destroy();
  return whole && !cut;
}
