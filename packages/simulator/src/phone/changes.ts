// That something on the network has changed, as a number that grows: who knows an old one is answered at once, who
// knows the newest waits for the next.
// Invariant: nobody waits longer than PATIENCE_MS, and `stop` lets everybody go.
import type { Network } from '../whatsapp/network.ts';

const PATIENCE_MS = 20_000;

export interface Changes {
  note(): void;
  /** Resolves with the newest number, once it is another than this one. */
  since(known: number): Promise<number>;
  stop(): void;
}

export function changes(network: Network): Changes {
  let revision = 1;
  const waiting = new Set<() => void>();

  const letGo = () => {
    for (const go of waiting) go();
    waiting.clear();
  };
  const note = () => {
    revision += 1;
    letGo();
  };
  network.events.on('message', note).on('receipt', note);

  return {
    note,
    async since(known) {
      if (known !== revision) return revision;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS);
        waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      return revision;
    },
    stop() {
      network.events.off('message', note).off('receipt', note);
      letGo();
    },
  };
}
