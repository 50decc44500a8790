// One row of the table of errors.

/**
 * Who reads an error: the `relay` command, a program that uses version 1 of the API, or a client that calls tools (over
 * MCP or /api/tools). The console has its own texts.
 */
export type ErrorReader = 'command' | 'api' | 'tools';

export interface ErrorSpec {
  readonly status: number;
  readonly exit: number;
  /** What is wrong. `{name}` is replaced by the parameter given where the error is raised. */
  readonly sentence: string;
  /** What to do next, in a sentence of its own; commands are between backticks. */
  readonly action?: string;
  /**
   * The same for readers who cannot do that. An action of the API may contain `{account}`, the account in the request's
   * path; one of the command contains no parameter.
   */
  readonly actionFor?: Readonly<Partial<Record<ErrorReader, string>>>;
  /** Trying again later may help. */
  readonly passes?: true;
}
