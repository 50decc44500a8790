// Starts the private server of a directory, prints the result as one line of JSON and waits to be ended: replaces the
// daemon in tests that kill it or run as another user. Arguments: the directory; `hold` or `leave` (do not wait); the
// platform package, if not the installed one.

import { silentLog } from '@relay/core/log';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';

const [directory = '', what, packageDirectory] = process.argv.slice(2);
const server = await startPrivateServer({
  directory,
  log: silentLog,
  ...(packageDirectory ? { binaryPlaces: { package: packageDirectory } } : {}),
});
if (what === 'hold') {
  const waiting = setInterval(() => {}, 60_000);
  process.once('SIGTERM', async () => {
    await server.stop();
    clearInterval(waiting);
  });
}
const { owner, version, adopted } = server;
process.stdout.write(`${JSON.stringify({ connection: owner, version, adopted })}\n`);
