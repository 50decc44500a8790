import { describe, expect, test } from 'vitest';
import { parseScheduleRequest } from './schedule-create.ts';

const to = { to: 'Mom' };

describe('the arguments of `relay schedule`', () => {
  test.each([
    [['every weekday 9am', 'Hi'], {}, { when: 'every weekday 9am' }],
    [['Hi'], { daily: '9:00' }, { rule: { kind: 'daily', time: '09:00' } }],
    [
      ['Hi'],
      { weekly: 'Fri,mon@18:00' },
      { rule: { kind: 'weekly', days: ['fri', 'mon'], time: '18:00' } },
    ],
    [['Hi'], { cron: '0 9 * * mon' }, { rule: { kind: 'cron', expression: '0 9 * * mon' } }],
    [['Hi'], { once: '2026-12-24 18:00' }, { when: '2026-12-24 18:00' }],
    [
      ['daily 9', 'Hi'],
      { zone: 'Africa/Cairo', catchUp: 'all' },
      { when: 'daily 9', zone: 'Africa/Cairo', catch_up: 'all' },
    ],
  ])('are parsed: %j with %j', (args, options, request) => {
    expect(parseScheduleRequest(args, { ...to, ...options })).toEqual({
      to: 'Mom',
      text: 'Hi',
      ...request,
    });
  });

  test.each([
    [[], to, 'Say when'],
    [['daily 9'], to, 'Say what to send'],
    [['daily 9', 'Hi'], {}, 'Say to whom'],
    [['daily 9', 'Hi', 'there'], to, 'put each in quotes'],
    [['daily 9', 'Hi'], { ...to, daily: '09:00' }, 'put each in quotes'],
    [['Hi'], { ...to, daily: '25:00' }, 'write it as 09:00'],
    [['Hi'], { ...to, weekly: 'mon' }, 'mon,fri@18:00'],
    [['Hi'], { ...to, weekly: 'someday@18:00' }, 'is no day of the week'],
    [['Hi'], { ...to, daily: '09:00', once: '18:00' }, 'in one way'],
    [['daily 9', 'Hi'], { ...to, catchUp: 'never' }, '--catch-up is one of'],
  ])('are refused with the next step: %j with %j', (args, options, what) => {
    expect(() => parseScheduleRequest(args, options)).toThrow(what);
  });
});
