// Who caused a message that Relay sent, under which permission, with which model run, and where it stands:
// one true sentence.
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import { stands } from './delivery.ts';
import type { OutboundStory, Reading } from './story.ts';
import { called, clause, quoted, when, withRun } from './words.ts';

export function outboundSentence(story: OutboundStory, reading: Reading): string {
  return `${caused(story, reading)}${permitted(story, reading)}; ${stands('it', story.delivery, reading)}.`;
}

function caused(story: OutboundStory, reading: Reading): string {
  const { actor, conversation, program, run, schedule } = story;
  const to = recipient(story);
  const by = withRun(run);
  const within =
    conversation === null ? '' : ` in the conversation ${quoted(conversation.objective)}`;
  const [kind = '', id = ''] = actor.split(':');
  switch (kind) {
    case 'owner':
      return `You wrote this to ${to}${within}`;
    case 'conversation':
      return conversation === null
        ? `The agent of a conversation that is gone${by} wrote this to ${to}`
        : `The agent of the conversation ${quoted(conversation.objective)}${by} wrote this to ${to}`;
    case 'assistant':
      return `Your assistant${by} wrote this to ${to}${inAnswer(story, reading)}`;
    case 'auto_reply':
      return `Auto-reply${by} wrote this to ${to}${inAnswer(story, reading)}`;
    case 'scheduler':
      return `${schedule === null ? 'A schedule' : `The schedule ${quoted(schedule.words)}`} sent this to ${to}`;
    case 'notifier':
      return `Relay wrote this to ${to}${story.answers === null ? ' to tell you what needs you' : inAnswer(story, reading)}`;
    case 'token':
      return `The program ${program === null ? id.slice(0, 8) : quoted(program)} wrote this to ${to}`;
    default:
      return `The actor ${called(actor)} wrote this to ${to}`;
  }
}

function recipient({ place: { kind, name } }: OutboundStory): string {
  if (kind === 'own') return 'you';
  return kind === 'group' ? `the group ${quoted(name)}` : called(name);
}

const inAnswer = ({ answers, place }: OutboundStory, reading: Reading): string =>
  answers === null
    ? ''
    : ` in answer to ${place.kind === 'direct' ? 'their' : 'your'} message ${when(answers, reading)}`;

/** Whose yes stood behind it. */
function permitted(story: OutboundStory, reading: Reading): string {
  const { reason, place, approval } = story;
  switch (reason) {
    case 'owner':
      return ' yourself';
    case 'own_chat':
      return ', which needs no grant';
    case 'standing_grant':
      return `, which your grant for ${place.kind === 'group' ? 'the group' : called(place.name)} allowed`;
    case 'conversation_grant':
      return ', which the permission of that conversation allowed';
    case 'scheduled':
      return ', as it was scheduled with your consent';
    case 'approved':
      return `, which you ${approval?.edited ? 'reworded and approved' : 'approved'}${approval?.decidedAt ? ` ${when(approval.decidedAt, reading)}` : ''}`;
    default:
      return Object.hasOwn(REASONS, reason)
        ? `, for ${clause(REASONS[reason as ReasonCode].sentence)}`
        : `, under the reason recorded as ${reason}`;
  }
}
