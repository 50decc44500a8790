// Runs RELAY_KEY_COMMAND, which prints the key of a home: a program of a key service or a password manager. The key is
// read from the program's output and nothing of that output is ever logged or put into an error.
import { spawn } from 'node:child_process';
import { RelayError } from '@relay/contract/errors';

/** A key service that does not answer must not keep a worker from saying so. */
const TIME_LIMIT_MS = 10_000;
/** A key takes 44 characters as base64 and 64 as hex. */
const OUTPUT_LIMIT = 1_024;

/** What the command prints, without white space around it. */
export async function runKeyCommand(
  [program = '', ...args]: readonly string[],
  timeLimitMs: number = TIME_LIMIT_MS,
): Promise<string> {
  // Standard error is not kept: a program may print there what it decrypted.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], windowsHide: true });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (how: string) => reject(new RelayError('vault_command_failed', { program, how }));
  const timer = setTimeout(
    () => fail(`did not finish within ${timeLimitMs / 1_000} seconds`),
    timeLimitMs,
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > OUTPUT_LIMIT) reject(new RelayError('vault_command_output', { program }));
  });
  child.on('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ENOENT' ? 'was not found' : `could not be started (${error.code})`),
  );
  child.on('close', (code, signal) => {
    if (code === 0) resolve(output.trim());
    else fail(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    child.kill('SIGKILL');
  }
}
