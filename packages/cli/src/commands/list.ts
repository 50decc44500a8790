// `relay list`: the conversations at a glance, those that need the owner first. With --watch it goes on
// and shows what changes.
import type { ConversationInstance } from '@relay/core/api/instances';
import { INSTANCE_STATES, type InstanceState, isTerminal } from '@relay/core/conversation/states';
import { RelayError } from '@relay/core/errors';
import { clientOf } from '../api.ts';
import type { Run } from '../command.ts';
import { everyInstance } from '../conversations/find.ts';
import { inOrder, table } from '../conversations/table.ts';
import { watch } from '../conversations/watch.ts';
import { needsOwner } from '../conversations/words.ts';
import { count } from '../format.ts';
import type { Terminal } from '../terminal.ts';

/** On a terminal, of those that have ended. */
const ENDED_SHOWN = 20;

export const run: Run = async ({ config, terminal, options }) => {
  const state = stateOf(options.state);
  if (options.watch === true) return watch(config.home, terminal, state, options.all === true);
  const found = inOrder(await everyInstance(clientOf(config.home), state));
  if (terminal.json) {
    terminal.give(found);
    return 0;
  }
  if (found.length === 0) {
    terminal.progress(
      state === undefined
        ? 'No conversations yet. `relay create --help` says how to begin one.'
        : `No conversation is ${state}.`,
    );
    return 0;
  }
  const everything = options.all === true || state !== undefined || terminal.size === null;
  show(terminal, found, everything ? found.length : ENDED_SHOWN);
  return 0;
};

function show(terminal: Terminal, found: readonly ConversationInstance[], most: number): void {
  const open = found.filter((instance) => !isTerminal(instance.state));
  const ended = found.slice(open.length);
  const columns = terminal.size?.columns ?? null;
  const look = { colours: terminal.colours, columns, now: Date.now() };
  for (const line of table([...open, ...ended.slice(0, most)], look)) terminal.say(line);
  const hidden = ended.length - most;
  if (hidden > 0) terminal.note(`${hidden} more have ended: \`relay list --all\``);
  const waiting = open.filter(needsOwner).length;
  if (waiting > 0) {
    const [wait, them] = waiting === 1 ? ['waits', 'it'] : ['wait', 'them'];
    terminal.note(
      `${count(waiting, 'conversation')} ${wait} for you: \`relay get <id>\` says why, \`relay resume <id>\` or \`relay send <id> "…"\` answers ${them}.`,
    );
  }
}

function stateOf(option: unknown): InstanceState | undefined {
  if (option === undefined) return undefined;
  const state = INSTANCE_STATES.find((one) => one === String(option).toUpperCase());
  if (state !== undefined) return state;
  throw new RelayError('usage', { what: `--state is one of ${INSTANCE_STATES.join(', ')}.` });
}
