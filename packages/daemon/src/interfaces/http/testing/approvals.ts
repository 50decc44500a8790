// A fixture with one approval, which every answer returns.
import type { Approval } from '@relay/contract/api/approvals';
import { approvalId } from '@relay/contract/ids';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import { INSTANCE_ID } from './conversations.ts';
import type { Recorded } from './recorded.ts';

const approval: Approval = {
  id: '1c6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  state: 'pending',
  kind: 'send_message',
  recipient: '+56912345678',
  recipient_name: null,
  text: 'hello',
  hidden_characters: [],
  when: null,
  chat_id: INSTANCE_ID,
  shown: 'a'.repeat(64),
  reason: 'Replies in this chat are drafts that you approve.',
  reason_code: 'draft',
  risks: [],
  requested_by: 'owner',
  requested_by_name: null,
  instance_id: null,
  created_at: AT,
  expires_at: AT,
  decided_at: null,
  answer: null,
  replaced_by: null,
};

export const approvalStandIns = (recorded: Recorded): Pick<HttpDeps, 'approvals'> => ({
  approvals: {
    find: recorded('findApproval', async (given) => approvalId(given)),
    list: recorded('listApprovals', async () => [approval]),
    approve: recorded('approve', async () => approval),
    show: recorded('showApproval', async () => approval),
    edit: recorded('editApproval', async () => approval),
    reject: recorded('reject', async () => approval),
  },
});
