// Asks a person at a terminal, or reads piped input. A secret is never shown and never taken from the command line,
// which every user of the machine can see.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Rejects when the signal aborts. Ctrl-C ends the command unless `onInterrupt` does. */
export async function askUser(
  question: string,
  options: { secret?: true; signal?: AbortSignal; onInterrupt?: () => void } = {},
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: options.secret ? nowhere : process.stderr,
    terminal: true,
  });
  // Without echo the question has to be written here, after the terminal has stopped echoing.
  if (options.secret) process.stderr.write(question);
  lines.once('SIGINT', () => {
    lines.close();
    process.stderr.write('\n');
    if (options.onInterrupt === undefined) process.exit(130);
    options.onInterrupt();
  });
  try {
    const { signal } = options;
    const asked = options.secret ? '' : question;
    return (await lines.question(asked, signal === undefined ? {} : { signal })).trim();
  } finally {
    lines.close();
    if (options.secret) process.stderr.write('\n');
  }
}

/** The first line of standard input. */
export async function readPipedLine(): Promise<string> {
  return (await readPipedText()).split('\n')[0]?.trim() ?? '';
}

export async function readPipedText(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
