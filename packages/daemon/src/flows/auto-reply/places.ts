// How many answers are being thought of at once. Whoever finds no place waits in line; what surrounds the
// thinking (taking a job, reading, writing) goes on beside it and takes up none.

export class Places {
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
