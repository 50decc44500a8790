// Writes down what went wrong outside of any test, which fails a run and stands in no report of vitest: a promise that
// was refused with nobody waiting for it, a throw in a handler. Beside `x.json` it leaves `x-strays.json`, or nothing.
import { rmSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';

export interface Stray {
  /** The file whose turn it was; not always the one that began it. */
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
