// The people a visitor of the phone page can be, and what each sees: their chat with ticks and typing state. Invariant:
// it shows what the simulated phones hold, and stores only who is typing.

import type { NetworkEvents } from '../whatsapp/events.ts';
import type { Network } from '../whatsapp/network.ts';
import type { SimulatedAccount } from '../whatsapp/people/account.ts';
import type { SeenMessage } from '../whatsapp/people/mailbox.ts';
import type { ShownMessage } from '../whatsapp/people/screen.ts';

/** A file of the phone page that a visitor can send. */
export interface PreparedFile {
  readonly label: string;
  readonly kind: 'photo' | 'voice';
  /** The file in `page/`. */
  readonly file: string;
  readonly caption?: string;
}

export interface PhonePersona {
  readonly id: string;
  readonly name: string;
  /** Who this is to the owner, in a few words. */
  readonly about: string;
  /** What happens when the visitor writes here, in one sentence. */
  readonly hint: string;
  /** Suggested messages, each with its writer. */
  readonly tries: readonly { readonly text: string; readonly as?: string }[];
  /** Prepared files that can be sent. */
  readonly files?: readonly PreparedFile[];
  /** Whose phone is shown. */
  readonly phone: string;
  /** The number at the other end, or the address of a group. */
  readonly chat: string;
  /** The title above the chat. */
  readonly title: string;
  /** Who can write; the first by default. */
  readonly writers: readonly { readonly phone: string; readonly name: string }[];
}

interface PhoneMessageView {
  readonly id: string;
  readonly from: string;
  readonly name: string;
  readonly text: string;
  /** Its file, or what else it is. */
  readonly media: PhoneMediaView | null;
  /** Emoji, each once for every person. */
  readonly reactions: readonly string[];
  readonly edited: boolean;
  readonly at: string;
  readonly status: string;
}

interface PhoneMediaView {
  /** `Voice message`, or the name of a document. */
  readonly label: string;
  /** Whether the page can show or play it. */
  readonly shows: 'photo' | 'voice' | null;
}

interface PhonePersonaView extends PhonePersona {
  readonly typing: boolean;
  readonly messages: readonly PhoneMessageView[];
}

const MOST_SHOWN = 200;

export function viewPersona(
  network: Network,
  face: PhonePersona,
  typing: boolean,
): PhonePersonaView {
  const phone = requireAccount(network, face.phone);
  const names = new Map(face.writers.map((writer) => [writer.phone, writer.name]));
  const messages = phone
    .shown({ with: face.chat })
    .filter((message) => message.status !== 'undecryptable')
    .slice(-MOST_SHOWN)
    .map((message) => messageView(network, face, message, names));
  return { ...face, typing, messages };
}

function messageView(
  network: Network,
  { chat, phone }: PhonePersona,
  message: ShownMessage,
  names: ReadonlyMap<string, string>,
): PhoneMessageView {
  const { id, from, at, deleted, edited, reactions } = message;
  const author = network.account(from);
  // In a group the ticks of another member's message are on that member's phone.
  const apart = from === phone || !chat.includes('@') ? undefined : author;
  const own = apart?.messages({ with: chat }).find((one) => one.id === id);
  return {
    id,
    from,
    name: names.get(from) ?? author?.name ?? from,
    text: deleted ? 'This message was deleted.' : (message.text ?? ''),
    media: mediaView(message),
    reactions: Object.values(reactions),
    edited: edited && !deleted,
    at: at.toISOString(),
    status: displayedStatus(network, own ?? message),
  };
}

const MEDIA_LABELS = {
  image: 'Photo',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
  sticker: 'Sticker',
} as const;

function mediaView({ contacts, location, media, poll }: ShownMessage): PhoneMediaView | null {
  if (poll) return { label: `Poll: ${[poll.question, ...poll.options].join(' · ')}`, shows: null };
  if (location) {
    const { latitude, longitude, name } = location;
    return { label: `Location: ${name || `${latitude}, ${longitude}`}`, shows: null };
  }
  const [contact] = contacts;
  if (contact) return { label: `Contact: ${contact.name}`, shows: null };
  if (!media) return null;
  const label = media.voice ? 'Voice message' : (media.fileName ?? MEDIA_LABELS[media.kind]);
  if (media.kind === 'image' || media.kind === 'sticker') return { label, shows: 'photo' };
  return { label, shows: media.kind === 'audio' ? 'voice' : null };
}

/** In a group the ticks turn blue when every other member has read the message, as on WhatsApp. */
function displayedStatus(
  network: Network,
  { chat, from, status, receipts }: Pick<SeenMessage, 'chat' | 'from' | 'status' | 'receipts'>,
): SeenMessage['status'] {
  const group = network.group(chat);
  if (group === undefined || status !== 'read') return status;
  const others = [...group.members.keys()].filter(({ phone }) => phone !== from);
  return others.every(({ phone }) => receipts[phone] === 'read') ? 'read' : 'delivered';
}

export function requireAccount(network: Network, phone: string): SimulatedAccount {
  const person = network.account(phone);
  if (person === undefined) throw new Error(`the network has no account ${phone}`);
  return person;
}

// Tracks who is typing, from the presence that linked devices send. Invariant: typing that is not repeated ends by
// itself.

const LONGEST_MS = 12_000;

interface TypingWatcher {
  has(face: PhonePersona): boolean;
  stop(): void;
}

export function watchTyping(
  network: Network,
  faces: readonly PhonePersona[],
  changed: () => void,
): TypingWatcher {
  const until = new Map<string, NodeJS.Timeout>();

  function end(face: string): void {
    clearTimeout(until.get(face));
    if (until.delete(face)) changed();
  }

  function hear({ stanza }: NetworkEvents['presence'][0]): void {
    const face = faces.find((each) => isTypingTo(network, each, stanza.attrs.to ?? ''));
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

/** Whether the presence is for this chat: it names the chat, or, between two people, the phone's owner. */
function isTypingTo(network: Network, { chat, phone }: PhonePersona, jid: string): boolean {
  if (chat.includes('@')) return jid === chat;
  const person = network.account(phone);
  return person !== undefined && [person.jid('lid'), person.jid('pn')].includes(jid);
}

// A growing change number for long polling: a caller with an old number is answered at once, one with the newest waits.
// Invariant: nobody waits longer than PATIENCE_MS, and `stop` releases everybody.

const PATIENCE_MS = 20_000;

interface NetworkChanges {
  note(): void;
  /** Resolves with the newest number once it differs from this one. */
  since(known: number): Promise<number>;
  stop(): void;
}

export function watchChanges(network: Network): NetworkChanges {
  let revision = 1;
  const waiting = new Set<() => void>();

  const releaseWaiting = () => {
    for (const release of waiting) release();
    waiting.clear();
  };
  const note = () => {
    revision += 1;
    releaseWaiting();
  };
  network.events.on('message', note).on('receipt', note);

  return {
    note,
    async since(known) {
      if (known !== revision) return revision;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS);
        waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      return revision;
    },
    stop() {
      network.events.off('message', note).off('receipt', note);
      releaseWaiting();
    },
  };
}
