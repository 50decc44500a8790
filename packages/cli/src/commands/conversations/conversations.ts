// `relay list`, `get`, `send`, `pause`, `resume` and `cancel`. The list shows conversations that need the owner first;
// --watch keeps it up to date.

import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import type { ConversationInstance } from '@relay/contract/api/instances';
import type { DaemonStatus } from '@relay/contract/api/status';
import { RelayApiError } from '@relay/contract/client/api-error';
import type { Client } from '@relay/contract/client/client';
import {
  INSTANCE_STATES,
  type InstanceState,
  isTerminal,
  STATE_SENTENCES,
} from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import { clientOf, sendRequest } from '../../api.ts';
import type { CommandCall, RunCommand } from '../../command.ts';
import { type DaemonChange, followDaemonChanges } from '../../daemon-events.ts';
import { reportFailure } from '../../failure.ts';
import type { Terminal } from '../../terminal.ts';
import { sendLater } from '../messages.ts';
import {
  describePossibleCommands,
  formatConversationCard,
  formatConversationContact,
  formatConversationTable,
  needsOwner,
  sortByAttention,
} from './format.ts';
import {
  findConversationId,
  listAllConversations,
  parseText,
  shortConversationId,
} from './input.ts';

/** How many ended conversations a terminal shows. */
const ENDED_SHOWN = 20;

export const listConversationsCommand: RunCommand = async ({ config, terminal, options }) => {
  const state = parseConversationState(options.state);
  if (options.watch === true)
    return watchConversations(config.home, terminal, state, options.all === true);
  const found = sortByAttention(await listAllConversations(clientOf(config.home), state));
  if (terminal.json) {
    terminal.writeJson(found);
    return 0;
  }
  if (found.length === 0) {
    terminal.notice(
      state === undefined
        ? 'No conversations yet. Start one with `relay create`; see `relay create --help`.'
        : `No conversations in state ${state}.`,
    );
    return 0;
  }
  const everything = options.all === true || state !== undefined || terminal.size === null;
  printConversations(terminal, found, everything ? found.length : ENDED_SHOWN);
  return 0;
};

function printConversations(
  terminal: Terminal,
  found: readonly ConversationInstance[],
  most: number,
): void {
  const open = found.filter((instance) => !isTerminal(instance.state));
  const ended = found.slice(open.length);
  const columns = terminal.size?.columns ?? null;
  const look = { colours: terminal.colours, columns, now: Date.now() };
  for (const line of formatConversationTable([...open, ...ended.slice(0, most)], look))
    terminal.writeLine(line);
  const hidden = ended.length - most;
  if (hidden > 0) terminal.note(`${hidden} more ended. Show all with \`relay list --all\`.`);
  const waiting = open.filter(needsOwner).length;
  if (waiting > 0) {
    terminal.note(
      `${describeWaiting(waiting)} See why with \`relay get <id>\`; continue with \`relay resume <id>\` or \`relay send <id> "…"\`.`,
    );
  }
}

const describeWaiting = (waiting: number): string =>
  waiting === 1
    ? '1 conversation is waiting for you.'
    : `${waiting} conversations are waiting for you.`;

function parseConversationState(option: unknown): InstanceState | undefined {
  if (option === undefined) return undefined;
  const state = INSTANCE_STATES.find((one) => one === String(option).toUpperCase());
  if (state !== undefined) return state;
  throw new RelayError('usage', { what: `Give --state one of ${INSTANCE_STATES.join(', ')}.` });
}

// `relay list --watch`: redraws the table when something changes. The daemon's stream says what changed, and only that
// is requested again. Programs get one line for each conversation, and another when it changes.

/** Relative times such as `in 12 min` are redrawn this often. */
const TICK_MS = 1_000;
/** With more changes than this, one request for the whole list is cheaper. */
const MANY = 20;

async function watchConversations(
  home: string,
  terminal: Terminal,
  state: InstanceState | undefined,
  all: boolean,
): Promise<number> {
  const client = clientOf(home);
  // A conversation that ends while it is on screen stays on screen.
  const seenOpen = new Set<string>();
  const shown = ({ id, state: now }: ConversationInstance): boolean =>
    state === undefined ? all || !isTerminal(now) || seenOpen.has(id) : now === state;
  const screen = new ConversationListScreen(terminal);
  let known = new Map<string, ConversationInstance>();
  for await (const change of followDaemonChanges(home, TICK_MS)) {
    const before = known;
    known = await refreshConversations(client, known, change);
    for (const { id, state: now } of known.values()) if (!isTerminal(now)) seenOpen.add(id);
    if (terminal.size === null) {
      const moved = [...known.values()].filter(
        (one) => JSON.stringify(before.get(one.id)) !== JSON.stringify(one),
      );
      // A conversation that leaves the requested state is reported once more.
      screen.tell(moved.filter((one) => shown(one) || shown(before.get(one.id) ?? one)));
    } else screen.draw([...known.values()].filter(shown));
  }
  return 0;
}

/** Newest first, like the daemon's list. */
async function refreshConversations(
  client: Client,
  known: Map<string, ConversationInstance>,
  { reload, instances }: DaemonChange,
): Promise<Map<string, ConversationInstance>> {
  if (reload || instances.size > MANY) {
    return new Map((await listAllConversations(client)).map((instance) => [instance.id, instance]));
  }
  const found = await Promise.all([...instances].map((id) => loadConversation(client, id)));
  const fresh = found.filter((one) => one !== null).filter(({ id }) => !known.has(id));
  const next = new Map([...fresh.map((one) => [one.id, one] as const), ...known]);
  for (const one of found) if (one !== null) next.set(one.id, one);
  return next;
}

async function loadConversation(client: Client, id: string): Promise<ConversationInstance | null> {
  try {
    return await client.get('/api/instances/{id}', { path: { id } });
  } catch (error) {
    if (error instanceof RelayApiError && error.status === 404) return null;
    throw error;
  }
}

class ConversationListScreen {
  readonly #terminal: Terminal;
  #drawn = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Not a terminal: print what is new or changed. */
  tell(instances: readonly ConversationInstance[]): void {
    const { json, colours } = this.#terminal;
    if (json) for (const instance of instances) this.#terminal.writeJson(instance);
    else if (instances.length > 0) {
      const look = { colours, columns: null, now: Date.now() };
      // The table's header is printed once, at the top.
      const lines = formatConversationTable(sortByAttention(instances), look).slice(
        this.#drawn === '' ? 0 : 1,
      );
      this.#drawn = 'once';
      for (const line of lines) this.#terminal.writeLine(line);
    }
  }

  draw(instances: readonly ConversationInstance[]): void {
    const { colours, size } = this.#terminal;
    if (size === null) return;
    const look = { colours, columns: size.columns, now: Date.now() };
    const lines =
      instances.length === 0
        ? ['No open conversations.']
        : formatConversationTable(sortByAttention(instances), look);
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

// After a command about conversations, tells a person in one line how many need them. It makes one short request and
// never makes the command fail.

const PATIENCE_MS = 300;

export const withReminder =
  (run: RunCommand): RunCommand =>
  async (call) => {
    const exit = await run(call);
    const { terminal, config } = call;
    if (terminal.isInteractive) {
      const waiting = await waitingForOwner(config.home);
      if (waiting > 0) {
        terminal.note(
          `${describeWaiting(waiting)} See \`relay list --state NEEDS_HUMAN_INTERVENTION\`.`,
        );
      }
    }
    return exit;
  };

async function waitingForOwner(home: string): Promise<number> {
  try {
    const wire = { method: 'GET', path: '/api/status', timeoutMs: PATIENCE_MS };
    const { status, body } = await sendRequest(home, wire);
    return status === 200 ? (JSON.parse(body) as DaemonStatus).needs_you_count : 0;
  } catch {
    return 0;
  }
}

// `relay pause|resume|cancel <id…>`: changes each conversation and reports its state. A refused one does not stop the
// others.

type Verb = 'pause' | 'resume' | 'cancel';

const buildChangeCommand = (
  verb: Verb,
  sentence: (instance: ConversationInstance) => string,
): RunCommand => {
  const one = async ({ config, terminal }: CommandCall, given: string | undefined) => {
    const client = clientOf(config.home);
    const id = await findConversationId(client, given);
    const instance = await explainIllegalTransition(client, id, () =>
      client.post(`/api/instances/{id}/${verb}`, { path: { id } }),
    );
    if (terminal.json) terminal.writeJson(instance);
    else terminal.writeLine(sentence(instance));
  };
  return withReminder(async (call) => {
    const [only, ...more] = call.args;
    if (more.length === 0) {
      await one(call, only);
      return 0;
    }
    let exit = 0;
    for (const given of call.args) {
      try {
        await one(call, given);
      } catch (error) {
        call.terminal.clearTransient();
        const failed = reportFailure(error, call.terminal);
        exit = exit === 0 ? failed : exit;
      }
    }
    return exit;
  });
};

/** If the conversation's state forbids the change, the error lists what is possible instead. */
async function explainIllegalTransition<Made>(
  client: Client,
  id: string,
  act: () => Promise<Made>,
): Promise<Made> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RelayApiError) || error.code !== 'illegal_transition') throw error;
    const instance = await client.get('/api/instances/{id}', { path: { id } });
    const { status, code, sentence, details } = error;
    const action = describePossibleCommands(instance);
    throw new RelayApiError(status, code, sentence, { action, details });
  }
}

// `relay get <id>`: shows one conversation and the commands that are possible now.

export const showConversationCommand = withReminder(async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const path = { id: await findConversationId(client, args[0]) };
  const [instance, transitions] = await Promise.all([
    client.get('/api/instances/{id}', { path }),
    client.get('/api/instances/{id}/transitions', { path }),
  ]);
  if (terminal.json) {
    terminal.writeJson({ ...instance, transitions });
    return 0;
  }
  const look = {
    colours: terminal.colours,
    columns: terminal.size?.columns ?? null,
    now: Date.now(),
    all: options.all === true,
  };
  for (const line of formatConversationCard(instance, transitions, look)) terminal.writeLine(line);
  return 0;
});

// `relay send <id> <message>`: sends the owner's own text in a conversation. It is queued when the command returns.

export const sendToConversationCommand = withReminder(
  async ({ config, terminal, args, options }) => {
    const [given, ...words] = args;
    const message = parseText(
      { text: words.join(' '), source: 'The message' },
      CONVERSATION_LIMITS.message,
    );
    const client = clientOf(config.home);
    const id = await findConversationId(client, given);
    const path = { id };
    const { at, replyTo } = options;
    if (typeof at === 'string') {
      if (typeof replyTo === 'string') {
        throw new RelayError('usage', { what: 'Give --at without --reply-to.' });
      }
      const { target_contact: to } = await client.get('/api/instances/{id}', { path });
      await sendLater(client, terminal, { to, text: message, when: at });
      return 0;
    }
    const quote = typeof replyTo === 'string' ? { replyTo } : {};
    const line = await explainIllegalTransition(client, id, () =>
      client.post('/api/instances/{id}/send', { path, body: { message, ...quote } }),
    );
    if (terminal.json) terminal.writeJson(line);
    else {
      const instance = await client.get('/api/instances/{id}', { path });
      terminal.writeLine(
        `Your message to ${formatConversationContact(instance)} is queued (${instance.state}). ${STATE_SENTENCES[instance.state]} Follow it with \`relay transcript ${shortConversationId(id)} -f\`.`,
      );
    }
    return 0;
  },
);

// `relay pause <id…>`: sends nothing and follows up on nothing until the conversation is resumed.

export const pauseConversationsCommand = buildChangeCommand(
  'pause',
  (instance) =>
    `${shortConversationId(instance.id)} with ${formatConversationContact(instance)} is paused. The agent sends nothing until you resume it with \`relay resume ${shortConversationId(instance.id)}\`.`,
);

// `relay resume <id…>`: continues after a pause, or after the agent asked for the owner.

export const resumeConversationsCommand = buildChangeCommand('resume', (instance) => {
  const id = shortConversationId(instance.id);
  const who = `${id} with ${formatConversationContact(instance)}`;
  return needsOwner(instance)
    ? `${who} is no longer paused. ${STATE_SENTENCES[instance.state]}`
    : `${who} continues (${instance.state}). ${STATE_SENTENCES[instance.state]} Follow it with \`relay transcript ${id} -f\`.`;
});

// `relay cancel <id…>`: ends conversations; the contacts are not notified.

export const cancelConversationsCommand = buildChangeCommand(
  'cancel',
  (instance) =>
    `${shortConversationId(instance.id)} with ${formatConversationContact(instance)} is cancelled. No goodbye message was sent. See its messages with \`relay transcript ${shortConversationId(instance.id)}\`.`,
);
