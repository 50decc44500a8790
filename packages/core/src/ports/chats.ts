// The chats as their owner reads them. Implemented by `store`; every refusal is a RelayError from the one table.
import type {
  ChatDetail,
  ChatMessages,
  ChatMessagesQuery,
  ChatsPage,
  ChatsQuery,
} from '../api/chats.ts';

export interface ChatReader {
  list(query: ChatsQuery): Promise<ChatsPage>;
  get(id: string): Promise<ChatDetail>;
  messages(id: string, query: ChatMessagesQuery): Promise<ChatMessages>;
}
