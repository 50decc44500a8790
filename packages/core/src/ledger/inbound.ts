// What became of a message that came in, or that the owner typed on a phone: one true sentence. The route
// says whose it was; where it was handed on, what came of it after.
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import type { ROUTE_REASONS } from '../router/route.ts';
import { answeredBy } from './answered.ts';
import { inConversation } from './in-conversation.ts';
import { inObservedGroup } from './in-observed-group.ts';
import type { InboundStory, Reading } from './story.ts';
import { called, clause, quoted } from './words.ts';

export function inboundSentence(story: InboundStory, reading: Reading): string {
  const { route } = story;
  if (route === null) return 'Waits: it was taken in, and nobody has decided yet whose it is.';
  if (Object.hasOwn(BY_ROUTE, route.reason)) {
    return BY_ROUTE[route.reason as keyof typeof BY_ROUTE](story, reading);
  }
  const stored = route.outcome === 'ignored' ? 'Ignored' : 'Stored and not answered';
  return `${stored}: ${refusal(route.reason, story)}.`;
}

type Say = (story: InboundStory, reading: Reading) => string;

/** The router's own reasons; the policy's, for which nobody may read, are below. */
const BY_ROUTE = {
  own_message: () => 'Ignored because it is yours.',
  sent_by_relay: () => 'Ignored because Relay sent it itself.',
  owner_reaction: () => 'You reacted to a message in your own chat.',
  signed_by_relay: () =>
    'Ignored because it ends with the mark of your assistant, so it is not from you.',
  group: ({ place }) => `Stored and not answered: nobody follows the group ${quoted(place.name)}.`,
  observed: inObservedGroup,
  nothing_to_answer: ({ from }) =>
    `Stored and not answered: it is a mark of ${called(from)} on a message, which says nothing that could be answered.`,
  owner_takeover: ({ place, conversation }) =>
    `You wrote this to ${called(place.name)} yourself, so ${conversation === null ? 'the open conversation' : `the conversation ${quoted(conversation.objective)}`} is in your hands.`,
  open_conversation: inConversation,
  late_reply: ({ place, conversation }) =>
    `Handed to ${conversation === null ? 'the conversation' : `the conversation ${quoted(conversation.objective)}`} with ${called(place.name)}, which had ended before.`,
  late_reply_dismissed: ({ place }) =>
    `Stored and not answered: you left the conversation with ${called(place.name)} as it had ended.`,
  to_assistant: ({ answer }, reading) =>
    answeredBy(
      { who: 'your assistant', because: 'because it came from your own number', may: '' },
      answer,
      reading,
    ),
  readable_contact: ({ place, answer }, reading) =>
    answeredBy(
      {
        who: 'auto-reply',
        because: `because your grant for ${called(place.name)} allowed reading`,
        may: ' and answering',
      },
      answer,
      reading,
    ),
} as const satisfies Record<keyof typeof ROUTE_REASONS, Say>;

function refusal(reason: string, { place }: InboundStory): string {
  const name = called(place.name);
  const knock = place.kind === 'group' ? '' : '; it was counted as a knock';
  switch (reason) {
    case 'no_grant':
      return `nobody granted reading ${name}${knock}`;
    case 'no_read_grant':
      return `your grant for ${name} did not allow reading${knock}`;
    case 'unresolved_identity':
      return 'it was not certain who wrote it';
    default:
      return Object.hasOwn(REASONS, reason)
        ? `${clause(REASONS[reason as ReasonCode].sentence)}${knock}`
        : `the reason was recorded as ${reason}`;
  }
}
