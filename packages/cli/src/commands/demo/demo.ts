// `relay demo --headless`: a simulated WhatsApp, a scripted model and a real daemon between them, for as
// long as somebody holds on to it. Whoever drives it reads one line and speaks HTTP from then on.
// Invariant: when it ends, however it ends, no process is left, and no file of a temporary home.
import { fstatSync } from 'node:fs';
import { RelayError } from '@relay/core/errors';
import type { Run } from '../../command.ts';
import { readToken } from '../../http.ts';
import type { Terminal } from '../../terminal.ts';
import { startDaemon } from './daemon.ts';
import { openHome } from './home.ts';

interface Demo {
  readonly api: string;
  readonly token: string;
  /** The control API of the simulated network. */
  readonly simulator: string;
  /** The scripted model server, without its `/v1`. */
  readonly model: string;
  readonly home: string;
}

type Closer = () => Promise<void>;

export const run: Run = async ({ terminal, options }) => {
  if (options.headless !== true) throw new RelayError('demo_headless_only');
  const port = portOf(options.port);
  const asked = askedToEnd();
  const closers: Closer[] = [];
  try {
    const started = start(terminal, { port, home: options.home, closers });
    const first = await Promise.race([started, asked.end]);
    if (first === undefined) await started.catch(() => {});
    else {
      show(first.demo, terminal);
      const reason = await Promise.race([first.died, asked.end]);
      if (reason !== undefined) throw new RelayError('demo_daemon_ended', { reason });
    }
    return 0;
  } finally {
    asked.ignore();
    for (const close of closers.reverse()) await close();
  }
};

interface Wishes {
  readonly port: number;
  readonly home: unknown;
  readonly closers: Closer[];
}

async function start(
  terminal: Terminal,
  { port, home: folder, closers }: Wishes,
): Promise<{ demo: Demo; died: Promise<string> }> {
  const home = await openHome(typeof folder === 'string' ? folder : null);
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
  const daemon = await startDaemon(place, terminal);
  closers.push(() => daemon.stop());
  const demo = {
    api: daemon.url,
    token: readToken(home.path),
    simulator: simulator.url,
    model: model.url,
    home: home.path,
  };
  return { demo, died: daemon.died };
}

function show(demo: Demo, terminal: Terminal): void {
  if (terminal.json) terminal.give(demo);
  else for (const [name, value] of Object.entries(demo)) terminal.say(`${name}: ${value}`);
}

function portOf(text: unknown): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new RelayError('usage', { what: `${text} is not a port.` });
}

/** By a signal, or because the other end of a pipe at standard input is gone. */
function askedToEnd(): { end: Promise<undefined>; ignore(): void } {
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

/** A terminal or `/dev/null` says nothing about whoever started this. */
function holdsPipe(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
