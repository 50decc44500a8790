// A row of the inbox as a message: the transport's InboxReader, handed to `inbox` by the daemon.
// Invariant: pure; it gives a message, null for what is none, or throws UnreadableMessage.

import { aliasOfJid } from '@relay/core/contacts/alias';
import type { InboxReader, IncomingMessage } from '@relay/core/messages/message';
import { isGroupJid, peopleOf, personJid } from '../addresses.ts';
import { readContent } from './content.ts';
import { readEnvelope } from './envelope.ts';

export const readInboxRow: InboxReader = (stanza, bytes): IncomingMessage | null => {
  const envelope = readEnvelope(stanza);
  if (!envelope) return null;
  const content = readContent(bytes);
  if (!content) return null;
  const { destination, ...inside } = content;
  if (!envelope.fromMe || destination === null) return { ...envelope, ...inside };
  // Anybody could write a destination into a message; only from ourselves does it say where it went.
  if (isGroupJid(destination)) return { ...envelope, ...inside, chat: destination, isGroup: true };
  if (aliasOfJid(destination) === null || envelope.isGroup) return { ...envelope, ...inside };
  const chat = personJid(destination);
  return {
    ...envelope,
    ...inside,
    chat,
    alsoKnownAs: peopleOf([chat, ...envelope.alsoKnownAs]),
  };
};
