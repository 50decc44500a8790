// A message of an observed group as the observer reads it, whichever way it came. Pure. The noise filter,
// the trigger and the digests see messages in this form and in no other.
import type { MessageDetails } from '../messages/message.ts';

export const GROUP_MESSAGE_KINDS = [
  'text',
  'image',
  'video',
  'document',
  'audio',
  'sticker',
  'reaction',
  'poll',
  'contact',
  'location',
  'deleted',
  'system',
] as const;
export type GroupMessageKind = (typeof GROUP_MESSAGE_KINDS)[number];

export interface GroupMessage {
  /** Unique within the group. */
  readonly id: string;
  readonly at: Date;
  /** Tells members apart; says nothing else. */
  readonly sender: string;
  readonly senderName: string;
  readonly fromOwner: boolean;
  /** Written by the assistant itself, in answer to the owner. */
  readonly fromAssistant: boolean;
  readonly kind: GroupMessageKind;
  /**
   * Words or caption; the file name of a document, the question and options of a poll, the emoji of a
   * reaction (empty: taken back). Media without a caption is empty, or a forwarder's placeholder.
   */
  readonly text: string;
  /** The message it replies to. */
  readonly quotedId: string | null;
  readonly forwarded: boolean;
  /** Of a reaction: to which message. */
  readonly reactionTo: string | null;
  /** Of a deletion or an edit: which message is gone. */
  readonly replaces: string | null;
  /** JIDs; the text has `@<digits>` in their place. */
  readonly mentions: readonly string[];
}

// What the noise filter says of a message. Persisted with each message of an observed group.

export const NOISE_CATEGORIES = [
  'content',
  'greeting',
  'emoji_only',
  'sticker',
  'reaction',
  'forward_chain',
  'media_only',
  'chatter',
] as const;
export type NoiseCategory = (typeof NOISE_CATEGORIES)[number];

export interface NoiseVerdict {
  readonly category: NoiseCategory;
  /** Never reaches the raw buffer as a message: all but `content`. */
  readonly noise: boolean;
}

/** `before` are the last messages of the group, oldest first: a "yes" is content when it answers a question. */
export type NoiseJudge = (message: GroupMessage, before: readonly GroupMessage[]) => NoiseVerdict;

export interface JudgedMessage {
  readonly message: GroupMessage;
  readonly verdict: NoiseVerdict;
}

// A stored message read as one of a group: WhatsApp's word for its content becomes one of our kinds, and the
// placeholders of the table go. Pure. Invariant: what nobody wrote is not among the words.

/** As `messages` has it. */
interface StoredGroupMessage {
  /** WhatsApp's own word for the content, such as `imageMessage`. */
  readonly kind: string;
  readonly body: string;
  readonly details: MessageDetails | null;
}

interface Reading {
  readonly kind: GroupMessageKind;
  /** What stands in the body where the sender may have written nothing. */
  readonly placeholder?: string;
}

const READINGS: Readonly<Partial<Record<string, Reading>>> = {
  conversation: { kind: 'text' },
  extendedTextMessage: { kind: 'text' },
  imageMessage: { kind: 'image', placeholder: '[Image]' },
  videoMessage: { kind: 'video', placeholder: '[Video]' },
  ptvMessage: { kind: 'video' },
  documentMessage: { kind: 'document', placeholder: '[Document]' },
  audioMessage: { kind: 'audio', placeholder: '[Audio message]' },
  stickerMessage: { kind: 'sticker', placeholder: '[Sticker]' },
  lottieStickerMessage: { kind: 'sticker' },
  reactionMessage: { kind: 'reaction' },
  pollCreationMessage: { kind: 'poll' },
  pollCreationMessageV2: { kind: 'poll' },
  pollCreationMessageV3: { kind: 'poll' },
  contactMessage: { kind: 'contact' },
  contactsArrayMessage: { kind: 'contact' },
  locationMessage: { kind: 'location' },
  liveLocationMessage: { kind: 'location' },
  protocolMessage: { kind: 'deleted' },
};

/** What WhatsApp has no words for, such as a pin or a vote, is the service's own. */
const SERVICE: Reading = { kind: 'system' };

/** The kind it has for the observer, and what its sender said. */
export function readGroupMessage({ kind, body, details }: StoredGroupMessage): {
  readonly kind: GroupMessageKind;
  readonly text: string;
} {
  const reading = (Object.hasOwn(READINGS, kind) ? READINGS[kind] : undefined) ?? SERVICE;
  const { placeholder = `[${kind}]` } = reading;
  const bare =
    reading.kind !== 'text' && body.startsWith(placeholder)
      ? body.slice(placeholder.length).trimStart()
      : body;
  const text = [bare, details?.words ?? ''].filter((words) => words !== '').join('\n');
  return { kind: reading.kind, text };
}
