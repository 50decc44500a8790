// The inside of a message: WhatsApp's wrappers taken off, then put into words by seed 000's table.
// Invariant: the words come from the table alone; what it does not know is named, never guessed at.
import type { IncomingMedia, MessageDetails } from '@relay/core/messages/message';
import { proto } from '@whiskeysockets/baileys';
import { detailsOf } from './details.ts';
import type { Part } from './part.ts';
import { cleanText, UnreadableMessage } from './unreadable.ts';

export interface Content {
  readonly kind: string;
  readonly body: string;
  readonly quotedId: string | null;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
  readonly expiresAfterS: number | null;
  /** Where a message of the account's own went, as its other device says. */
  readonly destination: string | null;
}

const CONTENT_BYTES = 1024 * 1024;
const DEEPEST = 8;
const LONGEST_BODY = 65_536;
const LONGEST_NAME = 256;

/** Whatever these hold is the message; they only say how to show it. */
const WRAPPERS = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'editedMessage',
  'groupMentionedMessage',
  'botInvokeMessage',
  'associatedChildMessage',
  'groupStatusMessage',
  'groupStatusMessageV2',
] as const satisfies readonly (keyof proto.IMessage)[];

/** Nothing in these is said to anybody. */
const SILENT = new Set([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
]);

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

const labelled = (label: string, words: string | null | undefined): string =>
  words ? `${label} ${words}` : label;

const TABLE: Readonly<Partial<Record<string, (part: Part) => string>>> = {
  extendedTextMessage: ({ text }) => text ?? '',
  imageMessage: ({ caption }) => labelled('[Image]', caption),
  videoMessage: ({ caption }) => labelled('[Video]', caption),
  documentMessage: ({ fileName }) => labelled('[Document]', fileName),
  audioMessage: () => '[Audio message]',
  stickerMessage: () => '[Sticker]',
};

export function readContent(bytes: Uint8Array): Content | null {
  if (bytes.byteLength > CONTENT_BYTES) throw new UnreadableMessage('The message is too large.');
  const { destination, editedId, message } = unwrap(decode(bytes));
  const spoken = message && Object.keys(message).filter((key) => !SILENT.has(key));
  const kind = spoken?.find((key) => message?.[key as keyof proto.IMessage] != null);
  if (!message || kind === undefined) {
    return bytes.byteLength === 0 || isSilent(message) ? null : named('unknown', destination);
  }
  if (kind === 'protocolMessage' && message.protocolMessage?.type !== REVOKE) return null;
  const part = partOf(message, kind);
  const seconds = part.contextInfo?.expiration ?? 0;
  const quotedId = editedId ?? part.contextInfo?.stanzaId ?? part.key?.id;
  return {
    kind,
    body: cleanText(wordsFor(message, kind, part), LONGEST_BODY),
    quotedId: quotedId ? cleanText(quotedId, LONGEST_NAME) : null,
    media: mediaOf(part),
    details: detailsOf(kind, part, editedId !== null),
    expiresAfterS: seconds > 0 ? seconds : null,
    destination,
  };
}

function decode(bytes: Uint8Array): proto.IMessage {
  try {
    return proto.Message.decode(bytes);
  } catch (cause) {
    throw new UnreadableMessage('The message is not one of WhatsApp’s.', { cause });
  }
}

interface Unwrapped {
  readonly message: proto.IMessage | null;
  readonly destination: string | null;
  readonly editedId: string | null;
}

function unwrap(outer: proto.IMessage): Unwrapped {
  let message: proto.IMessage | null = outer;
  let destination: string | null = null;
  let editedId: string | null = null;
  for (let depth = 0; message; depth += 1) {
    if (depth > DEEPEST) throw new UnreadableMessage('The message is wrapped too often.');
    const { deviceSentMessage, protocolMessage } = message as proto.IMessage;
    if (deviceSentMessage) {
      destination ??= deviceSentMessage.destinationJid ?? null;
      message = deviceSentMessage.message ?? null;
    } else if (protocolMessage?.type === MESSAGE_EDIT && protocolMessage.editedMessage) {
      editedId = protocolMessage.key?.id ?? null;
      message = protocolMessage.editedMessage;
    } else {
      const wrapped: proto.IMessage | null | undefined = insideOf(message);
      if (wrapped === undefined) break;
      message = wrapped;
    }
  }
  return { message, destination, editedId };
}

/** Undefined when it is no wrapper, null for a wrapper with nothing in it. */
function insideOf(message: proto.IMessage): proto.IMessage | null | undefined {
  for (const wrapper of WRAPPERS) {
    const around = message[wrapper];
    if (around) return around.message ?? null;
  }
  return undefined;
}

const isSilent = (message: proto.IMessage | null): boolean =>
  message !== null && Object.keys(message).some((key) => SILENT.has(key));

const partOf = (message: proto.IMessage, kind: string): Part => {
  const part = message[kind as keyof proto.IMessage];
  return typeof part === 'object' && part !== null ? (part as Part) : {};
};

function wordsFor(message: proto.IMessage, kind: string, part: Part): string {
  if (kind === 'conversation') return message.conversation ?? '';
  const words = Object.hasOwn(TABLE, kind) ? TABLE[kind] : undefined;
  return words ? words(part) : `[${kind}]`;
}

function mediaOf({ fileLength, fileName, mimetype, seconds }: Part): IncomingMedia | null {
  if (typeof mimetype !== 'string') return null;
  const size = Number(fileLength ?? Number.NaN);
  return {
    mimeType: cleanText(mimetype, LONGEST_NAME),
    fileName: fileName ? cleanText(fileName, LONGEST_NAME) : null,
    size: Number.isSafeInteger(size) && size >= 0 ? size : null,
    seconds: typeof seconds === 'number' && seconds > 0 ? seconds : null,
  };
}

const named = (kind: string, destination: string | null): Content => ({
  kind,
  body: `[${kind}]`,
  quotedId: null,
  media: null,
  details: null,
  expiresAfterS: null,
  destination,
});
