// The short form of `npm run torture -- demos`: each way to stop a demo, once.
import { expect, it } from 'vitest';
import { tortureDemos } from './demos.ts';

it('demos that were started and stopped leave no process, no port and no file', {
  timeout: 300_000,
}, async () => {
  const report = await tortureDemos({ rounds: 3 });
  expect(report).toMatchObject({
    rounds: 3,
    processesLeft: 0,
    portsLeft: 0,
    filesLeft: 0,
    faults: [],
  });
});
