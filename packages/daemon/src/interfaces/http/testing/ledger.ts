// Fixtures for the ledger: one valid row, and the explanation of one message.
import type { LedgerLine, LedgerVerdict, MessageExplanation } from '@relay/contract/api/ledger';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import { INSTANCE_ID } from './conversations.ts';
import type { Recorded } from './recorded.ts';

const decided: LedgerLine = {
  seq: 1,
  at: AT,
  actor: 'router',
  who: 'router',
  action: 'route_message',
  what: 'receive a message',
  subject: { kind: 'message', id: '3EB0AA' },
  about: 'Mom',
  outcome: 'stored',
  reason: 'no_grant',
  sentence: 'This contact has no grant.',
  read_before: null,
  detail: {},
};

const why: MessageExplanation = {
  sentence: 'Stored, not answered: Mom had no grant; it was counted as a message request.',
  message_id: '3EB0AA',
  outbox_id: null,
  way: 'in',
  chat: { id: INSTANCE_ID, kind: 'direct', name: 'Mom' },
  at: AT,
  outcome: 'stored',
  reason: 'no_grant',
  run: null,
  instance_id: null,
  schedule_id: null,
  approval: null,
  deliveries: [],
  rows: [decided],
};

const verdict: LedgerVerdict = {
  whole: true,
  sentence: 'The chain of decisions is intact.',
  fault: null,
  checked: 1,
  rows: 1,
  full: false,
  head: '',
};

export const ledgerStandIns = (recorded: Recorded): Pick<HttpDeps, 'ledger'> => ({
  ledger: {
    why: recorded('why', async () => why),
    list: recorded('listLedger', async () => ({ entries: [decided], cursor: '1', more: false })),
    linesAboutApproval: recorded('askedInLedger', async () => [decided]),
    verify: recorded('verifyLedger', async ({ full }) => ({ ...verdict, full })),
  },
});
