// Random schedules of faults between Relay, WhatsApp and the database while messages flow both ways, with one daemon
// that is never restarted; at the end every message is counted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultSettings } from '@relay/simulator/whatsapp/faults';
import { onServer } from '@relay/testing/postgres';
import { thenClose } from '@relay/testing/then-close';
import { randomFrom } from './random.ts';
import type { Verdict } from './verdict.ts';
import { WireHarness } from './wire-harness.ts';

export interface FaultsTorture {
  readonly schedules: number;
  readonly seed: number;
  /** Names of faults; all if empty. */
  readonly only?: readonly string[];
}

export interface FaultsReport extends Verdict {
  readonly seed: number;
  readonly schedules: number;
  readonly injected: Readonly<Record<string, number>>;
  readonly received: number;
  readonly sent: number;
  readonly repeatedOnTheWire: number;
  readonly reconnectMs: { readonly worst: number };
  readonly seconds: number;
}

type Random = () => number;
type Fault = (stage: WireHarness, random: Random) => unknown;

const setting = (settings: Partial<FaultSettings>): Fault => {
  return ({ demo }) => demo.simulator.network.faults.set(settings);
};

/** Close codes that are followed by a reconnect; those that end the link have their own tests. */
const PASSING_CODES = [408, 428, 500, 503, 515];

const FAULTS: Readonly<Record<string, Fault>> = {
  cut: ({ traffic }) => traffic.owner.disconnect(),
  close: ({ traffic }, random) => traffic.owner.disconnect(pick(PASSING_CODES, random)),
  latency: ({ demo }, random) =>
    demo.simulator.network.faults.set({ latencyMs: Math.floor(random() * 80) }),
  duplicates: setting({ duplicateDeliveries: true }),
  reorder: setting({ reorderDeliveries: true }),
  'acks withheld': setting({ withholdAcks: true }),
  swallowed: setting({ swallowMessages: true }),
  'refused 463': setting({ ackError: 463 }),
  'refused 429': setting({ ackError: 429 }),
  'login refused': ({ demo, traffic }) => {
    demo.simulator.network.faults.set({ refuseLogin: 503 });
    traffic.owner.disconnect();
  },
  'database connections': ({ url }) =>
    onServer(url, (client) =>
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND starts_with(application_name, $1)',
        ['relay'],
      ),
    ),
};

export async function tortureFaults({
  schedules,
  seed,
  only = [],
}: FaultsTorture): Promise<FaultsReport> {
  const began = performance.now();
  const random = randomFrom(seed);
  const choice = Object.keys(FAULTS).filter((name) => only.length === 0 || only.includes(name));
  const stage = await WireHarness.open();
  const injected = new Map<string, number>();
  let worst = 0;
  return thenClose(stage, async () => {
    for (let n = 1; n <= schedules; n++) {
      for (const name of await schedule(stage, choice, random))
        injected.set(name, (injected.get(name) ?? 0) + 1);
      worst = Math.max(worst, await recover(stage));
      if (n % 50 === 0) {
        const { toOwner, accepted } = stage.traffic;
        console.log(
          `${n} of ${schedules} schedules, ${toOwner.length} received, ${accepted.length} accepted`,
        );
      }
    }
    await stage.settle();
    return {
      seed,
      schedules,
      injected: Object.fromEntries([...injected].sort()),
      received: stage.traffic.toOwner.length,
      sent: stage.traffic.accepted.length,
      repeatedOnTheWire: stage.demo.simulator.network.counts().duplicates,
      reconnectMs: { worst: Math.round(worst) },
      ...(await stage.judge()),
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  });
}

/** One to three faults at random moments of a short conversation. */
async function schedule(
  stage: WireHarness,
  choice: readonly string[],
  random: Random,
): Promise<string[]> {
  const names = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(choice, random));
  const { traffic } = stage;
  traffic.ordered = !names.includes('reorder');
  const inject = async (name: string) => {
    await sleep(random() * 60);
    await FAULTS[name]?.(stage, random);
  };
  await Promise.all([traffic.phonesWrite(4), traffic.ownerWrites(3), ...names.map(inject)]);
  // Messages are sent after they were accepted, so the faults must still be active.
  await sleep(100 + random() * 400);
  return names;
}

/** Ends the faults; returns how long until Relay is connected again, with an owner who asks for it. */
async function recover({ demo, url }: WireHarness): Promise<number> {
  const began = performance.now();
  demo.simulator.network.faults.clear();
  // A freeze lasts minutes to hours; here only its end matters.
  await onServer(url, (client) => client.query('UPDATE relay.freezes SET until = now()'));
  await demo.relay.connect();
  await demo.relay.connected(60_000);
  return performance.now() - began;
}

const pick = <T>(items: readonly T[], random: Random): T =>
  items[Math.floor(random() * items.length)] as T;
