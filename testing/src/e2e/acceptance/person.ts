// Somebody with a phone: writes to the owner's number and reads what comes from it. What the model does in
// a conversation about them is scripted here too, because the objective names them.
import type { ModelServer } from '@relay/simulator/model/server';
import { eventually } from '../gateway.ts';
import type { Phones } from '../phones.ts';
import type { Call } from './script.ts';

const PATIENCE_MS = 120_000;

export interface PersonOptions {
  /** Unlike any other word of a prompt. */
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

  /** What is on the phone from the owner's number, in the order it came. */
  async has(): Promise<(string | null)[]> {
    return (await this.#phones.received(this.phone, this.#owner)).map(({ text }) => text);
  }

  /** Once it is there, everything that is. */
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

  /** From now on, when a turn is asked for with these words. The newest rule that fits wins. */
  meets(words: string, ...tool_calls: Call[]): void {
    this.#model.rules([{ when: { system: this.name, contains: words }, reply: { tool_calls } }]);
  }
}
