import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeRule } from './format.ts';
import { checkRule } from './occurrences.ts';
import { parseTypedSchedule, TYPED_SCHEDULE_EXAMPLES } from './typed.ts';
import { findZone } from './zone.ts';

const zone = findZone('Europe/Berlin') ?? expect.fail();
/** A Sunday, eleven in the morning in Berlin. */
const now = new Date('2026-11-15T10:00:00Z');

/** The description without the zone; or the error. */
function understood(typed: string): string {
  const read = parseTypedSchedule(typed, { zone, now });
  if (!read.ok) return read.sentence;
  const checked = checkRule(read.rule, zone.name, now);
  return checked.ok
    ? describeRule(checked.rule, zone).replace(', Europe/Berlin', '')
    : checked.sentence;
}

describe('what people type', () => {
  test.each([
    ['every weekday 9am', 'every weekday at 09:00'],
    ['Every Weekday at 9 A.M.', 'every weekday at 09:00'],
    ['9am every weekday', 'every weekday at 09:00'],
    ['weekends at 10', 'every Saturday and Sunday at 10:00'],
    ['daily 09:00', 'every day at 09:00'],
    ['everyday 9', 'every day at 09:00'],
    ['every morning 7:30', 'every day at 07:30'],
    ['every evening at 8', 'every day at 20:00'],
    ['on fridays at 18:00', 'every Friday at 18:00'],
    ['every monday and friday at 6pm', 'every Monday and Friday at 18:00'],
    ['mon,wed,fri 9', 'every Monday, Wednesday and Friday at 09:00'],
    ['mon tue wed fri 9', 'every Monday, Tuesday, Wednesday and Friday at 09:00'],
    ['weekly on monday at 9', 'every Monday at 09:00'],
    ['every sunday at midnight', 'every Sunday at 00:00'],
    ['every month on the 1st at 8', 'on the 1st of every month at 08:00'],
    ['the 15th of each month at 9:15', 'on the 15th of every month at 09:15'],
    ['every month on the 31st at 8', 'on the 31st of every month that has one at 08:00'],
    ['on the last day of every month at 17:00', 'on the last day of every month at 17:00'],
    ['every year on 24 december at 9', 'every year on 24 December at 09:00'],
    ['yearly on dec 24 9am', 'every year on 24 December at 09:00'],
    ['every 2 hours', 'every 2 hours'],
    ['hourly', 'every hour'],
    ['every 15 minutes', 'every 15 minutes'],
    ['0 9 * * mon-fri', 'cron "0 9 * * mon-fri"'],
    ['cron 30 7 1 * *', 'on the 1st of every month at 07:30'],
    ['tomorrow 14:30', 'once, Mon 16 Nov 2026 14:30'],
    ['14:30 tomorrow', 'once, Mon 16 Nov 2026 14:30'],
    ['tomorrow morning at 8', 'once, Mon 16 Nov 2026 08:00'],
    ['tonight at 8', 'once, Sun 15 Nov 2026 20:00'],
    ['12am tomorrow', 'once, Mon 16 Nov 2026 00:00'],
    ['18:00', 'once, Sun 15 Nov 2026 18:00'],
    ['9am', 'once, Mon 16 Nov 2026 09:00'],
    ['next tuesday at noon', 'once, Tue 17 Nov 2026 12:00'],
    ['on sun at 7', 'once, Sun 22 Nov 2026 07:00'],
    ['24 december at 18:00', 'once, Thu 24 Dec 2026 18:00'],
    ['on the 1st of may at 8', 'once, Sat 1 May 2027 08:00'],
    ['2026-12-24 18:00', 'once, Thu 24 Dec 2026 18:00'],
    ['2026-12-24T18:00Z', 'once, Thu 24 Dec 2026 19:00'],
    ['2026-12-24T18:00+01:00', 'once, Thu 24 Dec 2026 18:00'],
    ['in 2 hours', 'once, Sun 15 Nov 2026 13:00'],
    ['in 1h30m', 'once, Sun 15 Nov 2026 12:30'],
    ['in half an hour', 'once, Sun 15 Nov 2026 11:30'],
    ['in an hour and 30 minutes', 'once, Sun 15 Nov 2026 12:30'],
    ['in 2 weeks', 'once, Sun 29 Nov 2026 11:00'],
  ])('%s', (typed, words) => {
    expect(understood(typed)).toBe(words);
  });
});

describe('days are relative to the zone’s local date', () => {
  test.each([
    // A Wednesday: "next" does not skip the Friday of the same week.
    ['next friday at 9', 'Europe/Berlin', '2026-11-18T10:00:00Z', '2026-11-20T08:00:00.000Z'],
    // Each of these dates is a day later there than in UTC.
    ['on sunday at 9', 'Asia/Kathmandu', '2026-03-28T22:30:00Z', '2026-03-29T03:15:00.000Z'],
    ['25 october at 9', 'Asia/Kathmandu', '2026-10-24T23:30:00Z', '2026-10-25T03:15:00.000Z'],
    [
      'the day after tomorrow at 9',
      'Europe/Berlin',
      '2026-10-24T23:30:00Z',
      '2026-10-27T08:00:00.000Z',
    ],
    // The clocks show 02:30 twice that night; the first one counts.
    ['on sunday 02:30', 'Europe/Berlin', '2026-10-24T23:30:00Z', '2026-10-25T00:30:00.000Z'],
  ])('%s in %s at %s is %s', (typed, name, at, next) => {
    const there = findZone(name) ?? expect.fail();
    const read = parseTypedSchedule(typed, { zone: there, now: new Date(at) });
    if (!read.ok) expect.fail(read.sentence);
    expect(checkRule(read.rule, name, new Date(at))).toMatchObject({ next: new Date(next) });
  });
});

describe('ambiguous text is refused with the accepted forms', () => {
  test.each([
    ['tomorrow', 'has no time of day'],
    ['every monday', 'has no time of day'],
    ['25:00', 'several times of day or an invalid one'],
    ['13pm', 'several times of day or an invalid one'],
    ['every day at 9:00 and 17:00', 'several times of day or an invalid one'],
    ['every other day at 9', 'not a time that Relay understands'],
    ['every 7 hours', 'not a time that Relay understands'],
    ['in 0 minutes', 'not a time that Relay understands'],
    ['soon', 'not a time that Relay understands'],
    ['6/10/2027 9:00', 'not a time that Relay understands'],
    ['last friday at 9', 'not a time that Relay understands'],
    ['next week at 9', 'not a time that Relay understands'],
    ['in several minutes', 'not a time that Relay understands'],
    ['', 'is not a time'],
  ])('%s', (typed, what) => {
    const said = understood(typed);
    expect(said).toContain(what);
    for (const example of TYPED_SCHEDULE_EXAMPLES) expect(said).toContain(`"${example}"`);
  });

  test.each([
    ['today 8:00', 'has passed: it is now Sun 15 Nov 2026 11:00'],
    ['on 30 february at 9', 'This day does not exist.'],
    ['0 0 30 2 *', 'This never happens'],
    ['61 9 * * *', 'is not a cron expression: Invalid value for minute: 61'],
  ])('%s is understood but impossible', (typed, what) => {
    expect(understood(typed)).toContain(what);
  });

  test('every example is understood', () => {
    for (const example of TYPED_SCHEDULE_EXAMPLES)
      expect(understood(example)).toMatch(/^(every|on|once|cron)/);
  });

  test('any text gives a rule or a sentence', () => {
    const word = fc.constantFrom(
      ...TYPED_SCHEDULE_EXAMPLES.join(' ').split(' '),
      'at',
      'and',
      '',
      '\u202e',
      '💧',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string()), { maxLength: 8 }), (words) => {
        const read = parseTypedSchedule(words.join(' '), { zone, now });
        if (read.ok) checkRule(read.rule, zone.name, now);
        else expect(read.sentence).toMatch(/\.$/);
      }),
      { numRuns: 2_000 },
    );
  });
});
