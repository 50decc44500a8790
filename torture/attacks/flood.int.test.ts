// The short form of `npm run torture -- flood`: fewer messages and a smaller budget.
import { expect, it } from 'vitest';
import { tortureFlood } from './flood.ts';

it('ends a flooded conversation by its budget and answers others meanwhile', {
  timeout: 300_000,
}, async () => {
  const { faults, floods } = await tortureFlood({ times: 20, tokens: 15_000 });
  expect(faults).toEqual([]);
  expect(floods).toHaveLength(3);
});
