// A sleep that can be ended. Ending it before it has begun counts too, once it is armed: a hint that comes
// while its reader is still looking is not lost.
export class Pause {
  #ended = false;
  #wake: () => void = () => {};

  /** From here on an end is remembered. */
  arm(): void {
    this.#ended = false;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async sleep(ms: number): Promise<void> {
    if (this.#ended || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
