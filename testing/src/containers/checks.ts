// Runs named checks one after the other and records their results.

interface Result {
  readonly title: string;
  readonly seconds: number;
  readonly failure: string | null;
}

/** Thrown after a failed check has been recorded and shown. */
export class CheckFailed extends Error {}

export interface Checks {
  readonly results: readonly Result[];
  /** Runs a check. A string it returns is shown beside its title. Throws `CheckFailed` if it fails. */
  check(title: string, run: () => Promise<string | undefined>): Promise<void>;
}

export function createChecks(): Checks {
  const results: Result[] = [];
  return {
    results,
    async check(title, run) {
      const began = performance.now();
      const seconds = () => (performance.now() - began) / 1_000;
      try {
        const detail = await run();
        const named = detail === undefined ? title : `${title}: ${detail}`;
        results.push({ title: named, seconds: seconds(), failure: null });
        console.log(`ok      ${named}`);
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        results.push({ title, seconds: seconds(), failure });
        console.log(`FAILED  ${title}\n${failure}`);
        throw new CheckFailed(failure);
      }
    },
  };
}

export function printTable(results: readonly Result[]): void {
  console.log('\nseconds  result  check');
  for (const { title, seconds, failure } of results) {
    const result = failure === null ? 'ok    ' : 'FAILED';
    console.log(`${seconds.toFixed(1).padStart(7)}  ${result}  ${title}`);
  }
}
