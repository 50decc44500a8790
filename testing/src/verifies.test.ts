import { expect, it } from 'vitest';
import { requirements } from '../../requirements/manifest.ts';
import { verifies } from './verifies.ts';

const unknown = 'AC-0.0';
const [first, second] = requirements.map(({ id }) => id) as [string, string];

it('records the ids on the running test, each once', ({ task, onTestFinished }) => {
  // The ids recorded by this test prove nothing about Relay.
  onTestFinished(() => {
    delete task.meta.verifies;
  });
  verifies(first);
  verifies(first, second);
  expect(task.meta.verifies).toEqual([first, second]);
});

it('throws on an id that is not in the manifest, and records nothing', ({ task }) => {
  const call = () => verifies(first, unknown);
  expect(call).toThrow('Not in the requirements manifest: AC-0.0');
  expect(task.meta.verifies).toBeUndefined();
});
