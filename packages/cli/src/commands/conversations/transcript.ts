// `relay transcript <id>`: shows the messages of a conversation with their delivery state; -f follows it until it ends.

import type { ConversationInstance, TranscriptLine } from '@relay/contract/api/instances';
import type { Client } from '@relay/contract/client/client';
import { isTerminal } from '@relay/contract/conversation/states';
import { clientOf } from '../../api.ts';
import { followDaemonChanges } from '../../daemon-events.ts';
import { formatCount, truncateText } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { withReminder } from './conversations.ts';
import {
  colourByState,
  countDoneTodos,
  describeFollowUp,
  describeOutcome,
  formatTranscriptLine,
} from './format.ts';
import { findConversationId } from './input.ts';
import { conversationStateName } from './state-name.ts';

export const showTranscriptCommand = withReminder(async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const id = await findConversationId(client, args[0]);
  if (options.follow === true) {
    await followTranscript(config.home, terminal, id);
    return 0;
  }
  const lines = await client.get('/api/instances/{id}/transcript', { path: { id } });
  if (terminal.json) terminal.writeJson(lines);
  else if (lines.length === 0) terminal.notice('No messages yet.');
  else {
    const columns = terminal.size?.columns ?? null;
    const look = { colours: terminal.colours, columns, now: Date.now() };
    for (const line of lines.flatMap((one) => formatTranscriptLine(one, look)))
      terminal.writeLine(line);
  }
  return 0;
});

async function followTranscript(home: string, terminal: Terminal, id: string): Promise<void> {
  const view = new ConversationView(terminal);
  let last: string | null = null;
  for await (const update of followConversation(home, id)) {
    if (terminal.json) for (const line of update.lines) terminal.writeJson(line);
    else view.show(update);
    last = describeOutcome(update.instance, terminal.colours);
  }
  view.end();
  if (last !== null) terminal.note(last);
}

// Follows one conversation: each step yields its state and the lines that are new or changed. Ends after the
// conversation does, once its last message was sent or a short wait for it is over.

interface ConversationUpdate {
  readonly instance: ConversationInstance;
  /** Lines that are new or whose delivery state changed. */
  readonly lines: readonly TranscriptLine[];
}

const TICK_MS = 1_000;
const LAST_WORDS_MS = 5_000;
/** Receipts for lines older than this are not waited for. */
const LOOK_BACK = 20;

export async function* followConversation(
  home: string,
  id: string,
): AsyncGenerator<ConversationUpdate> {
  const client = clientOf(home);
  const reported = new Map<string, TranscriptLine>();
  let instance: ConversationInstance | null = null;
  let endedAt: number | null = null;
  for await (const change of followDaemonChanges(home, TICK_MS)) {
    if (!change.reload && !change.instances.has(id)) {
      if (instance !== null) yield { instance, lines: [] };
    } else {
      // The state is read before the transcript, so that a reader who sees the end also has the last messages.
      instance = await client.get('/api/instances/{id}', { path: { id } });
      const lines = await newLines(client, id, reported);
      yield { instance, lines };
    }
    if (instance === null || !isTerminal(instance.state)) continue;
    endedAt ??= Date.now();
    const leaving = [...reported.values()].some(({ delivery }) => delivery === 'pending');
    if (!leaving || Date.now() - endedAt > LAST_WORDS_MS) return;
  }
}

async function newLines(
  client: Client,
  id: string,
  reported: Map<string, TranscriptLine>,
): Promise<TranscriptLine[]> {
  const after = settledUpTo([...reported.values()]);
  const found = await client.get('/api/instances/{id}/transcript', {
    path: { id },
    query: after === null ? {} : { after },
  });
  const fresh = found.filter((line) => reported.get(line.id)?.delivery !== line.delivery);
  for (const line of fresh) reported.set(line.id, line);
  return fresh;
}

/** The last line before which nothing can change any more. */
function settledUpTo(lines: readonly TranscriptLine[]): string | null {
  const recent = Math.max(0, lines.length - LOOK_BACK);
  const open = lines.findIndex((line, index) => index >= recent && !isDeliveryFinal(line));
  return lines[open === -1 ? lines.length - 1 : open - 1]?.id ?? null;
}

const isDeliveryFinal = ({ delivery }: TranscriptLine): boolean =>
  delivery === null || delivery === 'read' || delivery === 'failed';

// Display of a followed conversation: lines whose mark can still change stay at the bottom, above the state; settled
// lines are written once. When the output is not a terminal, each line is written when it arrives.

/** How many of the last sent messages stay redrawable. */
const MOVING = 4;

export class ConversationView {
  readonly #terminal: Terminal;
  readonly #written = new Set<string>();
  #moving: TranscriptLine[] = [];
  #drawn = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show({ instance, lines }: ConversationUpdate): void {
    const { size } = this.#terminal;
    if (size === null) {
      for (const line of lines) if (!this.#written.has(line.id)) this.#say(line);
      return;
    }
    this.#take(lines);
    while (this.#moving.length > MOVING || this.#tail(instance).length >= size.rows - 1) {
      const first = this.#moving.shift();
      if (first === undefined) break;
      this.#say(first);
    }
    while (this.#moving[0] !== undefined && isDeliveryFinal(this.#moving[0])) {
      this.#say(this.#moving[0]);
      this.#moving.shift();
    }
    const tail = this.#tail(instance);
    const now = tail.join('\n');
    if (now === this.#drawn) return;
    this.#drawn = now;
    this.#terminal.draw(tail);
  }

  /** Leaves the redrawable lines as they are. */
  end(): void {
    this.#terminal.clearTransient();
    for (const line of this.#moving.splice(0)) this.#say(line);
  }

  #take(lines: readonly TranscriptLine[]): void {
    for (const line of lines) {
      const at = this.#moving.findIndex(({ id }) => id === line.id);
      if (at !== -1) this.#moving[at] = line;
      else if (!this.#written.has(line.id)) this.#moving.push(line);
    }
  }

  #say(line: TranscriptLine): void {
    this.#written.add(line.id);
    this.#drawn = '';
    for (const part of this.#lines(line)) this.#terminal.writeLine(part);
  }

  #lines(line: TranscriptLine): string[] {
    const { colours, size } = this.#terminal;
    return formatTranscriptLine(line, { colours, columns: size?.columns ?? null, now: Date.now() });
  }

  #tail(instance: ConversationInstance): string[] {
    return [...this.#moving.flatMap((line) => this.#lines(line)), '', this.#standing(instance)];
  }

  #standing(instance: ConversationInstance): string {
    const { colours, size } = this.#terminal;
    const { todos } = instance;
    const state = conversationStateName(instance);
    const done =
      todos.length === 0
        ? ''
        : `${countDoneTodos(instance)} of ${formatCount(todos.length, 'todo')} done`;
    const next = describeFollowUp(instance, Date.now());
    const rest = [done, next === '' ? '' : `follow-up: ${next}`].filter(Boolean).join(' · ');
    const text = truncateText(rest, Math.max(0, (size?.columns ?? 200) - state.length - 6));
    return `${colourByState(instance.state, `● ${state}`, colours)}  ${colours.dim(text)}`;
  }
}
