// The connection to the daemon that `relay mcp` hands lines through. It understands none of them: MCP is
// spoken by the daemon alone. Invariant: bytes go both ways in order and unchanged, no faster than the other
// end takes them, and the end of one direction leaves the other open.
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { RelayError } from '@relay/core/errors';
import { refusal } from '../api.ts';
import { findDaemon } from '../daemon.ts';
import { readAll, unreachable } from '../http.ts';

/** How long the daemon may take to let somebody in. */
const PATIENCE_MS = 30_000;

export async function connect(home: string, token: string): Promise<Socket> {
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
  asked.on('error', (error: NodeJS.ErrnoException) => reject(unreachable(error)));
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
  const body = await readAll(answer);
  return status === 401 ? new RelayError('mcp_token_refused') : refusal(status, body);
}

/** Resolves when it is over: true when the daemon ended it after all of the input, as it does once it has answered. */
export async function handThrough(
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
