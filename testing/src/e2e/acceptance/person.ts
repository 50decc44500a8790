// Somebody with a phone: writes to the owner's number and reads what comes from it, as any person would.
import { eventually } from '../gateway.ts';
import type { Phones } from '../phones.ts';

export class Person {
  /** Digits only. */
  readonly phone: string;
  readonly #phones: Phones;
  readonly #owner: string;

  constructor(phones: Phones, owner: string, phone: string) {
    this.#phones = phones;
    this.#owner = owner;
    this.phone = phone;
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

  reads(wanted: string): Promise<true> {
    const look = async () => (await this.has()).includes(wanted) || undefined;
    return eventually(`"${wanted}" on ${this.phone}`, look);
  }
}
