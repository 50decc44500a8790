// The short form of `npm run torture -- nonsense`. Without the engine (`scripts/engine`) it is left out.
import { hasEngine } from '@relay/testing/engine';
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { tortureNonsense } from './nonsense.ts';

it.skipIf(!hasEngine())(
  'a model that writes nonsense changes nothing that nobody approved',
  {
    timeout: 900_000,
  },
  async () => {
    verifies('SETUP-NONSENSE');
    const report = await tortureNonsense({ turns: 40, seed: 1 });
    expect(report.faults).toEqual([]);
    expect(report.engine.toolCalls).toBeGreaterThan(0);
  },
);
