// One row of the table of errors.

export interface ErrorSpec {
  readonly status: number;
  readonly exit: number;
  /** `{name}` is replaced by the parameter given where the error is raised. */
  readonly sentence: string;
  /** Trying again later may help. */
  readonly passes?: true;
}
