// What every torture of the wire stands on: the built daemon on a database of its own, linked with a
// phone of the simulated network, and the settings that make waiting short without changing its rules.
import { setTimeout as sleep } from 'node:timers/promises';
import { builtIn, openBuilds } from '@relay/testing/e2e/built';
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { openDatabase } from './server.ts';
import { OWNER, Traffic } from './traffic.ts';
import { judge, keptTexts, seenTexts, type Verdict } from './verdict.ts';

const SETTINGS = {
  pacing: { enabled: false },
  delivery: { answer_within_ms: 1_000, grace_ms: 300 },
};

export class Stage {
  readonly demo: Demo;
  readonly traffic: Traffic;
  /** Of Relay's database. */
  readonly url: string;
  readonly #close: () => Promise<void>;
  /** How often Relay could not read a message and asked for it again. */
  #retriesAsked = 0;

  private constructor(demo: Demo, url: string, close: () => Promise<void>) {
    this.demo = demo;
    this.url = url;
    this.#close = close;
    this.traffic = new Traffic(demo);
    demo.simulator.network.events.on('receipt', ({ from, device, type }) => {
      if (from.phone === OWNER && device !== 0 && type === 'retry') this.#retriesAsked += 1;
    });
  }

  static async open(preloads: readonly string[] = []): Promise<Stage> {
    const builds = openBuilds();
    const database = await openDatabase();
    const close = async () => {
      await database.close();
      builds.remove();
    };
    try {
      const built = await builtIn(builds.folder);
      const { url: databaseUrl } = database;
      const demo = await startDemo({ built, databaseUrl, preloads, settings: SETTINGS });
      const stage = new Stage(demo, databaseUrl, close);
      await begin(demo).catch(async (error: unknown) => {
        await demo.stop();
        throw error;
      });
      return stage;
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Everything that is under way comes to its end, or nothing moves any more. */
  async settle(): Promise<void> {
    await this.traffic.settle();
    let last = '';
    for (let still = 0; still < 60; still++) {
      const kept = new Set(await keptTexts(this.url)).size;
      const seen = new Set(seenTexts(this.traffic)).size;
      const { toOwner, accepted } = this.traffic;
      if (kept >= toOwner.length && seen >= accepted.length) return;
      if (`${kept} ${seen}` !== last) still = 0;
      last = `${kept} ${seen}`;
      await sleep(500);
    }
  }

  judge(): Promise<Verdict> {
    return judge(this.demo, this.url, this.traffic, this.#retriesAsked);
  }

  async close(): Promise<void> {
    await this.demo.stop();
    await this.#close();
  }
}

async function begin(demo: Demo): Promise<void> {
  await demo.link(OWNER);
  // Node keeps what it compiled only when a process ends in peace.
  await demo.rest();
  await demo.restart();
  await demo.relay.connected();
}
