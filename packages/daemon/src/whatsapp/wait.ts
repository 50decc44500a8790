// A wait that somebody may cut short.

export class Wait {
  readonly over: Promise<void>;
  readonly #done: () => void;

  constructor(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    const timer = setTimeout(resolve, ms);
    this.#done = () => {
      clearTimeout(timer);
      resolve();
    };
  }

  cutShort(): void {
    this.#done();
  }
}
