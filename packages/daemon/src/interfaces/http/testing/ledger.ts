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
  what: 'a message came in',
  subject: { kind: 'message', id: '3EB0AA' },
  about: 'Mom',
  outcome: 'stored',
  reason: 'no_grant',
  sentence: 'You have granted nothing here.',
  detail: {},
};

const why: MessageExplanation = {
  sentence: 'Stored and not answered: nobody granted reading Mom; it was counted as a knock.',
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
  sentence: 'The chain of decisions is whole.',
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
