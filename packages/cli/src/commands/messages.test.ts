import type { BufferedMessage } from '@relay/contract/api/whatsapp';
import { expect, test } from 'vitest';
import { formatMessages } from './messages.ts';

const ME = '14155551234@s.whatsapp.net';
const plain = { dim: String, bold: String };
const now = new Date(2026, 10, 15, 12, 0);
const look = { colours: plain, names: new Map<string, string>(), now };
const message = (given: Partial<BufferedMessage>): BufferedMessage => ({
  id: '1',
  from: '491701234567@s.whatsapp.net',
  fromName: null,
  to: ME,
  body: 'Hello',
  timestamp: new Date(2026, 10, 15, 9, 5).getTime(),
  fromMe: false,
  isGroup: false,
  ...given,
});

test('aligns time, sender and recipient, and formats numbers', () => {
  const yesterday = new Date(2026, 10, 14, 23, 59).getTime();
  const lines = formatMessages(
    [
      message({ timestamp: yesterday }),
      message({ fromName: 'Ana' }),
      message({ fromMe: true, from: ME, to: '491701234567@s.whatsapp.net' }),
      message({ fromMe: true, from: ME, to: ME }),
      message({ isGroup: true, to: '120363@g.us', fromName: 'Ana' }),
      message({ from: '77@lid' }),
    ],
    look,
  );
  expect(lines).toEqual([
    '11-14 23:59  1  +491701234567 → you  Hello',
    '      09:05  1  Ana → you            Hello',
    '      09:05  1  you → +491701234567  Hello',
    '      09:05  1  you → you            Hello',
    '      09:05  1  Ana → group 120363   Hello',
    '      09:05  1  77@lid → you         Hello',
  ]);
});

test('shows the names of contacts and groups before the name that came with a message', () => {
  const names = new Map([
    ['491701234567@s.whatsapp.net', 'Mom'],
    ['120363@g.us', 'The Morenos'],
  ]);
  const lines = formatMessages(
    [
      message({ fromName: 'Maria M.' }),
      message({ fromMe: true, from: ME, to: '491701234567@s.whatsapp.net' }),
      message({ isGroup: true, to: '120363@g.us', from: '77@lid', fromName: 'Ana' }),
    ],
    { ...look, names },
  );
  expect(lines.map((line) => line.slice(16, 35).trim())).toEqual([
    'Mom → you',
    'you → Mom',
    'Ana → The Morenos',
  ]);
});

test('indents a long text as one message, and no text can control the terminal', () => {
  const [line] = formatMessages(
    [message({ fromName: 'A\u001b[2J\nna', body: 'a\nb\u0007' })],
    look,
  );
  expect(line).toBe(`      09:05  1  A⟨U+001B⟩[2J na → you  a\n${' '.repeat(39)}b⟨U+0007⟩`);
});
