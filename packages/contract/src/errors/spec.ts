// One row of the table of errors.

export interface ErrorSpec {
  readonly status: number;
  readonly exit: number;
  /** What is wrong. `{name}` is replaced by the parameter given where the error is raised. */
  readonly sentence: string;
  /** What to do next, in a sentence of its own; commands are between backticks. */
  readonly action?: string;
  /** Trying again later may help. */
  readonly passes?: true;
}
