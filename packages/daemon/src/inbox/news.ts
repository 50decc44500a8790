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
    chats.set(chat, {
      ...before,
      ...timer,
      chat,
      lastMessageAt: latest(before?.lastMessageAt, sentAt),
      unread: fromMe ? 0 : (before?.unread ?? 0) + 1,
      answered: fromMe || (before?.answered ?? false),
    });
  }
  return [...chats.values()];
}

/** What is new about a person: when they last wrote, and what they call themselves. */
export interface PersonNews {
  readonly contact: ContactId;
  readonly lastMessageAt: Date;
  readonly pushName: string | null;
}

export function peopleOf(messages: readonly Placed[]): readonly PersonNews[] {
  const people = new Map<ContactId, PersonNews>();
  for (const { sender, message } of messages) {
    if (sender === null) continue;
    const before = people.get(sender);
    people.set(sender, {
      contact: sender,
      lastMessageAt: latest(before?.lastMessageAt, message.sentAt),
      pushName: message.pushName ?? before?.pushName ?? null,
    });
  }
  return [...people.values()];
}

const latest = (before: Date | undefined, now: Date): Date =>
  before !== undefined && before > now ? before : now;
