// The contacts of many dialogues at once: each answers what its phone shows, as the script says, and knows
// how long it had to wait for an answer.
// Invariant: a line is said once, however often what it answers was delivered.
import type { Network } from '@relay/simulator/whatsapp/network';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { type Dialogue, expectedTexts, lineAnsweredBy, linesAfter } from './script.ts';

interface Partner {
  readonly dialogue: Dialogue;
  readonly account: SimulatedAccount;
  /** Texts of the owner's that belong to this dialogue, by message id, in the order they came. */
  readonly seen: Map<string, string>;
  /** Its lines, and when each was said. */
  readonly said: Map<string, number>;
  /** Lines are said one after the other. */
  tail: Promise<void>;
}

export interface PeopleOptions {
  readonly network: Network;
  /** The phone that Relay is linked with. */
  readonly owner: SimulatedAccount;
  /** What a person does before they answer; nothing unless given. */
  readonly hesitate?: () => Promise<void>;
}

export class People {
  /** From a line of a contact's to the message that answers it. */
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

  /** How many messages of the owner's were seen by all of them. */
  get shown(): number {
    return this.#shown;
  }

  /** From now on this account answers in this dialogue. */
  join(dialogue: Dialogue, account: SimulatedAccount): void {
    this.#partners.set(dialogue.name, {
      ...{ dialogue, account, seen: new Map(), said: new Map(), tail: Promise.resolve() },
    });
  }

  /** Whether everything that a dialogue's contact is to see has been seen. */
  hasSeenAll(dialogue: Dialogue): boolean {
    const seen = new Set(this.#partners.get(dialogue.name)?.seen.values());
    return expectedTexts(dialogue).every((text) => seen.has(text));
  }

  /** What was seen of a dialogue on its contact's phone, in order, as often as it was seen. */
  seenBy({ name }: Dialogue): string[] {
    return [...(this.#partners.get(name)?.seen.values() ?? [])];
  }

  /** Rejects when somebody could not say what they had to. */
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
