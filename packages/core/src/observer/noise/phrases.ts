// Words and phrases with what they stand for. Looked up at a place in a text: the longest one there counts.

export interface Found<T> {
  readonly value: T;
  /** In words. */
  readonly length: number;
}

export class Phrases<T> {
  readonly #values = new Map<string, T>();
  /** How many words the longest phrase has that begins with this one. */
  readonly #reach = new Map<string, number>();

  /** Of two that are the same the first counts. */
  constructor(entries: Iterable<readonly [phrase: string, value: T]>) {
    for (const [phrase, value] of entries) {
      if (this.#values.has(phrase)) continue;
      this.#values.set(phrase, value);
      const words = phrase.split(' ');
      const [first = ''] = words;
      this.#reach.set(first, Math.max(words.length, this.#reach.get(first) ?? 0));
    }
  }

  get(phrase: string): T | undefined {
    return this.#values.get(phrase);
  }

  longestAt(words: readonly string[], at: number): Found<T> | null {
    const reach = this.#reach.get(words[at] ?? '') ?? 0;
    for (let length = Math.min(reach, words.length - at); length > 0; length--) {
      const value = this.#values.get(words.slice(at, at + length).join(' '));
      if (value !== undefined) return { value, length };
    }
    return null;
  }
}
