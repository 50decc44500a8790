// The history that a phone sends to a newly linked companion. Invariant: INITIAL_BOOTSTRAP comes before RECENT; without
// both a client waits in initial sync.
import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import type { SeenMessage } from './mailbox.ts';
import {
  type DeviceOwner,
  isGroupChat,
  ownerJid,
  type SimulatedChat,
  visibleJid,
} from './model.ts';

const { HistorySyncType } = proto.HistorySync;
const MAX_MAPPINGS = 500;

export interface RememberedChat {
  chat: SimulatedChat;
  messages: SeenMessage[];
}

export function historyMessages(
  owner: DeviceOwner,
  remembered: RememberedChat[],
  people: DeviceOwner[],
): proto.IMessage[] {
  const mapped = people.filter(({ knownAs }) => knownAs === 'both');
  const bootstrap: proto.IHistorySync = {
    syncType: HistorySyncType.INITIAL_BOOTSTRAP,
    conversations: remembered.map((memory) => conversation(owner, memory, people)),
    pushnames: people.map((person) => ({ id: visibleJid(person, 'lid'), pushname: person.name })),
    phoneNumberToLidMappings: mapped.slice(0, MAX_MAPPINGS).map((person) => ({
      pnJid: ownerJid(person, 'pn'),
      lidJid: ownerJid(person, 'lid'),
    })),
  };
  const recent: proto.IHistorySync = { syncType: HistorySyncType.RECENT, conversations: [] };
  return [bootstrap, recent].map(notificationOf);
}

function conversation(
  owner: DeviceOwner,
  { chat, messages }: RememberedChat,
  people: DeviceOwner[],
) {
  const id = isGroupChat(chat) ? chat.jid : visibleJid(chat, 'lid');
  const author = (phone: string) => people.find((person) => person.phone === phone) ?? owner;
  return {
    id,
    name: isGroupChat(chat) ? chat.subject : chat.name,
    messages: messages.map((message) => ({
      message: {
        key: {
          remoteJid: id,
          id: message.id,
          fromMe: message.fromMe,
          ...(isGroupChat(chat) && {
            participant: visibleJid(author(message.from), chat.addressing),
          }),
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
