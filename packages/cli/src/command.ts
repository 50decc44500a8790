// The type of a command: its syntax, its options and where its code is.
import type { CliConfig } from './config.ts';
import type { Terminal } from './terminal.ts';

/** An option that can be given several times (`--todos <text...>`) is a list. */
export type CommandOptions = Readonly<
  Record<string, string | boolean | readonly string[] | undefined>
>;

export interface CommandCall {
  readonly config: CliConfig;
  readonly terminal: Terminal;
  readonly args: readonly (string | undefined)[];
  readonly options: CommandOptions;
  /** All commands, for `relay completion`. */
  readonly commands: readonly CommandSpec[];
}

/** Resolves to the exit code; undefined means 0. */
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
    | 'Control and access'
    | 'Your data'
    | 'Shell';
  readonly summary: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly (readonly [flags: string, summary: string, fallback?: string])[];
  /** Values that the shell offers after an option. */
  readonly values?: Readonly<Record<`--${string}`, readonly string[]>>;
  /** Text that `--help` shows below the options. */
  readonly helpFooter?: string;
  /** `relay <name> <subcommand>`; without a subcommand's name the command itself runs. */
  readonly subcommands?: readonly CommandSpec[];
  load(): Promise<RunCommand>;
}
