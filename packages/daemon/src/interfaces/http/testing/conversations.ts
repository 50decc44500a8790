// A fixture with one conversation, which every operation returns.
import {
  type ConversationInstance,
  countByStateAndTurn,
  type ListedInstance,
  type TranscriptLine,
} from '@relay/contract/api/instances';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

export const INSTANCE_ID = '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d';

export const instance: ConversationInstance = {
  id: INSTANCE_ID,
  objective: 'Get a quote',
  target_contact: '+56912345678',
  todos: [],
  facts: [],
  state: 'CREATED',
  previous_state: null,
  heartbeat_config: { interval_ms: 1_800_000, max_followups: 5 },
  follow_up_count: 0,
  failure_reason: null,
  created_at: AT,
  updated_at: AT,
  next_follow_up_at: null,
  reason: 'The agent is about to write the first message.',
  unread: 0,
  chat_id: '3e6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  created_by: 'owner',
};

export const listedInstance: ListedInstance = {
  ...instance,
  contact_id: '6f1c2b3d-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  contact_name: null,
  turn: 'agent',
  approval_id: null,
};

const message: TranscriptLine = {
  id: 'm1',
  instance_id: INSTANCE_ID,
  role: 'manual',
  content: 'hello',
  timestamp: AT,
  delivery: 'pending',
  message_id: null,
};

export const conversationStandIns = (recorded: Recorded): Pick<HttpDeps, 'conversations'> => ({
  conversations: {
    create: recorded('create', async () => ({ id: INSTANCE_ID, state: 'CREATED' as const })),
    list: recorded('list', async () => [listedInstance]),
    counts: recorded('counts', async () =>
      countByStateAndTurn([{ state: 'CREATED', n: 1, holding: 0 }]),
    ),
    get: recorded('get', async () => listedInstance),
    transcript: recorded('transcript', async () => [message]),
    transitions: recorded('transitions', async () => []),
    cancel: recorded('cancel', async () => instance),
    pause: recorded('pause', async () => instance),
    resume: recorded('resume', async () => instance),
    send: recorded('send', async () => message),
  },
});
