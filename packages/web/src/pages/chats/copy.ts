// Texts of the chats page: who wrote each message, and what Relay may do in a chat. Pure.
import type { Chat, ChatDetail, ChatMessage, ChatMessageAuthor } from '@relay/contract/api/chats';
import { isTerminal } from '@relay/contract/conversation/states';
import { grantSentence } from '../../parts/grant-copy.ts';
import type { EntryPlace, QuotedEntry, TranscriptEntry } from '../../parts/transcript/window.ts';

const AUTHORS: Readonly<Record<Exclude<ChatMessageAuthor, 'contact' | 'program'>, string>> = {
  owner: 'You',
  phone: 'You, on your phone',
  conversation: 'Agent, in a conversation',
  auto_reply: 'Agent, answering',
  assistant: 'Assistant',
  schedule: 'Scheduled',
  relay: 'Relay',
};

type WrittenBy = Pick<ChatMessage, 'author' | 'name'>;

export const authorName = ({ author, name }: WrittenBy): string =>
  author === 'contact' || author === 'program' ? (name ?? 'A program') : AUTHORS[author];

const entrySide = (author: ChatMessageAuthor): TranscriptEntry['side'] => {
  if (author === 'contact') return 'contact';
  return author === 'owner' || author === 'phone' ? 'owner' : 'agent';
};

export const placeFromCursor = (cursor: string): EntryPlace => {
  const [at = 0, id = 0] = cursor.split('_').map(Number);
  return [at, id];
};

/** In a chat of two the contact is not named on each message. */
export const toChatEntry =
  (isGroup: boolean) =>
  (message: ChatMessage): TranscriptEntry => ({
    key: message.cursor,
    place: placeFromCursor(message.cursor),
    side: entrySide(message.author),
    authorName: message.author === 'contact' && !isGroup ? null : authorName(message),
    label: message.label,
    text: message.text,
    at: message.at,
    delivery: message.delivery,
    marks: [...(message.edits ? ['Edited'] : []), ...(message.forwarded ? ['Forwarded'] : [])],
    quoted: quotedIn(message),
    whyMessageId: message.message_id,
  });

const quotedIn = ({ quoted }: ChatMessage): QuotedEntry | null =>
  quoted && { by: authorName(quoted), label: quoted.label, text: quoted.text };

/** The last message in one line. */
export function lastMessageText({ last }: Pick<Chat, 'last'>): string {
  if (last === null) return 'Nothing is kept of it.';
  const said = [last.label, last.text].filter(Boolean).join(': ');
  return last.author === 'contact' ? said : `${authorName(last)}: ${said}`;
}

interface ChatAccess extends Pick<Chat, 'kind' | 'name' | 'grant' | 'observed'> {
  /** Conversations in this chat: the agent of a running one reads and writes there, whatever the grant says. */
  readonly conversations?: readonly Pick<ChatDetail['conversations'][number], 'state'>[];
}

const isInConversation = ({ conversations = [] }: ChatAccess): boolean =>
  conversations.some(({ state }) => state !== 'QUEUED' && !isTerminal(state));

/** What Relay may do there, as one sentence. */
export function chatAccessSentence(chat: ChatAccess): string {
  if (chat.kind === 'own') return 'This is your own chat. Your assistant reads it and answers you.';
  const { grant, name } = chat;
  if (grant === null) {
    if (isInConversation(chat)) return `${name} is open inside a conversation until it ends.`;
    return chat.observed
      ? `Relay reads ${name} in silence and sums it up.`
      : `Nobody opened ${name}. No agent sees what is written here.`;
  }
  return grantSentence({
    displayName: name,
    canRead: grant.can_read,
    canReply: grant.can_reply,
    replyMode: grant.reply_mode,
  });
}

/** The same in one or two words. */
export function chatAccessMark({
  kind,
  grant,
  observed,
}: Pick<Chat, 'kind' | 'grant' | 'observed'>) {
  if (kind === 'own') return 'Yours';
  if (observed) return 'Observed';
  if (grant === null || (!grant.can_read && !grant.can_reply)) return 'Closed';
  if (!grant.can_reply) return 'Read';
  return grant.reply_mode === 'draft' ? 'Drafts' : 'Answers';
}

/** Who reads this chat: the owner is looking at it, and only a grant lets anyone else read. */
export function peekSentence(chat: ChatAccess): string {
  const { kind, name, grant, observed } = chat;
  const quiet = 'Nobody is told that you looked.';
  if (kind === 'own') return `Your own words. ${quiet}`;
  return grant?.can_read || observed || isInConversation(chat)
    ? `This is your own look; what agents see of ${name} is up to what you opened. ${quiet}`
    : `You look here, and no agent does as long as ${name} is closed. ${quiet}`;
}

/** The summary of the list: where the last message was, among the chats that match. */
export function chatsSentence(chats: readonly Pick<Chat, 'name' | 'last'>[], q = ''): string {
  const [newest] = chats;
  if (newest === undefined) return q === '' ? 'Nothing was said yet.' : 'Nobody is called so.';
  if (newest.last?.author === 'contact') return `${newest.last.name ?? newest.name} wrote last.`;
  return `The last words went to ${newest.name}.`;
}
