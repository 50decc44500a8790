import { pacingSchema } from '@relay/contract/settings';
import { expect, test } from 'vitest';
import {
  activeFreeze,
  type Freeze,
  freezeAfter,
  freezeSentence,
  interpretRefusal,
} from './freeze.ts';

const PACING = pacingSchema.parse({});
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (ms: number) => new Date(ms);

test('a refused first contact is final; too many messages are for later; others give their code', () => {
  expect(interpretRefusal(463)).toMatchObject({ verdict: 'final', freeze: 'stranger_refused' });
  expect(interpretRefusal(429)).toMatchObject({ verdict: 'later', freeze: 'too_fast' });
  expect(interpretRefusal(479)).toMatchObject({ verdict: 'final', freeze: null });
  expect(interpretRefusal(479).sentence).toContain('(code 479)');
  expect(interpretRefusal(null).sentence).not.toContain('code');
});

test('each freeze for too many messages is longer than the one before, up to six hours', () => {
  let now = 0;
  let freeze: Freeze | null = null;
  const lengths: number[] = [];
  for (let n = 0; n < 7; n++) {
    freeze = freezeAfter('too_fast', freeze, PACING, at(now));
    lengths.push((freeze.until.getTime() - now) / MINUTE);
    now = freeze.until.getTime() + MINUTE;
  }
  expect(lengths).toEqual([15, 30, 60, 180, 360, 360, 360]);
  const quiet = freezeAfter('too_fast', freeze, PACING, at(now + 6 * HOUR));
  expect(quiet.strikes).toBe(1);
});

test('refusals of messages that were already in flight do not extend a freeze', () => {
  const first = freezeAfter('too_fast', null, PACING, at(0));
  expect(freezeAfter('too_fast', first, PACING, at(1_000))).toBe(first);
});

test('a freeze of first contacts does not affect other messages, and the longest one counts', () => {
  const lock: Freeze = { cause: 'time_lock', until: at(2 * HOUR), strikes: 1 };
  const refused = freezeAfter('stranger_refused', null, PACING, at(0));
  expect(refused.until).toEqual(at(24 * HOUR));
  expect(activeFreeze([lock, refused], 'everything', at(0))).toBeNull();
  expect(activeFreeze([lock, refused], 'first_contacts', at(0))).toBe(refused);
  expect(activeFreeze([lock], 'first_contacts', lock.until)).toBeNull();
  const fast: Freeze = { cause: 'too_fast', until: at(HOUR), strikes: 1 };
  expect(activeFreeze([fast], 'first_contacts', at(0))).toBe(fast);
  expect(freezeSentence(lock)).toContain('1970-01-01 02:00 UTC');
});
