// Checks and opens the HTTP port; a port that is taken is refused with one sentence. A worker has only health checks.
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { RelayError } from '@relay/contract/errors';
import type { Config } from './config.ts';
import type { createHttpServer } from './interfaces/http/server.ts';
import { settingsFilePath } from './platform/home/settings.ts';

/** Checked before the database is started, so that nobody waits for a refusal. */
export async function refuseTakenPort(config: Config): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(config.port, '127.0.0.1');
    await once(probe, 'listening');
  } catch (cause) {
    throw portError(config, cause);
  }
  probe.close();
  await once(probe, 'close');
}

export async function listenHttp(
  http: Awaited<ReturnType<typeof createHttpServer>>,
  config: Config,
): Promise<number> {
  try {
    await http.listen({ host: '127.0.0.1', port: config.port });
  } catch (cause) {
    await http.close();
    throw portError(config, cause);
  }
  const address = http.server.address();
  return typeof address === 'object' && address !== null ? address.port : config.port;
}

function portError({ port, home }: Config, cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') return cause;
  return new RelayError('port_in_use', { port, file: settingsFilePath(home) }, { cause });
}

interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/** For a worker: `/healthz` says that it runs, `/readyz` that it holds its leases. On this machine only. */
export async function listenHealth(port: number, isReady: () => boolean): Promise<HealthServer> {
  const server = createHttp((request, response) => {
    const answer = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    if (request.method !== 'GET') answer(405, '{}');
    else if (request.url === '/healthz') answer(200, '{"status":"ok"}');
    else if (request.url !== '/readyz') answer(404, '{}');
    else if (isReady()) answer(200, '{"status":"ready"}');
    else answer(503, '{"status":"waiting for leases"}');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
