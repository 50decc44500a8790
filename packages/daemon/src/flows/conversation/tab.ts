// What the calls of one turn cost, written down while the turn goes on: the note of a call is waited for
// before the next answer counts and before the turn ends. A budget this turn is known to have used up is
// waited for at once; so at most what others spend meanwhile is learnt of one call late.
import type { Spent } from '@relay/core/ports/turn';
import type { Used } from './budget.ts';
import { overBudget, tokensOf } from './budget.ts';
import type { ConversationWorld } from './work.ts';

export class Tab {
  readonly #world: Pick<ConversationWorld, 'settings'>;
  readonly #note: (spent: Spent) => Promise<Used>;
  /** As far as is known: what others spend is learnt with each note. */
  #used: Used;
  #noting: Promise<void> = Promise.resolve();

  constructor(
    world: Pick<ConversationWorld, 'settings'>,
    used: Used,
    note: (spent: Spent) => Promise<Used>,
  ) {
    this.#world = world;
    this.#used = used;
    this.#note = note;
  }

  /** Rejects when a budget was used up with the call before, or is with this one: it is noted all the same. */
  async add(spent: Spent): Promise<void> {
    const before = this.#noting;
    this.#used = plus(this.#used, spent);
    this.#noting = this.#add(spent);
    // Whoever waits for it hears of it; the turn's end does in any case.
    this.#noting.catch(() => {});
    await before;
    if (overBudget(this.#world, this.#used) !== null) await this.#noting;
  }

  /** Everything is written down. Rejects when a budget was used up. */
  settled(): Promise<void> {
    return this.#noting;
  }

  async #add(spent: Spent): Promise<void> {
    const used = await this.#note(spent);
    const { tokens, micros } = this.#used.day;
    const day = {
      tokens: Math.max(used.day.tokens, tokens),
      micros: Math.max(used.day.micros, micros),
    };
    this.#used = { ...this.#used, day };
    const fault = overBudget(this.#world, used);
    if (fault !== null) throw fault;
  }
}

const plus = ({ conversation, day }: Used, spent: Spent): Used => ({
  conversation: conversation + tokensOf(spent),
  day: { tokens: day.tokens + tokensOf(spent), micros: day.micros + spent.micros },
});
