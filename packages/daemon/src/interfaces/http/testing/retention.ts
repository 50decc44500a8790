// Fixtures for retention: limits that are kept, and a contact without any data.
import type {
  ErasedCounts,
  ErasureReceipt,
  ForgetPreview,
  RetentionChat,
  RetentionRun,
  RetentionStatus,
} from '@relay/contract/api/retention';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const enforced: RetentionRun = {
  at: AT,
  cause: 'owner',
  messages: 0,
  digests: 0,
  scoured: true,
  ms: 1,
};

const kept: RetentionStatus = {
  now: AT,
  limits: { messages_days: 0, observed_messages_days: 30, digests_days: 28 },
  chats: [],
  groups: [],
  runs: [enforced],
  next_run_at: AT,
  others: [],
};

const chat: RetentionChat = {
  chat_id: 'c0ffee00-0000-4000-8000-0000000000ab',
  contact_id: null,
  name: null,
  days: 90,
  messages: 0,
  oldest_message_at: null,
};

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

const nobody: ForgetPreview = {
  id: '',
  kind: 'person',
  name: null,
  counts: NOTHING,
  open_conversations: 0,
};

const receipt: ErasureReceipt = {
  kind: 'person',
  erased: NOTHING,
  outside_lines: 0,
  scoured: 'all',
  ms: 1,
  stays: [],
};

export const retentionStandIns = (recorded: Recorded): Pick<HttpDeps, 'retention'> => ({
  retention: {
    status: recorded('retention', async () => kept),
    setChat: recorded('setChatRetention', async () => chat),
    run: recorded('runRetention', async () => enforced),
    preview: recorded('previewForget', async (id) => ({ ...nobody, id })),
    forget: recorded('forget', async () => receipt),
  },
});
