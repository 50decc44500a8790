import type { LedgerLine } from '@relay/contract/api/ledger';
import { expect, test } from 'vitest';
import { expandOutcomeGroup, readLedgerSearch } from '../../search-params.ts';
import {
  actionLabel,
  actorLabel,
  decisionDirection,
  decisionReason,
  decisionStepText,
  ledgerSummary,
  rowApprovalId,
  rowChatId,
  rowConversationId,
  rowFields,
  rowMessageId,
  rowTime,
  shortenId,
} from './copy.ts';

const ID = '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';
const line = (given: Partial<LedgerLine>): LedgerLine =>
  ({
    actor: 'router',
    subject: { kind: 'message', id: '3EB0' },
    detail: {},
    ...given,
  }) as LedgerLine;

test('the summary counts the decisions', () => {
  expect(ledgerSummary(0)).toBe('No decisions yet.');
  expect(ledgerSummary(1)).toBe('1 decision, with its reason. Rows are never changed.');
  expect(ledgerSummary(18_204)).toBe(
    '18,204 decisions, each with its reason. Rows are never changed.',
  );
});

test('rows of today show seconds, older ones their day', () => {
  const now = Date.parse('2026-11-12T14:20:00');
  expect(rowTime('2026-11-12T14:09:55', now)).toEqual({ day: null, time: '14:09:55' });
  expect(rowTime('2026-11-10T14:09:55', now)).toEqual({ day: 'Tuesday', time: '14:09:55' });
  expect(rowTime('2026-08-10T14:09:55', now)).toEqual({ day: '10 August', time: '14:09:55' });
});

test('an actor and an action are named by their codes, and unknown ones as the daemon does', () => {
  expect(actorLabel({ actor: 'owner', who: 'you' })).toBe('You');
  expect(actorLabel({ actor: 'token:1', who: 'program “my claude”' })).toBe('Client “my claude”');
  expect(actorLabel({ actor: 'moon:1', who: 'moon' })).toBe('Moon');
  expect(actionLabel({ action: 'route_message', what: 'a message came in' })).toBe(
    'Message received',
  );
  expect(actionLabel({ action: 'dance', what: 'dance' })).toBe('Dance');
});

test('a declined approval reads as declined', () => {
  const row = line({
    action: 'answer_approval',
    outcome: 'allow',
    sentence: 'You did this yourself.',
    detail: { answer: 'reject' },
  });
  expect(decisionReason(row)).toBe('You declined it.');
  expect(decisionStepText('Declined', row)).toBe('You declined it.');
  expect(rowFields(row)).toEqual([{ label: 'Your answer', value: 'Declined', isId: false }]);
});

test('a row links to its subject', () => {
  expect(rowMessageId(line({}))).toBe('3EB0');
  expect(
    rowMessageId(line({ subject: { kind: 'chat', id: 'c' }, detail: { message: '3A' } })),
  ).toBe('3A');
  expect(rowChatId(line({ detail: { chat: 'c1' } }))).toBe('c1');
  expect(rowApprovalId(line({ detail: { approval: 'a1' } }))).toBe('a1');
  expect(rowConversationId(line({ actor: 'conversation:i1' }))).toBe('i1');
  expect(decisionDirection({ action: 'route_message' })).toBe('in');
  expect(decisionDirection({ action: 'send_message' })).toBe('out');
  expect(decisionDirection({ action: 'set_hold' })).toBeNull();
});

test('the details of a row are a readable list without nested structures', () => {
  const detail = {
    run: ID,
    permit: null,
    taint: { chats: [], outside: true },
    change: 'widen',
    of_tomorrow: 3,
  };
  expect(rowFields(line({ detail }))).toEqual([
    { label: 'Model run', value: ID, isId: true },
    { label: 'Read before', value: 'chats: none, outside: yes', isId: false },
    { label: 'Change', value: 'More access', isId: false },
    { label: 'Of tomorrow', value: '3', isId: false },
  ]);
  expect(shortenId(ID)).toBe('0b6d6e4e');
  expect(shortenId('a'.repeat(64))).toBe('aaaaaaaa…aaaa');
});

test('a grant in the details reads as a sentence about the contact', () => {
  const none = { canRead: false, canReply: false, replyMode: 'auto', canInitiate: false };
  const detail = { before: none, after: { ...none, canRead: true } };
  expect(
    rowFields(line({ about: 'Mum', detail })).map(({ label, value }) => [label, value]),
  ).toEqual([
    ['Before', 'Mum has no grant. Agents may not read the messages.'],
    ['After', 'Agents may read messages from Mum but not reply.'],
  ]);
});

test('the address keeps only valid parameters', () => {
  expect(readLedgerSearch({ message: 3e10, since: 'day', outcome: ' left ', page: 2 })).toEqual({
    message: '30000000000',
    since: 'day',
    outcome: 'left',
  });
  expect(readLedgerSearch({ since: 'toString', actor: {} })).toEqual({});
  expect(expandOutcomeGroup('left')).toBe('stored,ignored,unanswered,skipped');
  expect(expandOutcomeGroup('handed_over')).toBe('handed_over');
});
