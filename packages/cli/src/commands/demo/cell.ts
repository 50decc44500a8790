// The workers of a headless demo, and its linked accounts. Invariant: when `startDemoCell` resolves, every account is
// connected.
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/contract/errors';
import type { Simulator } from '@relay/simulator/simulator';
import { clientOf } from '../../api.ts';
import type { Terminal } from '../../terminal.ts';
import { type DemoDaemon, startDemoWorker } from './daemon.ts';

export interface DemoCellSize {
  readonly workers: number;
  readonly accounts: number;
}

interface DemoCellOptions {
  readonly home: string;
  readonly socketUrl: string;
  readonly daemon: DemoDaemon;
  readonly size: DemoCellSize;
  readonly simulator: Simulator;
  readonly closers: (() => Promise<void>)[];
}

interface DemoCell {
  readonly workers: readonly { readonly id: string; readonly pid: number }[];
  readonly accounts: readonly { readonly id: string; readonly phone: string }[];
}

const LINK_MS = 60_000;
const LOOK_MS = 100;

export async function startDemoCell(
  { home, socketUrl, daemon, size, simulator, closers }: DemoCellOptions,
  terminal: Terminal,
): Promise<DemoCell> {
  const { databaseUrl } = daemon;
  if (databaseUrl === null) throw new Error('the demo shares no database');
  terminal.progress('Starting the workers …');
  const workers = await Promise.all(
    Array.from({ length: size.workers }, async (_, index) => {
      const place = { home, socketUrl, databaseUrl, number: index + 1 };
      const worker = await startDemoWorker(place, terminal);
      closers.push(() => worker.stop());
      return { id: worker.id, pid: worker.pid };
    }),
  );
  terminal.progress('Linking the accounts …');
  const accounts = await Promise.all(
    Array.from({ length: size.accounts }, (_, index) => linkAccount(home, simulator, index)),
  );
  return { workers, accounts };
}

/** The id of an account is what addresses and commands call it. */
async function linkAccount(
  home: string,
  { network }: Simulator,
  index: number,
): Promise<{ id: string; phone: string }> {
  const api = clientOf(home);
  const id = index === 0 ? 'default' : `demo-${index + 1}`;
  if (index > 0) await api.call('POST', '/api/accounts', { body: { name: id } });
  const phone = `1555${String(2_000_000 + index)}`;
  const owner = network.addAccount({ phone, name: `Owner ${index + 1}` });
  const place = `/api/accounts/${id}/whatsapp`;
  await api.call('POST', `${place}/connect`, { body: {} });
  const link = () =>
    api.call('GET', `${place}/link`) as Promise<{ qr: string | null; status: string }>;
  const { qr } = await waitFor(link, ({ qr: code }) => code !== null);
  await owner.scan(qr ?? '');
  await waitFor(link, ({ status }) => status === 'connected');
  return { id, phone };
}

async function waitFor<T>(look: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const end = Date.now() + LINK_MS;
  for (;;) {
    const found = await look();
    if (holds(found)) return found;
    if (Date.now() > end) throw new RelayError('account_unserved');
    await sleep(LOOK_MS);
  }
}
