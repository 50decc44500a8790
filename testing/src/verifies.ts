// `verifies('AC-1.1')` on the first line of a test states which requirements it proves. The ids are stored in the
// test's meta for requirements-reporter.ts, which keeps those of passed tests.
import { TestRunner } from 'vitest';
import { isRequirement } from '../../requirements/manifest.ts';

declare module 'vitest' {
  interface TaskMeta {
    verifies?: string[];
  }
}

export function verifies(...ids: string[]): void {
  const unknown = ids.filter((id) => !isRequirement(id));
  if (unknown.length > 0)
    throw new Error(`Not in the requirements manifest: ${unknown.join(', ')}`);
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error('verifies() is called inside a test, on its first line.');
  test.meta.verifies = [...new Set([...(test.meta.verifies ?? []), ...ids])];
}
