// `relay mcp`: what a program with MCP starts. It hands lines to the daemon and back, starting one if none
// runs. Invariant: nothing but the protocol is written to standard output.
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
  terminal.settle();
  const connection = await connectToDaemon(config.home, token);
  const answered = await pipeThroughDaemon(connection, process.stdin, process.stdout);
  // One that was killed ends a connection as if it had answered.
  if (answered && findDaemon(config.home).state === 'running') return 0;
  throw await whyLost(config.home, token);
};

function tokenOf({ programToken }: CliConfig, options: CommandOptions): string {
  const file = options.tokenFile;
  const token = typeof file === 'string' ? readSecret(file) : programToken;
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
  if (!/^\S+$/.test(secret)) throw new RelayError('usage', { what: `${file} holds no token.` });
  return secret;
}

/** A connection ends without a word; asking for another tells why. */
async function whyLost(home: string, token: string): Promise<Error> {
  const lost = new RelayError('mcp_connection_lost');
  try {
    (await connectToDaemon(home, token)).destroy();
    return lost;
  } catch (error) {
    return error instanceof RelayError || error instanceof RelayApiError ? error : lost;
  }
}

// The connection to the daemon that `relay mcp` hands lines through. It understands none of them: MCP is
// spoken by the daemon alone. Invariant: bytes go both ways in order and unchanged, no faster than the other
// end takes them, and the end of one direction leaves the other open.

/** How long the daemon may take to let somebody in. */
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

/** Resolves when it is over: true when the daemon ended it after all of the input, as it does once it has answered. */
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
