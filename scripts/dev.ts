// `npm run dev`: the demo with the daemon from source and the console under Vite, restarted when files change.
//   npm run dev [-- --port 5173]
// Three processes. This one serves the console and watches files. dev/world.ts runs the simulated WhatsApp and starts
// the daemon, the third. A change of the daemon, core or contract restarts only the daemon; a change of the simulator
// or the command restarts both.
// Invariant: when this process ends, however it ends, the other two end as well.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startDevServer } from '../packages/web/dev-server.ts';

const DEBOUNCE_MS = 150;
const root = resolve(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/relay-dev');
const { values: options } = parseArgs({ options: { port: { type: 'string', default: '5173' } } });

const consolePort = await freePort(Number(options.port)).catch(() => freePort(0));
/** Stays the same when the daemon restarts. */
const daemonPort = await freePort(0);
const origin = `http://127.0.0.1:${consolePort}`;
const daemonUrl = `http://127.0.0.1:${daemonPort}`;

let isEnding = false;
let isReplacing = false;
let world = startWorld();

const changed = new Set<string>();
let debounce: NodeJS.Timeout | undefined;
const watchers = ['contract', 'core', 'daemon', 'simulator', 'cli'].map((name) => {
  const folder = `packages/${name}/src`;
  return watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (file === null || !/(?<!\.test)\.(ts|js|sql|json|html|css)$/.test(file)) return;
    changed.add(`${folder}/${file}`);
    clearTimeout(debounce);
    debounce = setTimeout(() => void restart(), DEBOUNCE_MS);
  });
});

process.on('SIGINT', () => void end(0));
process.on('SIGTERM', () => void end(0));

const devServer = await startDevServer({
  origin,
  daemonUrl,
  cacheFolder: join(cache, 'vite'),
});

function startWorld(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'dev/world.ts'), [origin, String(daemonPort)], {
    // Node caches compiled sources there for the next start.
    env: { ...process.env, NODE_COMPILE_CACHE: join(cache, 'compiled') },
  });
  child.once('exit', (code) => {
    if (isEnding || isReplacing) return;
    if (code === 0) void end(0);
    else process.stderr.write('Waiting for a change.\n');
  });
  return child;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function stopWorld(): Promise<void> {
  if (hasEnded(world)) return;
  const exited = once(world, 'exit');
  world.kill('SIGTERM');
  await exited;
}

async function restart(): Promise<void> {
  if (isEnding || isReplacing || changed.size === 0) return;
  const files = [...changed].sort();
  changed.clear();
  if (!hasEnded(world) && files.every((file) => /^packages\/(contract|core|daemon)\//.test(file))) {
    world.send({ changed: files[0] });
    return;
  }
  isReplacing = true;
  process.stdout.write(`Restarting with a new world: ${files[0]} changed.\n`);
  await stopWorld();
  if (!isEnding) world = startWorld();
  isReplacing = false;
  await restart();
}

async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  clearTimeout(debounce);
  for (const watcher of watchers) watcher.close();
  await stopWorld();
  await devServer.close();
  process.exit(code);
}

async function freePort(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
