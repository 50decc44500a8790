// Texts of the chats page: who wrote each message, and what Relay may do in a chat. Pure.
import type { Chat, ChatDetail, ChatMessage, ChatMessageAuthor } from '@relay/contract/api/chats';
import { isTerminal } from '@relay/contract/conversation/states';
import { type TextId, t } from '../../i18n.ts';
import { formatContact } from '../../parts/format.ts';
import { grantSentence } from '../../parts/grant-copy.ts';
import type { EntryPlace, QuotedEntry, TranscriptEntry } from '../../parts/transcript/window.ts';

/** Labels of authors without a name of their own. */
const AUTHOR_LABELS: Readonly<Record<ChatMessageAuthor, TextId>> = {
  contact: 'common.unknownPerson',
  owner: 'common.you',
  phone: 'chats.author.phone',
  conversation: 'chats.author.conversation',
  auto_reply: 'chats.author.auto_reply',
  assistant: 'chats.author.assistant',
  program: 'chats.author.program',
  schedule: 'chats.author.schedule',
  relay: 'chats.author.relay',
};

type WrittenBy = Pick<ChatMessage, 'author' | 'name'>;

export const authorName = ({ author, name }: WrittenBy): string =>
  ((author === 'contact' || author === 'program') && name) || t(AUTHOR_LABELS[author]);

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
    marks: [
      ...(message.edits || message.edited ? [t('chats.chat.message.edited')] : []),
      ...(message.failure === undefined ? [] : [message.failure]),
      ...(message.forwarded ? [t('chats.chat.message.forwarded')] : []),
    ],
    quoted: quotedIn(message),
    whyMessageId: message.message_id,
    media: message.media,
    content: message.content,
    reactions: message.reactions.map(({ emoji, ...who }) => ({ emoji, by: authorName(who) })),
    isDeleted: message.deleted,
  });

const quotedIn = ({ quoted }: ChatMessage): QuotedEntry | null =>
  quoted && { by: authorName(quoted), label: quoted.label, text: quoted.text };

/** The last message in one line, and who wrote it unless it was the contact. */
export function lastMessage({ last }: Pick<Chat, 'last'>): {
  readonly author: string | null;
  readonly text: string;
} {
  if (last === null) return { author: null, text: t('chats.list.last.none') };
  const text =
    last.label && last.text
      ? t('chats.list.last.labelled', { label: last.label, text: last.text })
      : last.label || last.text;
  const author = last.author === 'contact' ? null : authorName(last);
  // Relay’s notices begin with its name.
  return { author: author !== null && text.startsWith(`${author}: `) ? null : author, text };
}

/** The owner's own chat is named like a contact without a name: by its number. */
export const chatTitle = ({ kind, name }: Pick<Chat, 'kind' | 'name'>): string =>
  kind === 'own' ? t('common.you') : formatContact(name);

interface ChatAccess extends Pick<Chat, 'kind' | 'name' | 'grant' | 'observed'> {
  /** Conversations in this chat: the agent of a running one reads and writes there, whatever the grant says. */
  readonly conversations?: readonly Pick<ChatDetail['conversations'][number], 'state'>[];
}

const isInConversation = ({ conversations = [] }: ChatAccess): boolean =>
  conversations.some(({ state }) => state !== 'QUEUED' && !isTerminal(state));

/** What Relay may do in this chat. */
export function chatAccessSummary(chat: ChatAccess): string {
  const { kind, grant } = chat;
  const name = chatTitle(chat);
  if (kind === 'own') return t('chats.chat.summary.own');
  if (grant === null) {
    if (isInConversation(chat)) return t('chats.chat.summary.conversation', { name });
    return t(chat.observed ? 'chats.chat.summary.observed' : 'common.grant.none', { name });
  }
  const allowed = grantSentence({
    displayName: name,
    canRead: grant.can_read,
    canReply: grant.can_reply,
    replyMode: grant.reply_mode,
    canInitiate: grant.can_initiate,
  });
  return isInConversation(chat)
    ? t('chats.chat.summary.conversationToo', { grant: allowed })
    : allowed;
}

export type ChatAccessLevel = 'own' | 'observed' | 'none' | 'read' | 'initiate' | 'draft' | 'auto';

/** The same as one word, for the list. */
export function chatAccessLevel({
  kind,
  grant,
  observed,
}: Pick<Chat, 'kind' | 'grant' | 'observed'>): ChatAccessLevel {
  if (kind === 'own') return 'own';
  if (observed) return 'observed';
  if (grant === null) return 'none';
  if (grant.can_reply) return grant.reply_mode === 'draft' ? 'draft' : 'auto';
  if (grant.can_read) return 'read';
  return grant.can_initiate ? 'initiate' : 'none';
}
