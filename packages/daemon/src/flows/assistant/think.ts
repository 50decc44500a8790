// The turn itself, between its two transactions: what was said before is looked up, then the model answers,
// with at most five rounds of tools. Whatever it does, an answer comes of it, or the turn was ended.
import { dayBudgetSpent } from '@relay/core/agent/budget';
import { prompt, trusted, untrusted } from '@relay/core/agent/labelled';
import { shortened } from '@relay/core/agent/window';
import { RelayError } from '@relay/core/errors';
import { storable } from '@relay/core/messages/text';
import type { AssistantSink } from '@relay/core/ports/assistant';
import { sql } from 'kysely';
import { type AgentSession, createAgentSession, type Rest } from '../../agent/session.ts';
import type { AgentTool } from '../../agent/tool.ts';
import { fenced } from '../../store/fenced.ts';
import { listPermitted, type Permitted } from '../../store/permitted.ts';
import { endRun, noteSpent } from '../../store/runs.ts';
import { digestTools } from '../../tools/assistant/digests.ts';
import { readOutside } from '../../tools/assistant/outside.ts';
import { ToolRun } from '../../tools/assistant/run.ts';
import { assistantTools } from '../../tools/assistant/tools.ts';
import type { Begun } from './begin.ts';
import { askedInChat } from './confirm.ts';
import { quoteUntrusted, withContext } from './context.ts';
import { deedsOf } from './lines.ts';
import { instructionsFor, MOST_SHOWN } from './prompt.ts';
import { pastMessage, retrieved } from './retrieve.ts';
import { SENTENCES, UNEXPECTED } from './sentences.ts';
import { Stopped } from './turns.ts';
import type { AssistantWorld } from './world.ts';

export const MOST_ROUNDS = 5;
const MOST_ANSWER = 20_000;
const MOST_QUESTION = 12_000;

/** Where the owner is, and who hears of the turn while it runs. */
export type Channel =
  | { readonly kind: 'whatsapp' }
  | { readonly kind: 'chat'; readonly sink: AssistantSink };

export interface Thought {
  readonly state: 'done' | 'failed';
  readonly text: string;
  /** Of one that failed: the code, and the sentence. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** Rejects with the signal's reason when the turn was ended from outside. */
export async function think(
  world: AssistantWorld,
  begun: Begun,
  channel: Channel,
  signal: AbortSignal,
): Promise<Thought> {
  const { db, lease } = world;
  const deeds = () => deedsOf(db, lease.account, begun.run);
  try {
    const rest = await act(world, begun, channel, signal);
    signal.throwIfAborted();
    return { state: 'done', text: fit(await textOf(rest, deeds)), failure: null };
  } catch (error) {
    // A tool may still be at it: from here on it can do nothing, and what it did by now is seen.
    await fenced(db, lease, (tx) => endRun(tx, lease.account, begun.run, 'discarded'));
    if (signal.reason instanceof Stopped)
      return { state: 'done', text: SENTENCES.stopped(await deeds()), failure: null };
    signal.throwIfAborted();
    const told = error instanceof RelayError;
    if (!told) world.log.error('the assistant failed', { run: begun.run, error });
    const message = told ? error.message : UNEXPECTED;
    const text = SENTENCES.failed(message, await deeds());
    return { state: 'failed', text, failure: { code: told ? error.code : 'internal', message } };
  }
}

async function textOf(rest: Rest, deeds: () => Promise<readonly string[]>): Promise<string> {
  switch (rest.kind) {
    case 'text':
      return rest.text;
    case 'nothing':
      return SENTENCES.nothing(await deeds());
    case 'stopped':
    case 'too_many_steps':
      return SENTENCES.tooManyRounds(await deeds());
  }
}

const fit = (text: string): string => storable(shortened(text, MOST_ANSWER));

async function act(
  world: AssistantWorld,
  begun: Begun,
  channel: Channel,
  signal: AbortSignal,
): Promise<Rest> {
  const { settings, clock, log, zone } = world;
  const { run, taint } = begun;
  const connected = world.connected();
  const rounds = { asked: 0, beside: 0 };
  let session: AgentSession | null = null;
  const toolRun = new ToolRun({
    world: toolWorld(world),
    id: run,
    taint,
    confirm: channel.kind === 'chat' ? askedInChat(world, channel.sink) : null,
    askIn: channel.kind === 'whatsapp' ? begun.session.chat_id : null,
    ask: async (instructions, text) => {
      rounds.beside += 1;
      try {
        return (await session?.ask(instructions, text)) ?? trusted('');
      } finally {
        rounds.beside -= 1;
      }
    },
  });
  const offered = [
    ...(connected ? assistantTools(toolRun) : []),
    ...((await world.digests.hasGroups()) ? digestTools(toolRun) : []),
    ...(await world.webSearch.tools(readOutside(toolRun))),
  ];
  const tools = offered.map((tool) => within(rounds, tool));
  const permitted = await listPermitted(
    world.db,
    world.lease.account,
    settings.admin_phone_numbers,
    MOST_SHOWN + 10,
  );
  const found = await retrieved(world, begun.question, permitted);
  session = createAgentSession({
    model: await world.models.open(),
    instructions: instructionsFor({
      run,
      now: world.now(),
      zone,
      channel: channel.kind,
      askedAt: begun.question.at,
      connected,
      tools,
      permitted,
      own: ownAddress(permitted, begun),
      ownersWords: settings.agent.instructions,
    }),
    tools,
    limits: { ...settings.agent, max_steps: MOST_ROUNDS + 1 },
    clock,
    hooks: {
      signal,
      read: taint,
      reads: (seen) => toolRun.reads(seen),
      spent: async (spent) => {
        if (rounds.beside === 0) rounds.asked += 1;
        const usedBefore = sql<number>`0`;
        const { day } = await noteSpent(
          world.db,
          world.lease,
          { run, clock: world, usedBefore },
          spent,
        );
        const fault = dayBudgetSpent(settings.agent, day);
        if (fault !== null) throw fault;
      },
      toolFailed: (event, error) => log.warn('a tool failed', { run, event, error }),
      ...hearing(channel),
    },
  });
  const last = begun.history.length - 1;
  return session.act(
    begun.history.map(({ role, content, untrusted: isByOthers }, at) => {
      const said = shortened(content, MOST_QUESTION);
      // An answer may repeat what its run had read; a question is the owner's, unless they passed it on.
      const text = role === 'user' && !isByOthers ? trusted(said) : untrusted(said, taint);
      const shown = isByOthers ? quoteUntrusted(text, run) : text;
      return { role, content: at === last ? withContext(shown, found, { run, zone }) : shown };
    }),
  );
}

/** A round more than there may be is not run, and ends the turn. */
const within = (rounds: { readonly asked: number }, tool: AgentTool): AgentTool => ({
  ...tool,
  run: (input, signal, call) =>
    rounds.asked > MOST_ROUNDS
      ? { text: prompt`Error: no more tools for this message.`, stop: true }
      : tool.run(input, signal, call),
});

function hearing(channel: Channel) {
  if (channel.kind !== 'chat') return {};
  const { sink } = channel;
  return {
    text: (delta: string) => sink({ type: 'text', delta }),
    textReset: () => sink({ type: 'text_reset' }),
    calling: ({ id, name, arguments: given }: { id: string; name: string; arguments: unknown }) =>
      sink({ type: 'tool_call', id, name, arguments: given }),
    called: ({ id, result }: { id: string; result: string }) =>
      sink({ type: 'tool_result', id, result }),
  };
}

function toolWorld(world: AssistantWorld): ToolRun['world'] {
  const { db, lease, gate, schedules, settings, search, digests, events } = world;
  return {
    db,
    lease,
    gate,
    schedules,
    digests: (query) => digests.digests(query),
    admins: settings.admin_phone_numbers,
    find: async (query, options) =>
      (await search.search({ kind: 'assistant' }, query, options)).map((hit) => ({
        ...pastMessage(hit),
        sure: hit.sure ?? true,
      })),
    changed: () => {
      gate.hint();
      events.hint();
    },
  };
}

/** The chat of whoever asks; in a chat on the computer, the linked number's own. */
function ownAddress(permitted: readonly Permitted[], { session }: Begun): string | null {
  const own = permitted.filter(({ kind }) => kind === 'own');
  return (own.find(({ chat }) => chat === session.chat_id) ?? own[0])?.address ?? null;
}
