// Figures for a monitor outside, in the text form that Prometheus reads. Invariant: numbers and kinds alone; no name,
// no number of a phone, no word of anybody is in them.

/** One request of the API that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** As it is declared, never as it was asked for. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  answered(request: AnsweredRequest): void;
}
