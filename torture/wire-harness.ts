// The fixture of the wire tortures: the torture fixture, its traffic, and a record of undecryptable messages.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo } from '@relay/testing/e2e/demo';
import { OWNER, openTortureHarness, type TortureHarness } from './harness.ts';
import { Traffic } from './traffic.ts';
import { judge, keptTexts, refusedTexts, seenTexts, type Verdict } from './verdict.ts';

export class WireHarness {
  readonly demo: Demo;
  readonly traffic: Traffic;
  /** Of Relay's database. */
  readonly url: string;
  readonly #ground: TortureHarness<Traffic>;
  /** How often Relay could not decrypt a message and requested it again. */
  #retriesAsked = 0;
  /** The phones' reports of undecryptable messages, some of which were resent. */
  readonly #complaints: string[] = [];

  private constructor(ground: TortureHarness<Traffic>) {
    const { demo, people, url } = ground;
    this.demo = demo;
    this.traffic = people;
    this.url = url;
    this.#ground = ground;
    demo.simulator.network.events.on('receipt', ({ from, device, type }) => {
      if (from.phone === OWNER && device !== 0 && type === 'retry') this.#retriesAsked += 1;
    });
    demo.simulator.network.events.on('undecryptable', ({ account, id, error }) => {
      this.#complaints.push(`${account.phone} could not read ${id}: ${error}`);
    });
  }

  static async open(preloads: readonly string[] = []): Promise<WireHarness> {
    return new WireHarness(await openTortureHarness(preloads, (demo) => new Traffic(demo)));
  }

  /** Waits until everything pending has finished, or nothing makes progress. */
  async settle(): Promise<void> {
    await this.traffic.settle();
    let last = '';
    for (let still = 0; still < 60; still++) {
      const kept = new Set(await keptTexts(this.url)).size;
      const seen = new Set(seenTexts(this.traffic)).size;
      const refused = (await refusedTexts(this.url)).size;
      const { toOwner, accepted } = this.traffic;
      if (kept >= toOwner.length && seen + refused >= accepted.length) return;
      if (`${kept} ${seen}` !== last) still = 0;
      last = `${kept} ${seen}`;
      await sleep(500);
    }
  }

  async judge(): Promise<Verdict> {
    const verdict = await judge(this.demo, this.url, this.traffic, this.#retriesAsked);
    return { ...verdict, faults: [...verdict.faults, ...this.#complaints] };
  }

  close(): Promise<void> {
    return this.#ground.close();
  }
}
