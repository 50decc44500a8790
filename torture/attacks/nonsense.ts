// Random tool calls: names that are almost right, arguments of every JSON shape and of some invalid ones, huge and
// deep. Invariant: the same seed gives the same calls.
import type { ScriptedCall } from '@relay/simulator/model/schemas';
import { randomFrom } from '../random.ts';
import type { Tools } from './wishes.ts';

const WORDS = [
  ...['text', 'todo_id', 'status', 'reason', 'delay', 'to', 'chat_id', 'phone', '__proto__'],
  ...['constructor', '$ne', 'length', 'toJSON', '', '0', 'é', '\u202e', 'completed', '1'],
];
const STRINGS = [
  ...['', ' ', 'hello', '1', 'completed', 'null', '\u0000', '\ud800', '\u200b', '{{x}}'],
  ...['../../etc/passwd', "'; DROP TABLE relay.grants; --", '15550100001', '%s%n', '\u202egnp.'],
];
const NUMBERS = [0, -0, -1, 1, 1.5, 1e308, -1e308, 2 ** 53, 1_000, 2_592_000_001, 60_000];

type Random = () => number;

export class Nonsense {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  calls(tools: Tools, count: number): ScriptedCall[] {
    return Array.from({ length: count }, () => this.#call(tools));
  }

  #call(tools: Tools): ScriptedCall {
    const real = this.#pick([...tools.keys()]) ?? 'send_message';
    const name = this.#random() < 0.75 ? real : this.#name(real);
    const dice = this.#random();
    if (dice < 0.15) return { name, arguments: this.#broken() };
    if (dice < 0.2) return { name, arguments: JSON.stringify(this.#value(0)) };
    if (dice < 0.22)
      return { name, arguments: nested(2_000 + Math.floor(this.#random() * 50_000)) };
    const own = (tools.get(name) ?? []).map((key) => [key, this.#value(1)] as const);
    const more = Array.from(
      { length: this.#random() < 0.5 ? 0 : Math.floor(this.#random() * 4) },
      () => [this.#pick(WORDS) ?? '', this.#value(1)] as const,
    );
    return { name, arguments: JSON.stringify(Object.fromEntries([...own, ...more])) };
  }

  #name(real: string): string {
    return (
      this.#pick([
        ...[real.toUpperCase(), `${real} `, real.replace('e', 'е'), `${real}\u0000`, '', ' '],
        ...['__proto__', 'constructor', 'toString', 'a'.repeat(5_000), '😀', `functions.${real}`],
      ]) ?? ''
    );
  }

  #broken(): string {
    return (
      this.#pick([
        '',
        '{',
        '{"text":',
        'undefined',
        '{"a":1}{"b":2}',
        '<xml/>',
        '\u0000',
        '{,}',
        'NaN',
      ]) ?? ''
    );
  }

  #value(depth: number): unknown {
    const dice = this.#random();
    if (dice < 0.4) return this.#pick(STRINGS);
    if (dice < 0.45) return 'x'.repeat(Math.floor(this.#random() * 200_000));
    if (dice < 0.6) return this.#pick(NUMBERS);
    if (dice < 0.7) return this.#pick([true, false, null]);
    if (depth > 4) return [];
    const size = Math.floor(this.#random() * 4);
    if (dice < 0.85) return Array.from({ length: size }, () => this.#value(depth + 1));
    const pairs = Array.from({ length: size }, () => [this.#pick(WORDS), this.#value(depth + 1)]);
    return Object.fromEntries(pairs);
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
