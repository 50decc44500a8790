import { existsSync } from 'node:fs';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { build, open, type Relay } from '../../testing/command.ts';

let built: string;
let relay: Relay;
beforeAll(async () => {
  built = build();
  relay = await open(built, { ANTHROPIC_API_KEY: 'sk-secret' });
});
afterAll(async () => {
  await relay.end();
  await removeFolder(built);
});

it('previews the service file with this home and without a secret', async () => {
  const { out, exit } = await relay.run('service', 'install', '--print');
  expect(exit).toBe(0);
  expect(out).toContain(relay.home);
  expect(out).toContain('start');
  expect(out).not.toContain('sk-secret');
});

it('reports that no service is installed, with the exit code of a stopped one', async () => {
  const { out, exit } = await relay.run('service', 'status', '--json');
  const { installed, running, file } = JSON.parse(out);
  expect({ installed, running, exit }).toEqual({ installed: false, running: false, exit: 3 });
  expect(existsSync(file)).toBe(false);
});

it('uninstalls without an error when nothing is installed', async () => {
  const { out, exit } = await relay.run('service', 'uninstall');
  expect(out).toContain('The service is not installed.');
  expect(exit).toBe(0);
});
