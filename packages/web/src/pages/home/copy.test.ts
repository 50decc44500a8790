import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import { expect, test } from 'vitest';
import { decisionDisplay } from '../../parts/outcomes.ts';
import { foldDecisions, homeSummary, withoutListedApprovals } from './copy.ts';

test('a conversation that waits for an approval is shown only by its approval', () => {
  const stopped = [
    { id: 'leak', approval_id: null },
    { id: 'van', approval_id: 'approval-1' },
    { id: 'desk', approval_id: 'approval-2' },
  ];
  const shown = withoutListedApprovals(stopped, [{ id: 'approval-1' }, { id: 'other' }]);
  expect(shown.map(({ id }) => id)).toEqual(['leak', 'desk']);
});

test('the summary names the state of Relay, and shows no old counts while it does not respond', () => {
  const status = {
    hold: false,
    whatsapp_connected: true,
    waiting_count: 2,
    knocks_waiting: 0,
    active_instance_count: 0,
    sending: { sent_today: 3 },
  } as DaemonStatus;
  expect(homeSummary(status, undefined, false, null)).toBe(
    'Connected to WhatsApp. 2 items are waiting for you. 3 messages sent in the last 24 hours, no active conversations.',
  );
  expect(homeSummary(status, undefined, false, 1)).toContain('1 message sent in the last 24 hours');
  expect(
    homeSummary({ ...status, hold: true, waiting_count: 0 }, undefined, false, null),
  ).toContain('Sending is on hold. Nothing is waiting for you.');
  expect(
    homeSummary({ ...status, waiting_count: 0, knocks_waiting: 2 }, undefined, false, null),
  ).toContain('Connected to WhatsApp. 2 message requests. 3 messages sent');
  expect(homeSummary(status, undefined, true, null)).toBe('Relay is not responding.');
});

test('a declined approval is shown as declined, although the ledger allowed the answer', () => {
  const answered = (answer: string) =>
    decisionDisplay({ action: 'answer_approval', outcome: 'allow', detail: { answer } }).word;
  expect(['approve', 'reject', 'edit'].map(answered)).toEqual(['Approved', 'Declined', 'Changed']);
});

test('neighbouring decisions that say the same of the same contact are one line with their number', () => {
  const line = (seq: number, about: string, sentence = 'Read silently.') =>
    ({
      seq,
      about,
      who: 'router',
      action: 'route',
      outcome: 'handed_over',
      sentence,
    }) as LedgerLine;
  const entries = [
    ...[line(9, 'Class 3b'), line(8, 'Class 3b'), line(7, 'Class 3b', 'Stored.')],
    ...[line(6, 'Kofi'), line(5, 'Class 3b'), line(4, 'Class 3b')],
  ];
  const shown = (most: number) =>
    foldDecisions(entries, most).map(({ entry, count }) => [entry.seq, count]);
  expect(shown(8)).toEqual([
    [9, 2],
    [7, 1],
    [6, 1],
    [5, 2],
  ]);
  expect(shown(2)).toEqual([
    [9, 2],
    [7, 1],
  ]);
});
