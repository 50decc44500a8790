// What a phone gives a freshly linked companion to read: the chats it had before.
// Invariant: INITIAL_BOOTSTRAP comes before RECENT; without both a client waits in initial sync.
import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import type { SeenMessage } from '../people/mailbox.ts';
import { type Chat, isGroup, jidOf, type Owner, shownJid } from '../people/model.ts';

const { HistorySyncType } = proto.HistorySync;
const MAX_MAPPINGS = 500;

export interface Remembered {
  chat: Chat;
  messages: SeenMessage[];
}

export function historyMessages(
  owner: Owner,
  remembered: Remembered[],
  people: Owner[],
): proto.IMessage[] {
  const mapped = people.filter(({ knownAs }) => knownAs === 'both');
  const bootstrap: proto.IHistorySync = {
    syncType: HistorySyncType.INITIAL_BOOTSTRAP,
    conversations: remembered.map((memory) => conversation(owner, memory, people)),
    pushnames: people.map((person) => ({ id: shownJid(person, 'lid'), pushname: person.name })),
    phoneNumberToLidMappings: mapped.slice(0, MAX_MAPPINGS).map((person) => ({
      pnJid: jidOf(person, 'pn'),
      lidJid: jidOf(person, 'lid'),
    })),
  };
  const recent: proto.IHistorySync = { syncType: HistorySyncType.RECENT, conversations: [] };
  return [bootstrap, recent].map(notificationOf);
}

function conversation(owner: Owner, { chat, messages }: Remembered, people: Owner[]) {
  const id = isGroup(chat) ? chat.jid : shownJid(chat, 'lid');
  const author = (phone: string) => people.find((person) => person.phone === phone) ?? owner;
  return {
    id,
    name: isGroup(chat) ? chat.subject : chat.name,
    messages: messages.map((message) => ({
      message: {
        key: {
          remoteJid: id,
          id: message.id,
          fromMe: message.fromMe,
          ...(isGroup(chat) && { participant: shownJid(author(message.from), chat.addressing) }),
        },
        message: message.content ?? null,
        messageTimestamp: Math.floor(message.at.getTime() / 1000),
      },
    })),
  };
}

function notificationOf(history: proto.IHistorySync): proto.IMessage {
  const { syncType } = history;
  const progress = { progress: 100, chunkOrder: 1 };
  const bytes = proto.HistorySync.encode({ ...history, ...progress }).finish();
  return {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: syncType as number,
        ...progress,
        initialHistBootstrapInlinePayload: deflateSync(bytes),
      },
    },
  };
}
