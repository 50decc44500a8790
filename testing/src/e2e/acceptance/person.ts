// A person with a phone: writes to the owner's number and reads what it sends. Also scripts the model in conversations
// about them, because the objective names them.
import type { ModelServer } from '@relay/simulator/model/server';
import { eventually } from '../gateway.ts';
import type { Phones } from '../phones.ts';
import type { Call } from './script.ts';

const PATIENCE_MS = 120_000;

export interface PersonOptions {
  /** Unique among all words of a prompt. */
  readonly name: string;
  /** Digits only. */
  readonly phone: string;
  readonly owner: string;
  readonly phones: Phones;
  readonly model: ModelServer;
}

export class Person {
  readonly name: string;
  readonly phone: string;
  readonly #owner: string;
  readonly #phones: Phones;
  readonly #model: ModelServer;

  constructor({ name, phone, owner, phones, model }: PersonOptions) {
    this.name = name;
    this.phone = phone;
    this.#owner = owner;
    this.#phones = phones;
    this.#model = model;
  }

  get number(): string {
    return `+${this.phone}`;
  }

  writes(text: string): Promise<string> {
    return this.#phones.send(this.phone, this.#owner, text);
  }

  /** Messages from the owner's number on the phone, in order of arrival. */
  async has(): Promise<(string | null)[]> {
    return (await this.#phones.received(this.phone, this.#owner)).map(({ text }) => text);
  }

  /** Waits for this message; returns all messages. */
  reads(wanted: string): Promise<(string | null)[]> {
    return eventually(
      `"${wanted}" on the phone of ${this.name}`,
      async () => {
        const has = await this.has();
        return has.includes(wanted) ? has : undefined;
      },
      PATIENCE_MS,
    );
  }

  /** Scripts the model's calls for turns with these words. The newest matching rule wins. */
  meets(words: string, ...tool_calls: Call[]): void {
    this.#model.rules([{ when: { system: this.name, contains: words }, reply: { tool_calls } }]);
  }
}
