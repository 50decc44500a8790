// Who goes first: what calls of one token to one tool write is written in the order in which they came.
// Invariant: a turn that is given back, used or not, never holds up the next.

interface Turn {
  /** When all that came before have had theirs. */
  readonly comes: Promise<void>;
  giveBack(): void;
}

export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Taken at once: whoever asks first is first. */
  take(line: string): Turn {
    const comes = this.#last.get(line) ?? Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const over = comes.then(() => promise);
    this.#last.set(line, over);
    void over.then(() => {
      if (this.#last.get(line) === over) this.#last.delete(line);
    });
    return { comes, giveBack: resolve };
  }
}

/** One call's place in its line: the first work goes where the call came, later work behind who came since. */
export class Line {
  readonly #turns: Turns;
  readonly #name: string;
  #turn: Turn | null;

  constructor(turns: Turns, name: string) {
    this.#turns = turns;
    this.#name = name;
    this.#turn = turns.take(name);
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#turn ??= this.#turns.take(this.#name);
    try {
      await this.#turn.comes;
      return await work();
    } finally {
      this.leave();
    }
  }

  leave(): void {
    this.#turn?.giveBack();
    this.#turn = null;
  }
}
