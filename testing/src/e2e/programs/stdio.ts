// Runs `relay mcp` as an MCP client starts it: the built command, with a token in its environment.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { builtIn } from '../built.ts';

export interface ServedOutput {
  readonly exit: number | null;
  readonly lines: readonly string[];
  readonly err: string;
}

export const relayCommand = async (): Promise<string> =>
  join(await builtIn(inject('builds')), 'bin/relay.js');

export async function startMcp(
  home: string,
  secret: string | undefined,
  ...args: string[]
): Promise<ChildProcessWithoutNullStreams> {
  return spawn(process.execPath, [await relayCommand(), 'mcp', ...args], {
    env: { PATH: process.env.PATH, RELAY_HOME: home, RELAY_TOKEN: secret, NO_COLOR: '1' },
  });
}

export async function untilServed(child: ChildProcessWithoutNullStreams): Promise<ServedOutput> {
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit] = await once(child, 'close');
  const [out, err] = await said;
  return { exit, lines: out.split('\n').filter((line) => line !== ''), err };
}

/** `echo '…' | relay mcp` */
export async function piped(home: string, secret: string, input: string): Promise<ServedOutput> {
  const child = await startMcp(home, secret);
  child.stdin.end(input);
  return untilServed(child);
}
