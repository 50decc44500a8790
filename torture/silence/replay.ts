// Sends a labelled message as its sender's phone would: the same text, kind, reply, mention and flag, at the original
// time.

import type { GroupMessage } from '@relay/core/observer/message';
import { findAddress } from '@relay/core/observer/trigger/address';
import type { SendableContent } from '@relay/simulator/whatsapp/media';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { proto } from '@whiskeysockets/baileys';
import { contentOf as carried } from '../attacks/carrier.ts';
import { type Attack, textsOf } from '../attacks/data.ts';
import type { Cast } from './people.ts';

export interface Line {
  readonly cast: Cast;
  readonly message: GroupMessage;
  readonly from: SimulatedAccount;
}

/** The person the assistant listens to asks nothing here: lines that name the assistant are said by somebody else. */
export const linesOf = (cast: Cast): readonly Line[] =>
  cast.week.messages.flatMap(({ message }) => {
    const author = cast.members.get(message.sender);
    const [other] = cast.others;
    if (author === undefined || other === undefined || message.fromAssistant) return [];
    const asks = message.fromOwner && findAddress(message, ANNIE) !== null;
    return [{ cast, message, from: asks ? other : author }];
  });

const ANNIE = { name: 'Annie', jids: [], isAssistantMessage: () => false };

/** False for a message that no phone sends. */
export async function sendLine({ cast, message, from }: Line): Promise<boolean> {
  const content = contentOf(cast, message);
  if (content === null) return false;
  const { addressing } = cast.chat;
  await from.send(cast.chat, content, { id: wireId(message.id), at: message.at, addressing });
  return true;
}

/** Sent by a member, in its field; half of the text attacks address the assistant. Returns how many messages. */
export async function attackIn(
  { chat, others }: Cast,
  attack: Attack,
  at: Date,
  random: () => number,
): Promise<number> {
  const from = others[Math.floor(random() * others.length)];
  if (from === undefined) return 0;
  const [name, subject] = [from.name, chat.subject];
  const texts = textsOf(attack);
  for (const text of texts) {
    if (attack.field === 'push_name') from.rename(text);
    if (attack.field === 'group_subject') chat.rename(from, text);
    const words = attack.field === 'body' && random() < 0.5 ? `Annie, ${text}` : text;
    await from.send(chat, carried(attack.field, words), { at, addressing: chat.addressing });
  }
  if (attack.field === 'push_name') from.rename(name);
  if (attack.field === 'group_subject') chat.rename(from, subject);
  return texts.length;
}

const wireId = (id: string): string => `3EB0${id.replace(/\W/g, '')}`;

const FILE = { fileLength: 1_000, directPath: '/v/x', url: '' };

function contentOf(cast: Cast, message: GroupMessage): SendableContent | null {
  const { text } = message;
  const contextInfo = contextOf(cast, message);
  const caption = text === '' ? {} : { caption: text };
  switch (message.kind) {
    case 'text':
      return { raw: { extendedTextMessage: { text: withDigits(cast, message), contextInfo } } };
    case 'image':
      return {
        raw: { imageMessage: { ...FILE, mimetype: 'image/jpeg', ...caption, contextInfo } },
      };
    case 'video':
      return { raw: { videoMessage: { ...FILE, mimetype: 'video/mp4', ...caption, contextInfo } } };
    case 'audio':
      return {
        raw: {
          audioMessage: { ...FILE, mimetype: 'audio/ogg', seconds: 20, ptt: true, contextInfo },
        },
      };
    case 'document':
      return {
        raw: {
          documentMessage: { ...FILE, mimetype: 'application/pdf', fileName: text, contextInfo },
        },
      };
    case 'sticker':
      return { raw: { stickerMessage: { ...FILE, mimetype: 'image/webp', contextInfo } } };
    case 'poll':
      return { raw: pollOf(text) };
    case 'contact':
      return { raw: { contactMessage: { displayName: text, vcard: 'BEGIN:VCARD\nEND:VCARD' } } };
    case 'location':
      return {
        raw: { locationMessage: { degreesLatitude: 26.9, degreesLongitude: 75.8, name: text } },
      };
    case 'reaction':
      return { raw: { reactionMessage: { key: keyOf(cast, message.reactionTo), text } } };
    case 'deleted':
      return message.replaces === null ? null : { raw: revocation(cast, message.replaces) };
    case 'system':
      return null;
  }
}

function pollOf(text: string): proto.IMessage {
  const [name = '', ...options] = text.split('▫️').map((part) => part.trim());
  return {
    pollCreationMessage: {
      name,
      options: options.map((optionName) => ({ optionName })),
      selectableOptionsCount: 1,
    },
  };
}

const revocation = (cast: Cast, id: string): proto.IMessage => ({
  protocolMessage: {
    type: proto.Message.ProtocolMessage.Type.REVOKE,
    key: keyOf(cast, id),
  },
});

function keyOf(cast: Cast, id: string | null): proto.IMessageKey {
  const author = id === null ? undefined : authorOf(cast, id);
  return {
    remoteJid: cast.chat.jid,
    id: wireId(id ?? ''),
    fromMe: false,
    ...(author === undefined ? {} : { participant: author.jid(cast.chat.addressing) }),
  };
}

function contextOf(
  cast: Cast,
  { quotedId, forwarded, mentions }: GroupMessage,
): proto.IContextInfo {
  const author = quotedId === null ? undefined : authorOf(cast, quotedId);
  return {
    ...(quotedId === null
      ? {}
      : { stanzaId: wireId(quotedId), quotedMessage: { conversation: '' } }),
    ...(author === undefined ? {} : { participant: author.jid(cast.chat.addressing) }),
    ...(forwarded ? { isForwarded: true, forwardingScore: 1 } : {}),
    mentionedJid: mentions.flatMap((jid) => cast.members.get(jid)?.jid(cast.chat.addressing) ?? []),
  };
}

/** A mention is in the text as the digits of an address. */
const withDigits = (cast: Cast, { text, mentions }: GroupMessage): string =>
  mentions.reduce((words, jid) => {
    const now = cast.members.get(jid)?.jid(cast.chat.addressing).split('@')[0];
    return now === undefined ? words : words.replace(`@${jid.split('@')[0]}`, `@${now}`);
  }, text);

function authorOf({ week, members }: Cast, id: string): SimulatedAccount | undefined {
  const written = week.messages.find(({ message }) => message.id === id);
  return written === undefined ? undefined : members.get(written.message.sender);
}
