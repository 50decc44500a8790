// Turns a message requested over HTTP into one that the typed API sends. Invariant: a message can refer only to
// messages that its author sees; otherwise nothing is sent.
import type { AnyMessageContent, proto } from '@whiskeysockets/baileys';
import { RequestError } from '../http.ts';
import type { SendableContent } from '../whatsapp/media.ts';
import type { Network } from '../whatsapp/network.ts';
import type { SimulatedAccount } from '../whatsapp/people/account.ts';
import type { GroupChat } from '../whatsapp/people/group.ts';
import type { SeenMessage } from '../whatsapp/people/mailbox.ts';
import {
  effectiveAddressing,
  isGroupChat,
  type SimulatedChat,
  visibleJid,
} from '../whatsapp/people/model.ts';
import type { NewMediaBody, NewMessageBody } from './schemas.ts';

export async function sendMessageAs(
  network: Network,
  author: SimulatedAccount,
  chat: SimulatedChat,
  asked: Omit<NewMessageBody, 'to'>,
): Promise<string> {
  if (isGroupChat(chat) && !chat.members.has(author)) {
    throw new RequestError(409, `${author.phone} is not in this group.`);
  }
  const { contacts, delete: gone, edit, location, media, poll, ...more } = asked;
  const { quoted, reaction, text = '', vote, ...how } = more;
  const { addressing = effectiveAddressing(author, 'lid') } = how;
  if (effectiveAddressing(author, addressing) !== addressing) {
    throw new RequestError(409, `${author.phone} is known as ${author.knownAs} only.`);
  }
  if (reaction) return author.react(chat, requireMessage(author, reaction.id).id, reaction.emoji);
  if (vote) return author.vote(chat, requireMessage(author, vote.poll).id, vote.options);
  const say = (content: SendableContent) => author.send(chat, content, how);
  if (gone !== undefined) return say({ delete: ownMessageKey(author, chat, gone) });
  if (edit !== undefined) return say({ text, edit: ownMessageKey(author, chat, edit) });
  if (quoted !== undefined)
    return say({ raw: quoting(network, text, requireMessage(author, quoted)) });
  if (location) return say({ location: placeOf(location) });
  if (contacts) return say({ contacts: cardsOf(contacts) });
  if (poll) {
    const { options: values, question: name, selectable: selectableCount = 0 } = poll;
    return say({ poll: { name, values, selectableCount } });
  }
  return say(media ? fileOf(media, text) : text);
}

function placeOf({ latitude, longitude, ...names }: NonNullable<NewMessageBody['location']>) {
  return { degreesLatitude: latitude, degreesLongitude: longitude, ...names };
}

function cardsOf(contacts: NonNullable<NewMessageBody['contacts']>) {
  const cards = contacts.map(({ name, vcard }) => ({ displayName: name, vcard }));
  return { displayName: cards[0]?.displayName ?? '', contacts: cards };
}

/** A message that this person has; throws otherwise. */
export function requireMessage(person: SimulatedAccount, id: string): SeenMessage {
  const message = person.messages().find((one) => one.id === id);
  if (!message) throw new RequestError(404, `${person.phone} has no message ${id}.`);
  return message;
}

/** People can change only their own messages. */
function ownMessageKey(
  author: SimulatedAccount,
  chat: SimulatedChat,
  id: string,
): proto.IMessageKey {
  if (!requireMessage(author, id).fromMe) {
    throw new RequestError(409, `${author.phone} did not write message ${id}.`);
  }
  return { remoteJid: isGroupChat(chat) ? chat.jid : visibleJid(chat, 'lid'), id, fromMe: true };
}

function fileOf(media: NewMediaBody, caption: string): AnyMessageContent {
  const { data, fileName, kind, mimetype, viewOnce = false } = media;
  const file = Buffer.from(data, 'base64');
  const words = caption === '' ? {} : { caption };
  if (kind === 'image') return { image: file, mimetype, viewOnce, ...words };
  if (kind === 'video') return { video: file, mimetype, viewOnce, ...words };
  if (kind === 'voice') return { audio: file, mimetype, ptt: true, viewOnce };
  if (kind === 'audio') return { audio: file, mimetype };
  if (kind === 'sticker') return { sticker: file, mimetype };
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

// Finds people by phone number and groups by id. Invariant: an unknown one is a 404 with the requested name.

export interface NetworkFinder {
  person(phone: string): SimulatedAccount;
  group(id: string): GroupChat;
  /** A person or a group, by its chat name in the typed API. */
  chat(name: string): SimulatedAccount | GroupChat;
}

export function createFinder(network: Network): NetworkFinder {
  function person(phone: string): SimulatedAccount {
    const found = network.account(phone);
    if (!found) throw new RequestError(404, `Nobody on this network is ${phone}.`);
    return found;
  }

  function group(id: string): GroupChat {
    const found = network.group(id);
    if (!found) throw new RequestError(404, `No group on this network is ${id}.`);
    return found;
  }

  return { person, group, chat: (name) => (name.includes('@') ? group(name) : person(name)) };
}
