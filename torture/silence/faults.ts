// The faults during the replay of a week, and the messages after which they happen: spread evenly, in an order drawn
// from the seed.
import type { SilenceHarness } from './harness.ts';

type Fault = () => unknown;

export function faultsOf(
  stage: SilenceHarness,
  { kills, faults }: { readonly kills: number; readonly faults: number },
  messages: number,
  random: () => number,
): ReadonlyMap<number, Fault> {
  const { faults: network } = stage.simulator.network;
  const others: readonly Fault[] = [
    () => stage.owner.disconnect(),
    () => stage.owner.disconnect(503),
    () => stage.owner.disconnect(428),
    () => network.set({ duplicateDeliveries: true }),
    () => network.set({ reorderDeliveries: true }),
    () => network.clear(),
  ];
  const all: Fault[] = [
    ...Array.from({ length: kills }, (): Fault => () => stage.kill()),
    ...Array.from({ length: faults }, (_, n) => others[n % others.length] as Fault),
  ];
  const drawn = all
    .map((fault) => ({ fault, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ fault }, n) => [Math.floor(((n + 0.5) * messages) / all.length), fault] as const);
  return new Map(drawn);
}
