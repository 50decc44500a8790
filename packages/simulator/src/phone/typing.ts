// Who is being typed to right now, as the network tells it: a linked device says when it begins and when it pauses.
// Invariant: nobody types for ever; what is not said again ends by itself.
import type { NetworkEvents } from '../whatsapp/events.ts';
import type { Network } from '../whatsapp/network.ts';
import type { Face } from './faces.ts';

const LONGEST_MS = 12_000;

export interface Typing {
  has(face: Face): boolean;
  stop(): void;
}

export function watchTyping(network: Network, faces: readonly Face[], changed: () => void): Typing {
  const until = new Map<string, NodeJS.Timeout>();

  function end(face: string): void {
    clearTimeout(until.get(face));
    if (until.delete(face)) changed();
  }

  function hear({ stanza }: NetworkEvents['presence'][0]): void {
    const face = faces.find((each) => isAt(network, each, stanza.attrs.to ?? ''));
    if (stanza.tag !== 'chatstate' || face === undefined) return;
    const kinds = Array.isArray(stanza.content) ? stanza.content.map(({ tag }) => tag) : [];
    end(face.id);
    if (!kinds.includes('composing')) return;
    const timer = setTimeout(() => end(face.id), LONGEST_MS);
    until.set(face.id, timer.unref());
    changed();
  }

  network.events.on('presence', hear);
  return {
    has: ({ id }) => until.has(id),
    stop() {
      network.events.off('presence', hear);
      for (const timer of until.values()) clearTimeout(timer);
    },
  };
}

/** Somebody types to this chat when they name it, or, between two, the one whose phone it is. */
function isAt(network: Network, { chat, phone }: Face, jid: string): boolean {
  if (chat.includes('@')) return jid === chat;
  const person = network.account(phone);
  return person !== undefined && [person.jid('lid'), person.jid('pn')].includes(jid);
}
