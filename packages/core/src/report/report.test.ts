import type { RestartReport } from '@relay/contract/api/status';
import { describe, expect, test } from 'vitest';
import { awayDuration, isWorthReporting, reportSentence } from '../restart-report.ts';

const report = (over: Partial<RestartReport> = {}): RestartReport => ({
  cause: 'daemon',
  since: '2026-02-21T10:00:00.000Z',
  until: '2026-02-21T11:02:10.000Z',
  messages: 0,
  chats: 0,
  replayed: 0,
  unknownSends: 0,
  needsYou: 0,
  ...over,
});

test.each([
  [{}, 'Relay was offline for 1 h 2 min: no messages missed.'],
  [
    { messages: 500, chats: 12, unknownSends: 1 },
    'Relay was offline for 1 h 2 min: 500 messages received from 12 chats, delivery of 1 message unknown.',
  ],
  [
    { messages: 1, chats: 1, unknownSends: 2, needsYou: 1 },
    'Relay was offline for 1 h 2 min: 1 message received from 1 chat, delivery of 2 messages unknown, 1 item needs you.',
  ],
  [
    { cause: 'link' as const, needsYou: 3 },
    'WhatsApp was disconnected for 1 h 2 min: no messages missed, 3 items need you.',
  ],
])('%o reads: %s', (over, sentence) => {
  expect(reportSentence(report(over))).toBe(sentence);
});

test.each([
  [0, '0 s'],
  [400, '0 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [3_605_000, '1 h'],
  [90_000_000, '1 d 1 h'],
  [-5, '0 s'],
])('%d ms is %s', (ms, text) => {
  expect(awayDuration(ms)).toBe(text);
});

describe('reporting', () => {
  const blink = report({ cause: 'link', until: '2026-02-21T10:00:05.000Z' });
  test('includes every restart, and every long absence of the link', () => {
    expect(isWorthReporting(report({ until: '2026-02-21T10:00:01.000Z' }))).toBe(true);
    expect(isWorthReporting(report({ cause: 'link' }))).toBe(true);
  });

  test('includes a short absence of the link only if something was missed', () => {
    expect(isWorthReporting(blink)).toBe(false);
    expect(isWorthReporting({ ...blink, messages: 1 })).toBe(true);
    expect(isWorthReporting({ ...blink, unknownSends: 1 })).toBe(true);
  });
});
