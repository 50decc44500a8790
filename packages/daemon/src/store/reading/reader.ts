// The owner's own look into what is kept. It only reads: nothing is marked as seen, no receipt leaves, and no agent
// has this in its hands.
import { RelayError } from '@relay/core/errors';
import { type ChatId, chatId } from '@relay/core/ids';
import type { ChatReader } from '@relay/core/ports/chats';
import { listChats, oneChat, type Reading } from './chats.ts';
import { chatMessages } from './messages.ts';

export function chatReader(reading: Reading): ChatReader {
  return {
    list: (query) => listChats(reading, query),
    get: async (id) => oneChat(reading, named(id)),
    async messages(id, query) {
      const chat = named(id);
      const page = await chatMessages(reading.db, reading.account, chat, query);
      // An empty page is right for a chat of which nothing is kept, and wrong for one that never was.
      if (page.messages.length === 0) await oneChat(reading, chat);
      return page;
    },
  };
}

/** Whatever is no id names no chat. */
function named(id: string): ChatId {
  try {
    return chatId(id);
  } catch {
    throw new RelayError('chat_gone');
  }
}
