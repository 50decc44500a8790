// The simulated network together with its control API: what `relay demo` starts, and what people who
// test their own agents import as `relay-agent/simulator`.
// Invariant: one `close` ends both.
import { startControl } from './control/server.ts';
import { createNetwork, type Network } from './whatsapp/network.ts';

export interface SimulatorOptions {
  /** Of the control API; a free one is taken when none is given. */
  port?: number;
  /** What time messages are stamped with; the machine's unless given. */
  now?: () => Date;
}

export interface Simulator extends AsyncDisposable {
  /** Of the control API: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Baileys' `waWebSocketUrl`. */
  readonly socketUrl: string;
  readonly network: Network;
  close(): Promise<void>;
}

export async function startSimulator({
  now,
  ...options
}: SimulatorOptions = {}): Promise<Simulator> {
  const network = await createNetwork(now === undefined ? {} : { now });
  const control = await startControl(network, options).catch(async (error: unknown) => {
    await network.close();
    throw error;
  });
  const close = async () => {
    await control.close();
    await network.close();
  };
  return {
    url: control.url,
    socketUrl: network.url,
    network,
    close,
    [Symbol.asyncDispose]: close,
  };
}
