// The short form of `npm run torture -- silence`: only the beginning of both weeks.
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { tortureSilence } from './silence.ts';

it('sends nothing to a group until the owner asks, then no more than the cadence allows', {
  timeout: 900_000,
}, async () => {
  verifies('004-SILENT', '004-ANTI-FATIGUE', '004-ANTI-UNADDRESSED', '004-T0-NO-MODEL');
  const report = await tortureSilence({
    ...{ messages: 25, attacks: 6, kills: 1, faults: 4, minutes: 20, seed: 1 },
  });
  expect(report).toMatchObject({
    ...{ attacks: 6, kills: 2, outbound: 0, requests: 20, faults: [] },
    // Every message was judged, and no model was asked about any.
    ...{ heard: report.said, asked: { label: 0, answer: 0, other: 0 } },
  });
  for (const answers of Object.values(report.answers)) {
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThanOrEqual(5);
  }
});
