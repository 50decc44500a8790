// The short form of `npm run torture -- passkeys`: one kill at each step, with a fixed seed.
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { torturePasskeys } from './passkeys.ts';

it('is linked, or not linked and ready to link again, when the daemon is killed at any step of linking with a passkey', {
  timeout: 600_000,
}, async () => {
  verifies('SETUP-PASSKEY-KILLS');
  const report = await torturePasskeys({ kills: 9, seed: 20_261_119 });
  expect(report).toMatchObject({ kills: 9, faults: [] });
});
