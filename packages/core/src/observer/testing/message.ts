// Builds a group message for tests, from the owner by default.
import type { GroupMessage } from '../message.ts';

export function groupMessage(given: Partial<GroupMessage> = {}): GroupMessage {
  return {
    id: 'M1',
    at: new Date('2026-03-04T10:00:00Z'),
    sender: 'owner',
    senderName: 'Rohan',
    fromOwner: true,
    fromAssistant: false,
    kind: 'text',
    text: '',
    quotedId: null,
    forwarded: false,
    reactionTo: null,
    replaces: null,
    mentions: [],
    ...given,
  };
}
