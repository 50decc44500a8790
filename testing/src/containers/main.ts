// Builds the Dockerfile and runs its image, alone and with the PostgreSQL of compose.yaml, with buildah and podman.
// scripts/containers calls it. Neither Docker nor systemd is needed.
// The cache (about 2 GB) makes a second run quick. Containers and volumes are removed at the end.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../free-port.ts';
import { CheckFailed, createChecks, printTable } from './checks.ts';
import { readCompose } from './compose-file.ts';
import { createEngine, type Engine, installTools } from './engine.ts';
import { buildRelay, fullName, provideDatabaseImage, provideNodeImage } from './images.ts';
import { imageOf, PROJECT } from './relay.ts';
import { checkAlone } from './relay-alone.ts';
import { checkTogether } from './relay-with-postgres.ts';

const EX_UNAVAILABLE = 69;
const PARTS = ['build', 'alone', 'compose'];
const root = resolve(import.meta.dirname, '../../..');
const { values: options } = parseArgs({
  options: {
    cache: { type: 'string', default: '/var/tmp/relay-containers' },
    only: { type: 'string', multiple: true, default: PARTS },
  },
});

/** Removes the containers and volumes of this run, and those of one that was interrupted. */
async function removeAll(engine: Engine): Promise<void> {
  const named = ['--filter', `name=${PROJECT}-`, '--quiet'];
  const containers = await engine.podman('ps', '--all', ...named);
  for (const id of containers.split('\n').filter(Boolean)) {
    await engine.tryPodman(['rm', '--force', '--time', '0', '--volumes', id]);
  }
  const volumes = await engine.podman('volume', 'ls', ...named);
  for (const volume of volumes.split('\n').filter(Boolean)) {
    await engine.tryPodman(['volume', 'rm', '--force', volume]);
  }
}

const unavailable = installTools();
if (unavailable !== null) {
  console.error(unavailable);
  process.exit(EX_UNAVAILABLE);
}

const cache = resolve(options.cache);
const engine = createEngine(cache);
const checks = createChecks();
const compose = readCompose(join(root, 'compose.yaml'), {
  RELAY_DB_PASSWORD: randomBytes(24).toString('hex'),
  RELAY_DB_DAEMON_PASSWORD: randomBytes(24).toString('hex'),
  RELAY_DB_PORT: String(await freePort()),
  RELAY_PORT: String(await freePort()),
});
const { relay, database } = compose.services;
const bases = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)];
const [base = '', ...others] = new Set(bases.map(([, image = '']) => fullName(image)));
if (others.length > 0) throw new Error(`The Dockerfile has more than one base: ${others.join()}`);

async function build(): Promise<void> {
  await checks.check('build: the base image', async () => {
    const { isStandIn } = await provideNodeImage(engine, cache, base);
    return isStandIn ? 'made here, no registry answered' : 'pulled';
  });
  await checks.check('build: the Dockerfile', async () => {
    await buildRelay(engine, { cache, root, image: imageOf(relay) });
    const size = await engine.podman('image', 'inspect', '--format', '{{.Size}}', imageOf(relay));
    return `${Math.round(Number(size) / 1e6)} MB`;
  });
}

async function together(): Promise<void> {
  await checks.check('compose: the image of the database', async () => {
    const { isStandIn } = await provideDatabaseImage(engine, imageOf(database), base);
    return isStandIn ? 'made here with PostgreSQL 15, no registry answered' : 'pulled';
  });
  await checkTogether(engine, checks, compose);
}

const STEPS: Readonly<Record<string, () => Promise<void>>> = {
  build,
  alone: () => checkAlone(engine, checks, compose),
  compose: together,
};

let isFailed = false;
process.once('SIGINT', () => removeAll(engine).finally(() => process.exit(130)));
process.once('SIGTERM', () => removeAll(engine).finally(() => process.exit(143)));
await removeAll(engine);
for (const part of PARTS.filter((one) => options.only.includes(one))) {
  try {
    await STEPS[part]?.();
  } catch (error) {
    isFailed = true;
    if (!(error instanceof CheckFailed)) console.error(error);
    // Without an image there is nothing to run.
    if (part === 'build') break;
  } finally {
    await removeAll(engine);
  }
}
printTable(checks.results);
process.exitCode = isFailed ? 1 : 0;
