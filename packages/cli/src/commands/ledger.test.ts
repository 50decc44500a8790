import type { LedgerLine } from '@relay/contract/api/ledger';
import { expect, test } from 'vitest';
import { textWidth } from '../format.ts';
import { formatLedgerHeader, formatLedgerLines, parseSince } from './ledger.ts';

const colours = { dim: String, bold: String, red: String, yellow: String, green: String };
const now = new Date(2026, 10, 15, 15, 0);
const line = (over: Partial<LedgerLine> = {}): LedgerLine => ({
  seq: 1,
  at: new Date(2026, 10, 15, 14, 2).toISOString(),
  actor: 'router',
  who: 'router',
  action: 'route_message',
  what: 'receive a message',
  subject: { kind: 'message', id: 'M' },
  about: 'Mom',
  outcome: 'needs_approval',
  reason: 'draft',
  sentence: 'Replies in this chat are drafts that you approve. Nothing is sent before.',
  read_before: null,
  detail: {},
  ...over,
});
const look = (columns: number | null) => ({ columns, colours, now });

test('aligns time, actor, action, contact, result and reason in columns', () => {
  expect([
    formatLedgerHeader(colours),
    ...formatLedgerLines(
      [line(), line({ about: null, who: 'conversation “Get a quote”' })],
      look(120),
    ),
  ]).toEqual(
    [
      'TIME         ACTOR             ACTION                CONTACT             OUTCOME         REASON',
      '      14:02  router            receive a message     Mom                 needs approval  Replies in this chat',
      '      14:02  conversation “G…  receive a message                         needs approval  Replies in this chat',
    ].map((text, n) => (n === 0 ? text : expect.stringContaining(text))),
  );
});

test('fits lines to the window, and cuts nothing without a terminal', () => {
  const [cut] = formatLedgerLines([line()], look(120));
  expect(textWidth(cut ?? '')).toBeLessThanOrEqual(120);
  expect(formatLedgerLines([line()], look(null))[0]).toContain('Nothing is sent before.');
  const [first, second] = (formatLedgerLines([line()], look(90))[0] ?? '').split('\n');
  expect(first).toContain('needs approval');
  expect(second).toContain('Replies in this chat are drafts');
});

test('names outcomes in plain words', () => {
  expect(formatLedgerLines([line({ outcome: 'deny' })], look(null))[0]).toContain('  refused  ');
  expect(formatLedgerLines([line({ outcome: 'handed_over' })], look(null))[0]).toContain(
    '  handed over  ',
  );
});

test('prevents names from controlling the terminal', () => {
  const [shown] = formatLedgerLines([line({ about: 'A\u001b[2J\nB' })], look(120));
  expect(shown).toContain('A⟨U+001B⟩[2J B');
});

test('parses --since as a duration or a date', () => {
  expect(parseSince('2h', now)).toEqual(new Date(2026, 10, 15, 13, 0));
  expect(parseSince('2026-11-14', now)).toEqual(new Date(2026, 10, 14));
  expect(parseSince('2026-11-14 09:00', now)).toEqual(new Date(2026, 10, 14, 9));
  expect(() => parseSince('yesterday', now)).toThrow('--since');
});
