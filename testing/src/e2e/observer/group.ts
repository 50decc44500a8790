// A family group on the simulated network that Relay observes: people and the owner write in it, the scripted model
// classifies and answers, and every stanza sent to the group is recorded.

import {
  type AcceptanceHarness,
  type AcceptanceOptions,
  ME,
  openAcceptanceHarness,
} from '../acceptance/harness.ts';
import type { Person } from '../acceptance/person.ts';
import { eventually } from '../gateway.ts';

export const NAME = 'Annie';
const SORTS = 'You sort messages of a WhatsApp group';
const ANSWERS = `You are ${NAME}, the assistant of`;
const PATIENCE_MS = 60_000;

export type Label = 'direct_request' | 'mention_only' | 'false_positive';

export interface GroupModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface Stanza {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly content?: unknown;
}

export async function openGroupHarness({ settings, ...options }: AcceptanceOptions = {}) {
  const harness = await openAcceptanceHarness({
    ...options,
    settings: { observer: { assistant_name: NAME }, ...settings },
  });
  return new GroupHarness(harness);
}

export class GroupHarness {
  readonly world: AcceptanceHarness;

  constructor(harness: AcceptanceHarness) {
    this.world = harness;
  }

  /** A group of the owner and these people that Relay knows. */
  async group(subject: string, ...people: Person[]): Promise<Group> {
    const [first] = people;
    if (first === undefined) throw new Error('a group of nobody');
    const members = [ME, ...people.slice(1).map(({ phone }) => phone)];
    const jid = await this.world.phones.group(subject, first.phone, members);
    const group = new Group(this.world, jid, subject);
    await this.known(await group.says(first.phone, 'hello everybody'));
    return group;
  }

  /** A group that is observed, announced and may be answered. */
  async observed(subject: string, ...people: Person[]): Promise<Group> {
    const group = await this.group(subject, ...people);
    await this.world.gives('observe', 'add', subject, '--announced', '--answer');
    return group;
  }

  /** The decisions about a message, the router's first. */
  async reasons(message: string): Promise<string[]> {
    const rows = await this.world.relay.query(
      `SELECT reason FROM relay.ledger WHERE subject_kind = 'message' AND subject_id = $1 ORDER BY seq`,
      [message],
    );
    return rows.map(({ reason }) => String(reason));
  }

  known(message: string): Promise<string[]> {
    return this.settles(message, 1);
  }

  /** Waits until there are this many decisions about it. */
  settles(message: string, decisions: number): Promise<string[]> {
    return eventually(
      `${decisions} decisions about ${message}`,
      async () => {
        const reasons = await this.reasons(message);
        return reasons.length >= decisions ? reasons : undefined;
      },
      PATIENCE_MS,
    );
  }

  /** The model's requests: to classify a mention, or to answer. */
  sorted(): GroupModelRequest[] {
    return this.#asked(SORTS);
  }

  answered(): GroupModelRequest[] {
    return this.#asked(ANSWERS);
  }

  #asked(system: string): GroupModelRequest[] {
    return this.world.model
      .calls()
      .map(({ body }) => body as GroupModelRequest)
      .filter(({ messages }) => messages[0]?.content.includes(system));
  }

  /** Scripts the classification of messages with these words. */
  sorts(words: string, label: Label | (string & {}), more: object = {}): void {
    const text = /^[a-z_]+$/.test(label) ? JSON.stringify({ label }) : label;
    const reply = { text, ...more };
    this.world.model.rules([{ when: { system: SORTS, contains: words }, reply }]);
  }

  answers(words: string, text: string): void {
    this.world.model.rules([{ when: { system: ANSWERS, contains: words }, reply: { text } }]);
  }

  /** Pretends that this much time has passed since the last answer in the group. */
  async passes(group: Group, minutes: number): Promise<void> {
    await this.world.relay.query(
      `UPDATE relay.observer_requests r SET answered_at = r.answered_at - $2 * interval '1 minute',
         created_at = r.created_at - $2 * interval '1 minute'
       FROM relay.chats c WHERE c.id = r.chat_id AND c.group_address = $1`,
      [group.jid, minutes],
    );
    await this.world.relay.query(
      `UPDATE relay.outbox o SET sent_at = o.sent_at - $2 * interval '1 minute',
         attempted_at = o.attempted_at - $2 * interval '1 minute'
       FROM relay.chats c WHERE c.id = o.chat_id AND c.group_address = $1`,
      [group.jid, minutes],
    );
  }
}

export class Group {
  readonly jid: string;
  readonly subject: string;
  readonly #world: AcceptanceHarness;
  readonly #left: Stanza[] = [];

  constructor(harness: AcceptanceHarness, jid: string, subject: string) {
    this.#world = harness;
    this.jid = jid;
    this.subject = subject;
    harness.simulator.network.events.on('stanza', ({ direction, account, stanza }) => {
      const sent = stanza as Stanza;
      const named = Object.values(sent.attrs).includes(jid);
      if (direction === 'in' && account === ME && named && !isAcknowledgement(sent)) {
        this.#left.push(sent);
      }
    });
  }

  says(phone: string, text: string, how: object = {}): Promise<string> {
    return this.#world.phones.send(phone, this.jid, text, how);
  }

  /** The owner writes it on their phone. */
  asks(text: string, how: object = {}): Promise<string> {
    return this.says(ME, text, how);
  }

  async takesBack(message: string): Promise<void> {
    await this.#world.phones.ok(`POST /accounts/${ME}/messages`, { to: this.jid, delete: message });
  }

  /** Relay's messages there, as a member sees them. */
  async heardBy(person: Person): Promise<string[]> {
    const messages = await this.#world.phones.messages(person.phone, this.jid);
    return messages.flatMap(({ text }) => (text?.endsWith('[BOT]') ? [text] : []));
  }

  reads(person: Person, words: string): Promise<string[]> {
    return eventually(
      `"${words}" in ${this.subject}`,
      async () => {
        const heard = await this.heardBy(person);
        return heard.some((text) => text.includes(words)) ? heard : undefined;
      },
      PATIENCE_MS,
    );
  }

  /** Counts by tag of everything Relay sent to the group, except protocol acknowledgements. */
  traces(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { tag } of this.#left) counts[tag] = (counts[tag] ?? 0) + 1;
    return counts;
  }
}

/** Acks, delivery receipts, and requests to the server that nobody in the group sees. */
const isAcknowledgement = ({ tag, attrs }: Stanza): boolean =>
  tag === 'ack' ||
  tag === 'iq' ||
  (tag === 'receipt' &&
    (attrs.type === undefined || attrs.type === 'inactive' || attrs.type === 'sender'));
