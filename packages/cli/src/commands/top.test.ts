import type { LedgerLine } from '@relay/contract/api/ledger';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { textWidth } from '../format.ts';
import { statusOf } from '../testing/answers.ts';
import { formatTop, listTroubles, type TopSnapshot } from './top.ts';

const colours = pc.createColors(false);
const BACKUP = { every: 'day', last_at: null, encrypted: false, copy: null } as const;
const status = { ...statusOf(1, '/home'), whatsapp_connected: true };

const event = (seq: number, more: Partial<LedgerLine> = {}): LedgerLine => ({
  seq,
  at: '2026-11-16T06:03:00.000Z',
  actor: 'router',
  who: 'router',
  action: 'route_message',
  what: 'receive a message',
  subject: { kind: 'message', id: `M${seq}` },
  about: `Person ${seq}`,
  outcome: 'handed_over',
  reason: 'readable_contact',
  sentence: 'Handed to auto-reply, because your grant lets this contact be read.',
  read_before: null,
  detail: {},
  ...more,
});

const top = (more: Partial<TopSnapshot> = {}): TopSnapshot => ({
  at: '2026-11-16T06:03:00.000Z',
  status,
  turns: { you: 1, agent: 2, them: 3, parked: 4, ended: 5 },
  today: {
    since: '2026-11-16T00:00:00.000Z',
    received: 40,
    sent: 30,
    answers: 29,
    tokens: 500_000,
    tokens_per_day: 2_000_000,
    completed: 0,
  },
  events: Array.from({ length: 60 }, (_, n) => event(n)),
  ...more,
});

const look = (
  size: { rows: number; columns: number } | null,
  unreachableReason: string | null = null,
) => ({
  colours,
  size,
  unreachableReason,
});

test('shows the figures in words', () => {
  const text = formatTop(top(), look(null)).join('\n');
  expect(text).toContain('No problems.');
  expect(text).toContain('you 1, agent 2, contact 3, paused or queued 4, ended 5');
  expect(text).toContain('500,000 of 2,000,000 today ▕███·······▏ 25 %');
  expect(text).toContain('40 received, 30 sent, 29 answers');
});

test.each([
  [80, 24],
  [40, 12],
  [200, 60],
  [10, 3],
])('fits everything on a screen of %i by %i', (columns, rows) => {
  const lines = formatTop(top(), look({ rows, columns }));
  expect(lines.length).toBeLessThan(rows);
  if (columns >= 40) for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

test('prevents text from moving the cursor', () => {
  const evil = event(1, { about: '\u001b[2JBen\u202e', sentence: 'a\u0007b\nc' });
  const text = formatTop(top({ events: [evil] }), look(null)).join('\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(text).not.toMatch(/[\u001b\u0007\u202e]/);
  expect(text).toContain('Ben');
});

test('says first that the daemon does not answer, and keeps the last data', () => {
  const [first, second, ...rest] = formatTop(top(), look(null, 'Daemon not running.'));
  expect(first).toContain('The daemon does not answer.');
  expect(second).toContain('! Daemon not running.');
  expect(rest.join('\n')).toContain('40 received, 30 sent');
});

describe('what is wrong', () => {
  test.each([
    [{ whatsapp_connected: false }, 'No WhatsApp account is linked yet.'],
    [{ hold: true }, 'Sending is on hold. End the hold with `relay release`.'],
    [{ webhooks: 'One webhook fails.' }, 'One webhook fails.'],
    [{ backup: { ...BACKUP, trouble: 'No backup.' } }, 'No backup.'],
    [
      {
        jobs: {
          ...status.jobs,
          dead: 2,
          dead_letters: [{ queue: 'route', count: 2, sentence: 'It failed.' }],
        },
      },
      'It failed. (2)',
    ],
  ])('is shown in the sentence of the daemon for %o', (more, sentence) => {
    expect(listTroubles({ ...status, ...more })).toEqual([sentence]);
  });

  test('is empty when nothing is wrong', () => expect(listTroubles(status)).toEqual([]));
});
