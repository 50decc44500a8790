// Checks and opens the HTTP port; a port that is taken is refused with one sentence.
import { once } from 'node:events';
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
