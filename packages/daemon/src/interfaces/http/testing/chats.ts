// A fixture with one chat without messages.
import type { ChatDetail } from '@relay/contract/api/chats';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import { INSTANCE_ID } from './conversations.ts';
import type { Recorded } from './recorded.ts';

const chat: ChatDetail = {
  id: INSTANCE_ID,
  kind: 'direct',
  name: 'Mom',
  contact_id: null,
  phone_number: null,
  grant: null,
  observed: false,
  last_message_at: AT,
  last: null,
  conversations: [],
  address: null,
  suggests: false,
  suggestion: null,
};

export const chatStandIns = (recorded: Recorded): Pick<HttpDeps, 'chats' | 'drafts'> => ({
  drafts: {
    draft: recorded('draftMessage', async () => ({ text: 'On my way.' })),
    dismissSuggestion: recorded('dismissSuggestion', async () => {}),
  },
  chats: {
    list: recorded('listChats', async () => ({ chats: [], cursor: null })),
    get: recorded('getChat', async () => chat),
    messages: recorded('listChatMessages', async () => ({
      messages: [],
      older: false,
      newer: false,
    })),
  },
});
