// A message of an observed group, whichever way it was received, and the names of the members who write. The noise
// filter, the trigger and the digests only use this form.
import { foldName } from '../contacts/match.ts';
import { shortName } from '../ledger/format.ts';
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
  /** Distinguishes members; has no other meaning. */
  readonly sender: string;
  readonly senderName: string;
  readonly fromOwner: boolean;
  /** Written by the assistant, in answer to the owner. */
  readonly fromAssistant: boolean;
  readonly kind: GroupMessageKind;
  /**
   * Text or caption; a document's file name, a poll's question and options, a reaction's emoji (empty: removed). Media
   * without a caption is empty or has a forwarder's placeholder.
   */
  readonly text: string;
  /** The message it replies to. */
  readonly quotedId: string | null;
  readonly forwarded: boolean;
  /** For a reaction: its message. */
  readonly reactionTo: string | null;
  /** For a deletion or an edit: the message that is gone. */
  readonly replaces: string | null;
  /** JIDs; the text has `@<digits>` in their place. */
  readonly mentions: readonly string[];
}

// The noise filter's verdict. Persisted with each message of an observed group.

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
  /** Whether it is kept out of the raw buffer: everything except `content`. */
  readonly noise: boolean;
}

/** `before` are the group's last messages, oldest first: a "yes" is content if it answers a question. */
export type NoiseJudge = (message: GroupMessage, before: readonly GroupMessage[]) => NoiseVerdict;

export interface JudgedMessage {
  readonly message: GroupMessage;
  readonly verdict: NoiseVerdict;
}

// Reads a stored message as a group message: maps WhatsApp's content type to our kinds and removes placeholders. The
// text contains only what a person wrote.

/** As in the table `messages`. */
interface StoredGroupMessage {
  /** WhatsApp's name of the content type, such as `imageMessage`. */
  readonly kind: string;
  readonly body: string;
  readonly details: MessageDetails | null;
}

interface Reading {
  readonly kind: GroupMessageKind;
  /** The body's placeholder if the sender may have written nothing. */
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

/** Content without text, such as a pin or a vote, counts as a system message. */
const SERVICE: Reading = { kind: 'system' };

/** The observer's kind, and what the sender wrote. */
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

// Chooses the members' names for a model and the owner. People choose their own names, so a name is made one short
// line, and equal names are distinguished by their address.

interface Sender {
  readonly sender: string;
  readonly name: string;
  readonly address: string | null;
}

/** The name of each sender. Names in `kept` stay with their holders, whoever else uses them. */
export function distinguishNames(
  senders: readonly Sender[],
  kept: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const people = new Map(senders.filter(({ sender }) => !kept.has(sender)).map(named));
  const uses = [...people.values(), ...[...kept.values()].map((name) => ({ name }))];
  const names = new Map(kept);
  for (const [sender, { name, address }] of people) {
    const shared = uses.filter((other) => foldName(other.name) === foldName(name)).length > 1;
    names.set(sender, shared ? `${name} (${ending(address ?? sender)})` : name);
  }
  return names;
}

const named = ({ sender, name, address }: Sender): [string, Omit<Sender, 'sender'>] => [
  sender,
  { name: shortName(name.replace(/[[\]<>]/g, ' ')) || ending(address ?? sender), address },
];

/** Enough to distinguish people, too little to call them. */
const ending = (address: string): string => `…${address.replace(/@.*$/, '').slice(-4)}`;
