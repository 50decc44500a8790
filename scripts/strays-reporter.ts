// Records errors outside of any test, which fail a run but are in no vitest report: an unhandled rejection, a throw in
// a handler. Writes `x-strays.json` beside `x.json`, or nothing.
import { rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

export interface Stray {
  /** The file that was running; not always the one that caused it. */
  readonly file?: string;
  readonly message: string;
}

export const straysBeside = (report: string): string => report.replace(/[.]json$/, '-strays.json');

function strayOf(error: SerializedError, root: string): Stray {
  const message = error.stack ?? error.message;
  const path: unknown = error.VITEST_TEST_PATH;
  return typeof path === 'string' ? { file: relative(root, path), message } : { message };
}

export default class StraysReporter implements Reporter {
  #root = '.';
  #report: string | undefined;

  onInit({ config }: Vitest): void {
    this.#root = config.root;
    this.#report = typeof config.outputFile === 'object' ? config.outputFile.json : undefined;
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (this.#report === undefined) return;
    const path = resolve(this.#root, straysBeside(this.#report));
    rmSync(path, { force: true });
    if (errors.length === 0) return;
    const strays = errors.map((error) => strayOf(error, this.#root));
    writeFileSync(path, JSON.stringify(strays, null, 2));
  }
}
