// The agent of a delegated conversation: context in, outcome out. Nothing is kept between turns, so that
// a turn after a restart is a turn like any other; nothing it wants has happened when it returns.
import { estimateTokens } from '@relay/core/agent/tokens';
import { shortened, windowOf } from '@relay/core/agent/window';
import type { TranscriptLine } from '@relay/core/api/instances';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import type { TakeTurn, ToolCallRecord, TurnContext, TurnOutcome } from '@relay/core/ports/turn';
import type { AgentSettings } from '@relay/core/settings';
import type { Clock } from '../../../agent/clock.ts';
import { marksOf } from '../../../agent/marks.ts';
import type { ModelSource } from '../../../agent/model.ts';
import { type AgentSession, createAgentSession, type Rest } from '../../../agent/session.ts';
import { type Draft, emptyDraft, isSettled } from '../../../tools/conversation/draft.ts';
import { conversationTools } from '../../../tools/conversation/tools.ts';
import { instructionsFor, messagesFor, NUDGE, type Seen } from './prompt.ts';
import { SUMMARY, type Summary, sumUp } from './summary.ts';

export interface ConversationAgentOptions {
  readonly models: ModelSource;
  readonly limits: AgentSettings;
  readonly log: Log;
  readonly clock: Clock;
}

export function conversationAgent(options: ConversationAgentOptions): TakeTurn {
  const { models, limits, log, clock } = options;
  return async (context, hooks) => {
    const about = { instance: context.instance, run: context.run };
    const draft = emptyDraft();
    const session = createAgentSession({
      model: await models.open(),
      instructions: instructionsFor(context, limits.instructions),
      tools: conversationTools({
        draft,
        todos: context.todos,
        onCall: () => log.info('the agent asked for a call; calls are not yet available', about),
      }),
      limits,
      clock,
      hooks: {
        signal: hooks.signal,
        read: context.taint,
        reads: (taint) => hooks.reads(taint),
        spent: (spent) => hooks.spent(spent),
        toolFailed: (tool, error) => log.warn('a tool failed', { ...about, event: tool, error }),
      },
    });
    const { seen, summary } = await look(context, session, options);
    const rest = await nudged(session, draft, seen, context, clock);
    return outcomeOf(draft, rest, session.calls, summary);
  };
}

/** What of the transcript this turn sees, and the notes about the rest. */
async function look(
  context: TurnContext,
  session: AgentSession,
  { limits, log }: ConversationAgentOptions,
): Promise<{ seen: Seen; summary: Summary | null }> {
  const limit = limits.context_tokens;
  const lines = context.transcript.map((line) => ({
    ...line,
    content: shortened(line.content, limit),
  }));
  const { fallen, kept } = windowOf(lines, limit, costOf);
  const summary = await sumUp({
    summary: context.summary,
    fallen,
    limit,
    marks: marksOf(context.run),
    costOf,
    chat: context.chat,
    ask: async (text) => (await session.ask(SUMMARY, text)).text,
    failed(error) {
      if (!isOfModel(error)) throw error;
      log.warn('the summary failed', { instance: context.instance, run: context.run, error });
    },
  });
  const gap = fallen.length > 0 && summary?.upTo !== fallen.at(-1)?.id;
  const seen = {
    summary: summary?.text ?? context.summary,
    gap,
    lines: kept,
    unread: context.unread,
  };
  return { seen, summary };
}

const LINE_TOKENS = 12;
const costOf = ({ content }: TranscriptLine): number => estimateTokens(content) + LINE_TOKENS;

/** A spent budget or a turn that was overtaken ends it all; a summary that fails does not. */
const isOfModel = (error: unknown): boolean =>
  error instanceof RelayError ? error.code.startsWith('model_') : true;

/** Text outside tools, or nothing at all, is answered with one reminder. */
async function nudged(
  session: AgentSession,
  draft: Draft,
  seen: Seen,
  context: TurnContext,
  clock: Clock,
): Promise<Rest> {
  const rest = await session.act(messagesFor(context, seen, clock.date()));
  if (isSettled(draft) || rest.kind === 'too_many_steps') return rest;
  return session.act([{ role: 'user', content: NUDGE }]);
}

function outcomeOf(
  draft: Draft,
  rest: Rest,
  calls: readonly ToolCallRecord[],
  summary: Summary | null,
): TurnOutcome {
  const kept = { calls, ...(summary === null ? {} : { summary }) };
  if (rest.kind === 'too_many_steps')
    return { messages: [], intervene: UNSETTLED.too_many_steps, ...kept };
  const intervene = isSettled(draft) ? draft.intervene : UNSETTLED[rest.kind];
  return {
    messages: draft.messages,
    todos: [...draft.todos].map(([id, status]) => ({ id, status })),
    ...(draft.nextHeartbeatMs === null ? {} : { nextHeartbeatMs: draft.nextHeartbeatMs }),
    ...(draft.end === null ? {} : { end: draft.end }),
    ...(intervene === null ? {} : { intervene }),
    ...kept,
  };
}

/** Why the owner is asked when the agent came to rest without having decided anything. */
const UNSETTLED: Record<Rest['kind'], string> = {
  stopped: 'The agent stopped without a reason. Resume it or write yourself.',
  text: 'The agent answered without using its tools, so nothing was sent. Resume it or write yourself.',
  nothing: 'The agent had nothing to say. Resume it or write yourself.',
  too_many_steps:
    'The agent did not come to an end within its steps; nothing of this turn was sent. Resume it or write yourself.',
};
