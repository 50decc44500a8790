import type { Approval } from '@relay/contract/api/approvals';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import { REASONS } from '@relay/core/policy/reasons';
import { expect, test } from 'vitest';
import { t } from '../../i18n.ts';
import { readApprovalsSearch } from '../../search-params.ts';
import {
  APPROVAL_STATE_DISPLAY,
  approvalStepText,
  approvalsSummary,
  approvalTitle,
  requesterName,
  shortHash,
  shortReason,
  shownState,
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
  expect(approvalsSummary('pending', 0, false)).toMatch(/^No approvals waiting\. /);
  expect(approvalsSummary('pending', 3, false)).toBe(
    '3 approvals waiting. Each approval is used once, for exactly the text shown.',
  );
  expect(approvalsSummary('pending', 50, true)).toMatch(/^50\+ approvals waiting\. /);
  expect(approvalsSummary('approved', 1, false)).toBe('1 approved, newest first.');
  expect(approvalsSummary('rejected', 0, false)).toBe('Nothing declined.');
  expect(approvalsSummary('expired', 2, false)).toBe('2 expired, newest first.');
});

test('a rejected approval is shown as declined, or as changed if another text replaced it', () => {
  const word = (replaced_by: string | null) =>
    t(APPROVAL_STATE_DISPLAY[shownState({ state: 'rejected', replaced_by })].label);
  expect([word(null), word('approval-2')]).toEqual(['Declined', 'Changed']);
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
  expect(whenApprovalTakesEffect(approval(), status({}))).toBe(
    'Sent immediately, after a short typing delay.',
  );
  expect(whenApprovalTakesEffect(approval(), status({ sending: { waiting: 2 } }))).toContain(
    '2 messages ahead in the queue',
  );
  expect(whenApprovalTakesEffect(approval(), status({ whatsapp_connected: false }))).toContain(
    'WhatsApp reconnects',
  );
  expect(whenApprovalTakesEffect(approval(), status({ hold: true }))).toContain(
    'Sending is on hold',
  );
  expect(
    whenApprovalTakesEffect(
      approval({ kind: 'schedule_message', when: 'every Monday' }),
      undefined,
    ),
  ).toBe('Sent at the scheduled time.');
});

test('ledger rows are shown as steps', () => {
  const row = (given: Partial<LedgerLine>) =>
    approvalStepText(
      { actor: 'auto_reply:chat', action: 'send_message', detail: {}, ...given } as LedgerLine,
      approval(),
    );
  const answer = (given: string) =>
    row({ action: 'answer_approval', outcome: 'allow', detail: { answer: given } });
  expect(row({ outcome: 'needs_approval' })).toBe('Approval requested by Auto-reply.');
  expect(answer('edit')).toBe('You changed the text.');
  expect(answer('reject')).toBe('You declined it.');
  expect(row({ outcome: 'allow' })).toBe('Allowed exactly as shown.');
  expect(row({ outcome: 'deny', sentence: 'Sending is on hold.' })).toBe(
    'Refused. Sending is on hold.',
  );
});

test('a short hash is long enough to compare', () => {
  expect(shortHash(`7f3a91c4${'0'.repeat(52)}e20b`)).toBe('7f3a 91c4 … e20b');
});

test('an invalid address shows the pending approvals', () => {
  expect(readApprovalsSearch({ state: 'rejected' })).toEqual({ state: 'rejected' });
  expect(readApprovalsSearch({ state: 'pending', other: 1 })).toEqual({});
  expect(readApprovalsSearch({ state: ['approved', 'x'] })).toEqual({});
});
