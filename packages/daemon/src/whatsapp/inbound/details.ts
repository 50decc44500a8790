// What a message carries beside the words of seed 000's table: whether it was passed on, whom it names, what
// a reaction, a poll, a contact or a place says. Invariant: bounded, whatever a stranger put into it.
import type { MessageDetails } from '@relay/core/messages/message';
import type { Part } from './part.ts';
import { cleanText } from './unreadable.ts';

const LONGEST_WORDS = 4_096;
const LONGEST_JID = 128;
/** A group has no more members than this. */
const MOST_MENTIONS = 1_024;

const WORDS: Readonly<Partial<Record<string, (part: Part) => string | null | undefined>>> = {
  reactionMessage: ({ text }) => text ?? '',
  documentMessage: ({ caption }) => caption,
  contactMessage: ({ displayName }) => displayName,
  locationMessage: ({ name, address }) => [name, address].filter(Boolean).join(', '),
  liveLocationMessage: ({ caption }) => caption,
  pollCreationMessage: pollWords,
  pollCreationMessageV2: pollWords,
  pollCreationMessageV3: pollWords,
};

export function detailsOf(kind: string, part: Part, edits: boolean): MessageDetails | null {
  const { contextInfo } = part;
  const mentions = (contextInfo?.mentionedJid ?? []).slice(0, MOST_MENTIONS);
  const words = Object.hasOwn(WORDS, kind) ? WORDS[kind]?.(part) : null;
  const forwarded = contextInfo?.isForwarded === true || (contextInfo?.forwardingScore ?? 0) > 0;
  const details: MessageDetails = {
    ...(forwarded ? { forwarded } : {}),
    ...(edits ? { edits } : {}),
    ...(mentions.length > 0
      ? { mentions: mentions.map((jid) => cleanText(String(jid), LONGEST_JID)) }
      : {}),
    ...(words || (words === '' && kind === 'reactionMessage')
      ? { words: cleanText(words, LONGEST_WORDS) }
      : {}),
  };
  return Object.keys(details).length === 0 ? null : details;
}

function pollWords({ name, options }: Part): string {
  const choices = (options ?? []).flatMap(({ optionName }) => optionName ?? []);
  return [name ?? '', ...choices.map((choice) => `- ${choice}`)].join('\n').trim();
}
