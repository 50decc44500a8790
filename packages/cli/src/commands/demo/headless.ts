// `relay demo --headless`: the bare parts, for programs. Whoever drives it reads one line.
import { readToken } from '../../http.ts';
import type { Terminal } from '../../terminal.ts';
import { startDaemon } from './daemon.ts';
import type { Closer, Stage } from './hold.ts';
import { openHome } from './home.ts';

interface Wishes {
  readonly port: number;
  readonly home: unknown;
  readonly closers: Closer[];
}

export async function forPrograms(
  terminal: Terminal,
  { port, home: folder, closers }: Wishes,
): Promise<Stage> {
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
  return { died: daemon.died, show: () => show(demo, terminal) };
}

function show(demo: Readonly<Record<string, string>>, terminal: Terminal): void {
  if (terminal.json) terminal.give(demo);
  else for (const [name, value] of Object.entries(demo)) terminal.say(`${name}: ${value}`);
}
