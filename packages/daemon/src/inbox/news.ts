// What a batch of new messages means for the chats and people in it. Pure: the last word of each counts.
import type { ChatId, ContactId } from '@relay/core/ids';
import type { ChatNews } from '../store/messages.ts';
import type { Placed } from './placed.ts';

/** Plain words always say whether they disappear; of other kinds only a timer that is there is believed. */
const SAYS_SO = ['conversation', 'extendedTextMessage'];

export function newsOf(messages: readonly Placed[]): readonly ChatNews[] {
  const chats = new Map<ChatId, ChatNews>();
  for (const { chat, message } of messages) {
    const before = chats.get(chat);
    const { sentAt, fromMe, expiresAfterS, kind } = message;
    const timer = expiresAfterS !== null || SAYS_SO.includes(kind) ? { expiresAfterS } : {};
    const earlier = before?.lastMessageAt;
    chats.set(chat, {
      ...before,
      ...timer,
      chat,
      lastMessageAt: earlier !== undefined && earlier > sentAt ? earlier : sentAt,
      unread: fromMe ? 0 : (before?.unread ?? 0) + 1,
      answered: fromMe || (before?.answered ?? false),
    });
  }
  return [...chats.values()];
}

export function pushNames(messages: readonly Placed[]): ReadonlyMap<ContactId, string> {
  const names = new Map<ContactId, string>();
  for (const { sender, message } of messages) {
    if (sender !== null && message.pushName !== null) names.set(sender, message.pushName);
  }
  return names;
}
