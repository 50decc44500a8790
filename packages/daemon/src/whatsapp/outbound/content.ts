// What is put into a message of ours. Built here and not by Baileys, so that nothing is fetched for a
// link preview and the same text gives the same message at every attempt.
import type { OutgoingMedia, OutgoingMessage } from '@relay/core/ports/transport';
import {
  type AnyMediaMessageContent,
  type MessageContentGenerationOptions,
  prepareWAMessageMedia,
  type proto,
} from '@whiskeysockets/baileys';

const LINK = /https?:\/\//i;

/** With a link the longer form is used, because it can say that there is no preview. */
export const textContent = (text: string): proto.IMessage =>
  LINK.test(text) ? { extendedTextMessage: { text, previewType: 0 } } : { conversation: text };

function mediaOptions(media: OutgoingMedia, caption: string): AnyMediaMessageContent {
  const file = Buffer.from(media.bytes);
  const { mimeType: mimetype, fileName } = media;
  const words = caption === '' ? {} : { caption };
  switch (media.kind) {
    case 'image':
      return { image: file, mimetype, ...words };
    case 'video':
      return { video: file, mimetype, ...words };
    case 'audio':
      return { audio: file, mimetype };
    case 'document':
      return { document: file, mimetype, fileName: fileName ?? 'file', ...words };
  }
}

export async function contentOf(
  message: OutgoingMessage,
  upload: MessageContentGenerationOptions['upload'],
): Promise<proto.IMessage> {
  if (message.media === undefined) return textContent(message.text);
  return prepareWAMessageMedia(mediaOptions(message.media, message.text), { upload });
}
