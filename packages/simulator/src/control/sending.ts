// A message as asked for over HTTP, made into what the typed API sends.
// Invariant: what a message refers to is among those its author sees, or nothing is sent.
import type { AnyMessageContent, proto } from '@whiskeysockets/baileys';
import { RequestError } from '../http.ts';
import type { Content } from '../whatsapp/media/content.ts';
import type { Network } from '../whatsapp/network.ts';
import type { Account } from '../whatsapp/people/account.ts';
import type { SeenMessage } from '../whatsapp/people/mailbox.ts';
import { type Chat, isGroup, namedBy, shownJid } from '../whatsapp/people/model.ts';
import type { Media, NewMessage } from './message-schema.ts';

export async function send(
  network: Network,
  author: Account,
  chat: Chat,
  asked: Omit<NewMessage, 'to'>,
): Promise<string> {
  if (isGroup(chat) && !chat.members.has(author)) {
    throw new RequestError(409, `${author.phone} is not in this group.`);
  }
  const { delete: gone, edit, media, quoted, reaction, text = '', ...how } = asked;
  const { addressing = namedBy(author, 'lid') } = how;
  if (namedBy(author, addressing) !== addressing) {
    throw new RequestError(409, `${author.phone} is known as ${author.knownAs} only.`);
  }
  if (reaction) return author.react(chat, seen(author, reaction.id).id, reaction.emoji);
  const say = (content: Content) => author.send(chat, content, how);
  if (gone !== undefined) return say({ delete: keyOf(author, chat, gone) });
  if (edit !== undefined) return say({ text, edit: keyOf(author, chat, edit) });
  if (quoted !== undefined) return say({ raw: quoting(network, text, seen(author, quoted)) });
  return say(media ? fileOf(media, text) : text);
}

/** A message that this person has. */
export function seen(person: Account, id: string): SeenMessage {
  const message = person.messages().find((one) => one.id === id);
  if (!message) throw new RequestError(404, `${person.phone} has no message ${id}.`);
  return message;
}

/** Only what one wrote oneself can be changed. */
function keyOf(author: Account, chat: Chat, id: string): proto.IMessageKey {
  if (!seen(author, id).fromMe) {
    throw new RequestError(409, `${author.phone} did not write message ${id}.`);
  }
  return { remoteJid: isGroup(chat) ? chat.jid : shownJid(chat, 'lid'), id, fromMe: true };
}

function fileOf({ data, fileName, kind, mimetype }: Media, caption: string): AnyMessageContent {
  const file = Buffer.from(data, 'base64');
  const words = caption === '' ? {} : { caption };
  if (kind === 'image') return { image: file, mimetype, ...words };
  if (kind === 'video') return { video: file, mimetype, ...words };
  if (kind === 'audio') return { audio: file, mimetype };
  return { document: file, mimetype, fileName: fileName ?? 'file', ...words };
}

function quoting(network: Network, text: string, { content, from, id }: SeenMessage) {
  const participant = network.account(from)?.jid();
  const contextInfo = {
    stanzaId: id,
    ...(participant && { participant }),
    ...(content && { quotedMessage: content }),
  };
  return { extendedTextMessage: { text, contextInfo } };
}
