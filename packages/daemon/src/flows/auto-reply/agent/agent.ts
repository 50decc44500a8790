// The model that answers a contact. It has no tool that reaches a chat, a file or a person: what it says at
// the end of its run is the answer, and nothing else of it counts.
import { shortened } from '@relay/core/agent/window';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import { storable } from '@relay/core/messages/text';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { ComposeReply } from '@relay/core/ports/reply';
import type { AgentSettings } from '@relay/core/settings';
import type { Clock } from '../../../agent/clock.ts';
import type { ModelSource } from '../../../agent/model.ts';
import { createAgentSession } from '../../../agent/session.ts';
import type { WebSearch } from '../../../tools/web-search/web-search.ts';
import { instructionsFor, messagesFor } from './prompt.ts';

const MOST_CHARACTERS = 16_000;

export interface AutoReplyAgentOptions {
  readonly models: ModelSource;
  readonly limits: AgentSettings;
  readonly log: Log;
  readonly clock: Clock;
  /** The only thing that it may look into besides the chat; none without a key. */
  readonly search?: WebSearch;
}

export function autoReplyAgent(options: AutoReplyAgentOptions): ComposeReply {
  const { models, limits, log, clock, search } = options;
  return async (context, hooks) => {
    const { run, chat, model } = context;
    let said = '';
    const session = createAgentSession({
      model: await models.open(model === null ? {} : { model }),
      instructions: instructionsFor(context, limits.instructions),
      tools:
        (await search?.tools((call, result) =>
          hooks.lookedUp({ ...call, result: JSON.stringify(result) }),
        )) ?? [],
      limits,
      clock,
      hooks: {
        signal: hooks.signal,
        read: { ...UNTAINTED, chats: [chat] },
        reads: (taint) => hooks.reads(taint),
        spent: (spent) => hooks.spent(spent),
        text: (delta) => {
          said += delta;
          hooks.said(said);
        },
        // What a failed attempt had said stays told until the next one says something.
        textReset: () => {
          said = '';
        },
        toolFailed: (tool, error) => log.warn('a tool failed', { run, event: tool, error }),
      },
    });
    const rest = await session.act(messagesFor(context, clock.date()));
    if (rest.kind === 'too_many_steps') throw new RelayError('model_endless');
    return rest.kind === 'text' ? storable(shortened(rest.text, MOST_CHARACTERS)) : '';
  };
}
