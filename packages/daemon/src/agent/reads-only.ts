// The hooks of a session whose run began with the one chat that it reads: text of anybody else must not get into it.
import type { ChatId } from '@relay/core/ids';
import type { SessionHooks } from './session.ts';

export const readsOnly = (...chats: ChatId[]): Pick<SessionHooks, 'read' | 'reads'> => ({
  read: { chats, outside: false },
  reads: () => Promise.reject(new Error('text from elsewhere in a run that reads one chat')),
});
