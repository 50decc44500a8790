import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens } from '../agent/context-window.ts';
import { findZone, type Zone } from '../schedule/zone.ts';
import {
  buildGroupContext,
  CONTEXT_SLOTS,
  type ContextSlot,
  type GroupContextParts,
} from './context.ts';

const zone = inKolkata();
const NOW = new Date('2026-03-06T12:00:00Z');
const HOUR = 3_600_000;
const ago = (hours: number) => new Date(NOW.getTime() - hours * HOUR);
const EMPTY: GroupContextParts = {
  zone,
  members: [],
  briefing: [],
  daily: [],
  hourly: [],
  raw: [],
};
const digest = (hours: number, text: string) => ({ start: ago(hours), end: ago(hours - 1), text });
const many = (count: number, words: string) =>
  Array.from({ length: count }, (_, n) => `${n} ${words.repeat(20)}`);

function inKolkata(): Zone {
  const found = findZone('Asia/Kolkata');
  if (found === null) throw new Error('no zone');
  return found;
}

/** What the slot uses if there is far more than fits. */
function filled(slot: ContextSlot): number {
  const words = many(2_000, 'a talk about lunch ');
  const { tokens } = buildGroupContext(
    'Rules and more rules. '.repeat(2_000),
    {
      zone,
      members: words,
      briefing: words.map((text) => ({ at: ago(300), text })),
      daily: words.slice(0, 7).map((text, n) => digest(24 * (7 - n), text.repeat(6))),
      hourly: words.map((text) => digest(2, text)),
      raw: words.map((text) => ({ at: ago(1), text })),
    },
    NOW,
  );
  return tokens[slot];
}

function expectBudget(slot: ContextSlot, most: number): void {
  expect(CONTEXT_SLOTS[slot]).toBe(most);
  expect(filled(slot)).toBeLessThanOrEqual(most);
  expect(filled(slot)).toBeGreaterThan(most * 0.8);
}

test('the system prompt takes at most 2,000 tokens', () => {
  verifies('004-BUDGET-SYSTEM');
  expectBudget('system', 2_000);
});

test('the briefing takes at most 4,000 tokens', () => {
  verifies('004-BUDGET-BRIEFING');
  expectBudget('briefing', 4_000);
});

test('the days take at most 5,000 tokens', () => {
  verifies('004-BUDGET-DAILY');
  expectBudget('daily', 5_000);
});

test('the hours of today take at most 3,000 tokens', () => {
  verifies('004-BUDGET-HOURLY');
  expectBudget('hourly', 3_000);
});

test('the latest messages take at most 20,000 tokens', () => {
  verifies('004-BUDGET-RAW');
  expectBudget('raw', 20_000);
});

test('all slots together stay within 34,000 tokens, whatever the input', () => {
  verifies('004-BUDGET-HEADROOM', '004-ANTI-DUMP', '004-ANTI-MIDDLE');
  expect(Object.values(CONTEXT_SLOTS).reduce((sum, slot) => sum + slot, 0)).toBe(34_000);
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 60_000 }), { maxLength: 20 });
  fc.assert(
    fc.property(
      fc.string({ maxLength: 20_000 }),
      texts,
      texts,
      texts,
      texts,
      (system, a, b, c, d) => {
        const context = buildGroupContext(
          system,
          {
            zone,
            members: a,
            briefing: a.map((text) => ({ at: ago(400), text })),
            daily: b.map((text) => digest(24, text)),
            hourly: c.map((text) => digest(1, text)),
            raw: d.map((text) => ({ at: ago(1), text })),
          },
          NOW,
        );
        expect(estimateTokens(`${context.system}${context.text}`)).toBeLessThanOrEqual(34_000);
      },
    ),
    { numRuns: 40 },
  );
});

test('the oldest content comes first and the latest messages at the end', () => {
  verifies('004-BUDGET-ORDER', '004-ANTI-MIDDLE');
  const { text } = buildGroupContext(
    'Rules',
    {
      zone,
      members: ['Mum', 'Papa'],
      briefing: [{ at: ago(400), text: 'the villa was booked' }],
      daily: [digest(48, 'the first day'), digest(24, 'the second day')],
      hourly: [digest(3, '10:00-11:00: an hour')],
      raw: [
        { at: ago(2), text: '[Fri 15:30] Mum: before that' },
        { at: ago(1), text: '[Fri 16:30] Mum: the newest' },
      ],
    },
    NOW,
  );
  const order = [
    'the villa',
    'the first day',
    'the second day',
    'an hour',
    'before that',
    'the newest',
  ];
  expect(order.map((words) => text.indexOf(words))).toEqual(
    order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b),
  );
  expect(text.endsWith('the newest')).toBe(true);
});

test('members are listed first, in the room that the system prompt leaves', () => {
  const members = Array.from({ length: 3_000 }, (_, n) => `Member ${n}`);
  const { system, text, tokens } = buildGroupContext('Rules', { ...EMPTY, members }, NOW);
  expect(system).toBe('Rules');
  expect(text).toMatch(/^Members of the group, besides your owner: Member 0, Member 1, /);
  expect(tokens.system).toBeLessThanOrEqual(CONTEXT_SLOTS.system);
  const full = buildGroupContext(
    'Rules and more rules. '.repeat(2_000),
    { ...EMPTY, members },
    NOW,
  );
  expect(full.text).toBe('');
});

test('drops the oldest content if not everything fits', () => {
  const raw = many(3_000, 'lunch at the hotel ').map((text) => ({ at: ago(1), text }));
  const { text } = buildGroupContext('', { ...EMPTY, raw }, NOW);
  expect(text.endsWith(raw.at(-1)?.text ?? '')).toBe(true);
  expect(text).not.toContain(`\n${raw[0]?.text}`);
});

test('messages older than a day are not among the latest', () => {
  verifies('004-ROTATE-24H');
  const raw = [
    { at: ago(24.1), text: 'yesterday' },
    { at: ago(23.9), text: 'today' },
  ];
  const { text } = buildGroupContext('', { ...EMPTY, raw }, NOW);
  expect(text).toContain('today');
  expect(text).not.toContain('yesterday');
});

test('facts carry their day, and the model reads that old ones may be out of date', () => {
  verifies('004-ANTI-STALE');
  const { text } = buildGroupContext(
    '',
    {
      ...EMPTY,
      briefing: [{ at: ago(24 * 12), text: 'Priya is in Mumbai' }],
      daily: [digest(24, 'Lunch is fixed')],
    },
    NOW,
  );
  expect(text).toContain('may be out of date');
  expect(text).toContain('[Sun 22 Feb] Priya is in Mumbai');
  expect(text).toContain('[Thu 5 Mar] Lunch is fixed');
});

test('shows at most seven days, each complete', () => {
  verifies('004-T2-SEVEN');
  const days = Array.from({ length: 10 }, (_, n) =>
    digest(24 * (10 - n), `day ${n} ${'word '.repeat(480)}`),
  );
  const { text } = buildGroupContext('', { ...EMPTY, daily: days }, NOW);
  expect([...text.matchAll(/day (\d) word/g)].map(([, n]) => Number(n))).toEqual([
    3, 4, 5, 6, 7, 8, 9,
  ]);
});

test('an empty slot uses no tokens', () => {
  expect(buildGroupContext('', EMPTY, NOW).text).toBe('');
});
