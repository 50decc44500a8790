// Checks of both services of compose.yaml: Relay with a separate PostgreSQL.

import type { Checks } from './checks.ts';
import type { Compose } from './compose-file.ts';
import { type Container, waitUntil } from './container.ts';
import { expectNoRights } from './container-rights.ts';
import type { Engine } from './engine.ts';
import { expectConsole, expectQuickStop, runService, writeToken } from './relay.ts';

interface Both {
  readonly database: Container;
  readonly relay: Container;
}

/** Starts the database, waits for it as `depends_on` asks, then starts Relay. */
async function start(engine: Engine, { services }: Compose): Promise<Both> {
  const { database: dependency } = services.relay.depends_on ?? {};
  if (dependency?.condition !== 'service_healthy') {
    throw new Error('compose.yaml: Relay does not wait until the database is healthy.');
  }
  const database = await runService(engine, 'database', services.database);
  await database.untilHealthy();
  const relay = await runService(engine, 'relay', services.relay);
  return { database, relay };
}

async function stop({ database, relay }: Both): Promise<void> {
  for (const container of [relay, database]) {
    await container.stop();
    await container.remove();
  }
}

/** A value that a query on the database's own server returns. */
const query = (
  database: Container,
  { environment }: Compose['services']['database'],
  sql: string,
) => {
  const { POSTGRES_USER: user = '', POSTGRES_DB: name = '' } = environment;
  return database.exec('psql', '--no-psqlrc', '-At', '-U', user, '-d', name, '-c', sql);
};

/** Ends the database's server without warning, as a crash would, and waits until the engine has started it again. */
async function crash(database: Container): Promise<void> {
  const policy = await database.inspect('{{.HostConfig.RestartPolicy.Name}}');
  if (policy === 'no') throw new Error('compose.yaml: the database is not started again.');
  const before = await database.inspect('{{.State.Pid}}');
  process.kill(Number(before), 'SIGKILL');
  await waitUntil('the database to be started again', async () => {
    const [pid = '0', state] = (await database.inspect('{{.State.Pid}} {{.State.Status}}')).split(
      ' ',
    );
    return state === 'running' && pid !== '0' && pid !== before ? pid : null;
  });
  await database.untilHealthy();
}

export async function checkTogether(
  engine: Engine,
  { check }: Checks,
  compose: Compose,
): Promise<void> {
  let both = await start(engine, compose);
  const { services } = compose;
  await check('compose: relay status exits with 0', async () => {
    await both.relay.untilSucceeds('relay', 'status');
    return undefined;
  });
  await check('compose: the console answers', async () => {
    await expectConsole(services.relay.environment.RELAY_PORT ?? '');
    return undefined;
  });
  await check('compose: both health checks pass', async () => {
    await both.database.untilHealthy();
    await both.relay.untilHealthy();
    return undefined;
  });
  await check('compose: no process of Relay is root or has a capability', () =>
    expectNoRights(both.relay),
  );
  await check('compose: Relay uses the PostgreSQL beside it', async () => {
    const sql = `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())
      || ' ' || (SELECT count(*) FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema'))`;
    const counts = await query(both.database, services.database, sql);
    const [connections = 0, tables = 0] = counts.split(' ').map(Number);
    const processes = await both.relay.exec('sh', '-c', 'cat /proc/[0-9]*/comm');
    if (connections === 0 || tables === 0 || processes.includes('postgres')) {
      throw new Error(`${connections} connections, ${tables} tables; in Relay run ${processes}`);
    }
    return `${connections} connections, ${tables} tables`;
  });
  const expectToken = await writeToken(both.relay);
  await check('compose: Relay survives a crash of the database', async () => {
    const started = () => both.relay.inspect('{{.State.StartedAt}} {{.RestartCount}}');
    const before = await started();
    await crash(both.database);
    await both.relay.untilSucceeds('relay', 'status');
    await expectToken();
    if ((await started()) !== before) throw new Error('Relay was restarted too.');
    return undefined;
  });
  await check('compose: Relay stops quickly', () => expectQuickStop(both.relay));
  await check('compose: the database stops quickly', () => expectQuickStop(both.database));
  await check('compose: data are there in new containers', async () => {
    await both.relay.remove();
    await both.database.remove();
    both = await start(engine, compose);
    await both.relay.untilSucceeds('relay', 'status');
    await expectToken();
    return undefined;
  });
  await stop(both);
}
