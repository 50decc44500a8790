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

  test('need no text beside a file', () => {
    expect(parseScheduleRequest(['daily 9'], { ...to, file: 'plan.pdf' })).toEqual({
      to: 'Mom',
      text: undefined,
      when: 'daily 9',
    });
  });

  test.each([
    [[], to, 'Give a time'],
    [['daily 9'], to, 'Give the text to send'],
    [['daily 9', 'Hi'], {}, 'Give the recipient'],
    [['daily 9', 'Hi', 'there'], to, 'Put the time and the text in quotes'],
    [['daily 9', 'Hi'], { ...to, daily: '09:00' }, 'Put the text in quotes'],
    [['Hi'], { ...to, daily: '25:00' }, 'such as 09:00'],
    [['Hi'], { ...to, weekly: 'mon' }, 'mon,fri@18:00'],
    [['Hi'], { ...to, weekly: 'someday@18:00' }, 'is not a day of the week'],
    [['Hi'], { ...to, daily: '09:00', once: '18:00' }, 'Give only one of'],
    [['daily 9', 'Hi'], { ...to, catchUp: 'never' }, 'Give --catch-up one of'],
  ])('are refused with the next step: %j with %j', (args, options, what) => {
    expect(() => parseScheduleRequest(args, options)).toThrow(what);
  });
});
