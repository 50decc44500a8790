import { INSTANCE_STATES, isTerminal } from '@relay/contract/conversation/states';
import pc from 'picocolors';
import { expect, test } from 'vitest';
import { textWidth } from '../../format.ts';
import { instanceOf, lineOf } from '../../testing/fake-conversations.ts';
import {
  describeFollowUp,
  describeOutcome,
  formatConversationCard,
  formatConversationTable,
  formatProgressBar,
  formatTranscriptLine,
  listPossibleCommands,
  sortByAttention,
} from './format.ts';

const now = Date.parse('2026-11-15T08:00:00.000Z');
const plain = pc.createColors(false);
const bright = pc.createColors(true);
const at = (ms: number) => new Date(now + ms).toISOString();
const HOSTILE = `Say 日本 👨‍👩‍👧 \u001b[2J\u202e${'x'.repeat(300)}`;

test.each([
  [{ next_follow_up_at: at(720_000) }, 'in 12 min, 1 of 3'],
  [{ next_follow_up_at: at(720_000), follow_up_count: 2 }, 'in 12 min, 3 of 3'],
  [{ next_follow_up_at: at(30_000), follow_up_count: 5 }, 'ends in 30 s'],
  [{ next_follow_up_at: at(-1) }, 'now, 1 of 3'],
  [{ follow_up_count: 2 }, '2 of 3 sent'],
  [{ follow_up_count: 2, state: 'COMPLETED' as const }, ''],
  [{}, ''],
])('describes the follow-up of %j as: %s', (given, text) => {
  expect(describeFollowUp(instanceOf(given), now)).toBe(text);
});

test('lists the commands that the state allows, and none for an ended conversation', () => {
  const offered = (state: (typeof INSTANCE_STATES)[number]) =>
    listPossibleCommands(instanceOf({ state })).map((command) => command.split(' ')[1]);
  expect(offered('CREATED')).toEqual(['pause', 'cancel']);
  expect(offered('WAITING_FOR_REPLY')).toEqual(['send', 'pause', 'cancel']);
  expect(offered('PAUSED')).toEqual(['resume', 'send', 'cancel']);
  expect(offered('NEEDS_HUMAN_INTERVENTION')).toEqual(['resume', 'send', 'pause', 'cancel']);
  for (const state of INSTANCE_STATES.filter(isTerminal)) expect(offered(state)).toEqual([]);
});

test('sorts conversations that need the owner first and ended ones last', () => {
  const states = ['COMPLETED', 'PAUSED', 'NEEDS_HUMAN_INTERVENTION', 'CREATED', 'FAILED'] as const;
  expect(
    sortByAttention(states.map((state) => instanceOf({ state }))).map(({ state }) => state),
  ).toEqual(['NEEDS_HUMAN_INTERVENTION', 'PAUSED', 'CREATED', 'COMPLETED', 'FAILED']);
});

test('shows a cancelled conversation as cancelled, and a failed one as failed', () => {
  const look = { columns: null, colours: plain, now, all: true };
  const cancelled = instanceOf({
    state: 'FAILED',
    failure_reason: 'cancelled',
    reason: 'The conversation was cancelled.',
  });
  const [, row] = formatConversationTable([cancelled], look);
  expect(row).toContain('CANCELLED');
  expect(row).toContain('The conversation was cancelled.');
  expect(formatConversationCard(cancelled, [], look).slice(0, 3)).toEqual([
    '● CANCELLED',
    '  The conversation was cancelled.',
    '',
  ]);
  expect(describeOutcome(cancelled, plain)).toBe('CANCELLED: The conversation was cancelled.');
  const failed = instanceOf({ state: 'FAILED', failure_reason: 'No model.', reason: 'No model.' });
  expect(describeOutcome(failed, plain)).toBe('FAILED: No model.');
});

test('shows the contact’s name in the list, and their number as well in detail', () => {
  const look = { columns: null, colours: plain, now, all: true };
  const named = { ...instanceOf({ target_contact: '+491701234567' }), contact_name: 'Mom' };
  expect(formatConversationTable([named], look)[1]).toContain('  Mom  ');
  expect(formatConversationCard(named, [], look)).toContain('  Contact      Mom (+491701234567)');
  const unnamed = { ...named, contact_name: null };
  expect(formatConversationCard(unnamed, [], look)).toContain('  Contact      +491701234567');
});

test('draws a progress bar that is full only when every todo is done', () => {
  expect(formatProgressBar(0, 3, plain)).toBe('░░░░░░░░░░░░░░░░░░░░ 0 of 3 done');
  expect(formatProgressBar(49, 50, plain)).toBe('███████████████████░ 49 of 50 done');
  expect(formatProgressBar(2, 2, plain)).toBe('████████████████████ 2 of 2 done');
});

test('hostile text cannot break the layout or control the terminal', () => {
  const instance = instanceOf({
    target_contact: HOSTILE.slice(0, 60),
    objective: HOSTILE,
    reason: HOSTILE,
    facts: [HOSTILE],
    todos: [{ id: '1', text: HOSTILE, status: 'pending' }],
    state: 'NEEDS_HUMAN_INTERVENTION',
  });
  for (const columns of [30, 44, 60, 79, 80, 100, 140, 200]) {
    for (const colours of [plain, bright]) {
      const look = { columns, colours, now };
      const listed = formatConversationTable([instance], look);
      const said = formatTranscriptLine(lineOf({ content: HOSTILE, delivery: 'read' }), look);
      const told = formatConversationCard(instance, [], { ...look, all: true });
      for (const line of [...listed, ...said]) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      const steering = /\u001b(?!\[\d+m)|\u202e/;
      for (const line of [...listed, ...said, ...told]) expect(line).not.toMatch(steering);
    }
  }
});
