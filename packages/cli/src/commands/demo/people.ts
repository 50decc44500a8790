// `relay demo` for people: the parts, a scene that is played before the curtain rises, and two addresses. The daemon
// begins a week ago, so that the family's group has a week behind it when the visitor comes.
import { clientOf } from '../../api.ts';
import { openBrowser } from '../../browser.ts';
import type { Call } from '../../command.ts';
import { readToken } from '../../http.ts';
import { type StartDaemon, startDaemon } from './daemon.ts';
import type { Closer, Stage } from './hold.ts';
import { openHome, WATCHED } from './home.ts';
import { BEGINS_BEHIND_MS } from './scene/group.ts';
import { facesOf, settle } from './scene/people.ts';
import { prepare } from './scene/prepare.ts';

type Called = Pick<Call, 'config' | 'terminal'>;

interface Wishes {
  readonly port: number;
  /** A browser may be opened. */
  readonly open: boolean;
  readonly closers: Closer[];
  readonly unwanted: AbortSignal;
  /** Starts the daemon of the package unless given. */
  readonly start?: StartDaemon;
  /** Where the console is; the daemon serves it unless given. */
  readonly consoleOrigin?: string;
  /** Show the addresses as soon as a browser can sign in, while the scene is still being prepared. */
  readonly showEarly?: boolean;
}

interface PeopleStage extends Stage {
  /** Once the scene is complete. */
  readonly prepared: Promise<void>;
}

export async function forPeople(
  call: Called,
  { port, open, closers, unwanted, start = startDaemon, consoleOrigin, showEarly }: Wishes,
): Promise<PeopleStage> {
  const { terminal } = call;
  const home = await openHome(null, WATCHED);
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
  const group = settle(network);
  const api = clientOf(home.path);
  const signIn = async () => {
    const { url } = await api.post('/api/login-codes');
    return consoleOrigin === undefined ? url : url.replace(new URL(url).origin, consoleOrigin);
  };
  const phone = await demoParts.openPhone({ network, faces: facesOf(group), signIn });
  closers.push(() => phone.close());
  const daemon = await start(
    { home: home.path, port, socketUrl, behindMs: BEGINS_BEHIND_MS, phone: phone.url },
    terminal,
  );
  closers.push(() => daemon.stop());
  const gone = new AbortController();
  void daemon.died.then(() => gone.abort());
  const signal = AbortSignal.any([unwanted, gone.signal]);
  closers.push(async () => gone.abort());
  const today = Promise.withResolvers<void>();
  const prepared = prepare(
    { api, network, group, control: simulator.url, daemon, terminal, signal },
    today.resolve,
  ).catch((error: unknown) => {
    // The caller reports why the daemon ended.
    if (!gone.signal.aborted) throw error;
  });
  await (showEarly ? Promise.race([today.promise, prepared]) : prepared);
  return {
    died: daemon.died,
    prepared,
    async show() {
      if (gone.signal.aborted) return;
      const at = { console: await signIn(), phone: phone.url };
      const more = {
        api: daemon.url,
        token: readToken(home.path),
        simulator: simulator.url,
        model: model.url,
        home: home.path,
      };
      if (terminal.json) return terminal.give({ ...at, ...more });
      await tell(call, { ...at, home: home.path, open });
      closers.push(signsInAgain(call, signIn));
    },
  };
}

interface Told {
  readonly console: string;
  readonly phone: string;
  readonly home: string;
  readonly open: boolean;
}

async function tell({ config, terminal }: Called, told: Told): Promise<void> {
  const { colours } = terminal;
  const opened = told.open && (await openBrowser(config, told.home, told.console));
  terminal.say(colours.bold('Relay, with a WhatsApp and a model that are not real.'));
  terminal.say('');
  terminal.say(`The console, as its owner Alex${opened ? ' (opens in your browser)' : ''}:`);
  terminal.say(`  ${colours.cyan(told.console)}`);
  terminal.say('The phone, where you are Mom, the plumber and the family:');
  terminal.say(`  ${colours.cyan(told.phone)}`);
  terminal.say('');
  terminal.say('The address of the console works once, within a minute.');
  if (process.stdin.isTTY) terminal.say('Enter makes another one. Ctrl-C ends the demo.');
  else terminal.say('Ctrl-C ends the demo, and nothing of it stays.');
}

/** Whoever presses Enter gets a new address. */
function signsInAgain({ terminal }: Called, signIn: () => Promise<string>): Closer {
  if (!process.stdin.isTTY) return async () => {};
  const again = () =>
    signIn().then(
      (url) => terminal.say(`  ${url}`),
      () => {},
    );
  process.stdin.on('data', again).resume();
  return async () => void process.stdin.off('data', again).pause();
}
