// What the parts of the scene have in hand: the daemon's API as its owner's, the phones of the network, and patience.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import type { Simulator } from '@relay/simulator/simulator';
import type { Terminal } from '../../../terminal.ts';
import type { DemoDaemon } from '../daemon.ts';
import { OWNER } from './people.ts';

export interface Props {
  readonly api: Client;
  readonly network: Simulator['network'];
  /** The family's. */
  readonly group: string;
  /** The network's control API. */
  readonly control: string;
  readonly daemon: Pick<DemoDaemon, 'setBehind'>;
  readonly terminal: Terminal;
  /** Nobody will see the scene any more. */
  readonly signal: AbortSignal;
}

interface Somebody {
  readonly phone: string;
}

export interface Scene extends Props {
  /** Looks again until there is something; what is refused for now is asked again. */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T>;
  says(who: Somebody, to: string, text: string, at?: Date): Promise<void>;
  /** Until so many messages of the owner's are on their phone. */
  hears(who: Somebody & { readonly name: string }, messages: number): Promise<unknown>;
}

export function sceneOf(props: Props): Scene {
  const { network, signal } = props;
  const until: Scene['until'] = (what, look) => eventually(what, look, signal);
  return {
    ...props,
    until,
    hears: ({ phone, name }, messages) =>
      until(`what ${name} is to hear`, async () => {
        const all = network.account(phone)?.messages({ with: OWNER.phone }) ?? [];
        return all.filter(({ fromMe }) => !fromMe).length >= messages || undefined;
      }),
    async says({ phone }, to, text, at) {
      signal.throwIfAborted();
      await network.account(phone)?.send(to, text, at === undefined ? {} : { at });
    },
  };
}

/** Of a machine that has much else to do. */
const PATIENCE_MS = 90_000;

async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  let reason = 'It did not come in time.';
  for (;;) {
    signal.throwIfAborted();
    const found = await look().catch((error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
      return undefined;
    });
    if (found !== undefined) return found;
    if (Date.now() > end) throw new RelayError('demo_not_prepared', { what, reason });
    await sleep(50, undefined, { signal });
  }
}
