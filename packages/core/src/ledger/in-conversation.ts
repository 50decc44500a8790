// What became of a message that was handed to a conversation: whether its agent has read it, and what it
// said to it.
import { type InstanceState, isTerminal } from '../conversation/states.ts';
import { stands } from './delivery.ts';
import type { ApprovalAnswer, ConversationPart, InboundStory, Reading } from './story.ts';
import { called, lapsed, quoted, when, withRun } from './words.ts';

export function inConversation({ place, conversation }: InboundStory, reading: Reading): string {
  const name = called(place.name);
  if (conversation === null) return `Handed to the conversation with ${name} that was open then.`;
  return `Handed to the conversation ${quoted(conversation.objective)} with ${name}${whatFollowed(conversation, reading)}.`;
}

function whatFollowed(conversation: ConversationPart, reading: Reading): string {
  const { run, answers, approval } = conversation;
  if (run === null) return `, ${unread(conversation)}`;
  const by = withRun(run);
  switch (run.state) {
    case 'running':
      return `, whose agent${by} is at work on it`;
    case 'failed':
      return `, whose agent${by} failed over it`;
    case 'discarded':
      return `, ${unread(conversation)}`;
    case 'done': {
      const last = answers.at(-1);
      if (last !== undefined) {
        const what =
          answers.length === 1 ? 'the answer' : `the last of its ${answers.length} messages`;
        return `, whose agent${by} read it and answered; ${stands(what, last, reading)}`;
      }
      if (approval !== null) return `, whose agent${by} read it and ${asked(approval, reading)}`;
      return `, whose agent${by} read it and said nothing to it`;
    }
  }
}

/** Not shown to an agent, and why. */
function unread({ state }: ConversationPart): string {
  if (state === 'PAUSED') return 'which is paused, so its agent has not read it';
  if (isTerminal(state as InstanceState)) return 'which ended before its agent read it';
  if (state === 'NEEDS_HUMAN_INTERVENTION')
    return 'which waits for you, so its agent has not read it';
  return 'whose agent has not read it yet';
}

function asked(approval: ApprovalAnswer, reading: Reading): string {
  const { state, decidedAt } = approval;
  const time = decidedAt === null ? '' : ` ${when(decidedAt, reading)}`;
  switch (state) {
    case 'pending':
      return 'wrote an answer that needs your yes under `relay approvals`';
    case 'approved':
      return `wrote an answer that you approved${time}`;
    case 'rejected':
      return `wrote an answer that you rejected${time}`;
    case 'expired':
      return `wrote an answer, and ${lapsed(approval)}`;
    case 'gone':
      return 'wrote an answer that was never approved';
  }
}
