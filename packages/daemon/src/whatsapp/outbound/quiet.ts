// Where the socket keeps quiet: in a group that is read in silence nobody sees anybody typing, reading,
// listening or reacting, whoever asks for it. Held here, at the last place before stanzas are made, so that
// no caller has to remember it. What the protocol itself acknowledges is not in anybody's hands.
import { isMark } from '@relay/core/messages/marks';
import type { WASocket } from '@whiskeysockets/baileys';
import { isGroupJid } from '../addresses.ts';

/** True when others there must not notice that somebody is. */
export type IsSilent = (chat: string) => Promise<boolean>;

interface Key {
  readonly remoteJid?: string | null;
}

const first = (...[chat]: readonly unknown[]) => [chat];
const second = (...[, chat]: readonly unknown[]) => [chat];
const ofKeys = (...[keys]: readonly unknown[]) =>
  (keys as readonly Key[]).map((key) => key.remoteJid);

/** What shows oneself, and in which chats. Relay's messages go by `relayMessage`, never by `sendMessage`. */
const SEEN = {
  sendPresenceUpdate: second,
  presenceSubscribe: first,
  readMessages: ofKeys,
  sendReceipt: first,
  sendReceipts: ofKeys,
  sendMessage: first,
} as const satisfies Partial<Record<keyof WASocket, (...given: readonly unknown[]) => unknown[]>>;

type Method = (...given: unknown[]) => Promise<unknown>;

export function keepQuiet(socket: WASocket, isSilent: IsSilent): WASocket {
  /** A group of which it cannot be told is one. */
  const silent = (chat: unknown): Promise<boolean> =>
    typeof chat === 'string' && isGroupJid(chat)
      ? isSilent(chat).catch(() => true)
      : Promise.resolve(false);
  const anySilent = async (chats: readonly unknown[]): Promise<boolean> =>
    (await Promise.all(chats.map(silent))).includes(true);

  const methods = socket as unknown as Record<string, Method>;
  for (const [name, chatsIn] of Object.entries(SEEN)) {
    const method = methods[name];
    if (method === undefined) throw new Error(`Baileys has no ${name}`);
    methods[name] = async (...given) =>
      (await anySilent(chatsIn(...given))) ? undefined : method(...given);
  }
  const { relayMessage } = socket;
  socket.relayMessage = async (chat, content, options) => {
    if (Object.keys(content).some(isMark) && (await silent(chat))) {
      throw new Error('No mark is put on a message of a group that is read in silence.');
    }
    return relayMessage(chat, content, options);
  };
  return socket;
}
