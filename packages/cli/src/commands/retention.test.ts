import type { ErasedCounts, ErasureReceipt, RetentionStatus } from '@relay/contract/api/retention';
import { expect, test } from 'vitest';
import {
  formatChatLimit,
  formatErasedCounts,
  formatErasureReceipt,
  formatRetentionStatus,
} from './retention.ts';

const NOW = new Date(2026, 10, 15, 12, 0);
const ago = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000).toISOString();

const STATUS: RetentionStatus = {
  now: NOW.toISOString(),
  limits: { messages_days: 0, observed_messages_days: 30, digests_days: 28 },
  chats: [],
  groups: [
    {
      chat_id: 'c0ffee00-0000-4000-8000-000000000000',
      name: 'Family\u001b[2J',
      observed: true,
      messages: 1204,
      oldest_message_at: ago(29 * 24 + 3),
      digests: 1,
      oldest_digest_at: ago(5),
      within_limits: true,
    },
    {
      chat_id: 'c0ffee00-0000-4000-8000-000000000001',
      name: null,
      observed: false,
      messages: 2,
      oldest_message_at: ago(31 * 24),
      digests: 0,
      oldest_digest_at: null,
      within_limits: false,
    },
  ],
  runs: [{ at: ago(8), cause: 'night', messages: 96, digests: 1, scoured: true, ms: 900 }],
  next_run_at: new Date(2026, 10, 16, 4, 17).toISOString(),
  others: [{ what: 'codes to sign in', limit: 'as soon as it has expired' }],
};

test('shows the age of stored data against its limits', () => {
  expect(formatRetentionStatus(STATUS)).toEqual([
    'Messages are kept until you erase them.',
    'Messages of observed groups are kept for 30 days, digests for 28 days.',
    '',
    'Family⟨U+001B⟩[2J',
    '  Oldest message  29 d 3 h (1204 messages)',
    '  Oldest digest   5 h (1 digest)',
    '',
    'c0ffee00-0000-4000-8000-000000000001, no longer observed: over the limit, deleted at the next run',
    '  Oldest message  31 d (2 messages)',
    '  Oldest digest   none',
    '',
    'Last run 04:00: 96 messages and 1 digest deleted, also from the database files.',
    'Next run 11-16 04:17. Run it now with `relay retention run`.',
    '',
    'Other limits:',
    '  codes to sign in  as soon as it has expired',
  ]);
});

test('shows the state before a group was observed and before the first run', () => {
  const lines = formatRetentionStatus({ ...STATUS, groups: [], runs: [] });
  expect(lines).toContain('No data of observed groups is stored.');
  expect(lines).toContain('No run yet.');
});

const ANAS_CHAT = { chat_id: 'c0ffee00-0000-4000-8000-000000000002', contact_id: null };

test('shows the general limit, and the chats that have another', () => {
  const chat = { ...ANAS_CHAT, messages: 1 };
  const lines = formatRetentionStatus({
    ...STATUS,
    limits: { ...STATUS.limits, messages_days: 365 },
    chats: [
      { ...chat, name: 'Ana', days: 90, oldest_message_at: ago(48) },
      { ...chat, name: 'Mom', days: 0, messages: 0, oldest_message_at: null },
    ],
  });
  expect(lines.slice(0, 4)).toEqual([
    'Messages are kept for 365 days.',
    'Chats with their own limit:',
    '  Ana  90 days  oldest 2 d (1 message)',
    '  Mom  kept     oldest none',
  ]);
});

test('confirms the limit of a chat', () => {
  const chat = { ...ANAS_CHAT, name: 'Ana', messages: 1 };
  const confirm = (days: number | null) =>
    formatChatLimit({ ...chat, days, oldest_message_at: null });
  expect([confirm(null), confirm(0), confirm(1)]).toEqual([
    'Ana: the general limit applies.',
    'Ana: messages are kept.',
    'Ana: messages are kept for 1 day. The next run deletes older ones; start it with `relay retention run`.',
  ]);
});

const NOTHING: ErasedCounts = {
  messages: 0,
  sent: 0,
  conversations: 0,
  session_lines: 0,
  schedules: 0,
  approvals: 0,
  grants: 0,
  digests: 0,
  assistant_answers: 0,
  tool_calls: 0,
};

test('lists what would be erased by kind, and says when there is nothing', () => {
  expect(formatErasedCounts({ ...NOTHING, messages: 120, digests: 3 })).toEqual([
    '  120  messages, with their search entries',
    '    3  digests, with their facts',
  ]);
  expect(formatErasedCounts(NOTHING)).toEqual(['  only the name and the addresses']);
});

test('shows in a receipt what was erased, how thoroughly, and what was not', () => {
  const receipt: ErasureReceipt = {
    kind: 'person',
    erased: { ...NOTHING, messages: 1 },
    outside_lines: 2,
    scoured: 'all',
    ms: 1_400,
    stays: ['WhatsApp keeps its own.'],
  };
  expect(formatErasureReceipt('Ben (+49170)', receipt)).toEqual([
    'Erased: Ben (+49170), in 1 s. The database files and log were rewritten without this data.',
    '  1  messages, with their search entries',
    '  2 lines in the files of the digest export',
    '',
    'Not erased:',
    '  WhatsApp keeps its own.',
  ]);
});
