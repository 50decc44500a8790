// The simulated network with its control API: used by `relay demo`, and imported as `relay-agent/simulator` by people
// who test their own agents. Invariant: one `close` ends both.
import { startControl } from './control/server.ts';
import { createNetwork, type Network } from './whatsapp/network.ts';

interface SimulatorOptions {
  /** Port of the control API; defaults to a free one. */
  port?: number;
  /** The clock for message timestamps; defaults to the machine's. */
  now?: () => Date;
}

export interface Simulator extends AsyncDisposable {
  /** Address of the control API: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Value for Baileys' `waWebSocketUrl`. */
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
