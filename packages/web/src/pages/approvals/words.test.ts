import type { Approval } from '@relay/contract/api/approvals';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import { REASONS } from '@relay/core/policy/reasons';
import { expect, test } from 'vitest';
import { readApprovalsSearch } from '../../search-params.ts';
import {
  approvalStepText,
  approvalsSentence,
  approvalTitle,
  requesterName,
  shortHash,
  shortReason,
  sourcesReadBefore,
  whenApprovalTakesEffect,
} from './copy.ts';

const approval = (given: Partial<Approval> = {}): Approval =>
  ({
    kind: 'send_message',
    recipient: '+14155550101',
    recipient_name: 'Dana',
    reason_code: 'draft',
    requested_by: 'auto_reply:chat',
    requested_by_name: null,
    when: null,
    ...given,
  }) as Approval;

test('the summary counts the approvals and says when the count is incomplete', () => {
  expect(approvalsSentence('pending', 0, false)).toBe('Nothing waits for your yes.');
  expect(approvalsSentence('pending', 3, false)).toBe('Three things wait for your yes.');
  expect(approvalsSentence('pending', 50, true)).toBe('50 or more things wait for your yes.');
  expect(approvalsSentence('approved', 1, false)).toBe('You said yes to one thing.');
  expect(approvalsSentence('rejected', 0, false)).toBe('You said no to nothing yet.');
  expect(approvalsSentence('expired', 2, false)).toBe('Two things ran out unanswered.');
});

test('a queue line names the action, the contact and the requester', () => {
  expect(approvalTitle(approval())).toBe('Reply to Dana');
  expect(approvalTitle(approval({ requested_by: 'token:1' }))).toBe('Send to Dana');
  expect(approvalTitle(approval({ reason_code: 'first_contact' }))).toBe('First message to Dana');
  expect(requesterName(approval())).toBe('Auto-reply');
  expect(requesterName(approval({ requested_by: 'token:1', requested_by_name: 'claude' }))).toBe(
    'claude',
  );
});

test('every approval reason has its own text, and an unknown reason is shown as is', () => {
  const asking = Object.entries(REASONS).filter(([, { outcome }]) => outcome === 'needs_approval');
  for (const [reason_code] of asking) {
    expect(shortReason(approval({ reason_code })), reason_code).not.toBe(
      reason_code.replaceAll('_', ' '),
    );
  }
  expect(shortReason(approval({ reason_code: 'moon_phase' }))).toBe('moon phase');
});

test('the time of sending depends on the hold, the connection and the queue', () => {
  const status = (given: object) =>
    ({ hold: false, whatsapp_connected: true, sending: { waiting: 0 }, ...given }) as DaemonStatus;
  expect(whenApprovalTakesEffect(approval(), status({}))).toContain('at once');
  expect(whenApprovalTakesEffect(approval(), status({ sending: { waiting: 2 } }))).toContain(
    'behind 2 others',
  );
  expect(whenApprovalTakesEffect(approval(), status({ whatsapp_connected: false }))).toContain(
    'connected again',
  );
  expect(whenApprovalTakesEffect(approval(), status({ hold: true }))).toContain(
    'You hold all sending',
  );
  expect(
    whenApprovalTakesEffect(
      approval({ kind: 'schedule_message', when: 'every Monday' }),
      undefined,
    ),
  ).toBe('Leaves when its time has come.');
});

test('ledger rows are shown as steps', () => {
  const row = (given: Partial<LedgerLine>) =>
    approvalStepText({
      who: 'auto-reply',
      what: 'write a message',
      detail: {},
      ...given,
    } as LedgerLine);
  expect(row({ outcome: 'needs_approval' })).toBe('Auto-reply asked to write a message.');
  expect(row({ action: 'answer_approval', detail: { answer: 'edit' } })).toBe(
    'You changed the words.',
  );
  expect(row({ outcome: 'deny', sentence: 'Sending is on hold.' })).toContain('on hold');
});

test('a short hash is long enough to compare, and sources read before are named', () => {
  expect(shortHash(`7f3a91c4${'0'.repeat(52)}e20b`)).toBe('7f3a 91c4 … e20b');
  expect(sourcesReadBefore('It read something. Read before: Priya Raman, 2 other chats.')).toBe(
    'Priya Raman, 2 other chats',
  );
  expect(sourcesReadBefore('Replies here are drafts.')).toBeNull();
});

test('an invalid address shows the pending approvals', () => {
  expect(readApprovalsSearch({ state: 'rejected' })).toEqual({ state: 'rejected' });
  expect(readApprovalsSearch({ state: 'pending', other: 1 })).toEqual({});
  expect(readApprovalsSearch({ state: ['approved', 'x'] })).toEqual({});
});
