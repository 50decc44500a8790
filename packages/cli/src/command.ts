// What a command is: how it is called, what it is given, and where its code is found.
import type { CliConfig } from './config.ts';
import type { Terminal } from './terminal.ts';

/** One that may be given several times (`--todos <text...>`) is a list. */
export type CommandOptions = Readonly<
  Record<string, string | boolean | readonly string[] | undefined>
>;

export interface CommandCall {
  readonly config: CliConfig;
  readonly terminal: Terminal;
  readonly args: readonly (string | undefined)[];
  readonly options: CommandOptions;
  /** All there are, for the one command that speaks about the others. */
  readonly commands: readonly CommandSpec[];
}

/** Resolves to the exit code; nothing means 0. */
export type RunCommand = (call: CommandCall) => Promise<number | undefined>;

export interface ArgumentSpec {
  readonly syntax: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly file?: true;
}

export interface CommandSpec {
  readonly name: string;
  readonly group:
    | 'Conversations'
    | 'People'
    | 'WhatsApp'
    | 'Daemon'
    | 'You'
    | 'Your data'
    | 'Shell';
  readonly summary: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly (readonly [flags: string, summary: string, fallback?: string])[];
  /** What may follow an option, for the shell to offer. */
  readonly values?: Readonly<Record<`--${string}`, readonly string[]>>;
  /** What `--help` says below the options. */
  readonly more?: string;
  /** `relay <name> <subcommand>`; without one of their names the command itself runs. */
  readonly subcommands?: readonly CommandSpec[];
  load(): Promise<RunCommand>;
}
