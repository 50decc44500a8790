// `relay mcp`: what a program with MCP starts. It hands lines to the daemon and back, starting one if none
// runs. Invariant: nothing but the protocol is written to standard output.
import { readFileSync } from 'node:fs';
import { RelayApiError } from '@relay/core/client/api-error';
import { RelayError } from '@relay/core/errors';
import type { Options, Run } from '../../command.ts';
import type { Config } from '../../config.ts';
import { findDaemon } from '../../daemon.ts';
import { ensureDaemon } from '../../launch.ts';
import { connect, handThrough } from '../../mcp/pipe.ts';

export const run: Run = async ({ config, terminal, options }) => {
  const token = tokenOf(config, options);
  await ensureDaemon(config, terminal);
  terminal.settle();
  const connection = await connect(config.home, token);
  const answered = await handThrough(connection, process.stdin, process.stdout);
  // One that was killed ends a connection as if it had answered.
  if (answered && findDaemon(config.home).state === 'running') return 0;
  throw await whyLost(config.home, token);
};

function tokenOf({ programToken }: Config, options: Options): string {
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
    (await connect(home, token)).destroy();
    return lost;
  } catch (error) {
    return error instanceof RelayError || error instanceof RelayApiError ? error : lost;
  }
}
