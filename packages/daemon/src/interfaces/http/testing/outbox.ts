// A fake outbox, and fixtures for recent messages.

import type { OwnerMessage, OwnerMessageStatus } from '@relay/contract/api/sending';
import type { BufferedMessage } from '@relay/contract/api/whatsapp';
import type { OutboxState } from '@relay/contract/outbox/states';

export const buffered: BufferedMessage = {
  id: '3EB0A7B1C2D3',
  from: '14155551234@s.whatsapp.net',
  fromName: 'Alice',
  to: '19876543210@s.whatsapp.net',
  body: 'Hey, are you around?',
  timestamp: 1_740_567_890_000,
  fromMe: false,
  isGroup: false,
};

/** A message with a key is sent once; `advance` simulates the outbox's work. */
export function memoryOutbox() {
  const rows: OwnerMessage[] = [];
  let state: OutboxState = 'pending';
  const sentAs = (at: number, to: string): OwnerMessageStatus => ({
    jid: to,
    chatId: '0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
    id: `outbox-${at}`,
    messageId: `3EB0${at}`,
    state,
  });
  return {
    rows,
    advance(to: OutboxState) {
      state = to;
    },
    async send(message: OwnerMessage): Promise<OwnerMessageStatus> {
      const found = rows.findIndex(({ key }) => key !== undefined && key === message.key);
      const at = found === -1 ? rows.push(message) - 1 : found;
      return sentAs(at, message.to);
    },
  };
}
