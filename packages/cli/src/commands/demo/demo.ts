// `relay demo`: runs a simulated WhatsApp network, a scripted model and a real daemon. People get a prepared scene;
// programs (`--headless`) get one line of JSON and then use HTTP. Invariant: when it ends, for whatever reason, no
// process and no file of a temporary home is left.

import { fstatSync } from 'node:fs';
import { RelayError } from '@relay/contract/errors';
import { clientOf, readTokenFile } from '../../api.ts';
import type { CommandCall, CommandOptions, RunCommand } from '../../command.ts';
import { reportFailure } from '../../failure.ts';
import type { Terminal } from '../../terminal.ts';
import { openBrowser } from '../open.ts';
import { type DemoCellSize, startDemoCell } from './cell.ts';
import {
  openDemoHome,
  type StartDemoDaemon,
  startDemoDaemon,
  VISIBLE_TYPING_PACING,
} from './daemon.ts';
import { addDemoAccounts, BEGINS_BEHIND_MS, buildPhoneFaces, prepareScene } from './scene.ts';

export const runDemoCommand: RunCommand = ({ config, terminal, options }) => {
  const port = portOf(options.port);
  if (options.headless === true)
    return runUntilEnded((closers) =>
      startHeadlessDemo(terminal, { port, home: options.home, cell: readCell(options), closers }),
    );
  if (readCell(options) !== null)
    throw new RelayError('usage', { what: '--workers and --accounts need --headless.' });
  if (options.home !== undefined)
    throw new RelayError('usage', {
      what: '--home needs --headless; the interactive demo uses a new folder each time.',
    });
  const open = options.open !== false && !terminal.json;
  return runUntilEnded(async (closers, unwanted) => {
    const demo = await startInteractiveDemo(
      { config, terminal },
      { port, open, closers, unwanted },
    );
    // What the visitor already sees works, so the demo continues.
    demo.prepared.catch((error: unknown) => reportFailure(error, terminal));
    return demo;
  });
};

/** How many workers and accounts a demo has; null for one process with one account that is not linked. */
function readCell({ workers, accounts }: CommandOptions): DemoCellSize | null {
  if (workers === undefined && accounts === undefined) return null;
  const count = (name: string, given: unknown) => {
    const number = Number(given ?? 1);
    if (Number.isInteger(number) && number >= 1 && number <= MOST_IN_DEMO) return number;
    throw new RelayError('usage', { what: `${name} takes a number from 1 to ${MOST_IN_DEMO}.` });
  };
  return { workers: count('--workers', workers), accounts: count('--accounts', accounts) };
}

const MOST_IN_DEMO = 50;

function portOf(text: unknown): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new RelayError('usage', { what: `${text} is not a port.` });
}

// `relay demo` for people: starts the parts, prepares the scene and prints two addresses. The daemon's clock starts a
// week ago, so that the family's group has a week of digests.

type DemoCall = Pick<CommandCall, 'config' | 'terminal'>;

interface InteractiveDemoOptions {
  readonly port: number;
  /** Whether a browser may be opened. */
  readonly open: boolean;
  readonly closers: DemoCloser[];
  readonly unwanted: AbortSignal;
  /** Defaults to starting the daemon of the package. */
  readonly start?: StartDemoDaemon;
  /** Origin of the console; defaults to the daemon's. */
  readonly consoleOrigin?: string;
}

interface InteractiveDemo extends RunningDemo {
  /** Resolves once the scene is complete. */
  readonly prepared: Promise<void>;
}

export async function startInteractiveDemo(
  call: DemoCall,
  { port, open, closers, unwanted, start = startDemoDaemon, consoleOrigin }: InteractiveDemoOptions,
): Promise<InteractiveDemo> {
  const { terminal } = call;
  const home = await openDemoHome(null, VISIBLE_TYPING_PACING);
  closers.push(() => home.close());
  terminal.progress('Starting the simulated WhatsApp …');
  const { startSimulator } = await import('@relay/simulator/simulator');
  const { startModelServer } = await import('@relay/simulator/model/server');
  const { demoParts } = await import('@relay/simulator/demo');
  const simulator = await startSimulator();
  closers.push(() => simulator.close());
  const model = await startModelServer();
  closers.push(() => model.close());
  model.play(demoParts.model);
  await home.useModel(model.url);
  const { network, socketUrl } = simulator;
  const group = addDemoAccounts(network);
  const api = clientOf(home.path);
  const signIn = async () => {
    const { url } = await api.post('/api/login-codes');
    return consoleOrigin === undefined ? url : url.replace(new URL(url).origin, consoleOrigin);
  };
  const phone = await demoParts.openPhone({ network, faces: buildPhoneFaces(group), signIn });
  closers.push(() => phone.close());
  const daemon = await start(
    { home: home.path, port, socketUrl, behindMs: BEGINS_BEHIND_MS, phone: phone.url },
    terminal,
  );
  closers.push(() => daemon.stop());
  const gone = new AbortController();
  void daemon.exited.then(() => gone.abort());
  const signal = AbortSignal.any([unwanted, gone.signal]);
  closers.push(async () => gone.abort());
  const presentable = Promise.withResolvers<void>();
  const prepared = prepareScene(
    { api, network, group, daemon, terminal, signal },
    presentable.resolve,
  ).catch((error: unknown) => {
    // The caller reports why the daemon ended.
    if (!gone.signal.aborted) throw error;
  });
  // A program gets the complete scene; a person can begin while the rest of it is prepared.
  await (terminal.json ? prepared : Promise.race([presentable.promise, prepared]));
  return {
    exited: daemon.exited,
    prepared,
    async show() {
      if (gone.signal.aborted) return;
      const at = { console: await signIn(), phone: phone.url };
      const more = {
        api: daemon.url,
        token: readTokenFile(home.path),
        simulator: simulator.url,
        model: model.url,
        home: home.path,
      };
      if (terminal.json) return terminal.writeJson({ ...at, ...more });
      await printDemoAddresses(call, { ...at, home: home.path, open });
      closers.push(printAddressOnEnter(call, signIn));
    },
  };
}

interface DemoAddresses {
  readonly console: string;
  readonly phone: string;
  readonly home: string;
  readonly open: boolean;
}

async function printDemoAddresses(
  { config, terminal }: DemoCall,
  addresses: DemoAddresses,
): Promise<void> {
  const { colours } = terminal;
  const opened = addresses.open && (await openBrowser(config, addresses.home, addresses.console));
  terminal.writeLine(colours.bold('Relay demo with a simulated WhatsApp and a scripted model'));
  terminal.writeLine('');
  terminal.writeLine(`Console, as the owner Alex${opened ? ' (opening in your browser)' : ''}:`);
  terminal.writeLine(`  ${colours.cyan(addresses.console)}`);
  terminal.writeLine('Phone, to write as Mom, the plumber, the family and others:');
  terminal.writeLine(`  ${colours.cyan(addresses.phone)}`);
  terminal.writeLine('');
  terminal.writeLine('The console address is valid once, for 1 minute.');
  if (process.stdin.isTTY)
    terminal.writeLine('Press Enter for a new address, or Ctrl-C to end the demo.');
  else terminal.writeLine('Press Ctrl-C to end the demo and delete its data.');
}

/** Prints a new sign-in address each time Enter is pressed. */
function printAddressOnEnter({ terminal }: DemoCall, signIn: () => Promise<string>): DemoCloser {
  if (!process.stdin.isTTY) return async () => {};
  const again = () =>
    signIn().then(
      (url) => terminal.writeLine(`  ${url}`),
      () => {},
    );
  process.stdin.on('data', again).resume();
  return async () => void process.stdin.off('data', again).pause();
}

// `relay demo --headless`: the parts without a scene, for programs, which read one line.

interface HeadlessDemoOptions {
  readonly port: number;
  readonly home: unknown;
  readonly cell: DemoCellSize | null;
  readonly closers: DemoCloser[];
}

async function startHeadlessDemo(
  terminal: Terminal,
  { port, home: folder, cell: size, closers }: HeadlessDemoOptions,
): Promise<RunningDemo> {
  const home = await openDemoHome(typeof folder === 'string' ? folder : null);
  closers.push(() => home.close());
  terminal.progress('Starting the simulated WhatsApp …');
  const { startSimulator } = await import('@relay/simulator/simulator');
  const simulator = await startSimulator();
  closers.push(() => simulator.close());
  const { startModelServer } = await import('@relay/simulator/model/server');
  const model = await startModelServer();
  closers.push(() => model.close());
  await home.useModel(model.url);
  const place = { home: home.path, port, socketUrl: simulator.socketUrl };
  const daemon = await startDemoDaemon({ ...place, isApi: size !== null }, terminal);
  closers.push(() => daemon.stop());
  const cell =
    size === null
      ? {}
      : await startDemoCell({ ...place, daemon, size, closers, simulator }, terminal);
  const demo = {
    ...cell,
    api: daemon.url,
    token: readTokenFile(home.path),
    simulator: simulator.url,
    model: model.url,
    home: home.path,
  };
  return { exited: daemon.exited, show: () => printHeadlessDemo(demo, terminal) };
}

function printHeadlessDemo(demo: Readonly<Record<string, unknown>>, terminal: Terminal): void {
  if (terminal.json) terminal.writeJson(demo);
  else
    for (const [name, value] of Object.entries(demo))
      terminal.writeLine(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

// Runs a demo until a signal, the end of a pipe, or the daemon's exit. Invariant: when it ends, for whatever reason,
// everything that was started is closed in reverse order.

type DemoCloser = () => Promise<void>;

interface RunningDemo {
  /** Resolves with the end of a sentence if the daemon exits. */
  readonly exited: Promise<string>;
  /** Prints the addresses. */
  show(): Promise<void> | void;
}

/** `begin` adds a closer for each thing it has started, and may stop early once the demo is ending. */
export async function runUntilEnded(
  begin: (closers: DemoCloser[], unwanted: AbortSignal) => Promise<RunningDemo>,
): Promise<number> {
  const asked = watchForEnd();
  const unwanted = new AbortController();
  const closers: DemoCloser[] = [];
  try {
    const begun = begin(closers, unwanted.signal);
    const stage = await Promise.race([begun, asked.end]);
    if (stage === undefined) {
      unwanted.abort();
      await begun.catch(() => {});
    } else {
      await stage.show();
      const reason = await Promise.race([stage.exited, asked.end]);
      if (reason !== undefined) throw new RelayError('demo_daemon_ended', { reason });
    }
    return 0;
  } finally {
    asked.ignore();
    for (const close of closers.reverse()) await close();
  }
}

/** Resolves on a signal, or when the other end of a pipe on standard input is closed. */
function watchForEnd(): { end: Promise<undefined>; ignore(): void } {
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  const leave = () => resolve(undefined);
  process.on('SIGINT', leave);
  process.on('SIGTERM', leave);
  const held = holdsPipe();
  if (held) process.stdin.on('end', leave).on('error', leave).resume();
  return {
    end,
    ignore() {
      if (held) process.stdin.destroy();
    },
  };
}

/** Only a pipe or a socket closes when the parent process ends. */
function holdsPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
