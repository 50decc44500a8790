// Test harness for the outbox: a store, a gate, a scripted network, and deliverers that can be killed and restarted on
// the same rows.
import { randomUUID } from 'node:crypto';
import {
  type DeliverySettings,
  deliverySchema,
  type PacingSettings,
  pacingSchema,
} from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { Deliverer } from '@relay/daemon/pipeline/outbox/deliverer';
import { takeLease } from '@relay/daemon/platform/db/lease';
import { ScriptedTransport } from '@relay/testing/scripted-transport';
import { type CleanupHook, eventually, freshStore } from '@relay/testing/store';
import { Gate } from '../../gate/gate.ts';
import { recheckPermits } from '../../gate/recheck.ts';
import { type MessageFromOwner, sendAsOwner } from '../../gate/send-as-owner.ts';
import { checkNumber } from '../deliverer.ts';
import type { OutboxRow } from '../delivery-updates.ts';

/** The deliverer reads its clock at most this often in one look. */
const MOST_READINGS = 8;
const NUMBER_ANSWER_MS = 200;

export interface PostOptions {
  readonly pacing?: Partial<PacingSettings>;
  readonly delivery?: Partial<DeliverySettings>;
  readonly types?: boolean;
  /** The network can be asked whether a number is registered. */
  readonly looksUp?: boolean;
}

export async function freshPost(after: CleanupHook, options: PostOptions = {}) {
  const store = await freshStore(after);
  const { database, account, sql } = store;
  const lease = await takeLease(database.kysely, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const pacing = pacingSchema.parse({ enabled: false, ...options.pacing });
  const delivery = deliverySchema.parse({ grace_ms: 50, ...options.delivery });
  const { types = false, looksUp = false } = options;
  const network = new ScriptedTransport({ types, looksUp });
  const recorded: string[] = [];
  const clock = { ahead: 0 };
  let readings = 0;
  const now = () => {
    readings += 1;
    return new Date(Date.now() + clock.ahead);
  };
  /** The plain bytes of stored media. */
  const files = new Map<string, () => AsyncIterable<Uint8Array>>();
  const missing = (id: string): never => {
    throw new Error(`no file ${id}`);
  };
  let running: Deliverer | null = null;
  let unsubscribe = () => {};
  let recordSent = async (_row: OutboxRow): Promise<void> => {};
  const checks = { db: database.kysely, lease, transport: network, log: silentLog, now };
  const gate = new Gate({
    account,
    pacing,
    wakeOutbox: () => running?.wake(),
    now,
    checkNumber: (address) => checkNumber(checks, address, NUMBER_ANSWER_MS),
  });
  const world = { db: database.kysely, lease, gate };

  /** Starts a deliverer on these rows in place of the previous one. */
  const start = () => {
    const deliverer = new Deliverer({
      db: database.kysely,
      lease,
      transport: network,
      builder: network.builder(account, (id) => files.get(id)?.() ?? missing(id)),
      pacing,
      delivery,
      recheck: recheckPermits(account, { pacing, now }),
      hooks: {
        recordSent: async (_tx, sent) => {
          for (const { row } of sent) await recordSent(row);
          recorded.push(...sent.map(({ row }) => row.body));
        },
        onUndelivered: async () => {},
        onSettled: async () => {},
      },
      log: silentLog,
      onChange: () => {},
      now,
      random: () => 0.5,
    });
    unsubscribe = network.subscribe((event) => deliverer.onTransportEvent(event));
    running = deliverer;
    deliverer.start();
    return deliverer;
  };

  /** Answers that arrive from now on are dropped, and nothing more is written. */
  const kill = async () => {
    unsubscribe();
    await running?.stop(0);
    running = null;
  };
  after(kill);

  const states = async () =>
    (await sql<{ state: string }>('SELECT state FROM outbox ORDER BY seq')).map(
      ({ state }) => state,
    );

  return {
    ...store,
    lease,
    gate,
    world,
    network,
    recorded,
    files,
    start,
    kill,
    states,
    now,
    /** Advances the deliverer's clock. */
    later: (ms: number) => {
      clock.ahead += ms;
      running?.wake();
    },
    onRecord: (then: (row: OutboxRow) => Promise<void>) => {
      recordSent = then;
    },
    settled: () => running?.settled(),
    /** Resolves when the deliverer has looked for messages more than once since the call. */
    looked: async () => {
      const enough = readings + 2 * MOST_READINGS;
      await eventually(() => {
        running?.wake();
        return readings >= enough;
      });
    },
    send: (text: string, more: Partial<MessageFromOwner> = {}) =>
      sendAsOwner(world, { to: '+49 151 000001', text, ...more }),
    becomes: async (...wanted: string[]) => {
      const isSo = async () => (await states()).join() === wanted.join();
      // Shows the actual states and failures instead of a timeout.
      await eventually(isSo).catch(async () => {
        const rows = await sql('SELECT state, failure, attempts FROM outbox ORDER BY seq');
        throw new Error(`expected ${wanted.join()}, found ${JSON.stringify(rows)}`);
      });
    },
  };
}
