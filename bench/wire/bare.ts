// Baileys as its users run it, with its keys in memory.
import { memoryAuth } from '@relay/simulator/whatsapp/testing/client';
import type { ArmKeys } from './keys.ts';

export function bareKeys(): ArmKeys {
  const auth = memoryAuth();
  return {
    account: 0,
    config: () => ({ auth }),
    attach: (socket) => {
      socket.ev.on('creds.update', (update) => Object.assign(auth.creds, update));
    },
    send: (socket, chat, text, messageId) => socket.sendMessage(chat, { text }, { messageId }),
    commits: () => 0,
  };
}
