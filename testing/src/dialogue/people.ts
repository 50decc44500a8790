// The contacts of many dialogues at once: each answers what its phone shows, as scripted, and measures its wait for
// answers. Invariant: a line is sent once, however often the message it answers was delivered.
import type { Network } from '@relay/simulator/whatsapp/network';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { type Dialogue, expectedTexts, lineAnsweredBy, linesAfter } from './script.ts';

interface Partner {
  readonly dialogue: Dialogue;
  readonly account: SimulatedAccount;
  /** The owner's messages in this dialogue, by message id, in order of arrival. */
  readonly seen: Map<string, string>;
  /** Its lines, and when each was sent. */
  readonly said: Map<string, number>;
  /** Lines are sent one after the other. */
  tail: Promise<void>;
}

export interface PeopleOptions {
  readonly network: Network;
  /** The phone that Relay is linked with. */
  readonly owner: SimulatedAccount;
  /** What a person does before they answer; nothing by default. */
  readonly hesitate?: () => Promise<void>;
}

export class People {
  /** Milliseconds from each line of a contact to the message that answers it. */
  readonly waits: number[] = [];
  readonly #options: PeopleOptions;
  readonly #partners = new Map<string, Partner>();
  readonly #failures: unknown[] = [];
  #shown = 0;

  constructor(options: PeopleOptions) {
    this.#options = options;
    options.network.events.on('message', ({ account, message }) => {
      if (message.from !== options.owner.phone || account.phone === options.owner.phone) return;
      this.#shows(message.id, message.text ?? '');
    });
  }

  /** How many of the owner's messages all contacts have seen. */
  get shown(): number {
    return this.#shown;
  }

  /** Makes this account answer in this dialogue. */
  join(dialogue: Dialogue, account: SimulatedAccount): void {
    this.#partners.set(dialogue.name, {
      ...{ dialogue, account, seen: new Map(), said: new Map(), tail: Promise.resolve() },
    });
  }

  /** Whether a dialogue's contact has seen everything it should see. */
  hasSeenAll(dialogue: Dialogue): boolean {
    const seen = new Set(this.#partners.get(dialogue.name)?.seen.values());
    return expectedTexts(dialogue).every((text) => seen.has(text));
  }

  /** What a dialogue's contact saw on the phone, in order, duplicates included. */
  seenBy({ name }: Dialogue): string[] {
    return [...(this.#partners.get(name)?.seen.values() ?? [])];
  }

  /** Throws when somebody could not send a line. */
  check(): void {
    if (this.#failures.length > 0)
      throw new AggregateError(this.#failures, 'a phone could not write');
  }

  #shows(id: string, text: string): void {
    const partner = this.#partners.get(/^c\d+/.exec(text)?.[0] ?? '');
    if (partner === undefined || partner.seen.has(id)) return;
    this.#shown += 1;
    partner.seen.set(id, text);
    const since = partner.said.get(lineAnsweredBy(text) ?? '');
    if (since !== undefined) this.waits.push(performance.now() - since);
    partner.tail = partner.tail
      .then(() => this.#answer(partner))
      .catch((error: unknown) => void this.#failures.push(error));
  }

  async #answer(partner: Partner): Promise<void> {
    const { dialogue, account, seen, said } = partner;
    const { owner, hesitate } = this.#options;
    const due = linesAfter(dialogue, new Set(seen.values())).filter((line) => !said.has(line));
    if (due.length > 0) await hesitate?.();
    for (const line of due) {
      said.set(line, performance.now());
      await account.send(owner, line);
    }
  }
}
