// The fixture of all tortures over WhatsApp: the built daemon on its own database, linked to the owner's phone on the
// simulated network, with settings that shorten waiting without changing its rules.
import { type Demo, startDemo } from '@relay/testing/e2e/demo';
import { openBuilt, openDatabase } from './resources.ts';

export const OWNER = '15550000000';

/** Every message is stored, whoever wrote it. */
export const STRANGERS_UNLIMITED = {
  kilobytes_per_sender: 1_000_000,
  megabytes_per_day: 1_000_000,
};

const SETTINGS = {
  pacing: { enabled: false },
  delivery: { answer_within_ms: 1_000, grace_ms: 300 },
  agent: { tokens_per_day: 1_000_000_000 },
  strangers: STRANGERS_UNLIMITED,
};

export interface TortureHarness<People> {
  readonly demo: Demo;
  readonly people: People;
  /** Of Relay's database. */
  readonly url: string;
  /** The folder of the built package. */
  readonly built: string;
  close(): Promise<void>;
}

/** `invite` adds people to the network, including the owner, before Relay is linked; `more` are settings. */
export async function openTortureHarness<People>(
  preloads: readonly string[],
  invite: (demo: Demo) => People,
  more: object = {},
): Promise<TortureHarness<People>> {
  const { built, remove } = await openBuilt();
  const database = await openDatabase();
  const leave = async () => {
    await database.close();
    remove();
  };
  try {
    const { url } = database;
    const settings = { ...SETTINGS, ...more };
    const demo = await startDemo({ built, databaseUrl: url, preloads, settings });
    const close = async () => {
      await demo.stop();
      await leave();
    };
    const people = invite(demo);
    await begin(demo).catch(async (error: unknown) => {
      await demo.stop();
      throw error;
    });
    return { demo, people, url, built, close };
  } catch (error) {
    await leave();
    throw error;
  }
}

async function begin(demo: Demo): Promise<void> {
  await demo.link(OWNER);
  // Node saves its compile cache only when a process exits normally.
  await demo.rest();
  await demo.restart();
  await demo.relay.connected();
}
