// Orders the test files: those that take minutes first, so that none of them runs alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first. */
const LONG = [
  ...['attacks/console/payloads', 'console/axe', 'e2e/guides', 'upgrade/upgrade'],
  ...['e2e/odd-machines', 'console/demo', 'console/dev', 'e2e/demo-people', 'torture/'],
];

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONG.findIndex((part) => moduleId.includes(part));
  return at < 0 ? LONG.length : at;
};

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => place(one) - place(other));
  }
}
