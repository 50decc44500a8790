// Finds a port for a server that a test starts and may restart.
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST_PORT = 10_000;
const PORTS = 20_000;
let ports = process.pid * 20;

/** Below the system's ephemeral ports, so that nobody else takes it while a daemon restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + (ports++ % PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
