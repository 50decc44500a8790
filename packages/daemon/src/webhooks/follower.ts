// Follows the log of events for as long as the daemon runs, after the transactions that write it and never in
// them. Without a webhook it rests, and looks again when it is told that there is one.
import type { Followed } from './follow.ts';
import { followNext } from './follow.ts';
import type { WebhookWorld } from './world.ts';

const BATCH = 200;
/** The floor when a hint is lost. */
const POLL_MS = 2_000;
const NONE: Followed = { webhooks: 0, events: 0, deliveries: 0 };

export class Follower {
  readonly #world: WebhookWorld;
  #stopping = false;
  #woken = false;
  /** Nobody listens, so nobody has to be told. */
  #idle = false;
  #wake: () => void = () => {};
  #loop: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => {};

  constructor(world: WebhookWorld) {
    this.#world = world;
  }

  start(): void {
    this.#unsubscribe = this.#world.events.subscribe(() => this.#hint());
    this.#loop = this.#run();
  }

  /** Webhooks were added or changed. */
  look(): void {
    this.#idle = false;
    this.#hint();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping = true;
    this.#hint();
    await this.#loop;
  }

  #hint(): void {
    if (this.#idle && !this.#stopping) return;
    this.#woken = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      const { webhooks, events, deliveries } = await this.#next();
      if (deliveries > 0) this.#world.jobs.hint('webhook');
      if (events === BATCH || this.#woken) continue;
      this.#idle = webhooks === 0;
      await this.#rest(POLL_MS);
    }
  }

  async #next(): Promise<Followed> {
    try {
      return await followNext(this.#world, BATCH);
    } catch (error) {
      this.#world.log.warn('webhooks wait', { error });
      return { ...NONE, webhooks: 1 };
    }
  }

  async #rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#idle ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
