// What a command is: how it is called, what it is given, and where its code is found.
import type { Config } from './config.ts';
import type { Terminal } from './terminal.ts';

export interface Call {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** All there are, for the one command that speaks about the others. */
  readonly commands: readonly CommandSpec[];
}

/** Resolves to the exit code; nothing means 0. */
export type Run = (call: Call) => Promise<number | undefined>;

export interface CommandSpec {
  readonly name: string;
  readonly group: 'Daemon' | 'You' | 'Your data' | 'Shell';
  readonly summary: string;
  readonly argument?: {
    readonly syntax: string;
    readonly summary: string;
    readonly choices?: readonly string[];
    readonly file?: true;
  };
  readonly options?: readonly (readonly [flags: string, summary: string, fallback?: string])[];
  load(): Promise<{ readonly run: Run }>;
}
