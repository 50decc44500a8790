// Checks of Relay alone: the image with the rights that compose.yaml gives it, and a private PostgreSQL in /data.

import type { Checks } from './checks.ts';
import type { Compose } from './compose-file.ts';
import { expectNoRights, expectPidsLimit, expectWritable } from './container-rights.ts';
import type { Engine } from './engine.ts';
import { expectConsole, expectQuickStop, runService, writeToken } from './relay.ts';

export async function checkAlone(
  engine: Engine,
  { check }: Checks,
  compose: Compose,
): Promise<void> {
  const {
    DATABASE_URL: _,
    DATABASE_OWNER_URL: __,
    ...environment
  } = compose.services.relay.environment;
  const service = { ...compose.services.relay, environment };
  const relay = await runService(engine, 'alone', service);
  await check('alone: relay status exits with 0', async () => {
    await relay.untilSucceeds('relay', 'status');
    return undefined;
  });
  await check('alone: the console answers', async () => {
    await expectConsole(environment.RELAY_PORT ?? '');
    return undefined;
  });
  await check('alone: the health check passes', async () => {
    await relay.untilHealthy();
    return undefined;
  });
  await check('alone: no process is root or has a capability', () => expectNoRights(relay));
  await check('alone: only the volumes and /tmp are writable', async () => {
    await expectWritable(relay, ['/data', '/key', '/tmp']);
    return undefined;
  });
  await check('alone: the number of processes is limited', () =>
    expectPidsLimit(relay, service.pids_limit),
  );
  const expectToken = await writeToken(relay);
  await check('alone: stops quickly', () => expectQuickStop(relay));
  await check('alone: data are there after a start', async () => {
    await relay.start();
    await relay.untilSucceeds('relay', 'status');
    await expectToken();
    return undefined;
  });
  await check('alone: data are there in a new container', async () => {
    await relay.stop();
    await relay.remove();
    const next = await runService(engine, 'alone', service);
    await next.untilSucceeds('relay', 'status');
    await expectToken();
    await next.stop();
    await next.remove();
    return undefined;
  });
}
