// Writes coverage/requirements.json: the requirements that passed tests prove. Each run replaces the entries of the
// files it ran, so the unit and the integration run add up.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import type { Proofs } from '../../requirements/report.ts';

/** What the passed tests of one file proved. */
export function provenBy(module: TestModule): Proofs[string] {
  const proven: Record<string, string[]> = {};
  for (const test of module.children.allTests('passed')) {
    for (const id of test.meta().verifies ?? []) {
      proven[id] = [...(proven[id] ?? []), test.fullName];
    }
  }
  return proven;
}

/** Drops files that no longer exist, so that a deleted test proves nothing. */
export function merge(before: Proofs, run: Proofs, exists: (file: string) => boolean): Proofs {
  const files = Object.entries({ ...before, ...run })
    .filter(([file, proven]) => exists(file) && Object.keys(proven).length > 0)
    .sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(files);
}

export default class RequirementsReporter implements Reporter {
  #root = '.';

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const path = join(this.#root, 'coverage/requirements.json');
    const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Proofs) : {};
    const run = Object.fromEntries(
      modules.map((module) => [relative(this.#root, module.moduleId), provenBy(module)]),
    );
    const proofs = merge(before, run, (file) => existsSync(join(this.#root, file)));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(proofs, null, 2)}\n`);
  }
}
