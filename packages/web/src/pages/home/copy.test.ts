import type { DaemonStatus } from '@relay/contract/api/status';
import { expect, test } from 'vitest';
import { decisionDisplay } from '../../parts/outcomes.ts';
import { homeSummary, withoutListedApprovals } from './copy.ts';

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
    active_instance_count: 0,
    sending: { sent_today: 3 },
  } as DaemonStatus;
  expect(homeSummary(status, undefined, false)).toBe(
    'Connected to WhatsApp. 2 items are waiting for you. 3 messages sent in the last 24 hours, no active conversations.',
  );
  expect(homeSummary({ ...status, hold: true, waiting_count: 0 }, undefined, false)).toContain(
    'Sending is on hold. Nothing is waiting for you.',
  );
  expect(homeSummary(status, undefined, true)).toBe('Relay is not responding.');
});

test('a declined approval is shown as declined, although the ledger allowed the answer', () => {
  const answered = (answer: string) =>
    decisionDisplay({ action: 'answer_approval', outcome: 'allow', detail: { answer } }).word;
  expect(['approve', 'reject', 'edit'].map(answered)).toEqual(['Approved', 'Declined', 'Changed']);
});
