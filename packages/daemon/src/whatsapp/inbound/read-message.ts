// Reads an inbox row as a message: the transport's InboxReader.
// Invariant: pure; it returns a message, null for what is none, or throws UnreadableMessage.

import type { MediaKind } from '@relay/contract/api/media';
import type { MessageId } from '@relay/contract/ids';
import { aliasOfJid } from '@relay/core/contacts/alias';
import type {
  InboxReader,
  IncomingMedia,
  IncomingMessage,
  MessageDetails,
} from '@relay/core/messages/message';
import { proto } from '@whiskeysockets/baileys';
import { z } from 'zod';
import { isGroupJid, personJid, personJids, userOfJid } from '../addresses.ts';
import { cleanText, readTypedContent, type TypedPart } from './typed-content.ts';

export const readInboxRow: InboxReader = (stanza, bytes): IncomingMessage | null => {
  const envelope = readEnvelope(stanza);
  if (!envelope) return null;
  const content = readContent(bytes);
  if (!content) return null;
  const { destination, ...inside } = content;
  if (!envelope.fromMe || destination === null) return { ...envelope, ...inside };
  // Anybody can write a destination into a message; only in the account's own messages does it say where they went.
  if (isGroupJid(destination)) return { ...envelope, ...inside, chat: destination, isGroup: true };
  if (aliasOfJid(destination) === null || envelope.isGroup) return { ...envelope, ...inside };
  const chat = personJid(destination);
  return {
    ...envelope,
    ...inside,
    chat,
    alsoKnownAs: personJids([chat, ...envelope.alsoKnownAs]),
  };
};

// Reads the content of a message: unwraps it, then turns it into text by seed 000's table.
// Invariant: the text comes from that table alone; an unknown type is named, never guessed at.

interface MessageContent {
  readonly kind: string;
  readonly body: string;
  readonly quotedId: string | null;
  readonly media: IncomingMedia | null;
  readonly details: MessageDetails | null;
  readonly expiresAfterS: number | null;
  /** Where the account's own message went, as its other device says. */
  readonly destination: string | null;
}

const CONTENT_BYTES = 1024 * 1024;
const DEEPEST = 8;
const LONGEST_BODY = 65_536;
const LONGEST_NAME = 256;

/** Wrappers that only say how to show the message they contain. */
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

/** Types that contain nothing said to anybody. */
const SILENT = new Set([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
]);

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

const labelled = (label: string, words: string | null | undefined): string =>
  words ? `${label} ${words}` : label;

const BODY_BY_KIND: Readonly<Partial<Record<string, (part: ContentPart) => string>>> = {
  extendedTextMessage: ({ text }) => text ?? '',
  imageMessage: ({ caption }) => labelled('[Image]', caption),
  videoMessage: ({ caption }) => labelled('[Video]', caption),
  documentMessage: ({ fileName }) => labelled('[Document]', fileName),
  audioMessage: () => '[Audio message]',
  stickerMessage: () => '[Sticker]',
};

/** The innermost message and the type of its content. */
export function openContent(bytes: Uint8Array): Unwrapped & { readonly kind: string | undefined } {
  if (bytes.byteLength > CONTENT_BYTES) throw new UnreadableMessage('The message is too large.');
  const inner = unwrap(decode(bytes));
  const { message } = inner;
  const spoken = message && Object.keys(message).filter((key) => !SILENT.has(key));
  const kind = spoken?.find((key) => message?.[key as keyof proto.IMessage] != null);
  return { ...inner, kind };
}

export function readContent(bytes: Uint8Array): MessageContent | null {
  const { destination, editedId, kind, message, viewOnce } = openContent(bytes);
  if (!message || kind === undefined) {
    return bytes.byteLength === 0 || isSilent(message)
      ? null
      : unknownContent('unknown', destination);
  }
  if (kind === 'protocolMessage' && message.protocolMessage?.type !== REVOKE) return null;
  const part = partOf(message, kind);
  const seconds = part.contextInfo?.expiration ?? 0;
  const quotedId = editedId ?? part.contextInfo?.stanzaId ?? part.key?.id;
  return {
    kind,
    body: cleanText(bodyOf(message, kind, part), LONGEST_BODY),
    quotedId: quotedId ? cleanText(quotedId, LONGEST_NAME) : null,
    media: mediaOf(kind, part, viewOnce),
    details: readDetails({ kind, part, editedId, viewOnce: viewOnce || part.viewOnce === true }),
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
  /** It disappears once it was opened. */
  readonly viewOnce: boolean;
}

function unwrap(outer: proto.IMessage): Unwrapped {
  let message: proto.IMessage | null = outer;
  let destination: string | null = null;
  let editedId: string | null = null;
  let viewOnce = false;
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
      const wrapper = WRAPPERS.find((name) => message?.[name]);
      if (wrapper === undefined) break;
      viewOnce ||= wrapper.startsWith('viewOnce');
      message = message[wrapper]?.message ?? null;
    }
  }
  return { message, destination, editedId, viewOnce };
}

const isSilent = (message: proto.IMessage | null): boolean =>
  message !== null && Object.keys(message).some((key) => SILENT.has(key));

const partOf = (message: proto.IMessage, kind: string): ContentPart => {
  const part = message[kind as keyof proto.IMessage];
  return typeof part === 'object' && part !== null ? (part as ContentPart) : {};
};

function bodyOf(message: proto.IMessage, kind: string, part: ContentPart): string {
  if (kind === 'conversation') return message.conversation ?? '';
  const words = Object.hasOwn(BODY_BY_KIND, kind) ? BODY_BY_KIND[kind] : undefined;
  return words ? words(part) : `[${kind}]`;
}

const MEDIA_KIND: Readonly<Partial<Record<string, MediaKind>>> = {
  imageMessage: 'image',
  videoMessage: 'video',
  ptvMessage: 'video',
  documentMessage: 'document',
  stickerMessage: 'sticker',
};

function mediaOf(kind: string, part: ContentPart, viewOnce: boolean): IncomingMedia | null {
  const { fileLength, fileName, mimetype, ptt, seconds } = part;
  if (typeof mimetype !== 'string') return null;
  const voice = ptt === true ? 'voice' : 'audio';
  const is = kind === 'audioMessage' ? voice : MEDIA_KIND[kind];
  const size = Number(fileLength ?? Number.NaN);
  return {
    mimeType: cleanText(mimetype, LONGEST_NAME),
    fileName: fileName ? cleanText(fileName, LONGEST_NAME) : null,
    size: Number.isSafeInteger(size) && size >= 0 ? size : null,
    seconds: typeof seconds === 'number' && seconds > 0 ? seconds : null,
    ...(is === undefined ? {} : { kind: is }),
    ...(viewOnce || part.viewOnce === true ? { viewOnce: true } : {}),
  };
}

const unknownContent = (kind: string, destination: string | null): MessageContent => ({
  kind,
  body: `[${kind}]`,
  quotedId: null,
  media: null,
  details: null,
  expiresAfterS: null,
  destination,
});

// Reads what a message carries besides the text of seed 000's table: whether it was forwarded, whom it mentions, the
// content of a reaction, poll, contact or location.
// Invariant: bounded, whatever a stranger put into it.

const LONGEST_WORDS = 4_096;
const LONGEST_JID = 128;
/** A group has no more members than this. */
const MOST_MENTIONS = 1_024;

const DETAIL_TEXT_BY_KIND: Readonly<
  Partial<Record<string, (part: ContentPart) => string | null | undefined>>
> = {
  reactionMessage: ({ text }) => text ?? '',
  documentMessage: ({ caption }) => caption,
  contactMessage: ({ displayName }) => displayName,
  locationMessage: ({ name, address }) => [name, address].filter(Boolean).join(', '),
  liveLocationMessage: ({ caption }) => caption,
  pollCreationMessage: pollWords,
  pollCreationMessageV2: pollWords,
  pollCreationMessageV3: pollWords,
};

function readDetails(message: {
  readonly kind: string;
  readonly part: ContentPart;
  readonly editedId: string | null;
  readonly viewOnce: boolean;
}): MessageDetails | null {
  const { kind, part, editedId } = message;
  const { contextInfo } = part;
  const content = readTypedContent(message);
  const mentions = (contextInfo?.mentionedJid ?? []).slice(0, MOST_MENTIONS);
  const words = Object.hasOwn(DETAIL_TEXT_BY_KIND, kind) ? DETAIL_TEXT_BY_KIND[kind]?.(part) : null;
  const forwarded = contextInfo?.isForwarded === true || (contextInfo?.forwardingScore ?? 0) > 0;
  const details: MessageDetails = {
    ...(forwarded ? { forwarded } : {}),
    ...(editedId === null ? {} : { edits: true }),
    ...(mentions.length > 0
      ? { mentions: mentions.map((jid) => cleanText(String(jid), LONGEST_JID)) }
      : {}),
    ...(words || (words === '' && kind === 'reactionMessage')
      ? { words: cleanText(words, LONGEST_WORDS) }
      : {}),
    ...(content === null ? {} : { content }),
  };
  return Object.keys(details).length === 0 ? null : details;
}

function pollWords({ name, options }: ContentPart): string {
  const choices = (options ?? []).flatMap(({ optionName }) => optionName ?? []);
  return [name ?? '', ...choices.map((choice) => `- ${choice}`)].join('\n').trim();
}

// The fields that we read of all content types. A stranger chose all of them.

interface ContentPart extends TypedPart {
  readonly caption?: string | null;
  readonly fileName?: string | null;
  readonly mimetype?: string | null;
  readonly fileLength?: unknown;
  readonly seconds?: number | null;
  /** Recorded with the microphone, not chosen as a file. */
  readonly ptt?: boolean | null;
  readonly viewOnce?: boolean | null;
  readonly contextInfo?: proto.IContextInfo | null;
}

// Reads the envelope of a message: who, to whom, when. It uses the stanza's attributes alone, because the sender wrote
// the content and could name anybody there.

/** Replaces `offline` in a message that did not wait at the server. */
export const LIVE_STANZA = 'live';

interface Envelope {
  readonly id: MessageId;
  /** The group, or the other person as far as the envelope tells. */
  readonly chat: string;
  readonly isGroup: boolean;
  readonly sender: string;
  readonly fromMe: boolean;
  readonly alsoKnownAs: readonly string[];
  readonly pushName: string | null;
  readonly sentAt: Date;
  readonly late: boolean;
}

const STANZA_BYTES = 64 * 1024;
const LONGEST_ID = 256;
const LATEST_SECOND = 8_640_000_000_000;

const jid = z
  .string()
  .max(128)
  .regex(/^[\w.:+-]+@[a-z.]+$/);
const address = jid.optional();
const attributes = z.object({
  id: z.string().min(1).max(256),
  from: jid,
  t: z.coerce.number().int().min(1).max(LATEST_SECOND),
  participant: address,
  recipient: address,
  notify: z.string().optional(),
  offline: z.string().optional(),
  sender_pn: address,
  sender_lid: address,
  participant_pn: address,
  participant_lid: address,
  recipient_pn: address,
  recipient_lid: address,
  peer_recipient_pn: address,
  peer_recipient_lid: address,
  /** The account's own addresses when the message arrived; added by us, not part of the stanza. */
  own: z.array(z.string()).default([]),
});

type Attributes = z.infer<typeof attributes>;

function parseAttributes(stanza: Uint8Array): Attributes {
  if (stanza.byteLength > STANZA_BYTES) throw new UnreadableMessage('The stanza is too large.');
  try {
    return attributes.parse(JSON.parse(Buffer.from(stanza).toString('utf8')));
  } catch (cause) {
    throw new UnreadableMessage('The stanza is not one of a message.', { cause });
  }
}

/** Null for what is addressed to nobody: status updates and channels. */
function readEnvelope(stanza: Uint8Array): Envelope | null {
  const attrs = parseAttributes(stanza);
  if (attrs.from === 'status@broadcast' || attrs.from.endsWith('@newsletter')) return null;
  const isGroup = isGroupJid(attrs.from);
  if (isGroup && attrs.participant === undefined) {
    throw new UnreadableMessage('A message in a group names no sender.');
  }
  const author = attrs.participant ?? attrs.from;
  const fromMe = isOwn(attrs, author);
  const sender = personJid(author);
  // A broadcast list is known only to its sender: for the recipient it is a message from them.
  const other = fromMe ? personJid(attrs.recipient ?? author) : sender;
  return {
    id: cleanText(attrs.id, LONGEST_ID) as MessageId,
    chat: isGroup ? attrs.from : other,
    isGroup,
    sender,
    fromMe,
    alsoKnownAs: aliasesIn(attrs, fromMe && !isGroup),
    pushName: cleanText(attrs.notify ?? '', LONGEST_ID) || null,
    sentAt: new Date(attrs.t * 1_000),
    late: attrs.offline !== undefined && attrs.offline !== LIVE_STANZA,
  };
}

/** Only the account's own devices name a recipient: the server accepts that from nobody else. */
function isOwn({ own, recipient }: Attributes, author: string): boolean {
  if (own.length === 0) return recipient !== undefined;
  return own.some((jid) => userOfJid(jid) === userOfJid(author));
}

function aliasesIn(attrs: Attributes, ofRecipient: boolean): string[] {
  return personJids(
    ofRecipient
      ? [
          attrs.recipient,
          attrs.recipient_pn,
          attrs.recipient_lid,
          attrs.peer_recipient_pn,
          attrs.peer_recipient_lid,
        ]
      : [
          attrs.participant ?? attrs.from,
          attrs.participant_pn,
          attrs.participant_lid,
          attrs.sender_pn,
          attrs.sender_lid,
        ],
  );
}

// Thrown by the reader for bytes that are not a valid WhatsApp message.

export class UnreadableMessage extends Error {
  constructor(what: string, options: { cause?: unknown } = {}) {
    super(what, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UnreadableMessage';
  }
}
