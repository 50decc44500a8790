// Helpers for Relay in a container, shared by both sets of checks.
import { randomUUID } from 'node:crypto';
import { runArguments, type Service } from './compose-file.ts';
import { type Container, containerNamed } from './container.ts';
import type { Engine } from './engine.ts';
import { fullName } from './images.ts';

/** Names of containers and volumes begin with it, so that everything can be removed at the end. */
export const PROJECT = 'relay-checks';
/** A stop should take no longer than this. */
const STOP_SECONDS = 10;

/** Images built here are under localhost; those of a registry under its name. */
export const imageOf = (service: Service): string =>
  'build' in service ? `localhost/${service.image}` : fullName(service.image);

export async function runService(
  engine: Engine,
  name: string,
  service: Service,
): Promise<Container> {
  const container = containerNamed(engine, `${PROJECT}-${name}`);
  const options = ['--detach', '--name', container.name, ...runArguments(service, PROJECT)];
  await engine.podman('run', ...options, imageOf(service));
  return container;
}

/** Writes a token for a client into the database, and returns a function that checks it is still there. */
export async function writeToken(relay: Container): Promise<() => Promise<void>> {
  const name = `checks-${randomUUID().slice(0, 8)}`;
  await relay.exec('relay', 'token', 'create', '--name', name, '--scopes', 'metrics:read');
  return async () => {
    const tokens = await relay.exec('relay', 'token', 'list');
    if (!tokens.includes(name)) throw new Error(`The token ${name} is gone:\n${tokens}`);
  };
}

/** Checks that the console answers with a page, from outside the container. */
export async function expectConsole(port: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  const page = await answer.text();
  if (answer.status !== 200 || !/<!doctype html>/i.test(page)) {
    throw new Error(`The console answered ${answer.status}: ${page.slice(0, 200)}`);
  }
}

export async function expectQuickStop(container: Container): Promise<string> {
  const seconds = await container.stop();
  if (seconds >= STOP_SECONDS) throw new Error(`The stop took ${seconds.toFixed(1)} s.`);
  return `${seconds.toFixed(1)} s`;
}
