// `relay list --watch`: the table, drawn anew when something changes. Told by the daemon's stream: only
// what changed is asked for again. Programs get a line for each conversation, and again when it changed.
import type { ConversationInstance } from '@relay/core/api/instances';
import { RelayApiError } from '@relay/core/client/api-error';
import type { Client } from '@relay/core/client/client';
import { type InstanceState, isTerminal } from '@relay/core/conversation/states';
import { clientOf } from '../api.ts';
import type { Terminal } from '../terminal.ts';
import { everyInstance } from './find.ts';
import { type Change, changes } from './follow.ts';
import { inOrder, table } from './table.ts';

/** Times such as `in 12 min` go on by themselves. */
const TICK_MS = 1_000;
/** More than this, and the whole list is the shorter question. */
const MANY = 20;

export async function watch(
  home: string,
  terminal: Terminal,
  state: InstanceState | undefined,
  all: boolean,
): Promise<number> {
  const client = clientOf(home);
  // What ended while somebody looked does not vanish under their eyes.
  const seenOpen = new Set<string>();
  const shown = ({ id, state: now }: ConversationInstance): boolean =>
    state === undefined ? all || !isTerminal(now) || seenOpen.has(id) : now === state;
  const screen = new Screen(terminal);
  let known = new Map<string, ConversationInstance>();
  for await (const change of changes(home, TICK_MS)) {
    const before = known;
    known = await looked(client, known, change);
    for (const { id, state: now } of known.values()) if (!isTerminal(now)) seenOpen.add(id);
    if (terminal.size === null) {
      const moved = [...known.values()].filter(
        (one) => JSON.stringify(before.get(one.id)) !== JSON.stringify(one),
      );
      // One that leaves the state that was asked for is told once more.
      screen.tell(moved.filter((one) => shown(one) || shown(before.get(one.id) ?? one)));
    } else screen.draw([...known.values()].filter(shown));
  }
  return 0;
}

/** The newest first, as the daemon lists them. */
async function looked(
  client: Client,
  known: Map<string, ConversationInstance>,
  { reload, instances }: Change,
): Promise<Map<string, ConversationInstance>> {
  if (reload || instances.size > MANY) {
    return new Map((await everyInstance(client)).map((instance) => [instance.id, instance]));
  }
  const found = await Promise.all([...instances].map((id) => look(client, id)));
  const fresh = found.filter((one) => one !== null).filter(({ id }) => !known.has(id));
  const next = new Map([...fresh.map((one) => [one.id, one] as const), ...known]);
  for (const one of found) if (one !== null) next.set(one.id, one);
  return next;
}

async function look(client: Client, id: string): Promise<ConversationInstance | null> {
  try {
    return await client.get('/api/instances/{id}', { path: { id } });
  } catch (error) {
    if (error instanceof RelayApiError && error.status === 404) return null;
    throw error;
  }
}

class Screen {
  readonly #terminal: Terminal;
  #drawn = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Where nobody looks: what is new or has changed. */
  tell(instances: readonly ConversationInstance[]): void {
    const { json, colours } = this.#terminal;
    if (json) for (const instance of instances) this.#terminal.give(instance);
    else if (instances.length > 0) {
      const look = { colours, columns: null, now: Date.now() };
      // The head stands once, above everything.
      const lines = table(inOrder(instances), look).slice(this.#drawn === '' ? 0 : 1);
      this.#drawn = 'once';
      for (const line of lines) this.#terminal.say(line);
    }
  }

  draw(instances: readonly ConversationInstance[]): void {
    const { colours, size } = this.#terminal;
    if (size === null) return;
    const look = { colours, columns: size.columns, now: Date.now() };
    const lines =
      instances.length === 0 ? ['No conversation is open.'] : table(inOrder(instances), look);
    const room = size.rows - 2;
    const fitting =
      lines.length <= room
        ? lines
        : [...lines.slice(0, room - 1), colours.dim(`… ${lines.length - room + 1} more lines`)];
    const now = fitting.join('\n');
    if (now === this.#drawn) return;
    this.#drawn = now;
    this.#terminal.draw(fitting);
  }
}
