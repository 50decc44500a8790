import { expect, test } from 'vitest';
import { parseSlashCommand, SLASH_COMMANDS, slashCommandList, splitFirstWord } from './commands.ts';

test.each([
  ['/help', 'help', ''],
  ['  /HELP  ', 'help', ''],
  ['/approve ab12', 'approve', 'ab12'],
  ['/reject ab12 not\nthat', 'reject', 'ab12 not\nthat'],
  ['/schedule every day 9:00: call', 'schedule', 'every day 9:00: call'],
])('%s is a command', (text, name, argument) => {
  expect(parseSlashCommand(text)).toMatchObject({ name, argument });
});

test.each(['/frobnicate', '/', '/ help', '/constructor', '/helpme', '//help'])(
  '%s is no known command, and still not a question to the model',
  (text) => {
    expect(parseSlashCommand(text)).toMatchObject({ name: null });
  },
);

test.each(['help', 'What is 1/2?', 'see /help', '', ' '])('%s is a question', (text) => {
  expect(parseSlashCommand(text)).toBeNull();
});

test('splits the first word of an argument from the rest', () => {
  expect(splitFirstWord('ab12 not that')).toEqual({ word: 'ab12', rest: 'not that' });
  expect(splitFirstWord('')).toEqual({ word: '', rest: '' });
});

test('the help lists every command', () => {
  for (const { usage } of Object.values(SLASH_COMMANDS))
    expect(slashCommandList()).toContain(usage);
});
