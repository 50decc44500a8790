// A stored message read as one of a group: WhatsApp's word for its content becomes one of our kinds, and the
// placeholders of the table go. Pure. Invariant: what nobody wrote is not among the words.
import type { MessageDetails } from '../messages/message.ts';
import type { GroupMessageKind } from './message.ts';

/** As `messages` has it. */
export interface StoredWords {
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
export function groupReading({ kind, body, details }: StoredWords): {
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
