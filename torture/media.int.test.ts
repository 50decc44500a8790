// The short form of `npm run torture -- media`.
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { tortureMedia } from './media.ts';

it('loses, doubles and orphans no file when the daemon is killed while it handles media', {
  timeout: 600_000,
}, async () => {
  verifies('MEDIA-IN-DURABLE', 'MEDIA-ERASED');
  const report = await tortureMedia({ kills: 10, seed: 20_261_119 });
  expect(report).toMatchObject({
    lost: 0,
    doubled: 0,
    orphanedFiles: 0,
    leftAfterForget: [],
    faults: [],
  });
});
