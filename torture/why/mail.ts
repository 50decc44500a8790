// Sends random messages of every kind that a person, a group, the owner or one of the owner's numbers can send; each
// one with text contains a unique word.
import { createFinder, type NetworkFinder, sendMessageAs } from '@relay/simulator/control/sending';
import type { Network } from '@relay/simulator/whatsapp/network';
import { OWNER } from '../harness.ts';
import { type Company, PEOPLE, type Person, withRole } from './cast.ts';

export const KINDS = [
  'text',
  'image',
  'audio',
  'reaction',
  'quote',
  'group',
  'own',
  'self',
  'self_command',
  'self_signed',
] as const;
export type Kind = (typeof KINDS)[number];

export interface SentMail {
  readonly id: string;
  readonly kind: Kind;
  /** Null when the owner typed it. */
  readonly person: Person | null;
  /** Null for a message without text. */
  readonly token: string | null;
  /** Whose phone would see an answer. */
  readonly answered: string;
  readonly during: 'open' | 'hold' | 'pause';
}

const FILE = { data: Buffer.from('a file').toString('base64'), mimetype: 'image/png' };

export class Mail {
  readonly sent: SentMail[] = [];
  readonly #network: Network;
  readonly #find: NetworkFinder;
  readonly #company: Company;
  readonly #random: () => number;
  readonly #last = new Map<string, string>();
  #count = 0;

  constructor(network: Network, company: Company, random: () => number) {
    this.#network = network;
    this.#find = createFinder(network);
    this.#company = company;
    this.#random = random;
  }

  async next(during: SentMail['during']): Promise<void> {
    const kind = this.#kind();
    const byOwner = ['own', 'self', 'self_command', 'self_signed'].includes(kind);
    const person = byOwner ? null : this.#pick(PEOPLE);
    const from = person?.phone ?? OWNER;
    const to = this.#to(kind);
    const before = this.#last.get(from);
    // Without an earlier message there is nothing to react to or to quote.
    const really =
      before === undefined && (kind === 'reaction' || kind === 'quote') ? 'text' : kind;
    const token = ['audio', 'reaction', 'self_command'].includes(really)
      ? null
      : `why${++this.#count}`;
    const { person: account, chat } = this.#find;
    const asked = content(really, token ?? '', before ?? '');
    const id = await sendMessageAs(this.#network, account(from), chat(to), asked);
    if (really === 'text') this.#last.set(from, id);
    const answered = person === null ? OWNER : person.phone;
    this.sent.push({ id, kind: really, person, token, answered, during });
  }

  #kind(): Kind {
    // Most messages are text, as in real use.
    return this.#random() < 0.5 ? 'text' : this.#pick(KINDS);
  }

  #to(kind: Kind): string {
    if (kind === 'group') return this.#company.group.jid;
    if (kind === 'own') return this.#pick(withRole('stranger')).phone;
    return OWNER;
  }

  #pick<T>(among: readonly T[]): T {
    const one = among[Math.floor(this.#random() * among.length)];
    if (one === undefined) throw new Error('nothing to choose from');
    return one;
  }
}

function content(kind: Kind, token: string, before: string): Parameters<typeof sendMessageAs>[3] {
  switch (kind) {
    case 'image':
      return { media: { kind: 'image', ...FILE }, text: `a picture, ${token}` };
    case 'audio':
      return { media: { kind: 'audio', ...FILE } };
    case 'reaction':
      return { reaction: { id: before, emoji: '👍' } };
    case 'quote':
      return { text: `again: ${token}`, quoted: before };
    case 'self_command':
      return { text: '/status' };
    case 'self_signed':
      return { text: `${token}\n\n[BOT]` };
    default:
      return { text: `words, ${token}` };
  }
}
