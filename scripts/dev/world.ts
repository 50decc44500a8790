// The demo for `npm run dev`: `relay demo` as shipped, with a daemon from source that can be restarted while the
// simulated network, the linked account and the chats stay. Started and controlled by scripts/dev.ts.
//   node scripts/dev/world.ts <origin of the console> <port of the daemon>
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type DaemonProgram,
  type DemoDaemon,
  type DemoDaemonOptions,
  startDemoDaemon,
} from '@relay/cli/commands/demo/daemon';
import { runUntilEnded, startInteractiveDemo } from '@relay/cli/commands/demo/demo';
import { loadCliConfig } from '@relay/cli/config';
import { reportFailure } from '@relay/cli/failure';
import { openTerminal, type Terminal } from '@relay/cli/terminal';

const source = (path: string) => new URL(`../../packages/${path}`, import.meta.url);
const FROM_SOURCE: DaemonProgram = {
  main: fileURLToPath(source('daemon/src/main.ts')),
  preloads: {
    clock: source('simulator/src/clock-preload.ts').href,
    network: source('simulator/src/whatsapp/demo-preload.ts').href,
    leash: source('simulator/src/leash-preload.ts').href,
  },
};

interface RestartableDaemon extends DemoDaemon {
  restart(changed: string): void;
}

/** Once `prepared`, the demo survives a daemon that ends: the next change starts another. */
async function startRestartable(
  place: DemoDaemonOptions,
  terminal: Terminal,
  prepared: Promise<void>,
): Promise<RestartableDaemon> {
  const output = join(place.home, 'daemon.out');
  const exited = Promise.withResolvers<string>();
  let isPrepared = false;
  let isStopping = false;
  let isQueued = false;
  let restarts = Promise.resolve();
  let outputBefore = 0;
  let current: DemoDaemon | null = null;
  void prepared.then(() => {
    isPrepared = true;
  });

  async function start(where: DemoDaemonOptions): Promise<string> {
    outputBefore = statSync(output, { throwIfNoEntry: false })?.size ?? 0;
    const daemon = await startDemoDaemon(where, terminal, FROM_SOURCE);
    current = daemon;
    void daemon.exited.then((reason) => {
      if (daemon !== current) return;
      if (isPrepared) report(`The daemon stopped: ${reason}`);
      else exited.resolve(reason);
    });
    return daemon.url;
  }

  async function stop(): Promise<void> {
    const stopping = current;
    current = null;
    await stopping?.stop();
  }

  async function restart(changed: string): Promise<void> {
    isQueued = false;
    if (isStopping) return;
    terminal.writeLine(`Restarting: ${changed} changed.`);
    await stop();
    const { behindMs: _, ...today } = place;
    await start(today).then(
      () => terminal.writeLine('Restarted.'),
      (error: Error) => report(error.message),
    );
  }

  function report(sentence: string): void {
    terminal.clearTransient();
    process.stderr.write(readFileSync(output).subarray(outputBefore));
    process.stderr.write(`${sentence} Waiting for a change.\n`);
  }

  return {
    url: await start(place),
    databaseUrl: null,
    exited: exited.promise,
    setBehind: (ms) => current?.setBehind(ms),
    restart(changed) {
      if (isQueued) return;
      isQueued = true;
      restarts = restarts.then(() => restart(changed));
    },
    async stop() {
      isStopping = true;
      await restarts;
      await stop();
    },
  };
}

const [consoleOrigin = '', port] = process.argv.slice(2);
const config = loadCliConfig();
const terminal = openTerminal(
  { json: false, colour: config.colour },
  process.stdout,
  process.stderr,
);
const prepared = Promise.withResolvers<void>();
let daemon: RestartableDaemon | null = null;

process.on('message', ({ changed }: { changed: string }) => {
  void prepared.promise.then(() => daemon?.restart(changed));
});
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));

try {
  process.exitCode = await runUntilEnded(async (closers, unwanted) => {
    const stage = await startInteractiveDemo(
      { config, terminal },
      {
        port: Number(port),
        open: false,
        closers,
        unwanted,
        consoleOrigin,
        async start(place) {
          daemon = await startRestartable(place, terminal, prepared.promise);
          return daemon;
        },
      },
    );
    void stage.prepared
      .catch((error: unknown) => reportFailure(error, terminal))
      .then(() => prepared.resolve());
    return stage;
  });
} catch (error) {
  process.exitCode = reportFailure(error, terminal);
} finally {
  terminal.clearTransient();
  if (process.connected) process.disconnect();
}
