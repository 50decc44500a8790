// Builds the content of our messages. Baileys builds only uploads, so that nothing is fetched for a link preview and the
// same message is the same at every attempt.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  ContentDiffers,
  type ContentToBuild,
  type FileToSend,
  type MessageTarget,
  type MessageToBuild,
  type OutgoingMessage,
} from '@relay/core/ports/transport';
import {
  type AnyMediaMessageContent,
  jidNormalizedUser,
  type MessageRelayOptions,
  prepareWAMessageMedia,
  proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import { isGroupJid } from '../addresses.ts';
import { OpusMeter } from './opus-meter.ts';

const LINK = /https?:\/\//i;

type Quoting = Pick<OutgoingMessage, 'quote'>;

/** A text with a link uses the longer form, because it can say that there is no preview. */
export function textContent(
  { text, quote }: Pick<OutgoingMessage, 'text'> & Quoting,
  own: string,
): proto.IMessage {
  const noPreview = LINK.test(text) ? { previewType: 0 } : {};
  if (quote !== undefined) {
    return { extendedTextMessage: { text, ...noPreview, ...quoteContext({ quote }, own) } };
  }
  return LINK.test(text) ? { extendedTextMessage: { text, ...noPreview } } : { conversation: text };
}

function quoteContext({ quote }: Quoting, own: string): { contextInfo?: proto.IContextInfo } {
  if (quote === undefined) return {};
  return {
    contextInfo: {
      stanzaId: quote.id,
      participant: jidNormalizedUser(quote.author ?? own),
      quotedMessage: { conversation: quote.text },
    },
  };
}

/** What was built before the first attempt, or the text. */
export const sentContent = (
  { built, ...message }: Pick<OutgoingMessage, 'text' | 'quote' | 'built'>,
  own: string,
): proto.IMessage =>
  built === undefined ? textContent(message, own) : proto.Message.decode(built);

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

/** What the stanza says about its content, as WhatsApp's own client does. */
export function relayOptionsFor({
  protocolMessage,
  pollCreationMessage,
  pollCreationMessageV3,
}: proto.IMessage): Partial<MessageRelayOptions> {
  if (protocolMessage?.type === MESSAGE_EDIT) return { additionalAttributes: { edit: '1' } };
  if (protocolMessage?.type === REVOKE) return { additionalAttributes: { edit: '7' } };
  return pollCreationMessage || pollCreationMessageV3
    ? { additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' } }] }
    : {};
}

type Socket = Pick<WASocket, 'user' | 'waUploadToServer'>;

/** Uploads the file, if there is one. The bytes are what `sentContent` reads. */
export async function buildMessage(
  message: MessageToBuild,
  socket: Socket,
  uploadMs: number,
): Promise<Uint8Array> {
  const { content } = message;
  const own = socket.user?.id ?? '';
  const built =
    content.kind === 'media'
      ? await uploadedContent(message, content, socket, uploadMs)
      : markContent(message, content, own);
  return proto.Message.encode(built).finish();
}

function markContent(
  { chat, text, quote }: MessageToBuild,
  content: Exclude<ContentToBuild, FileToSend>,
  own: string,
): proto.IMessage {
  switch (content.kind) {
    case 'reaction':
      return {
        reactionMessage: {
          key: keyOf(chat, content.target),
          text: content.emoji,
          senderTimestampMs: Date.now(),
        },
      };
    case 'edit':
      return {
        protocolMessage: {
          key: keyOf(chat, content.target),
          type: MESSAGE_EDIT,
          editedMessage: textContent({ text }, own),
          timestampMs: Date.now(),
        },
      };
    case 'delete':
      return { protocolMessage: { key: keyOf(chat, content.target), type: REVOKE } };
    case 'poll': {
      const poll = {
        name: content.question,
        selectableOptionsCount: content.select_up_to,
        options: content.options.map((optionName) => ({ optionName })),
        ...quoteContext({ ...(quote && { quote }) }, own),
      };
      // Votes are encrypted with this secret.
      const messageContextInfo = { messageSecret: randomBytes(32) };
      return content.select_up_to === 1
        ? { messageContextInfo, pollCreationMessageV3: poll }
        : { messageContextInfo, pollCreationMessage: poll };
    }
    case 'location':
      return {
        locationMessage: {
          degreesLatitude: content.latitude,
          degreesLongitude: content.longitude,
          name: content.name,
          address: content.address,
          ...quoteContext({ ...(quote && { quote }) }, own),
        },
      };
  }
}

const keyOf = (chat: string, { id, author }: MessageTarget): proto.IMessageKey => ({
  remoteJid: chat,
  fromMe: author === null,
  id,
  ...(author !== null && isGroupJid(chat) ? { participant: author } : {}),
});

// Files: read once from the store, encrypted by Baileys into a file of its own, and uploaded from there.

const VOICE_TYPE = 'audio/ogg; codecs=opus';

async function uploadedContent(
  { text, quote }: MessageToBuild,
  file: FileToSend,
  { user, waUploadToServer }: Socket,
  uploadMs: number,
): Promise<proto.IMessage> {
  const meter = new OpusMeter();
  const hash = createHash('sha256');
  let bytes = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const piece of file.open()) {
      hash.update(piece);
      meter.add(piece);
      bytes += piece.length;
      yield piece;
    }
  }
  const stream = Readable.from(measured(), { objectMode: false });
  const built = await prepareWAMessageMedia(uploadOptions(file, text, stream), {
    mediaUploadTimeoutMs: uploadMs,
    upload: (path, options) => {
      const isPermitted = bytes === file.bytes && hash.digest('hex') === file.sha256;
      if (!isPermitted) throw new ContentDiffers();
      return waUploadToServer(path, options);
    },
  });
  const { audioMessage } = built;
  if (audioMessage) {
    const { seconds } = meter;
    audioMessage.seconds = seconds === null ? null : Math.max(1, Math.round(seconds));
    // Only Ogg with Opus plays as a voice message.
    if (file.as === 'voice' && seconds !== null) {
      Object.assign(audioMessage, { ptt: true, mimetype: VOICE_TYPE });
    }
  }
  const part =
    built.imageMessage ?? built.videoMessage ?? audioMessage ?? built.documentMessage ?? {};
  Object.assign(part, quoteContext({ ...(quote && { quote }) }, user?.id ?? ''));
  return built;
}

/** Baileys would write the plain file to the disk to find out what is given as null or 0 here. */
const UNMEASURED = { jpegThumbnail: null, seconds: 0, waveform: null } as unknown as object;

function uploadOptions(
  { as, mimetype, file_name }: FileToSend,
  caption: string,
  stream: Readable,
): AnyMediaMessageContent {
  const words = caption === '' ? {} : { caption };
  switch (as) {
    case 'image':
      return { image: { stream }, mimetype, ...words, ...UNMEASURED };
    case 'video':
      return { video: { stream }, mimetype, ...words, ...UNMEASURED };
    case 'voice':
    case 'audio':
      return { audio: { stream }, mimetype, ...UNMEASURED };
    case 'document':
      return { document: { stream }, mimetype, fileName: file_name ?? 'file', ...words };
  }
}
